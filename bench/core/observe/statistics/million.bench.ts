/**
 * `node --expose-gc dist/bench/core/observe/statistics/million.bench.js [MINUTES]`: the statistics
 * thread's work with 1,000,000 domains, without the thread: memory, disk space, CPU time of a
 * sample, of writing a minute, of merging, and of reading a month. Two loads: all domains alike,
 * and few that are queried often (Zipf).
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Collector } from '../../../../core/observe/statistics/collector.ts';
import { SUBJECT } from '../../../../core/observe/statistics/counts.ts';
import { createSampleRing, SampleReader, SampleWriter } from '../../../../core/observe/statistics/sample-ring.ts';
import { StatisticsStore } from '../../../../core/observe/statistics/store.ts';
import { MARGIN, openStatisticsFile, type StatisticsFile, TIERS } from '../../../../core/observe/statistics/tiers.ts';
import { Random } from '../../../dns/random.ts';

const DOMAINS = 1_000_000;
const ACCOUNTS = 10_000;
/** Of 10,000 queries a second at a sampling of 64. */
const SAMPLES_A_MINUTE = (10_000 * 60) / 64;
const HOUR = 60;
const START = 29_000_000 - (29_000_000 % HOUR);
const HEADER = 12;
const GB = 2 ** 30;
const NAMES = ['', '\x03www', '\x04mail', '\x03api', '\x06_dmarc'];
const minutes = Number(process.argv[2] ?? 3 * HOUR);

/** CPU time of the process in milliseconds: other load on the machine changes it little. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const apexOf = (id: number): string => `\x08d${String(id).padStart(7, '0')}\x04test\0`;
/** The daemon reads it from the store, once a minute. */
const idOf = (apex: Uint8Array): number => Number(Buffer.from(apex).toString('latin1', 2, 9));

interface Domain {
  readonly id: number;
  readonly accountId: number;
  readonly apex: Uint8Array;
}

/** Bytes of all periods that are kept, if each is as large as those of this run. */
function projectMonth({ parts }: StatisticsFile): number {
  const sizes = TIERS.map(() => new Map<number, number>());
  for (const { key, value } of parts.getRange({})) {
    const periods = sizes[(key as Buffer)[0]];
    const time = (key as Buffer).readUInt32BE(1);
    periods.set(time, (periods.get(time) ?? 0) + value.readUIntBE(0, 6));
  }
  return TIERS.reduce((sum, { period, kept }, tier) => {
    const bytes = [...sizes[tier].values()].reduce((all, size) => all + size, 0);
    return sum + (bytes / Math.max(1, sizes[tier].size)) * ((kept + MARGIN) / period);
  }, 0);
}

async function measure(load: string, pick: () => number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-statistics-'));
  const file = openStatisticsFile(folder);
  const store = new StatisticsStore(file);
  const ring = createSampleRing(64);
  // The writer samples every query that it is offered here.
  const writer = new SampleWriter({ ...ring, every: 1 });
  let minute = START;
  const domainOf = (number: number) =>
    ({
      id: number,
      accountId: 1 + (number % ACCOUNTS),
      apex: Buffer.from(apexOf(number), 'latin1'),
    }) satisfies Domain as never;
  const collector = new Collector({
    store,
    reader: { domainByApex: (apex) => domainOf(idOf(apex)), domain: domainOf },
    rings: [new SampleReader(ring)],
    maxBytes: 100 * GB,
    now: () => minute,
  });
  const random = new Random(1);
  const packet = Buffer.alloc(300);
  let [sampling, writing, tidying, longest, rss] = [0, 0, 0, 0, 0];
  for (const end = START + minutes; minute < end; ) {
    for (let sent = 0; sent < SAMPLES_A_MINUTE; ) {
      for (let burst = 0; burst < 1000; burst++, sent++) {
        const apex = apexOf(pick());
        const name = NAMES[random.below(NAMES.length)] + apex;
        packet.write(name, HEADER, 'latin1');
        const type = random.below(3) === 0 ? 28 : 1;
        writer.offer(packet, 0, { type, rcode: 0, nameEnd: HEADER + name.length, zoneLength: apex.length });
      }
      const begin = cpuMs();
      collector.drain();
      sampling += cpuMs() - begin;
    }
    minute++;
    let begin = cpuMs();
    collector.startMinute();
    writing += cpuMs() - begin;
    longest = Math.max(longest, cpuMs() - begin);
    begin = cpuMs();
    await collector.tidy(() => false);
    tidying += cpuMs() - begin;
    rss = Math.max(rss, process.memoryUsage().rss);
  }
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  const id = pick();
  const begin = cpuMs();
  collector.read({ kind: SUBJECT.domain, id, from: minute - (minute % HOUR) - 719 * HOUR, step: HOUR, points: 720 });
  const reading = cpuMs() - begin;
  const samples = minutes * SAMPLES_A_MINUTE;
  const row = [
    load,
    `${((sampling * 1000) / samples).toFixed(2)} µs`,
    `${(writing / minutes).toFixed(0)} ms (at most ${longest.toFixed(0)})`,
    `${(tidying / minutes).toFixed(0)} ms`,
    `${(heapUsed / 2 ** 20).toFixed(0)} MB`,
    `${(rss / 2 ** 20).toFixed(0)} MB`,
    `${(store.bytes / 2 ** 20).toFixed(0)} MB`,
    `${(statSync(join(folder, 'counts.mdb')).size / 2 ** 20).toFixed(0)} MB`,
    `${(projectMonth(file) / GB).toFixed(1)} GB`,
    `${reading.toFixed(1)} ms`,
  ];
  process.stdout.write(`| ${row.join(' | ')} |\n`);
  await store.close();
  rmSync(folder, { recursive: true });
}

process.stdout.write(
  '| load | a sample | writing a minute | merging, a minute | heap | RSS | counts | file | a month | reading 30 days |\n',
);
process.stdout.write('|---|---|---|---|---|---|---|---|---|---|\n');
const random = new Random(2);
await measure('uniform', () => 1 + random.below(DOMAINS));
// The inverse of the distribution function of Zipf with exponent 1, approximately.
await measure('Zipf', () => Math.floor(DOMAINS ** (random.below(1 << 24) / (1 << 24))));
