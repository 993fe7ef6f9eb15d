/** Signing of a zone: its keys, and the clock that determines the times of its signatures. */
import { type Id, idKey } from '../keys.ts';
import { jsonTable, unjson } from './table.ts';

/** The use of a key. A key that is published is a DNSKEY record, and signs the DNSKEY records. */
export type KeyUse =
  | 'sign' // published, and signs everything
  | 'publish' // published, and signs nothing else
  // Signs all other records, but is not published: validators expect signatures of each published
  // algorithm on every record (RFC 4035 section 2.2).
  | 'sign_unpublished'
  | 'none'; // neither; its signatures are being removed

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

/** A key of another provider of the zone (RFC 8901 section 2.1.2). */
export interface ForeignKey {
  /** From the same sequence as the ids of DnssecKey. */
  readonly id: Id;
  /** Rdata of the DNSKEY, base64. */
  readonly dnskey: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * A change of all signatures, applied in batches (core/journal/signing). Until its batch, a name is
 * signed as before.
 */
export interface SigningProgress {
  /** `signed`: by the signing keys. `unsigned`: the row is deleted at the end. */
  readonly toward: 'signed' | 'unsigned';
  /** Ids of the keys that sign the remaining names. Empty: these names are unsigned. */
  readonly from: readonly number[];
  /** The clock of the remaining names. */
  readonly clock: number;
  /**
   * Names up to this key of the answers table, in hexadecimal, are in the nsec3 table; null: all
   * names. Until all names are listed, only the apex is signed.
   */
  readonly listedTo: string | null;
  /** Names with hashes below this value are done. Only the first 32 bits count: 0 to 2^32. */
  readonly signedTo: number;
}

/** The request to the parent in CDS and CDNSKEY (RFC 7344, RFC 8078). */
export type ParentRequest =
  | 'none' // no CDS or CDNSKEY: a DS would be too early
  | 'publish'
  | 'delete';

/** Domains without a row are not signed. */
export interface DnssecRow {
  readonly domainId: Id;
  /** DNS security algorithm number: 8, 10, 13 or 15. While it is replaced, the former one. */
  readonly algorithm: number;
  /** Seconds since 1970: see core/dns/dnssec/lifetime.ts. */
  readonly clock: number;
  readonly keys: readonly DnssecKey[];
  /** Published as DNSKEY records; keys with the SEP flag also in CDS and CDNSKEY. */
  readonly foreign: readonly ForeignKey[];
  readonly parent: ParentRequest;
  /** Undefined: all names are signed by the signing keys. */
  readonly progress?: SigningProgress;
}

export const dnssec = jsonTable<DnssecRow>({
  number: 23,
  name: 'dnssec',
  quota: { none: 'one for each domain; a limited number of keys' },
  key: ({ domainId }) => idKey(domainId),
  lookupsFromKey: true,
  levelOf: (_key, value) => (unjson<DnssecRow>(value).keys.some(({ use }) => !FIRST_USES.has(use)) ? 6 : 0),
});

/** The uses of keys in the first feature level. */
const FIRST_USES: ReadonlySet<KeyUse> = new Set(['sign', 'publish']);

/** The keys that sign all records. */
export const signingKeys = ({ keys }: Pick<DnssecRow, 'keys'>): DnssecKey[] =>
  keys.filter(({ use }) => use === 'sign' || use === 'sign_unpublished');

/** The keys with DNSKEY records, which they sign. */
export const publishedKeys = ({ keys }: Pick<DnssecRow, 'keys'>): DnssecKey[] =>
  keys.filter(({ use }) => use === 'sign' || use === 'publish');

/** The context for sealing the private keys of a domain. */
export const dnssecContext = (domainId: Id): string => `dnssec:${domainId}`;
