/** The signer of one zone, as the compiler uses it. */
import type { Nsec3Parameters } from '../../dns/dnssec/nsec3.ts';
import type { Name } from '../../dns/wire/name.ts';
import type { RRset } from '../../dns/wire/types.ts';

/** How a presigned zone denies names. `hashing`: of NSEC3 (RFC 5155 section 4). */
export type PresignedDenial =
  | { readonly kind: 'none' | 'nsec' }
  | { readonly kind: 'nsec3'; readonly hashing: Nsec3Parameters };

export interface ZoneSigner {
  /** How a presigned zone denies names. Undefined: this server signs the zone. */
  readonly denial?: PresignedDenial;

  /**
   * Whether all names have signed NSEC3 records. If not, only some names are signed, and the SOA of
   * negative answers is unsigned, which shows that there are no proofs.
   */
  readonly isComplete: boolean;
  /**
   * The RRSIG RRset over an RRset (RFC 4034 section 3). `owner`: the stored owner, so the wildcard
   * for an answer from a wildcard.
   */
  sign(owner: Name, set: RRset): RRset;
  /**
   * The NSEC3 hash of a name of the zone (RFC 5155 section 5): 20 bytes. All zero for a presigned
   * zone without NSEC3.
   */
  hash(name: Name): Uint8Array;
}
