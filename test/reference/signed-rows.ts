/** How the zones of a changing world are signed, as rows of the store. */
import { openSecrets, type Secrets } from '../../core/base/secrets.ts';
import { algorithmOf, dsRdata } from '../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair } from '../../core/dns/dnssec/keys.ts';
import { readKeyPair } from '../../core/dns/dnssec/private-key.ts';
import type { ResourceRecord } from '../../core/dns/wire/types.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import type { Id } from '../../core/store/keys.ts';
import { type DnssecKey, type DnssecRow, type Domain, dnssecContext } from '../../core/store/rows.ts';
import { EXAMPLE_KEYS } from '../core/dns/dnssec/rsa-keys.ts';

const PAIRS = [generateKeyPair(13), generateKeyPair(15), ...EXAMPLE_KEYS.map(({ file }) => readKeyPair(file))];
/** Generated once: what they sign is the same in all zones. */
const SPARE = generateKeyPair(15);

export class SignedRows {
  readonly rows = new Map<Id, DnssecRow>();
  readonly #secrets: Secrets;

  constructor(keyFile: string) {
    this.#secrets = openSecrets(keyFile);
  }

  /** A row with a key of any algorithm. */
  sign({ id }: Domain, choice: number, clock: number): DnssecRow {
    const pair = PAIRS[choice % PAIRS.length];
    const row: DnssecRow = {
      domainId: id,
      algorithm: algorithmOf(pair.dnskey),
      clock,
      keys: [this.#key(id, 1, pair, 'sign')],
      foreign: [],
      parent: 'publish',
    };
    this.rows.set(id, row);
    return row;
  }

  /** Adds a key that is published, or removes it. */
  toggleKey(id: Id): DnssecRow {
    const row = this.rows.get(id)!;
    const keys = row.keys.length > 1 ? row.keys.slice(0, 1) : [...row.keys, this.#key(id, 2, SPARE, 'publish')];
    return this.#replace({ ...row, keys });
  }

  advance(id: Id, clock: number): DnssecRow {
    return this.#replace({ ...this.rows.get(id)!, clock });
  }

  #replace(row: DnssecRow): DnssecRow {
    this.rows.set(row.domainId, row);
    return row;
  }

  #key(
    domainId: Id,
    id: number,
    { dnskey, privateKey }: { readonly dnskey: Uint8Array; readonly privateKey: Uint8Array },
    use: DnssecKey['use'],
  ): DnssecKey {
    const sealed = this.#secrets.seal(privateKey, dnssecContext(domainId)).toString('base64');
    const isTrusted = use === 'sign';
    return { id, dnskey: Buffer.from(dnskey).toString('base64'), sealed, use, isTrusted, createdAt: 1 };
  }
}

const rdatasOf = (keys: readonly DnssecKey[]): Buffer[] => keys.map(({ dnskey }) => Buffer.from(dnskey, 'base64'));

export const keysOf = ({ keys }: DnssecRow, use: DnssecKey['use']): Buffer[] =>
  rdatasOf(keys.filter((key) => key.use === use));

/** What stands at the apex of a signed zone. */
export function apexRecords({ apex }: Domain, row: DnssecRow): ResourceRecord[] {
  const record = (type: number, rdata: Uint8Array): ResourceRecord => ({ name: apex, type, ttl: 3600, rdata });
  const trusted = rdatasOf(row.keys.filter(({ isTrusted }) => isTrusted));
  return [
    ...rdatasOf(row.keys).map((rdata) => record(TYPE.DNSKEY, rdata)),
    record(TYPE.NSEC3PARAM, Uint8Array.of(1, 0, 0, 0, 0)),
    ...trusted.map((rdata) => record(TYPE.CDS, dsRdata(apex, rdata))),
    ...trusted.map((rdata) => record(TYPE.CDNSKEY, rdata)),
  ];
}
