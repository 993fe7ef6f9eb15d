/**
 * An index that is filled while the zones change: answers come from the store, then from the index,
 * and are always those of an index that is made from the store.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import type { Journal } from '../../../../core/journal/journal.ts';
import { LmdbNodeStore } from '../../../../core/nameserver/node-store.ts';
import { type Environment, openEnvironment } from '../../../../core/store/environment.ts';
import { buildIndex, fillIndex, openIndex } from '../../../../core/store/index/build.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { type DnssecRow, type Domain, dnssec, domains, type RecordRow, records } from '../../../../core/store/rows.ts';
import { TCP_LIMIT } from '../../../reference/compare.ts';
import { SignedRows } from '../../../reference/signed-rows.ts';
import { depth } from '../../../support/depth.ts';
import { HeldFill } from '../../../support/held-fill.ts';
import { QueryPath } from '../../../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { addressRecord, DEFAULTS, newDomain } from '../../journal/fixture.ts';

const AMPLE = 4 << 20;
const CLOCK = 1_800_000_000;
const HOSTS = 40;

const test = suite('filling the index');

interface Rig {
  readonly folder: string;
  readonly environment: Environment;
  readonly rows: SignedRows;
  readonly signers: Signers;
  open(index: IndexWriter): Journal;
}

async function withRig(work: (rig: Rig) => Promise<void>): Promise<void> {
  const folder = temporaryFolder('filling');
  const environment = openEnvironment(folder);
  const keyFile = join(folder, 'secret.key');
  const signers = new Signers(openSecrets(keyFile));
  const open = (index: IndexWriter): Journal =>
    openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 100, signers });
  try {
    await work({ folder, environment, rows: new SignedRows(keyFile), signers, open });
  } finally {
    await environment.close();
    removeFolder(folder);
  }
}

/** All names have the same hash. */
function collide(index: IndexWriter): void {
  const { port1 } = new MessageChannel();
  new Int32Array(index.share(port1).multipliers).fill(0);
  index.unshare(port1, 2);
  port1.close();
}

const plain = newDomain('plain.test.');
const signed = newDomain('signed.test.');
const changed = newDomain('changed.test.');
const gone = newDomain('gone.test.');
const added = newDomain('added.test.');
const hosts = (domain: Domain): RecordRow[] =>
  Array.from({ length: HOSTS }, (_, i) => addressRecord(domain, `host${i}`, i));
const wildcardOf = (domain: Domain): RecordRow => addressRecord(domain, '*.wild', 7);
const deepOf = (domain: Domain): RecordRow => addressRecord(domain, 'a.b.c', 8);

const PACKETS = [plain, signed, changed, gone, added].flatMap(({ apex }) =>
  ['@', 'host0', 'host1', 'host2', 'host39', 'new0', 'new1', 'x.wild', 'wild', 'c', 'b.c', 'a.b.c', 'missing'].flatMap(
    (name) =>
      [TYPE.A, TYPE.TXT, TYPE.DNSKEY].map((type) =>
        encodeQuery(
          {
            name: name === '@' ? apex : parseName(name, apex),
            type,
            class: 1,
            edns: { version: 0, size: 4096, do: true },
          },
          1,
        ),
      ),
  ),
);

async function create(rig: Rig): Promise<Map<Domain, DnssecRow>> {
  const keys = new Map<Domain, DnssecRow>();
  const journal = rig.open(new IndexWriter(0));
  await write(rig.environment, journal, 'test', (draft) => {
    for (const domain of [plain, signed, changed, gone]) {
      draft.put(domains, domain);
      for (const row of hosts(domain)) draft.put(records, row);
    }
  });
  for (const domain of [signed, gone]) {
    const row = rig.rows.sign(domain, 1, CLOCK);
    keys.set(domain, row);
    await write(rig.environment, journal, 'test', (draft) => draft.put(dnssec, row));
  }
  await journal.close();
  return keys;
}

/** The rows of a domain that a draft deletes. */
function removeDomain(draft: Draft, domain: Domain, rows: readonly RecordRow[], key: DnssecRow | undefined): void {
  for (const row of rows) draft.delete(records, row);
  if (key !== undefined) draft.delete(dnssec, key);
  draft.delete(domains, domain);
}

const KINDS = [
  [AMPLE, false],
  [12 << 10, true],
  [0, false],
  [AMPLE, true],
  [12 << 10, false],
  [0, true],
] as const;

for (const [arena, hasCollisions] of KINDS.slice(0, depth({ quick: 2, moderate: 6, full: 6 })))
  test(`an arena of ${arena} bytes${hasCollisions ? ', all hashes equal' : ''}`, () =>
    withRig(async (rig) => {
      const { environment, folder } = rig;
      const keys = await create(rig);
      const index = openIndex(environment, arena);
      if (hasCollisions) collide(index);
      const journal = rig.open(index);
      const store = new LmdbNodeStore(folder);
      const path = new QueryPath(index, store);
      const check = async (label: string): Promise<void> => {
        const whole = new QueryPath(await buildIndex(environment, folder, AMPLE));
        for (const packet of PACKETS)
          assert.equal(path.answer(packet, TCP_LIMIT), whole.answer(packet, TCP_LIMIT), label);
      };
      const commit = async (label: string, change: (draft: Draft) => void): Promise<void> => {
        await write(environment, journal, 'test', change);
        await check(label);
      };
      const rowsOf = new Map([plain, signed, changed, gone].map((domain) => [domain, [...storedRows(rig, domain)]]));
      const news = [plain, signed].flatMap((domain) => [0, 1].map((i) => addressRecord(domain, `new${i}`, 50 + i)));
      const others = [plain, signed].flatMap((domain) => [wildcardOf(domain), deepOf(domain)]);
      const addedRows = hosts(added);

      await check('before');
      await commit('a change before the scan', (draft) => draft.put(records, news[0]));
      const fill = await HeldFill.start(index, environment, folder);
      assert.ok(index.filling !== null);
      await check('scanned');
      await commit('names appear', (draft) => {
        for (const row of [...news.slice(1), ...others]) draft.put(records, row);
      });
      await commit('names disappear', (draft) => {
        for (const domain of [plain, signed])
          for (const row of rowsOf.get(domain)!.slice(0, 2)) draft.delete(records, row);
        draft.delete(records, news[1]);
      });
      await commit('a name appears again', (draft) => draft.put(records, news[1]));
      await commit('a zone appears', (draft) => {
        draft.put(domains, added);
        for (const row of addedRows) draft.put(records, row);
      });
      await commit('zones are signed', (draft) => {
        for (const domain of [changed, added]) {
          const row = rig.rows.sign(domain, 1, CLOCK);
          keys.set(domain, row);
          draft.put(dnssec, row);
        }
      });
      await commit('a zone disappears', (draft) => removeDomain(draft, gone, rowsOf.get(gone)!, keys.get(gone)));
      const finished = fill.finish();
      // Commits of this time are either recorded or applied.
      await commit('while the changes are applied', (draft) => draft.delete(records, others[0]));
      await finished;
      assert.is(index.filling, null);
      await check('filled');
      assert.is(index.stats.names, (environment.answers.getStats() as { entryCount: number }).entryCount);
      if (arena === 0) assert.is(index.stats.inStore, index.stats.names);
      await commit('names change after the fill', (draft) => {
        draft.delete(records, news[1]);
        draft.delete(records, others[1]);
        draft.put(records, others[0]);
        for (const row of rowsOf.get(signed)!.slice(2, 6)) draft.delete(records, row);
      });
      await commit('all zones disappear', (draft) => {
        for (const domain of [plain, signed, changed, added])
          removeDomain(draft, domain, [...storedRows(rig, domain)], keys.get(domain));
      });
      index.publish();
      index.publish();
      assert.equal([index.stats.names, index.stats.inStore, index.stats.arenaUsed], [0, 0, 0]);
      await journal.close();
      await store.close();
    }));

function* storedRows({ environment }: Rig, domain: Domain): Generator<RecordRow> {
  environment.root.resetReadTxn();
  for (const { key, value } of environment.records.getRange({})) {
    const row = records.decode(key as Buffer, value);
    if (row.domainId === domain.id) yield row;
  }
}

test('snapshots are taken between commits', () =>
  withRig(async (rig) => {
    await create(rig);
    const { environment } = rig;
    const index = openIndex(environment, AMPLE);
    const filling = index.filling!;
    const journal = rig.open(index);
    const order: string[] = [];
    const commit = async (name: string): Promise<void> => {
      await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(plain, name, 9)));
      order.push(name);
    };
    const first = commit('first');
    while (!filling.isCommitting) await setImmediate();
    let second: Promise<void> | undefined;
    await filling.betweenCommits(async () => {
      assert.not.ok(filling.isCommitting);
      second = commit('second');
      for (let turn = 0; turn < 1000; turn++) await setImmediate();
      order.push('snapshot');
    });
    await Promise.all([first, second]);
    assert.equal(order, ['first', 'snapshot', 'second']);
    await journal.close();
  }));

test('a scan that cannot read the store leaves the answers to the store', () =>
  withRig(async (rig) => {
    await create(rig);
    const { environment, folder } = rig;
    const index = openIndex(environment, AMPLE);
    const journal = rig.open(index);
    const store = new LmdbNodeStore(folder);
    const path = new QueryPath(index, store);
    let error: unknown;
    await fillIndex(index, environment, { directory: join(folder, 'secret.key') }).catch((reason: unknown) => {
      error = reason;
    });
    assert.instance(error, Error);
    const host = addressRecord(plain, 'new0', 5);
    await write(environment, journal, 'test', (draft) => draft.put(records, host));
    const query = encodeQuery({ name: parseName('new0', plain.apex), type: TYPE.A, class: 1 }, 1);
    const { rcode, answer } = decodeMessage(path.answer(query, TCP_LIMIT)!);
    assert.equal([rcode, answer.length], [RCODE.NOERROR, 1]);
    assert.equal([index.filling?.isEmpty, index.filling?.held], [true, null]);
    await journal.close();
    await store.close();
  }));

test('a fill ends when the daemon stops', () =>
  withRig(async (rig) => {
    await create(rig);
    const { environment, folder } = rig;
    const index = openIndex(environment, AMPLE);
    const stopping = new AbortController();
    const filled = fillIndex(index, environment, { directory: folder, signal: stopping.signal });
    stopping.abort();
    const outcome = await filled.then(
      () => null,
      (reason: Error) => reason,
    );
    assert.is(outcome?.name, 'AbortError');
    assert.ok(index.filling !== null);
  }));

test('an index of an empty store is complete at once', () =>
  withRig(async ({ environment }) => {
    assert.is(openIndex(environment, AMPLE).filling, null);
  }));

test.run();
