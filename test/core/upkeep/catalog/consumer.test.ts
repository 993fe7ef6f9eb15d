/** Members of consumed catalogs become domains: generated catalogs, compared with a plain model. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { type Change, readChanges } from '../../../../core/journal/entry-codec.ts';
import { recordsOfZone } from '../../../../core/store/keys.ts';
import { accounts, type Domain, domains, type RecordRow, records } from '../../../../core/store/rows.ts';
import { CatalogConsumer } from '../../../../core/upkeep/catalog/consumer.ts';
import { admissionOf } from '../../../support/admission.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';
import { clusterTasks, singleNodeTasks } from '../../../support/tasks.ts';
import { until } from '../../../support/until.ts';
import { DEFAULTS, embedded, newAccount, newDomain, newRecord, type Store, withStore } from '../../journal/fixture.ts';

const test = suite('consumer of catalogs');
const CATALOGS = ['one.catalog.test.', 'two.catalog.test.'];
const ZONES = ['a.test.', 'b.test.', 'c.test.', 'own.test.'];
const LABELS = ['x', 'y'];
const PRIMARIES = [{ address: '192.0.2.1', port: 53, tsigKeyId: null, tls: null }];

interface Listing {
  readonly zone: number;
  readonly label: string;
  readonly isMoving: boolean;
}

interface Step {
  readonly catalog: number;
  readonly listings: readonly Listing[];
  readonly isBroken: boolean;
}

const listing = fc.record({
  zone: fc.nat(ZONES.length - 1),
  label: fc.constantFrom(...LABELS),
  isMoving: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.record({
  catalog: fc.nat(CATALOGS.length - 1),
  listings: fc.uniqueArray(listing, { selector: ({ zone }) => zone, maxLength: 4 }),
  isBroken: fc.nat(5).map((n) => n === 0),
});

/** The records of a catalog in a step. A label names one zone. */
function rowsOf(catalog: Domain, { catalog: index, listings, isBroken }: Step): RecordRow[] {
  const rows = [
    newRecord(catalog, '@', TYPE.NS, parseRdata(TYPE.NS, 'invalid.')),
    newRecord(catalog, 'version', TYPE.TXT, parseRdata(TYPE.TXT, isBroken ? '"1"' : '"2"')),
  ];
  for (const { zone, label, isMoving } of listings) {
    const unique = `${label}${zone}.zones`;
    rows.push(newRecord(catalog, unique, TYPE.PTR, parseRdata(TYPE.PTR, ZONES[zone])));
    if (isMoving) rows.push(newRecord(catalog, `coo.${unique}`, TYPE.PTR, parseRdata(TYPE.PTR, CATALOGS[1 - index])));
  }
  return rows;
}

interface Held {
  readonly catalog: number;
  readonly label: string;
  readonly isMoving: boolean;
  /** Tells one life of the zone from another. */
  readonly life: number;
}

/** RFC 9432 section 5, plainly. */
class Model {
  readonly held = new Map<number, Held>();
  #lives = 0;

  apply({ catalog, listings, isBroken }: Step): void {
    if (isBroken) return;
    const wanted = new Map(listings.map((item) => [item.zone, item]));
    for (const [zone, held] of [...this.held])
      if (held.catalog === catalog && !wanted.has(zone)) this.held.delete(zone);
    for (const { zone, label, isMoving } of listings) {
      if (ZONES[zone] === 'own.test.') continue;
      const held = this.held.get(zone);
      const mayTake = held === undefined || held.catalog === catalog || held.isMoving;
      if (!mayTake) continue;
      const life = held?.label === label ? held.life : ++this.#lives;
      this.held.set(zone, { catalog, label, isMoving, life });
    }
  }
}

const LOG = createLogger({ level: 'error', format: 'text', write: () => {} });

function consumerOf({ environment, journal }: Store, limit = 0): CatalogConsumer {
  return new CatalogConsumer({
    ...{ environment, journal, zoneSettings: DEFAULTS, tasks: singleNodeTasks(), log: LOG },
    admission: admissionOf({}, limit),
  });
}

async function prepare(store: Store): Promise<Domain[]> {
  const account = newAccount();
  const catalogs = CATALOGS.map(
    (apex): Domain => ({
      ...newDomain(apex),
      ...{ accountId: account.id, kind: 'secondary', primaries: PRIMARIES, consumes: true },
    }),
  );
  const own = { ...newDomain('own.test.'), accountId: account.id };
  await commit(store, (draft) => {
    draft.put(accounts, account);
    for (const domain of [...catalogs, own]) draft.put(domains, domain);
  });
  return catalogs;
}

const commit = (store: Store, work: (draft: Draft) => void) => write(store.environment, store.journal, 'test', work);

async function setCatalog(store: Store, catalog: Domain, content: Step): Promise<void> {
  await commit(store, (draft) => {
    for (const { key, value } of store.reader.recordEntries(recordsOfZone(catalog.id), null, 100))
      draft.delete(records, records.decode(key, value));
    for (const row of rowsOf(catalog, content)) draft.put(records, row);
  });
}

test('generated catalogs have the members of the model', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), (steps) =>
    withStore(embedded, async (store) => {
      const catalogs = await prepare(store);
      const consumer = consumerOf(store);
      const model = new Model();
      const lives = new Map<string, number>();
      for (const content of steps) {
        const catalog = catalogs[content.catalog];
        await setCatalog(store, catalog, content);
        await consumer.pass();
        model.apply(content);
        const found = catalogs.flatMap(({ id }) => store.reader.listedBy(id, null, 100));
        const text = found.map(({ apex, listedBy, id, primaries }) => {
          assert.equal(primaries, PRIMARIES);
          return `${formatName(apex)} ${listedBy?.catalogId} ${listedBy?.label} ${id}`;
        });
        const expected = [...model.held].map(([zone, held]) => {
          const { id } = store.reader.domainByApex(parseName(ZONES[zone]))!;
          // The same life has the same domain.
          const life = `${zone} ${held.life}`;
          assert.is(lives.get(life) ?? id, id, `${ZONES[zone]} was not kept`);
          assert.not(
            [...lives].some(([other, heldId]) => heldId === id && other !== life),
            `${ZONES[zone]} was not started again`,
          );
          lives.set(life, id);
          return `${ZONES[zone]} ${catalogs[held.catalog].id} ${held.label}${zone} ${id}`;
        });
        assert.equal(text.sort(), expected.sort());
        assert.is(store.reader.domainByApex(parseName('own.test.'))?.kind, 'primary');
      }
    }),
  );
  await fc.assert(property, { seed: SEED, numRuns: depth({ quick: 8, moderate: 12, full: 300 }) });
});

test('a broken catalog changes nothing', () =>
  withStore(embedded, async (store) => {
    const [catalog] = await prepare(store);
    const consumer = consumerOf(store);
    const listings = [{ zone: 0, label: 'x', isMoving: false }];
    await setCatalog(store, catalog, { catalog: 0, listings, isBroken: false });
    await consumer.pass();
    assert.equal(consumer.state(catalog.id), { problem: null, zones: 1, leftOutCount: 0, leftOut: [] });
    await setCatalog(store, catalog, { catalog: 0, listings: [], isBroken: true });
    await consumer.pass();
    assert.is(store.reader.listedBy(catalog.id, null, 10).length, 1);
    assert.match(String(consumer.state(catalog.id)?.problem), /version is "1"/);
  }));

test('the limit of the account and other domains keep members out', () =>
  withStore(embedded, async (store) => {
    const [catalog] = await prepare(store);
    const consumer = consumerOf(store, 4);
    const listings = [3, 0, 1].map((zone) => ({ zone, label: 'x', isMoving: false }));
    await setCatalog(store, catalog, { catalog: 0, listings, isBroken: false });
    await consumer.pass();
    const found = store.reader.listedBy(catalog.id, null, 10).map(({ apex }) => formatName(apex));
    assert.equal(found, ['a.test.']);
    const state = consumer.state(catalog.id);
    assert.is(state?.leftOutCount, 2);
    assert.equal(state?.leftOut.map(({ domain, code }) => `${domain} ${code}`).sort(), [
      'b.test plan_limit',
      'own.test zone_exists',
    ]);
  }));

test('catalogs of one account delay none of another, whatever their processing takes', () =>
  withStore(embedded, async (store) => {
    const [first, second] = await prepare(store);
    const account = newAccount();
    const other: Domain = {
      ...newDomain('z.catalog.test.'),
      ...{ accountId: account.id, kind: 'secondary', primaries: PRIMARIES, consumes: true },
    };
    await commit(store, (draft) => {
      draft.put(accounts, account);
      draft.put(domains, other);
    });
    const memberOf = (zone: number) => ({ listings: [{ zone, label: 'x', isMoving: false }], isBroken: false });
    await setCatalog(store, first, { catalog: 0, ...memberOf(0) });
    await setCatalog(store, second, { catalog: 1, ...memberOf(1) });
    await setCatalog(store, other, { catalog: 0, ...memberOf(2) });
    // The commit of the first catalog lasts until that of the other account is done.
    const isOfFirst = ({ table, key, value }: Change): boolean =>
      table === domains.number && value !== null && domains.decode(key, value).listedBy?.catalogId === first.id;
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const journal = new Proxy(store.journal, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
        return async (request: Parameters<typeof target.commit>[0]) => {
          if ([...readChanges(request.changes)].some(isOfFirst)) await isReleased;
          return target.commit(request);
        };
      },
    });
    const consumer = consumerOf({ ...store, journal });
    const pass = consumer.pass();
    const listed = (catalog: Domain): number => store.reader.listedBy(catalog.id, null, 10).length;
    await until(() => listed(other) === 1, 'the zone of the other account');
    assert.equal([listed(first), listed(second)], [0, 0]);
    release();
    await pass;
    assert.equal([listed(first), listed(second)], [1, 1]);
  }));

/** Names that are no domains, or belong to others than customers, with the reason of a refusal. */
const HOSTILE: readonly (readonly [name: string, code: string])[] = [
  ['fr.', 'public_suffix'],
  ['co.uk.', 'public_suffix'],
  ['gitlab.io.', 'public_suffix'],
  ['kawasaki.jp.', 'public_suffix'],
  ['arpa.', 'public_suffix'],
  ['in-addr.arpa.', 'public_suffix'],
  ['*.de.', 'invalid_domain'],
  ['192.0.2.1.', 'invalid_domain'],
  ['db.local.', 'special_use_name'],
  ['x.onion.', 'special_use_name'],
  ['waypost.test.', 'service_name'],
  ['ns1.waypost.test.', 'service_name'],
  ['_signal.ns1.waypost.test.', 'service_name'],
  ['admin.example.net.', 'service_name'],
  ['example.net.', 'service_name'],
];
const SOUND = [
  ...['a.test.', 'other.example.net.', '0/25.2.0.192.in-addr.arpa.', 'city.kawasaki.jp.', 'x.gitlab.io.'],
  ...['<img\\032src=x\\032onerror=alert\\(1\\)>.org.', 'a\\.b.org.', '\\000.org.', 'a.0/25.org.'],
];

test('members that a customer cannot have are left out with the reason, and all others are served', () =>
  withStore(embedded, async (store) => {
    const [catalog] = await prepare(store);
    const hosts = {
      nameservers: ['ns1.waypost.test'],
      admin: { ...loadConfig({ env: {} }).admin, hostname: ['admin.example.net'] },
    };
    const consumer = new CatalogConsumer({
      ...{ environment: store.environment, journal: store.journal, zoneSettings: DEFAULTS, tasks: singleNodeTasks() },
      ...{ log: LOG, admission: admissionOf(hosts) },
    });
    const names = [...HOSTILE.map(([name]) => name), ...SOUND];
    await commit(store, (draft) => {
      draft.put(records, newRecord(catalog, 'version', TYPE.TXT, parseRdata(TYPE.TXT, '"2"')));
      for (const [i, name] of names.entries())
        draft.put(records, newRecord(catalog, `m${i}.zones`, TYPE.PTR, parseName(name)));
    });
    await consumer.pass();
    const created = () => store.reader.listedBy(catalog.id, null, 100).map(({ apex }) => formatName(apex));
    assert.equal(created().sort(), [...SOUND].sort());
    const state = consumer.state(catalog.id);
    assert.equal([state?.problem, state?.zones, state?.leftOutCount], [null, names.length, HOSTILE.length]);
    assert.equal(
      state?.leftOut.map(({ domain, code }) => `${domain}. ${code}`).sort(),
      HOSTILE.map(([name, code]) => `${formatName(parseName(name))} ${code}`).sort(),
    );
    // A node that does not write knows the same.
    const other = new CatalogConsumer({
      ...{
        environment: store.environment,
        journal: store.journal,
        zoneSettings: DEFAULTS,
        tasks: clusterTasks('b', () => ['a', 'b']),
      },
      ...{ log: LOG, admission: admissionOf(hosts) },
    });
    await other.pass();
    assert.equal(other.state(catalog.id), state);
    // A catalog of an administrator has all names that are domains.
    await commit(store, (draft) => {
      const account = draft.account(catalog.accountId)!;
      draft.put(accounts, { ...account, role: 'admin' });
    });
    await commit(store, (draft) => {
      draft.put(records, newRecord(catalog, 'more', TYPE.TXT, parseRdata(TYPE.TXT, '"x"')));
    });
    await consumer.pass();
    const valid = HOSTILE.filter(([, code]) => code !== 'invalid_domain').map(([name]) => name);
    assert.equal(created().sort(), [...SOUND, ...valid].sort());
  }));

test.run();
