/**
 * Transfers of a signed zone while new addresses of a target come to its ALIAS records, some names
 * before others: the records and signatures are those that are answered, and IXFR has them.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { idKey, nameKey } from '../../../../core/store/keys.ts';
import { aliasTargets, type Domain, dnssec, domains, records } from '../../../../core/store/rows.ts';
import { readNsec3 } from '../../../reference/denial.ts';
import { decodeMessage, encodeQuery, type Message } from '../../../support/message.ts';
import { applyIxfr, serialOf, transferRequest, zoneText } from '../../../support/transfer-client.ts';
import { newDomain, newRecord, queryPath, type Store } from '../../journal/fixture.ts';
import { newRow, secretsOf } from '../../journal/signing/rig.ts';
import { type Transferred, withTransfers } from './fixture.ts';

const APEX = 'zone.test.';
const NAMES = ['@', 'a', 'b', '*.c', 'd'];
const TARGET = parseName('elsewhere.example.');

function addresses(draft: Draft, last: number | null, from = '', to: string | null = null): void {
  const a = last === null ? null : { addresses: [`c63364${`0${last}`.slice(-2)}`], ttl: 60, stale: false, goodAt: 1 };
  const aaaa = { addresses: [], ttl: 60, stale: false, goodAt: 1 };
  draft.put(aliasTargets, { name: TARGET, a, aaaa, error: null, checkedAt: 1, spread: { from, to } });
}

const textOf = ({ type, ttl, rdata }: ResourceRecord): string => `${type} ${ttl} ${Buffer.from(rdata).toString('hex')}`;

/** Fails if the transferred A records and signatures of a name are not those of an answer. */
function checkServed(answer: (packet: Uint8Array, limit: number) => Uint8Array | null, whole: ResourceRecord[]): void {
  for (const label of NAMES) {
    const name = label === '@' ? parseName(APEX) : parseName(label, parseName(APEX));
    const query = { name, type: TYPE.A, class: 1, edns: { version: 0, size: 1232, do: true } };
    const answered = decodeMessage(answer(encodeQuery(query, 1), 65_535)!).answer.map(textOf);
    const isOwn = (other: Name): boolean => Buffer.compare(other, name) === 0;
    const isOfA = ({ type, rdata }: ResourceRecord): boolean =>
      type === TYPE.A || (type === TYPE.RRSIG && rdata[0] === 0 && rdata[1] === TYPE.A);
    assert.equal(whole.filter((record) => isOwn(record.name) && isOfA(record)).map(textOf), answered, label);
  }
}

class Secondary {
  readonly #rig: Transferred;
  #held: string[] = [];
  #serial = 0;

  constructor(rig: Transferred) {
    this.#rig = rig;
  }

  /** Asks for the differences, which must be sent as such. Returns the whole zone. */
  async follow(): Promise<ResourceRecord[]> {
    const whole = await this.#rig.records(transferRequest(APEX));
    if (this.#serial === 0) this.#held = zoneText(whole);
    else {
      const answer = await this.#rig.records(transferRequest(APEX, this.#serial));
      assert.is(answer[1]?.type, TYPE.SOA, 'differences');
      this.#held = applyIxfr(this.#held, answer);
    }
    this.#serial = serialOf(whole[0]);
    assert.equal(this.#held, zoneText(whole));
    return whole;
  }
}

function commit({ environment, journal }: Store, work: (draft: Draft) => void): Promise<unknown> {
  return write(environment, journal, 'test', work);
}

async function putZone(store: Store, domain: Domain): Promise<void> {
  await commit(store, (draft) => {
    draft.put(domains, domain);
    for (const name of NAMES) draft.put(records, newRecord(domain, name, TYPE.ALIAS, TARGET));
    draft.put(dnssec, newRow(store, domain));
  });
}

test('before a target is resolved, its addresses fail and are not denied', () =>
  withTransfers(
    async ({ store }) => {
      const domain = newDomain(APEX);
      await putZone(store, domain);
      const { answer, close } = queryPath(store);
      const ask = (type: number): Message => {
        const name = parseName('a', domain.apex);
        const query = { name, type, class: 1, edns: { version: 0, size: 1232, do: true } };
        return decodeMessage(answer(encodeQuery(query, 1), 65_535)!);
      };
      for (const type of [TYPE.A, TYPE.AAAA, TYPE.ANY, TYPE.RRSIG]) {
        const { rcode, header, answer: section, authority } = ask(type);
        assert.equal([rcode, header.aa, section, authority], [RCODE.SERVFAIL, false, [], []], `type ${type}`);
      }
      const { rcode, authority } = ask(TYPE.MX);
      const [proof] = authority.filter(({ type }) => type === TYPE.NSEC3).map(readNsec3);
      assert.equal([rcode, ...proof.types], [RCODE.NOERROR, TYPE.A, TYPE.AAAA, TYPE.RRSIG]);
      await close();
    },
    { signersOf: (folder) => new Signers(secretsOf(folder)) },
  ));

test('addresses that are resolved for some names before others', () =>
  withTransfers(
    async (rig) => {
      const { store } = rig;
      const domain = newDomain(APEX);
      await putZone(store, domain);
      const { answer, close } = queryPath(store);
      const secondary = new Secondary(rig);
      await secondary.follow();
      const middle = Buffer.concat([idKey(domain.id), nameKey(parseName('b', domain.apex))]).toString('hex');
      const changes: ((draft: Draft) => void)[] = [
        (draft) => addresses(draft, 1),
        (draft) => addresses(draft, 2, '', middle),
        // Compiles names of which nothing else has changed.
        (draft) => draft.put(records, newRecord(domain, 'd', TYPE.TXT, Buffer.from('\x01t'))),
        (draft) => draft.put(records, newRecord(domain, 'x.c', TYPE.TXT, Buffer.from('\x01t'))),
        (draft) => addresses(draft, 2, middle),
        (draft) => addresses(draft, null, '', middle),
        (draft) => addresses(draft, null, middle),
        (draft) => addresses(draft, 3),
        (draft) => {
          for (const row of draft.recordsOf(domain.id, null)) if (row.type === TYPE.ALIAS) draft.delete(records, row);
          for (const name of NAMES) draft.put(records, newRecord(domain, name, TYPE.A, Uint8Array.of(198, 51, 100, 3)));
        },
      ];
      for (const change of changes) {
        await commit(store, change);
        checkServed(answer, await secondary.follow());
      }
      await close();
    },
    { signersOf: (folder) => new Signers(secretsOf(folder)) },
  ));

test.run();
