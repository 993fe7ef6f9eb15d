/**
 * A large signed zone: signing it in pieces, a rollover, and unsigning, with the longest time for
 * which each holds up the main thread; then creations of records in it and in an unsigned zone.
 * Run: node dist/bench/core/journal/signed.bench.js [names, 100000 by default]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../../core/base/log/index.ts';
import { Registry } from '../../../core/base/metrics/index.ts';
import { openSecrets } from '../../../core/base/secrets.ts';
import { Tasks } from '../../../core/base/tasks.ts';
import { generateKeyPair } from '../../../core/dns/dnssec/keys.ts';
import { Signers } from '../../../core/journal/apply/signers.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { Pieces } from '../../../core/journal/signing/pieces.ts';
import { startResigning, startSigning, startUnsigning } from '../../../core/journal/signing/progress.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { idKey } from '../../../core/store/keys.ts';
import { type DnssecRow, dnssec, dnssecContext, domains, records } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { addressRecord, DEFAULTS, newDomain } from '../../../test/core/journal/fixture.ts';

const NAMES = Number(process.argv[2] ?? 100_000);
const WRITES = 20_000;
const CONCURRENT = 64;

const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'waypost-signed-'));
const environment = openEnvironment(folder);
const index = new IndexWriter(512 << 20, NAMES);
const secrets = openSecrets(join(folder, 'key'));
const signers = new Signers(secrets, { inThreads: true });
const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history: 1000, signers });
const reader = new StoreReader(environment);
const zone = newDomain('signed.example.');
const plain = newDomain('plain.example.');

function newKey(id: number): DnssecRow['keys'][number] {
  const { dnskey, privateKey } = generateKeyPair(13);
  return {
    id,
    dnskey: Buffer.from(dnskey).toString('base64'),
    sealed: secrets.seal(privateKey, dnssecContext(zone.id)).toString('base64'),
    use: 'sign',
    isTrusted: true,
    createdAt: 0,
  };
}

const rowOf = (): DnssecRow | undefined => reader.row(dnssec, idKey(zone.id));
const put = (row: DnssecRow): Promise<unknown> =>
  write(environment, journal, 'bench', (draft) => draft.put(dnssec, row));

async function measure(what: string, work: () => Promise<string>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  const start = performance.now();
  delay.enable();
  const detail = await work();
  delay.disable();
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  process.stdout.write(
    `${what}: ${seconds.toFixed(2)} s, CPU ${((used.user + used.system) / 1e6).toFixed(2)} s, main thread held up ` +
      `p50 ${(delay.percentile(50) / 1e6).toFixed(1)}, p99 ${(delay.percentile(99) / 1e6).toFixed(1)}, ` +
      `max ${(delay.max / 1e6).toFixed(1)} ms; ${detail}\n`,
  );
}

async function load(domain: typeof zone): Promise<void> {
  await write(environment, journal, 'bench', (draft) => draft.insert(domains, domain));
  for (let i = 0; i < NAMES; i += 500)
    await write(environment, journal, 'bench', (draft) => {
      for (let k = i; k < Math.min(i + 500, NAMES); k++) draft.insert(records, addressRecord(domain, `host${k}`));
    });
}

async function create(domain: typeof zone, label: string): Promise<string> {
  let next = 0;
  const start = performance.now();
  const writer = async (): Promise<void> => {
    while (next < WRITES) {
      const number = next++;
      await write(environment, journal, 'bench', (draft) =>
        draft.insert(records, addressRecord(domain, `${label}${number}`, number & 255)),
      );
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, writer));
  return `${Math.round((WRITES / (performance.now() - start)) * 1000)} creations/s`;
}

const pieces = new Pieces({
  ...{ environment, journal, isAlone: true, tasks: new Tasks({ metrics: new Registry() }) },
  log: createLogger({ level: 'warn', format: 'text' }),
});
pieces.start();
async function finish(): Promise<string> {
  const before = pieces.written;
  while (rowOf()?.progress !== undefined) await sleep(20);
  return `${pieces.written - before} pieces`;
}

await measure(`${NAMES} records in two zones`, async () => {
  await load(zone);
  await load(plain);
  return '';
});
await measure('creations, unsigned', () => create(plain, 'warm'));
await measure('creations, unsigned', () => create(plain, 'new'));
const clock = Math.floor(Date.now() / 1000);
await measure('signing', async () => {
  const row: DnssecRow = {
    domainId: zone.id,
    algorithm: 13,
    clock,
    keys: [newKey(1)],
    foreign: [],
    parent: 'publish',
  };
  await put(startSigning(row));
  return finish();
});
await measure('creations, signed', () => create(zone, 'new'));
await measure('rollover', async () => {
  const row = rowOf()!;
  await put(startResigning(row, { ...row, keys: [{ ...row.keys[0], use: 'publish' }, newKey(2)] }));
  return finish();
});
await measure('unsigning', async () => {
  await put(startUnsigning(rowOf()!));
  return finish();
});
await pieces.stop();
await journal.close();
await signers.close();
await environment.close();
rmSync(folder, { recursive: true });
