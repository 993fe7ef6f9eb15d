/**
 * CPU microseconds of one record write, rehearsed and applied, in groups of so many: what every
 * node of a cluster takes for every write of any. 100 domains with 100 records each; a write is an
 * A record at a new name, with its audit entry, in a domain taken at random. Run: node
 * dist/bench/core/journal/apply/apply-entries.bench.js [groups of one size, 400 as it comes]. Two
 * builds are compared by running both in turns: what else the machine does tells in both.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Applier } from '../../../core/journal/apply/applier.ts';
import { buildGroup, type Group } from '../../../core/journal/commit/commit-queue.ts';
import { RecentWrites } from '../../../core/journal/commit/recent-writes.ts';
import { Draft } from '../../../core/journal/draft/draft.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { audits, domains, records } from '../../../core/store/rows.ts';
import { addressRecord, DEFAULTS, newDomain } from '../../../test/core/journal/fixture.ts';
import { newId, noIds } from '../../../test/support/ids.ts';

/** The largest first, which warms up most. */
const SIZES = [64, 16, 4, 1];
const ROUNDS = Number(process.argv[2] ?? 400);
/** Of each size before anything is counted. */
const WARM_UP = ROUNDS >> 2;
const DOMAINS = 100;
const RECORDS = 100;

const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'waypost-apply-'));
const environment = openEnvironment(folder);
const index = new IndexWriter(64 << 20);
const applier = new Applier({ environment, index, zoneSettings: DEFAULTS, history: 10_000 });
const recent = new RecentWrites(0, (table, key) => environment.rows.get(table)?.get(key));
const zones = Array.from({ length: DOMAINS }, (_, i) => newDomain(`domain${i}.example.`));

function group(works: readonly ((draft: Draft) => void)[]): Group {
  const waiting = works.map((work) => {
    const draft = new Draft(environment, applier.head.sequence, noIds());
    work(draft);
    const reject = (error: Error): void => {
      throw error;
    };
    return { request: { ...draft.request, by: DEFAULTS.hostmaster }, resolve: () => {}, reject, queuedAt: 0 };
  });
  recent.checkpoint();
  return buildGroup(waiting, applier.head, recent, Date);
}

let names = 0;
function write(draft: Draft): void {
  const domain = zones[Math.floor(Math.random() * DOMAINS)];
  const record = addressRecord(domain, `many-${names % 64}-${names++}`, names & 255);
  draft.insert(records, record);
  draft.insert(audits, {
    id: newId(),
    accountId: domain.accountId,
    actor: { accountId: domain.accountId, username: 'admin', tokenId: newId(), tokenName: 'bench' },
    action: 'record.create',
    domain: 'domain.example',
    target: record.id,
    detail: { name: 'many', type: 'A', content: '192.0.2.1', ttl: 300 },
    requestId: `${newId()}${newId()}`,
    remoteAddress: '127.0.0.1',
    at: 1_800_000_000,
    revision: 0,
  });
}

const apply = async ({ links, hash }: Group): Promise<void> => applier.publish(await applier.apply(links, hash));

await apply(group(zones.map((zone) => (draft) => draft.insert(domains, zone))));
for (const zone of zones)
  await apply(
    group([
      (draft) => {
        for (let i = 0; i < RECORDS; i++) draft.insert(records, addressRecord(zone, `host${i}`));
      },
    ]),
  );

const spent = { rehearsed: 0, applied: 0 };
async function count(what: keyof typeof spent, work: () => Promise<void>): Promise<void> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  spent[what] += user + system;
}

const rows: Record<string, { rehearsed: number; applied: number }> = {};
for (const size of SIZES) {
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    if (round === 0) spent.rehearsed = spent.applied = 0;
    const some = group(Array.from({ length: size }, () => write));
    await count('rehearsed', async () => applier.rehearse(some.links));
    await count('applied', () => apply(some));
  }
  const perWrite = (sum: number): number => Number((sum / ROUNDS / size).toFixed(1));
  rows[`groups of ${size}`] = { rehearsed: perWrite(spent.rehearsed), applied: perWrite(spent.applied) };
}
console.table(rows);
await environment.close();
rmSync(folder, { recursive: true });
