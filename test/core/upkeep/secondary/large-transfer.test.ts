/**
 * Transfers of zones with thousands of records, which are staged as imports are: compared with a
 * rebuild, and with the same transfer in one entry.
 */
import { type Answer, encode } from 'dns-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import { type Domain, domains, PRIMARY } from '../../../../core/store/rows.ts';
import { type CommitParts, commitWholeZone } from '../../../../core/upkeep/secondary/commit.ts';
import { readWholeZone } from '../../../../core/upkeep/secondary/content.ts';
import { dump, newDomain, type Store, withStore } from '../../journal/fixture.ts';
import { checkDerived, DERIVED, LARGE, LINES, onOneClock, recordsOf } from '../../journal/imports.ts';

const test = suite('core/upkeep/secondary/large-transfer');
const APEX = 'zone.test';
const NAMES_PER_MESSAGE = 500;

/** The messages of an AXFR; `variant`: its serial, which changes most records. */
function transferOf(variant: number, more: readonly Answer[] = []): Buffer[] {
  const soa: Answer = {
    name: APEX,
    type: 'SOA',
    ttl: 300,
    data: {
      mname: 'ns.zone.test',
      rname: 'admin.zone.test',
      serial: variant,
      refresh: 9,
      retry: 9,
      expire: 9,
      minimum: 9,
    },
  };
  const answers: Answer[] = [
    soa,
    { name: APEX, type: 'NS', ttl: 300, data: 'ns.zone.test' },
    { name: 'ns.zone.test', type: 'A', ttl: 300, data: '192.0.2.53' },
    { name: APEX, type: 'MX', ttl: 300, data: { preference: 10, exchange: 'mail.zone.test' } },
    ...more,
  ];
  for (let i = 0; i < LINES; i++) {
    const name = `n${i + 1000 * variant}${i % 7 === 0 ? '.deep' : ''}.${APEX}`;
    if (i % 5 === 0) answers.push({ name, type: 'CNAME', ttl: 300, data: 'mail.zone.test' });
    else answers.push({ name, type: 'A', ttl: 300, data: `192.0.2.${i % 250}` });
  }
  answers.push(soa);
  const messages: Buffer[] = [];
  for (let at = 0; at < answers.length; at += NAMES_PER_MESSAGE)
    messages.push(encode({ type: 'response', answers: answers.slice(at, at + NAMES_PER_MESSAGE) }));
  return messages;
}

const DNSKEY: Answer = {
  name: APEX,
  type: 'DNSKEY',
  ttl: 300,
  data: { flags: 257, algorithm: 13, key: Buffer.alloc(64, 1) },
};

/** Returns the number of entries that the transfer took. */
async function transfer(
  { environment, journal }: Store,
  { id, apex }: Domain,
  messages: readonly Buffer[],
): Promise<number> {
  const zone = readWholeZone({ messages, domainId: id, apex, maxIterations: 100, now: 1 });
  const parts = { environment, journal, minRefresh: 1, maxRefresh: 1000 } as CommitParts;
  // Its ids are leased before, by an entry of their own.
  const before = journal.head;
  await commitWholeZone(parts, id, zone, undefined, 1);
  return journal.head - before;
}

const withZone = (use: (store: Store, domain: Domain) => Promise<void>): Promise<void> =>
  withStore(
    onOneClock,
    async (store) => {
      const domain: Domain = { ...newDomain('zone.test.'), ...PRIMARY, kind: 'secondary' };
      await write(store.environment, store.journal, 'test', (draft) => draft.put(domains, domain));
      await use(store, domain);
    },
    LARGE,
  );

test('a large zone is transferred in many entries, and stored as in one', () =>
  withZone(async (store, domain) => {
    for (const variant of [1, 2, 2, 3]) {
      assert.ok((await transfer(store, domain, transferOf(variant))) > 5);
      assert.is(recordsOf(store.environment, domain.id).length, LINES + 4);
      await checkDerived(store);
    }
    await withStore(
      onOneClock,
      async (other) => {
        await write(other.environment, other.journal, 'test', (draft) => draft.put(domains, domain));
        for (const variant of [1, 2, 2, 3]) {
          // While the index is filled, a transfer is one entry.
          assert.ok((await transfer(other, domain, transferOf(variant))) <= 3);
        }
        // The state of the zone has the sequence of the entry, too.
        const tables = [...DERIVED.filter((table) => table !== 'zones'), 'records', 'lookups'];
        assert.equal(dump(store.environment, tables), dump(other.environment, tables));
        for (const { reader } of [store, other]) assert.is(reader.zoneState(domain.id).serial, 3);
      },
      { ...LARGE, isComplete: false },
    );
  }));

test('a zone that was signed, or will be, is replaced in one entry', () =>
  withZone(async (store, domain) => {
    for (const messages of [transferOf(1, [DNSKEY]), transferOf(2), transferOf(3, [DNSKEY])]) {
      assert.ok((await transfer(store, domain, messages)) <= 3);
      await checkDerived(store);
    }
    await transfer(store, domain, transferOf(4));
    assert.ok((await transfer(store, domain, transferOf(5))) > 5);
    await checkDerived(store);
  }));

test.run();
