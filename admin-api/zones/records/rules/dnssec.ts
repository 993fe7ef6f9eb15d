/**
 * Signatures, keys, denials and digests of a zone (RFC 4034, RFC 5155, RFC 7344, RFC 8976), and
 * their forerunners (RFC 2535). They follow from the zone and its serial, so only the service can
 * make valid ones: imports drop them, and the API refuses them. A KEY is data (RFC 3445), and a DS
 * or CSYNC belongs to the customer.
 */
import { SIGNER_STATE, TYPE } from '../../../../core/dns/wire/types.ts';

export const DNSSEC_TYPES: ReadonlySet<number> = new Set([
  TYPE.SIG,
  TYPE.NXT,
  TYPE.RRSIG,
  TYPE.NSEC,
  TYPE.DNSKEY,
  TYPE.NSEC3,
  TYPE.NSEC3PARAM,
  TYPE.CDS,
  TYPE.CDNSKEY,
  TYPE.ZONEMD,
]);

/** What imports drop: also the notes of the signer of BIND. */
export const DROPPED_TYPES: ReadonlySet<number> = new Set([...DNSSEC_TYPES, SIGNER_STATE]);
