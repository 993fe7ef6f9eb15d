/** Normalises text as resolvers, browsers and libraries may do before they parse an address. */
import { toAscii } from '../../dns/wire/idn.ts';
import { invalidOrigin, quote } from './refuse.ts';

/**
 * A host name has 253 characters at most; its Unicode or escaped form may have a few times as many.
 */
const LONGEST = 1_000;
const NOT_ASCII = /[^\0-\x7f]/;
/** Controls, blanks of any script, unpaired surrogates, and code points that are not assigned. */
const UNPRINTABLE = /[\p{Cc}\p{Z}\p{Cs}\p{Cn}]/u;
/** UTS 46 drops these ("ignored"), and the two joiners in its transitional form. */
const IGNORED = /[\u00ad\u200b-\u200d\u2060\u2064\ufeff]|\u034f|\p{Variation_Selector}/gu;
const ESCAPE = /%/;
/**
 * Digits of any script in the last label. NFKC keeps digits of other scripts, and some number
 * parsers accept them.
 */
const ENDS_IN_DIGITS = /(^|[.\u3002\uff0e\uff61])\p{Nd}+[.\u3002\uff0e\uff61]?$/u;
/** RFC 4007 11: the text after the percent sign of an IPv6 address is a zone. */
const ZONE = /^\[?[0-9a-f.]*:[0-9a-f:.]*%/i;

interface Folded {
  /** ASCII, in its original case. */
  readonly text: string;
  /** The text had percent escapes. */
  readonly escaped: boolean;
}

/**
 * Decodes escapes once, folds compatibility forms (full-width digits and dots …), and converts
 * remaining Unicode to A-labels. Throws InvalidError `invalid_origin`.
 */
export function fold(text: string): Folded {
  if (text.length > LONGEST) invalidOrigin(text, `is longer than ${LONGEST} characters`);
  const once = compatible(text);
  const decoded = ESCAPE.test(once) && !ZONE.test(once) ? compatible(unescaped(once, text)) : once;
  if (decoded === '') invalidOrigin(text, 'is empty; give a public address or a host name');
  if (UNPRINTABLE.test(decoded))
    invalidOrigin(text, 'contains spaces, control characters or other characters that are not allowed in a host');
  if (NOT_ASCII.test(decoded) && ENDS_IN_DIGITS.test(decoded))
    invalidOrigin(text, 'ends in a number with non-ASCII digits; write addresses in ASCII digits');
  return { text: aLabels(decoded, text), escaped: decoded !== once };
}

/**
 * Applies NFKC, maps the dots of UTS 46 to full stops and removes the characters it ignores.
 * Returns the text unchanged if the result is not ASCII: joiners are significant in some scripts.
 */
function compatible(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  const folded = text.normalize('NFKC').replaceAll('\u3002', '.').replace(IGNORED, '');
  return NOT_ASCII.test(folded) ? text : folded;
}

function unescaped(text: string, original: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return invalidOrigin(original, 'contains a percent sign that is not an escape');
  }
}

function aLabels(text: string, original: string): string {
  try {
    return toAscii(text, '/origin');
  } catch {
    return invalidOrigin(
      original,
      `is not a valid international domain name: a label of ${quote(text)} is not allowed`,
    );
  }
}
