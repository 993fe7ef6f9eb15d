/** Selects the content coding that a client prefers (RFC 9110 section 12.5.3). */
import { RecentMap } from '../../core/base/recent-map.ts';
import type { Coding } from './coding.ts';

/** The quality of each coding, in thousandths; 0: not acceptable. */
type Wanted = Readonly<Record<Coding | 'identity', number>>;

/** Results by field value: browsers send only a few different values. Some 100 KB. */
const parsed = new RecentMap<Wanted>(512);
const MAX_CACHED_LENGTH = 128;
/** Members that are read: about ten codings exist. */
const MOST_MEMBERS = 32;

/**
 * `acceptEncoding`: the value of the field, lines joined by a comma. Undefined without the field:
 * formally any coding is acceptable, but such clients support none. `available`: in order of
 * preference among codings of the same quality. Returns "identity" if no coding has a higher
 * quality, or if nothing is acceptable: a 406 would not help.
 */
export function negotiate(acceptEncoding: string | undefined, available: readonly Coding[]): Coding | 'identity' {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity';
  const wanted = parsed.get(acceptEncoding) ?? parseAndCache(acceptEncoding);
  let best: Coding | 'identity' = 'identity';
  // An identity that is not listed is acceptable, but has the lowest quality.
  let most = Math.max(1, wanted.identity);
  for (const coding of available) {
    if (wanted[coding] > most || (wanted[coding] === most && best === 'identity')) {
      best = coding;
      most = wanted[coding];
    }
  }
  return best;
}

function parseAndCache(text: string): Wanted {
  const wanted = wantedBy(text);
  if (text.length > MAX_CACHED_LENGTH) return wanted;
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
    // A coding that is listed twice gets the lower quality, which is safe.
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
