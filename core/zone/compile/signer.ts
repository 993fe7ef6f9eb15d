/** What signs the RRsets of one zone, as the compiler sees it. */
import type { Nsec3Parameters } from '../../dns/dnssec/nsec3.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { RRset } from '../../dns/wire/types.ts';

/** How a presigned zone denies names. `hashing`: of NSEC3 (RFC 5155 section 4). */
export type PresignedDenial =
  | { readonly kind: 'none' | 'nsec' }
  | { readonly kind: 'nsec3'; readonly hashing: Nsec3Parameters };

export interface ZoneSigner {
  /** How names of a zone that its primary has signed are denied; undefined: we sign the zone. */
  readonly denial?: PresignedDenial;

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
  /**
   * The NSEC3 hash of a name of the zone (RFC 5155 section 5): 20 bytes. Zeros for a presigned zone
   * without NSEC3.
   */
  hash(name: Name): Uint8Array;
}
