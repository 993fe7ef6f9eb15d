/**
 * `npm run bench:writes -- [--quick] [--seconds N] [--import N]`: bulk import, the way from the
 * API's answer to the UDP answer, synced creations by concurrent writers, and one large import next
 * to them. docs/internals/benchmarks.md says what each figure means.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from './dns/report.ts';
import { median } from './dns/rounds.ts';
import { Daemon, Waypost } from './dns/waypost.ts';
import { bigZones, writeZones } from './dns/zones.ts';
import { describeMachine } from './machine.ts';
import { COMMON, endWith, readOptions } from './options.ts';
import { AdminApi } from './writes/api.ts';
import { largeZoneFile, measureLargeImport } from './writes/large-import.ts';
import { percentile } from './writes/statistics.ts';
import { measureVisibility } from './writes/visible.ts';
import { measureInTurns, measureSync } from './writes/writers.ts';

const options = readOptions({
  command: 'npm run bench:writes --',
  about:
    'Bulk import, the way from the answer of the API to that over UDP, and synced creations by concurrent writers.',
  options: {
    quick: COMMON.quick,
    seconds: COMMON.seconds,
    import: { kind: 'number', value: 'N', help: 'records of the large import; the default is 1,000,000' },
  },
});
const large = options.import ?? (options.quick ? 50_000 : 1_000_000);
const seconds = options.seconds ?? (options.quick ? 2 : 10);
const singles = options.quick ? 100 : 1000;
const WRITERS = 32;
/** What has to be reached. */
const GOAL = {
  importPerSecond: 100_000,
  visibleP99: 10,
  creationsPerSecond: 3000,
  signedShare: 0.6,
  importWriteP99: 100,
  healthMax: 50,
} as const;

const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);
const whole = (value: number) => Math.round(value).toLocaleString('en');
const spread = (values: readonly number[]) =>
  `p50 ${percentile(values, 50).toFixed(2)} ms, p99 ${percentile(values, 99).toFixed(2)} ms, max ${percentile(values, 100).toFixed(2)} ms`;

const version = new Waypost().version();
if (version === null) endWith('Waypost is not built: run `npm run build` first.');

mkdirSync(work, { recursive: true });
const set = bigZones(options.quick ? 100 : 1000);
const zoneFolder = writeZones(set, work);
const data = join(work, 'waypost-writes');
rmSync(data, { recursive: true, force: true });
mkdirSync(data);

const daemon = new Daemon(data, 5945, 8945);
const daemonProcess = await daemon.start(join(work, 'waypost-writes.log'));
const results: string[][] = [];
let missed = 0;
/** One row of the table. `met`: whether the goal is reached. */
function result(what: string, figure: string, goal: string, met: boolean, detail: string): void {
  if (!met) missed++;
  results.push([what, figure, goal, met ? 'yes' : 'no', detail]);
  say(`${what}: ${figure} (${goal}: ${met ? 'yes' : 'NO'}); ${detail}`);
}

try {
  const token = await daemon.token();
  const api = new AdminApi(daemon.url, token, WRITERS);

  const imported = await daemon.importFolder(zoneFolder, token);
  const records = set.zones * set.records;
  const rate = records / imported.seconds;
  result(
    `import of ${whole(records)} records in ${whole(set.zones)} zones`,
    `${whole(rate)} records/s`,
    `≥ ${whole(GOAL.importPerSecond)}/s`,
    rate >= GOAL.importPerSecond,
    `${imported.seconds.toFixed(1)} s with the command's own start; daemon ${whole(daemonProcess.memory().rss / 2 ** 20)} MB resident`,
  );

  const domains = await api.domains(WRITERS);
  const { visible, created } = await measureVisibility(api, domains, singles, daemon.dnsPort);
  result(
    `API answer to UDP answer, ${whole(singles)} single creations`,
    `p99 ${percentile(visible, 99).toFixed(2)} ms`,
    `≤ ${GOAL.visibleP99} ms`,
    percentile(visible, 99) <= GOAL.visibleP99,
    `${spread(visible)}; the creations themselves: ${spread(created)}`,
  );

  const syncs = measureSync(data, Math.min(seconds, 2));
  say(`the disk alone: ${whole(syncs)} synced writes/s, one after another`);
  const signedDomains = (await api.domains(2 * WRITERS)).slice(WRITERS);
  await daemon.signZones(
    token,
    signedDomains.map(({ id }) => id),
  );
  for (const [where, count] of [
    [`${WRITERS} zones`, WRITERS],
    ['one zone', 1],
  ] as const) {
    const loads = [domains, signedDomains].map((all, i) => ({ domains: all.slice(0, count), label: `w${i}-${count}` }));
    const [unsigned, signed] = await measureInTurns(api, loads, WRITERS, seconds, () => daemonProcess.cpuSeconds());
    const ratio = median(signed.perSecond.map((value, i) => value / unsigned.perSecond[i]));
    for (const { creations, what, goal, met, share } of [
      {
        creations: unsigned,
        what: '',
        goal: `≥ ${whole(GOAL.creationsPerSecond)}/s`,
        met: median(unsigned.perSecond) >= GOAL.creationsPerSecond,
        share: '',
      },
      {
        creations: signed,
        what: ', signed',
        goal: `≥ ${GOAL.signedShare} × unsigned`,
        met: ratio >= GOAL.signedShare,
        share: `: ${ratio.toFixed(2)} × unsigned`,
      },
    ]) {
      const faults = [...creations.refused].map(([code, times]) => `${times} × ${code}`).join(', ');
      result(
        `${WRITERS} writers, ${where}${what}, ${seconds} s`,
        `${whole(median(creations.perSecond))} creations/s${share}`,
        goal,
        met && creations.refused.size === 0,
        `each synced before its answer; ${spread(creations.milliseconds)}; ${whole(creations.cpuMicros)} µs of CPU each; the disk alone takes ${whole(syncs)} syncs/s; ${faults || 'none refused'}`,
      );
    }
  }
  const zone = await api.createDomain('large-import.test');
  const parts = { api: new AdminApi(daemon.url, token, WRITERS + 1), url: daemon.url, daemon: daemonProcess };
  const beside = await measureLargeImport(parts, zone, largeZoneFile(large), domains, WRITERS);
  await parts.api.close();
  const { alone, during, memory } = beside;
  const [p99, slowest] = [percentile(during.writes, 99), percentile(during.health, 100)];
  const megabytes = (bytes: number) => whole(bytes / 2 ** 20);
  result(
    `import of ${whole(large)} records next to ${WRITERS} writers`,
    `p99 ${p99.toFixed(0)} ms, /healthz max ${slowest.toFixed(0)} ms`,
    `≤ ${GOAL.importWriteP99} ms, ≤ ${GOAL.healthMax} ms`,
    p99 <= GOAL.importWriteP99 && slowest <= GOAL.healthMax,
    `${beside.seconds.toFixed(1)} s; writes ${spread(during.writes)}; /healthz ${spread(during.health)}; without the import: writes ${spread(alone.writes)}; /healthz ${spread(alone.health)}; daemon ${megabytes(memory.before)} MB before, at most ${megabytes(memory.most)} MB`,
  );
  await api.close();
} finally {
  await daemonProcess.stop();
}
process.stdout.write(`
${describeMachine([`Waypost: ${version}`])}${options.quick ? '\n- quick run, not for the record' : ''}

${table(['load', 'figure', 'goal', 'reached', 'detail'], results, 5)}
`);
process.exit(missed > 0 && !options.quick ? 1 : 0);
