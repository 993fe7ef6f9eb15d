/** Whether a DS of a parent belongs to a key (RFC 4034 5.1.4). */
import { createHash } from 'node:crypto';
import { algorithmOf, keyTag } from '../../dns/dnssec/dnskey.ts';
import type { Name } from '../../dns/wire/name.ts';

/** IANA "Digest Algorithms" of DS records. */
const DIGESTS: ReadonlyMap<number, string> = new Map([
  [1, 'sha1'],
  [2, 'sha256'],
  [4, 'sha384'],
]);

/** Key tag, algorithm, digest type. */
const HEADER_LENGTH = 4;

/** `apex`: in lower case. Some resolvers ignore SHA-1 digests, and all do next to others. */
export function dsMatches(ds: Uint8Array, apex: Name, dnskey: Uint8Array): boolean {
  const digest = DIGESTS.get(ds[3]);
  if (digest === undefined || ds[2] !== algorithmOf(dnskey)) return false;
  if (((ds[0] << 8) | ds[1]) !== keyTag(dnskey)) return false;
  const expected = createHash(digest).update(apex).update(dnskey).digest();
  return expected.equals(ds.subarray(HEADER_LENGTH));
}
