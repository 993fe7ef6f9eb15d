/** DS records in the parent zone: those that its nameservers return, and the keys they are of. */
import { createHash } from 'node:crypto';
import { algorithmOf, keyTag } from '../../dns/dnssec/dnskey.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { ParentLook } from '../../store/rows.ts';

/** IANA "Digest Algorithms" of DS records. */
const DIGESTS: ReadonlyMap<number, string> = new Map([
  [1, 'sha1'],
  [2, 'sha256'],
  [4, 'sha384'],
]);

/** Key tag, algorithm, digest type. */
const HEADER_LENGTH = 4;

/**
 * Whether a DS of a parent belongs to a key (RFC 4034 5.1.4). `apex`: in lower case. Some resolvers
 * ignore SHA-1 digests, and all do next to others.
 */
export function dsMatches(ds: Uint8Array, apex: Name, dnskey: Uint8Array): boolean {
  const digest = DIGESTS.get(ds[3]);
  if (digest === undefined || ds[2] !== algorithmOf(dnskey)) return false;
  if (((ds[0] << 8) | ds[1]) !== keyTag(dnskey)) return false;
  const expected = createHash(digest).update(apex).update(dnskey).digest();
  return expected.equals(ds.subarray(HEADER_LENGTH));
}

/** The DS records from one address of a nameserver. */
export interface DsAnswer {
  /** Hexadecimal rdata. */
  readonly ds: readonly string[];
  readonly ttl: number;
}

/** The parent could not be queried. */
interface FailedLook {
  /** The reason, as the end of a sentence. */
  readonly trouble: string;
}

export type LookResult = ParentLook | FailedLook;

export const isFailed = (result: LookResult): result is FailedLook => 'trouble' in result;

/**
 * Merges the DS records that the nameservers of a parent zone return.
 *
 * `zone`: the parent zone, without the last dot. `answers`: of each nameserver. `now`: seconds
 * since 1970.
 */
export function mergeAnswers(zone: string, answers: readonly (readonly DsAnswer[])[], now: number): LookResult {
  const answered = answers.filter(({ length }) => length > 0);
  if (answered.length === 0) return { trouble: `no nameserver of ${zone === '' ? 'the root zone' : zone} answered` };
  const sets = new Map<string, readonly string[]>();
  let ttl = 0;
  for (const answer of answered.flat()) {
    const sorted = [...new Set(answer.ds)].sort();
    sets.set(sorted.join(), sorted);
    if (sorted.length > 0) ttl = Math.max(ttl, answer.ttl);
  }
  return { zone, sets: [...sets.values()], ttl, servers: answers.length, answered: answered.length, checkedAt: now };
}
