/** Counts over a month: written, merged, expired, read, and after a restart. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nameId, parseName } from '../../../../core/dns/wire/name.ts';
import { Collector } from '../../../../core/observe/statistics/collector.ts';
import { rcodeColumn, typeColumn } from '../../../../core/observe/statistics/columns.ts';
import { SUBJECT } from '../../../../core/observe/statistics/counts.ts';
import { formatQuery, mergeNodes, parseQuery } from '../../../../core/observe/statistics/query.ts';
import { createSampleRing, SampleReader, SampleWriter } from '../../../../core/observe/statistics/sample-ring.ts';
import { StatisticsStore } from '../../../../core/observe/statistics/store.ts';
import { openStatisticsFile } from '../../../../core/observe/statistics/tiers.ts';
import { encodeQuery } from '../../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const HOUR = 60;
const DAY = 24 * HOUR;
const START = 29_000_000 - (29_000_000 % DAY);
const GB = 2 ** 30;
const HEADER = 12;
const ACCOUNT = 5;
const GOES_ON = (): boolean => false;

class Rig {
  readonly folder = temporaryFolder('statistics');
  readonly apexes = new Map<string, number>();
  readonly domains = new Map<number, { id: number; accountId: number; apex: Uint8Array }>();
  minute = START;
  maxBytes = GB;
  store!: StatisticsStore;
  collector!: Collector;
  readonly #ring = createSampleRing(1);
  readonly #writer = new SampleWriter(this.#ring, 1);

  constructor() {
    this.open();
  }

  open(): void {
    this.store = new StatisticsStore(openStatisticsFile(this.folder));
    const rig = this;
    this.collector = new Collector({
      store: this.store,
      reader: {
        domainByApex: (apex) => this.domains.get(this.apexes.get(nameId(apex)) ?? 0) as never,
        domain: (id) => this.domains.get(id) as never,
      },
      rings: [new SampleReader(this.#ring)],
      get maxBytes() {
        return rig.maxBytes;
      },
      now: () => this.minute,
    });
  }

  zone(apex: string, id: number): void {
    this.apexes.set(nameId(parseName(apex)), id);
    this.domains.set(id, { id, accountId: ACCOUNT, apex: parseName(apex) });
  }

  query(name: string, apex: string, type: number, rcode = 0): void {
    const wire = parseName(name);
    const packet = encodeQuery({ name: wire, type, class: 1 }, 1);
    const zoneLength = parseName(apex).length;
    this.#writer.offer(packet, 0, { type, rcode, nameEnd: HEADER + wire.length, zoneLength });
    this.collector.drain();
  }

  async pass(minutes: number): Promise<void> {
    this.minute += minutes;
    if (this.collector.startMinute()) await this.collector.tidy(GOES_ON);
  }

  total(column: number, from: number, to: number, step: number, id = 1, kind: number = SUBJECT.domain): number[] {
    const points = (to - from) / step;
    const { columns } = this.collector.read({ kind, id, from, step, points });
    return [...(columns.find(([other]) => other === column)?.[1] ?? new Array<number>(points).fill(0))];
  }

  async close(): Promise<void> {
    await this.store.close();
    removeFolder(this.folder);
  }
}

const A = typeColumn(1);
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const test = suite('statistics store');

test('counts of the current minute, of earlier ones, and after a clean restart', async () => {
  const rig = new Rig();
  rig.zone('example.test.', 1);
  rig.query('www.example.test.', 'example.test.', 1);
  rig.query('nothing.example.test.', 'example.test.', 28, 3);
  rig.query('other.test.', 'other.test.', 1);
  assert.equal(rig.total(A, START, START + 2, 1), [1, 0]);
  await rig.pass(1);
  rig.query('www.example.test.', 'example.test.', 1);
  assert.equal(rig.total(A, START, START + 2, 1), [1, 1]);
  assert.equal(rig.total(rcodeColumn(3), START, START + 2, 1), [1, 0]);
  assert.equal(rig.total(A, START, START + 2, 1, ACCOUNT, SUBJECT.account), [1, 1]);
  rig.collector.flush();
  rig.query('www.example.test.', 'example.test.', 1);
  // The minute is in the store and in memory.
  assert.equal(rig.total(A, START, START + 2, 1), [1, 2]);
  rig.collector.flush();
  await rig.store.close();
  rig.open();
  assert.equal(rig.total(A, START, START + 2, 1), [1, 2]);
  const { names } = rig.collector.read({ kind: SUBJECT.domain, id: 1, from: START, step: 5, points: 1 });
  assert.equal(names, [
    ['\x03www', 3],
    ['\x07nothing', 1],
  ]);
  await rig.close();
});

test('counts go on after a clock that was ahead, also over a restart', async () => {
  for (const restarts of [false, true]) {
    const rig = new Rig();
    rig.zone('example.test.', 1);
    await rig.pass(500 * DAY);
    rig.query('www.example.test.', 'example.test.', 1);
    rig.collector.flush();
    rig.minute -= 500 * DAY;
    if (restarts) {
      await rig.store.close();
      rig.open();
    } else await rig.pass(0);
    rig.query('www.example.test.', 'example.test.', 1);
    assert.equal(rig.total(A, START, START + 2, 1), [1, 0]);
    await rig.pass(1);
    rig.query('www.example.test.', 'example.test.', 1);
    assert.equal(rig.total(A, START, START + 2, 1), [1, 1]);
    await rig.close();
  }
});

test('counts are merged to 5 minutes and hours, and deleted after a month', async () => {
  const rig = new Rig();
  rig.zone('example.test.', 1);
  rig.zone('busy.test.', 2);
  for (let hour = 0; hour < 50; hour++) {
    rig.query('www.example.test.', 'example.test.', 1);
    for (let i = 0; i < 3; i++) {
      rig.query(`${i}.busy.test.`, 'busy.test.', 1);
      await rig.pass(i === 0 ? 42 : 9);
    }
  }
  const end = rig.minute;
  assert.is(end, START + 50 * HOUR);
  assert.equal(rig.total(A, START, end, HOUR), new Array(50).fill(1));
  assert.equal(rig.total(A, START, end, HOUR, 2), new Array(50).fill(3));
  assert.equal(rig.total(A, START, end + DAY - 2 * HOUR, DAY, 2), [72, 72, 6]);
  assert.is(sum(rig.total(A, end - DAY, end, 5, 2)), 72);
  assert.is(sum(rig.total(A, end - 2 * HOUR, end, 1, 2)), 6);
  assert.ok(rig.store.has(2, START));
  assert.not.ok(rig.store.has(0, START));
  assert.not.ok(rig.store.has(1, START));
  const { names } = rig.collector.read({ kind: SUBJECT.domain, id: 2, from: START, step: HOUR, points: 50 });
  assert.equal(names[0], ['\x010', 50]);
  assert.is(names.length, 3);

  await rig.store.close();
  rig.open();
  assert.equal(rig.total(A, START, end, HOUR, 2), new Array(50).fill(3));
  // Nothing was counted since, and the machine slept.
  rig.minute = START + 31 * DAY + 10 * HOUR;
  rig.collector.startMinute();
  await rig.collector.tidy(GOES_ON);
  assert.not.ok(rig.store.has(2, START + 8 * HOUR));
  assert.ok(rig.store.has(2, START + 9 * HOUR));
  assert.is(rig.store.firstPeriod(0), undefined);
  rig.minute += DAY * 3;
  rig.collector.startMinute();
  await rig.collector.tidy(GOES_ON);
  assert.is(rig.store.bytes, 0);
  await rig.close();
});

test('an interrupted merge is made again', async () => {
  const rig = new Rig();
  for (let id = 1; id <= 20_000; id++) rig.zone(`z${id}.test.`, id);
  for (let minute = 0; minute < 5; minute++) {
    const counts = Array.from({ length: 20_000 }, (_, i) => [i + 1, 1, A, minute + 1]).flat();
    rig.collector.addSites(Float64Array.from(counts));
    rig.minute++;
    rig.collector.startMinute();
  }
  let looks = 0;
  await rig.store.mergeFinished(rig.minute, () => ++looks > 1);
  assert.not.ok(rig.store.has(1, START));
  await rig.store.close();
  rig.open();
  assert.equal(rig.total(A, START, START + 5, 5, 19_999), [15]);
  await rig.collector.tidy(GOES_ON);
  assert.ok(rig.store.has(1, START));
  assert.equal(rig.total(A, START, START + 5, 5, 19_999), [15]);
  assert.equal(rig.total(A, START, START + 5, 5, ACCOUNT, SUBJECT.account), [15 * 20_000]);
  await rig.close();
});

test('a full disk deletes the oldest counts', async () => {
  const rig = new Rig();
  for (let id = 1; id <= 3000; id++) rig.zone(`z${id}.test.`, id);
  const counts = Float64Array.from(Array.from({ length: 3000 }, (_, i) => [i + 1, 1, A, 1]).flat());
  rig.maxBytes = 300_000;
  for (let hour = 0; hour < 20; hour++) {
    rig.collector.addSites(counts);
    await rig.pass(HOUR);
  }
  assert.ok(rig.store.bytes <= rig.maxBytes);
  assert.is(sum(rig.total(A, START, START + 2 * HOUR, HOUR)), 0);
  assert.equal(rig.total(A, rig.minute - HOUR, rig.minute, HOUR), [1]);
  await rig.close();
});

test('a clock that is set back does not lose counts', async () => {
  const rig = new Rig();
  rig.zone('example.test.', 1);
  rig.query('www.example.test.', 'example.test.', 1);
  await rig.pass(10);
  rig.query('www.example.test.', 'example.test.', 1);
  rig.minute -= 8;
  assert.not.ok(rig.collector.startMinute());
  rig.query('www.example.test.', 'example.test.', 1);
  rig.collector.flush();
  await rig.store.close();
  rig.open();
  rig.query('www.example.test.', 'example.test.', 1);
  rig.collector.flush();
  assert.equal(rig.total(A, START, START + 15, 5), [1, 0, 3]);
  await rig.close();
});

test('nodes are added up, and a query is read as it was written', () => {
  const names: [string, number][] = [['\x03www', 2]];
  const merged = mergeNodes([
    { sampling: 64, columns: [[8, [1, 2]]], names },
    {
      sampling: 1,
      columns: [
        [8, [3, 4]],
        [1, [1, 0]],
      ],
      names,
    },
  ]);
  assert.equal(merged, {
    sampling: 64,
    columns: [
      [8, [4, 6]],
      [1, [1, 0]],
    ],
    names: [['\x03www', 4]],
  });
  const query = { kind: 2, id: 2 ** 53 - 1, from: START, step: 60, points: 720 };
  assert.equal(parseQuery(formatQuery(query)), query);
  for (const text of ['', '1-2-3', '3-1-1-1-1', '1-1-1-1-10001', '1-1-1-0-1', '1-x-1-1-1', '1-1-1-1-1-1'])
    assert.is(parseQuery(text), undefined, text);
});

test.run();
