/**
 * Filling the index when the daemon starts, with signed zones of 100,000 names each: seconds, the
 * longest time for which it holds up the main thread, and bytes for each name, in the index and in
 * the store.
 * Run: node dist/bench/core/store/signed-start.bench.js [names, 1000000 by default]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openSecrets } from '../../../core/base/secrets.ts';
import { generateKeyPair } from '../../../core/dns/dnssec/keys.ts';
import { Signers } from '../../../core/journal/apply/signers.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { type Binary, openEnvironment } from '../../../core/store/environment.ts';
import { buildIndex } from '../../../core/store/index/build.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { dnssec, dnssecContext, domains, records } from '../../../core/store/rows.ts';
import { addressRecord, DEFAULTS, newDomain } from '../../../test/core/journal/fixture.ts';

const NAMES = Number(process.argv[2] ?? 1_000_000);
const ZONE = 100_000;
const ARENA = 3 * 2 ** 30;

const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'waypost-start-'));
const environment = openEnvironment(folder);
const secrets = openSecrets(join(folder, 'key'));
const journal = openEmbeddedJournal({
  environment,
  // Has room for nothing: only the store is filled.
  index: new IndexWriter(0),
  zoneSettings: DEFAULTS,
  history: 1,
  signers: new Signers(secrets),
});

async function load(apex: string): Promise<void> {
  const domain = newDomain(apex);
  await write(environment, journal, 'bench', (draft) => draft.insert(domains, domain));
  for (let i = 0; i < Math.min(ZONE, NAMES); i += 500)
    await write(environment, journal, 'bench', (draft) => {
      for (let k = i; k < i + 500; k++) draft.insert(records, addressRecord(domain, `host${k}`));
    });
  const { dnskey, privateKey } = generateKeyPair(15);
  await write(environment, journal, 'bench', (draft) =>
    draft.put(dnssec, {
      domainId: domain.id,
      algorithm: 15,
      clock: Math.floor(Date.now() / 1000),
      keys: [
        {
          id: 1,
          dnskey: Buffer.from(dnskey).toString('base64'),
          sealed: secrets.seal(privateKey, dnssecContext(domain.id)).toString('base64'),
          use: 'sign',
          isTrusted: true,
          createdAt: 0,
        },
      ],
      foreign: [],
      parent: 'publish',
    }),
  );
}

function tableBytes(table: Binary): number {
  const stats = table.getStats() as Record<
    'pageSize' | 'treeBranchPageCount' | 'treeLeafPageCount' | 'overflowPages',
    number
  >;
  return (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize;
}

for (let i = 0; i * ZONE < NAMES; i++) await load(`signed${i}.example.`);
for (let round = 0; round < 3; round++) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  const { stats } = await buildIndex(environment, folder, ARENA);
  const seconds = (performance.now() - start) / 1000;
  delay.disable();
  process.stdout.write(
    `${stats.names} names: ${seconds.toFixed(2)} s, main thread held up ${(delay.max / 1e6).toFixed(0)} ms at most, ` +
      `${(stats.arenaUsed / 2 ** 20).toFixed(0)} MB, ${stats.inStore} in the store\n`,
  );
  if (round > 0) continue;
  const perName = (bytes: number): string => (bytes / stats.names).toFixed(0);
  process.stdout.write(
    `bytes per name: ${perName(stats.arenaUsed)} in the arena, ${perName(stats.slots * 8)} for slots; ` +
      `in the store ${perName(tableBytes(environment.answers))} of answers, ` +
      `${perName(tableBytes(environment.nsec3))} of NSEC3 records\n`,
  );
}
await journal.close();
await environment.close();
rmSync(folder, { recursive: true });
