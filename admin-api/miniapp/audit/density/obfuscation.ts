/** Detects the output of obfuscators. No pattern matches the output of minifiers. */

interface Sign {
  readonly offset: number;
  /** The message of the finding: a sentence. */
  readonly sign: string;
}

/** Minimum distinct names of the form `_0x3fa2`. A few of them may be hashes. */
const MIN_HEX_NAMES = 12;
/** Minimum number and share of escapes for characters that need no escape. */
const MIN_ESCAPES = 100;
const MIN_ESCAPES_SHARE = 0.2;
/** Minimum elements of a list of character codes. */
const MIN_CODES = 100;

export function findObfuscation(text: string): Sign[] {
  const signs = [hexNames(text), escapes(text), symbols(text), stringTable(text), characterCodes(text), packed(text)];
  return signs.filter((sign) => sign !== undefined);
}

function hexNames(text: string): Sign | undefined {
  const names = new Set<string>();
  let offset = -1;
  for (const { 0: name, index } of text.matchAll(/\b_0x[0-9a-f]{4,}\b/gi)) {
    if (offset < 0) offset = index;
    names.add(name);
    if (names.size >= MIN_HEX_NAMES)
      return { offset, sign: `Names such as ${[...names].slice(0, 3).join(', ')} hide their meaning.` };
  }
  return undefined;
}

/** Escapes of printable ASCII: `"\x65\x76"`. */
function escapes(text: string): Sign | undefined {
  let offset = -1;
  let count = 0;
  let length = 0;
  for (const { 0: run, index } of text.matchAll(/(?:\\x[2-7][0-9a-f]|\\u00[2-7][0-9a-f]|\\u\{[2-7][0-9a-f]\})+/gi)) {
    if (run.length < 12) continue;
    if (offset < 0) offset = index;
    count += run.length / 4;
    length += run.length;
  }
  if (count < MIN_ESCAPES || length / text.length < MIN_ESCAPES_SHARE) return undefined;
  return { offset, sign: 'Strings are written in escapes where letters would do.' };
}

/**
 * Lengths of a run of punctuation that ordinary programs never have: of `[]()!+` only (JSFuck), and
 * of any sign (JJEncode).
 */
const BRACKETS_RUN = 200;
const SIGNS_RUN = 400;
const BRACKET = 1;
const SIGN = 2;
const CLASS_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return ('[]()!+'.includes(char) ? BRACKET : 0) | ('[](){}!+$_~"\\:,.;='.includes(char) ? SIGN : 0);
});

const classAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 128 ? CLASS_OF[code] : 0;
};

/**
 * Whether the text has a run of `length` signs. Samples every `length`-th character: each such run
 * covers a sampled position.
 */
function hasRun(text: string, length: number): boolean {
  for (let at = length - 1; at < text.length; at += length) {
    let from = at + 1;
    while (from > 0 && at - from < length && classAt(text, from - 1) !== 0) from--;
    let to = at + 1;
    while (to < text.length && to - from < length && classAt(text, to) !== 0) to++;
    if (from <= at && to - from >= length) return true;
  }
  return false;
}

function symbols(text: string): Sign | undefined {
  let brackets = 0;
  let signs = 0;
  const end = hasRun(text, BRACKETS_RUN) ? text.length : 0;
  for (let i = 0; i < end; i++) {
    const charClass = classAt(text, i);
    brackets = charClass & BRACKET ? brackets + 1 : 0;
    signs = charClass & SIGN ? signs + 1 : 0;
    if (brackets === BRACKETS_RUN || signs === SIGNS_RUN)
      return {
        offset: i + 1 - (brackets === BRACKETS_RUN ? brackets : signs),
        sign: 'Code is written with brackets and signs alone.',
      };
  }
  // The emoticon at the start of AAEncode output.
  const face = text.indexOf('\uff9f\u03c9\uff9f');
  return face < 0 ? undefined : { offset: face, sign: 'Code is written with faces.' };
}

/** The loop of obfuscator.io that rotates its string table until a checksum matches. */
function stringTable(text: string): Sign | undefined {
  const match =
    /while\s*\(\s*!!\[\]\s*\)\s*\{?\s*(?:try|switch)|\[(['"])push\1\]\s*\(\s*\w+\s*\[(['"])shift\2\]\s*\(\s*\)\s*\)/.exec(
      text,
    );
  return match === null ? undefined : { offset: match.index, sign: 'A table of strings is turned before it is used.' };
}

/**
 * Functions that decode a list of character codes. Searching for each name takes a tenth of the
 * time of one regular expression.
 */
const DECODERS = ['fromCharCode', 'fromCodePoint', 'TextDecoder'];

/** A list of character codes, in a file that uses a decoder. */
function characterCodes(text: string): Sign | undefined {
  if (!DECODERS.some((name) => text.includes(name))) return undefined;
  for (const { 0: list, index } of text.matchAll(/(?:\b(?:\d{1,3}|0x[0-9a-f]{1,2})\s*,\s*){100,}/gi)) {
    const codes = list.split(',').map(Number).slice(0, -1);
    const printable = codes.filter((code) => code === 10 || (code >= 32 && code < 127)).length;
    if (codes.length >= MIN_CODES && printable / codes.length > 0.95)
      return { offset: index, sign: 'A text is written as a list of character codes.' };
  }
  return undefined;
}

/** Dean Edwards' packer. */
function packed(text: string): Sign | undefined {
  const match = /\beval\s*\(\s*function\s*\(p,\s*a,\s*c,\s*k,\s*e,/.exec(text);
  return match === null ? undefined : { offset: match.index, sign: 'The code is packed, to be unpacked by eval.' };
}
