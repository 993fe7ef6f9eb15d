/** Which coding a client would rather have (RFC 9110 section 12.5.3). */
import type { Coding } from './coding.ts';

/** Of each coding how much it is wanted, in thousandths; 0: not at all. */
type Wanted = Readonly<Record<Coding | 'identity', number>>;

/** Browsers send a handful of values, so what one says is kept by its text. */
const parsed = new Map<string, Wanted>();
/** Entries, each of at most so many characters: some 100 KB. */
const MOST_KNOWN = 512;
const LONGEST_KNOWN = 128;
/** Members that are looked at: there are about ten codings. */
const MOST_MEMBERS = 32;

/**
 * `acceptEncoding`: the field's value, lines joined by a comma; undefined without the field, whose
 * absence says that any coding would do, but comes from clients that know of none. `available`: the
 * one to take first when several are wanted as much. "identity" when none is wanted more than that,
 * and when nothing at all is acceptable: 406 helps nobody.
 */
export function negotiate(acceptEncoding: string | undefined, available: readonly Coding[]): Coding | 'identity' {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity';
  const wanted = parsed.get(acceptEncoding) ?? learn(acceptEncoding);
  let best: Coding | 'identity' = 'identity';
  // As much as a named identity, which is acceptable, but last, when nothing is said of it.
  let most = Math.max(1, wanted.identity);
  for (const coding of available) {
    if (wanted[coding] > most || (wanted[coding] === most && best === 'identity')) {
      best = coding;
      most = wanted[coding];
    }
  }
  return best;
}

function learn(text: string): Wanted {
  const wanted = wantedBy(text);
  if (text.length > LONGEST_KNOWN) return wanted;
  if (parsed.size >= MOST_KNOWN) parsed.clear();
  parsed.set(text, wanted);
  return wanted;
}

/** codings [ OWS ";" OWS "q=" qvalue ] (section 12.4.2). */
const MEMBER = /^[ \t]*([!#$%&'*+\-.^_`|~0-9a-z]+)[ \t]*(?:;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i;

function wantedBy(text: string): Wanted {
  const named = new Map<string, number>();
  for (const member of text.split(',', MOST_MEMBERS)) {
    const match = MEMBER.exec(member);
    if (match === null) continue;
    const name = match[1].toLowerCase();
    const coding = name === 'x-gzip' ? 'gzip' : name; // section 8.4.1.3
    const quality = match[2] === undefined ? 1000 : Math.round(Number(match[2]) * 1000);
    // Who names one twice gets what is safe to send.
    named.set(coding, Math.min(quality, named.get(coding) ?? quality));
  }
  const others = named.get('*') ?? 0;
  return {
    br: named.get('br') ?? others,
    gzip: named.get('gzip') ?? others,
    zstd: named.get('zstd') ?? others,
    identity: named.get('identity') ?? others,
  };
}
