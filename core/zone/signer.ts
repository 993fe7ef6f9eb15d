/** What signs the RRsets of one zone, as the compiler sees it. */
import type { Name } from '../wire/name.ts';
import type { RRset } from '../wire/types.ts';

export interface ZoneSigner {
  /**
   * Whether all names have signed NSEC3 records. If not, the SOA of negative answers is not signed
   * either, which says that there are no proofs: only some names are signed.
   */
  readonly isComplete: boolean;
  /**
   * The RRSIG RRset over an RRset (RFC 4034 section 3). `owner`: as it is stored, so a wildcard for
   * what a wildcard stands for.
   */
  sign(owner: Name, set: RRset): RRset;
  /** The NSEC3 hash of a name of the zone (RFC 5155 section 5): 20 bytes. */
  hash(name: Name): Uint8Array;
}
