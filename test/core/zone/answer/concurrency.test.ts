/**
 * One thread writes the index while others read it continuously. No answer is torn or lost, and
 * memory is reused.
 */

import { once } from 'node:events';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { hashName } from '../../../../core/dns/dnssec/nsec3.ts';
import { type Name, parseName } from '../../../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../../../core/dns/wire/types.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { Signers } from '../../../../core/journal/apply/signers.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import { LmdbNodeStore } from '../../../../core/nameserver/node-store.ts';
import { openEnvironment } from '../../../../core/store/environment.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { dnssec, domains, records } from '../../../../core/store/rows.ts';
import { compileNode } from '../../../../core/zone/compile/compile.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { Proofs, readNsec3 } from '../../../reference/denial.ts';
import { SignedRows } from '../../../reference/signed-rows.ts';
import { depth } from '../../../support/depth.ts';
import { QueryPath } from '../../../support/in-process.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';
import { addressRecord, DEFAULTS, newDomain } from '../../journal/fixture.ts';
import { APEX, ask, putZone, record, soa, texts } from '../../nameserver/fixture.ts';
import { ASKABLE, type AskingData, type Report, STOP } from './asking.ts';
import { RecordedIndex } from './recorded-index.ts';

/** The nodes of these replacements fill the arena more than once. */
const REPLACEMENTS = depth({ quick: 30_000, moderate: 100_000, full: 1_000_000 });
const QUERIED_REPLACEMENTS = depth({ quick: 10_000, moderate: 40_000, full: 100_000 });
const ADDITIONS = depth({ quick: 100_000, moderate: 100_000, full: 200_000 });
const READERS = 2;
const UDP = 1232;
/** Bytes: a fortieth of the nodes of a million names. */
const ARENA = 16 << 20;

interface Readers {
  readonly control: Int32Array;
  stop(): Promise<Report[]>;
}

/** Threads that send queries now. Reader 1 belongs to QueryPath. */
async function startReaders(
  index: IndexWriter,
  what: Pick<AskingData, 'packet' | 'numbered' | 'right' | 'collects' | 'storeDirectory'>,
): Promise<Readers> {
  const control = new SharedArrayBuffer(8);
  const threads = await Promise.all(
    Array.from({ length: READERS }, async (_, i) => {
      const { port1, port2 } = new MessageChannel();
      port1.unref();
      const workerData: AskingData = { ...what, shared: index.share(port1), reader: i + 2, port: port2, control };
      const worker = new Worker(new URL('./asking-thread.js', import.meta.url), { workerData, transferList: [port2] });
      await once(worker, 'message');
      return { worker, port1 };
    }),
  );
  const words = new Int32Array(control);
  return {
    control: words,
    async stop() {
      const reports = threads.map(async ({ worker }) => (await once(worker, 'message'))[0] as Report);
      Atomics.store(words, STOP, 1);
      const all = await Promise.all(reports);
      for (const { port1 } of threads) port1.close();
      return all;
    },
  };
}

function nodeOf(entries: readonly ResourceRecord[], name: string): Buffer {
  return compileNode(new MemoryZone(parseName(`${APEX}.`), [...base, ...entries]), parseName(`${name}.${APEX}.`))!;
}

const base = [soa(), record('@', TYPE.NS, parseName('ns.example.test.'))];

/**
 * A reader that the system does not schedule delays the reuse of retired memory. When it runs
 * again, nearly all must be free again.
 */
async function waitForReuse(index: IndexWriter): Promise<void> {
  await until(
    () => {
      index.publish();
      return index.stats.arenaUsed < ARENA / 16;
    },
    'retired nodes freed',
    10_000,
  );
}

/**
 * Replaces a name `times` times, alternately with a short and a long answer, while readers query
 * it.
 */
async function flip(index: IndexWriter, times: number): Promise<Report[]> {
  putZone(index, base);
  const nodes = [nodeOf(texts('flip', 1, 10), 'flip'), nodeOf(texts('flip', 7, 150), 'flip')];
  const packet = ask('flip', { type: TYPE.TXT, edns: UDP });
  const path = new QueryPath(index);
  const right = nodes.map((node) => {
    index.put(node, false);
    index.publish();
    // The next query must see it immediately.
    return Buffer.from(path.answer(packet, UDP)!).toString('hex');
  });
  assert.is.not(right[0].length, right[1].length);
  const readers = await startReaders(index, { packet, numbered: false, right });
  for (let i = 0; i < times; i++) {
    index.put(nodes[i & 1], true);
    index.publish();
    if (index.stats.arenaUsed > ARENA / 2) await waitForReuse(index);
  }
  // No lookup may reach the store, since there is none.
  assert.is(index.stats.inStore, 0);
  return readers.stop();
}

test(`a name replaced ${QUERIED_REPLACEMENTS} times: every response is one of the two`, async () => {
  for (const { counts, wrong } of await flip(new IndexWriter(ARENA), QUERIED_REPLACEMENTS)) {
    assert.is(wrong, null);
    assert.ok(
      counts.every((count) => count > 0),
      `both were seen: ${counts}`,
    );
  }
});

test(`a name replaced ${REPLACEMENTS} times: its memory is reused`, async () => {
  const index = new IndexWriter(ARENA);
  const reports = await flip(index, REPLACEMENTS);
  for (const { wrong } of reports) assert.is(wrong, null);
  index.publish();
  assert.ok(index.stats.arenaUsed < 64 * 1024, `${index.stats.arenaUsed} bytes used`);
});

test(`${ADDITIONS} names added while readers query: moving to larger slots loses none`, async () => {
  const index = new IndexWriter(128 << 20);
  putZone(index, base);
  const slots = index.stats.slots;
  const readers = await startReaders(index, { packet: ask('0000000'), numbered: true, right: [] });
  const name = (i: number): string => String(i).padStart(7, '0');
  for (let from = 0; from < ADDITIONS; from += 1000) {
    const entries = Array.from({ length: 1000 }, (_, i) => {
      const rdata = Buffer.alloc(4);
      rdata.writeUInt32BE(from + i);
      return record(name(from + i), TYPE.A, rdata);
    });
    const zone = new MemoryZone(parseName(`${APEX}.`), [...base, ...entries]);
    for (const { name: label } of entries) index.put(compileNode(zone, label)!, false);
    index.publish();
    Atomics.store(readers.control, ASKABLE, from + 1000);
  }
  for (const { wrong, sent } of await readers.stop()) {
    assert.is(wrong, null);
    assert.ok(sent > 10_000);
  }
  assert.ok(index.stats.slots > slots * 64);
  // Afterwards a new reader must find all of them.
  const path = new QueryPath(index);
  for (let i = 0; i < ADDITIONS; i += 7) {
    const response = Buffer.from(path.answer(ask(name(i)), UDP)!);
    assert.is(response.readUInt32BE(response.length - 4), i);
  }
});

/** Odd: some pauses are with the name and some without it. */
const PAUSE_EVERY = 127;
/** Even. */
const COMMITS = depth({ quick: 40, moderate: 40, full: 10_000 });
const COMINGS = depth({ quick: 5_000, moderate: 10_000, full: 1_000_000 });
test(`a name of a signed zone comes and goes ${COMINGS} times: every proof proves`, async () => {
  const folder = temporaryFolder('concurrency');
  const environment = openEnvironment(folder);
  const index = new IndexWriter(ARENA);
  const recorded = new RecordedIndex(index);
  const keyFile = join(folder, 'secret.key');
  const signers = new Signers(openSecrets(keyFile));
  const journal = openEmbeddedJournal({
    environment,
    index: recorded.writer,
    zoneSettings: DEFAULTS,
    history: 100,
    signers,
  });
  const domain = newDomain('zone.test.');
  const rows = Array.from({ length: 60 }, (_, i) => addressRecord(domain, `host${i}`));
  await write(environment, journal, 'test', (draft) => {
    draft.put(domains, domain);
    for (const row of rows) draft.put(records, row);
  });
  const signing = new SignedRows(keyFile).sign(domain, 1, 1_800_000_000);
  await write(environment, journal, 'test', (draft) => draft.put(dnssec, signing));
  const row = addressRecord(domain, 'flip');
  const entry = async (change: (draft: Draft) => void): Promise<(() => void)[]> => {
    recorded.changes.length = 0;
    await write(environment, journal, 'test', change);
    return recorded.changes.map((recordedChange) => recordedChange.run);
  };
  const add = await entry((draft) => draft.put(records, row));
  const store = new LmdbNodeStore(folder);
  const path = new QueryPath(index, store);
  const query = (name: string, type: number): Uint8Array => {
    const edns = { version: 0, size: UDP, do: true };
    return encodeQuery({ name: parseName(name, domain.apex), type, class: 1, edns }, 1);
  };
  // Names that the NSEC3 record of the other name covers when it is there.
  const flipHash = Buffer.from(hashName(row.name)).toString('hex');
  const hashes = [domain.apex, ...rows.map(({ name }) => name)].map((name) =>
    Buffer.from(hashName(name)).toString('hex'),
  );
  const next = hashes.sort().find((hash) => hash > flipHash) ?? 'g';
  const covered = Array.from({ length: 10_000 }, (_, i) => `missing${i}`).find((name) => {
    const hash = Buffer.from(hashName(parseName(name, domain.apex))).toString('hex');
    return hash > flipHash && hash < next;
  })!;
  const packets = [query(covered, TYPE.A), query('flip', TYPE.A), query('flip', TYPE.TXT)];
  const remove = await entry((draft) => draft.delete(records, row));
  for (const packet of packets) {
    for (const change of [...add, ...remove]) {
      change();
      checkProofs(path.answer(packet, UDP)!, domain.apex);
    }
    const asking = { packet, numbered: false, right: [], collects: true, storeDirectory: folder };
    let readers = await startReaders(index, asking);
    const check = async (): Promise<void> => {
      for (const { collected } of await readers.stop()) {
        assert.ok(collected.size > 1, `${collected.size} different responses`);
        for (const hex of collected.keys()) checkProofs(Buffer.from(hex, 'hex'), domain.apex);
      }
    };
    for (let k = 0; k < COMINGS; k++) {
      for (const change of k % 2 === 0 ? add : remove) change();
      // While changes go on, readers get most answers from the store, where the name is not.
      if (k % PAUSE_EVERY === 0) Atomics.wait(readers.control, STOP, 0, 1);
    }
    await check();
    // The same with commits, and with many names at once.
    readers = await startReaders(index, asking);
    const many = [row, ...Array.from({ length: 20 }, (_, i) => addressRecord(domain, `many${i}`))];
    for (let k = 0; k < COMMITS; k++)
      await write(environment, journal, 'test', (draft) => {
        for (const changed of many) if (k % 2 === 0) draft.put(records, changed);
        if (k % 2 === 1) for (const changed of many) draft.delete(records, changed);
      });
    await check();
  }
  await store.close();
  await journal.close();
  await environment.close();
  removeFolder(folder);
});

/** Throws if the NSEC3 records of a response do not prove what it says. */
function checkProofs(packet: Uint8Array, apex: Name): void {
  const { rcode, question, answer, authority } = decodeMessage(packet);
  assert.is.not(rcode, RCODE.SERVFAIL);
  if (answer.length > 0) return;
  const name = question.subarray(0, -4);
  const proofs = new Proofs(apex, authority.filter(({ type }) => type === TYPE.NSEC3).map(readNsec3));
  if (rcode === RCODE.NXDOMAIN) proofs.nameError(name);
  else proofs.noData(name, (question[name.length] << 8) | question[name.length + 1]);
}

test.run();
