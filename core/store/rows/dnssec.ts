/**
 * How a zone is signed: its keys, and the clock by which the times of its signatures are chosen.
 */
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

/** What a key does, besides standing among the DNSKEY records. */
export type KeyUse =
  | 'sign' // signs everything
  | 'publish'; // signs the DNSKEY records only

export interface DnssecKey {
  /** Unique among the keys of all zones. */
  readonly id: Id;
  /** Rdata of the DNSKEY, base64. */
  readonly dnskey: string;
  /** The private key, sealed (core/base/secrets.ts) for `dnssecContext(domainId)`; base64. */
  readonly sealed: string;
  readonly use: KeyUse;
  /** CDS and CDNSKEY ask the parent to trust the key. */
  readonly isTrusted: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A key of another provider that serves the zone, too (RFC 8901 section 2.1.2). */
export interface ForeignKey {
  /** From the same sequence as the ids of keys. */
  readonly id: Id;
  /** Rdata of the DNSKEY, base64. */
  readonly dnskey: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * A change of all signatures, carried out in pieces (core/journal/signing). Until a name has had
 * its turn it is signed as before.
 */
export interface SigningProgress {
  /** `signed`: by the keys with use `sign`. `unsigned`: the row is deleted at the end. */
  readonly toward: 'signed' | 'unsigned';
  /** Ids of the keys that sign the names that wait for their turn. None: they are unsigned. */
  readonly from: readonly number[];
  /** The clock of these names. */
  readonly clock: number;
  /**
   * Names up to this key of the answers table, in hex, are in the nsec3 table; null: all names.
   * Before that nothing is signed but the apex.
   */
  readonly listedTo: string | null;
  /** Names whose hashes are below have had their turn. The first 32 bits count, so up to 2^32. */
  readonly signedTo: number;
}

/** What CDS and CDNSKEY ask of the parent (RFC 7344, RFC 8078). */
export type ParentRequest =
  | 'none' // they are absent: a DS would be too early
  | 'publish'
  | 'delete';

/** A domain without a row is not signed. */
export interface DnssecRow {
  readonly domainId: Id;
  /** DNS security algorithm number: 13 or 15. */
  readonly algorithm: number;
  /** Seconds since 1970: see core/dns/dnssec/lifetime.ts. */
  readonly clock: number;
  readonly keys: readonly DnssecKey[];
  /** They are among the DNSKEY records; those with the flag SEP also in CDS and CDNSKEY. */
  readonly foreign: readonly ForeignKey[];
  readonly parent: ParentRequest;
  /** Undefined: all names are signed by the keys with use `sign`. */
  readonly progress?: SigningProgress;
}

export const dnssec = jsonTable<DnssecRow>({
  number: 23,
  name: 'dnssec',
  key: ({ domainId }) => idKey(domainId),
  lookupsFromKey: true,
});

/** What the private keys of a domain are sealed for. */
export const dnssecContext = (domainId: Id): string => `dnssec:${domainId}`;
