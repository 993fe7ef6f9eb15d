/** How the zones of a changing world are signed, as rows of the store. */
import { openSecrets, type Secrets } from '../../core/base/secrets.ts';
import { algorithmOf, dsRdata } from '../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair } from '../../core/dns/dnssec/keys.ts';
import { readKeyPair } from '../../core/dns/dnssec/private-key.ts';
import type { ResourceRecord } from '../../core/dns/wire/types.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import type { Id } from '../../core/store/keys.ts';
import { type DnssecKey, type DnssecRow, type Domain, dnssecContext, publishedKeys } from '../../core/store/rows.ts';
import { EXAMPLE_KEYS } from '../core/dns/dnssec/rsa-keys.ts';

const PAIRS = [generateKeyPair(13), generateKeyPair(15), ...EXAMPLE_KEYS.map(({ file }) => readKeyPair(file))];
/** The uses of one key or two: alone, with one of the same algorithm, or of another. */
const USES: readonly (readonly DnssecKey['use'][])[] = [
  ['sign'],
  ['sign', 'publish'],
  ['sign', 'sign_unpublished'],
  ['sign', 'sign'],
  ['sign_unpublished', 'sign'],
  ['none', 'sign'],
];
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

  /** Adds a second key, changes the uses of both, or removes the second key. */
  changeUses(id: Id, choice: number): DnssecRow {
    const row = this.rows.get(id)!;
    const [first, second = this.#key(id, 2, SPARE, 'publish')] = row.keys;
    const uses = USES[choice % USES.length];
    return this.#replace({ ...row, keys: [first, second].slice(0, uses.length).map((key, i) => used(key, uses[i])) });
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
    return used({ id, dnskey: Buffer.from(dnskey).toString('base64'), sealed, createdAt: 1 }, use);
  }
}

const used = (key: Omit<DnssecKey, 'use' | 'isTrusted'>, use: DnssecKey['use']): DnssecKey => ({
  ...key,
  use,
  isTrusted: use === 'sign',
});

export const rdatasOf = (keys: readonly DnssecKey[]): Buffer[] =>
  keys.map(({ dnskey }) => Buffer.from(dnskey, 'base64'));

/** What stands at the apex of a signed zone. */
export function apexRecords({ apex }: Domain, row: DnssecRow): ResourceRecord[] {
  const record = (type: number, rdata: Uint8Array): ResourceRecord => ({ name: apex, type, ttl: 3600, rdata });
  const trusted = rdatasOf(row.keys.filter(({ isTrusted }) => isTrusted));
  return [
    ...rdatasOf(publishedKeys(row)).map((rdata) => record(TYPE.DNSKEY, rdata)),
    record(TYPE.NSEC3PARAM, Uint8Array.of(1, 0, 0, 0, 0)),
    ...trusted.map((rdata) => record(TYPE.CDS, dsRdata(apex, rdata))),
    ...trusted.map((rdata) => record(TYPE.CDNSKEY, rdata)),
  ];
}
