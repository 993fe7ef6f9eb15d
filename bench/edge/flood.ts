/**
 * `node dist/bench/edge/flood.js [options]`: what visitors of one site notice while another site of
 * the same node is flooded by 100 connections that are fast or slow. The daemon with one edge
 * thread on core 0, all clients on core 1.
 *
 * Slices with and without the flood take turns in one run, each with a p99 of its own: compared are
 * the medians of both. The visitors' process has real-time priority (chrt), where that is
 * permitted: it does not wait for the clients of the flood, which share its core. Their times
 * include those of the system, and say something only if nothing else runs; what `flood-probe.ts`
 * counts in the daemon always does.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { certificate, ecKey, pemOfKey } from '../../test/support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, MAIN, startDaemon } from '../../test/support/daemon.ts';
import { freePort } from '../../test/support/ports.ts';
import { removeFolder, temporaryFolder } from '../../test/support/temp.ts';
import { COMMON, readOptions } from '../options.ts';
import { writeMainOfModules } from './main-of-modules.ts';

const FLOODED = 'flooded.test';
const OTHER = 'other.test';
const FLOOD = 100;
const VISITORS = 10;
const SETTLE_MS = 100;
/** Of a flood before its first slice: V8's threads, which share the core, have compiled then. */
const WARM_UP_MS = 6000;
/** For a flood whose connections are opened for each slice. */
const OPEN_MS = 700;
const SLICE_MS = 350;
const file = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** By h2load: what is requested, connections and streams (HTTP/1.1: pipelined requests). */
const fast = (path: string, streams: number, ...more: string[]): readonly string[] => [
  ...['h2load', '-t', '1', '-D', '1000', '-w', '22', '-W', '23'],
  ...['-c', String(FLOOD), '-m', String(streams), ...more, path],
];
const slow = (kind: string): readonly string[] => [process.execPath, file('flood-load.js'), kind];
const FLOODS: { readonly [name: string]: readonly string[] } = {
  'hits, HTTP/1.1': fast('/page', 1, '--h1'),
  'hits, HTTP/1.1, 16 pipelined': fast('/page', 16, '--h1'),
  'hits, HTTP/2, 64 streams': fast('/page', 64),
  'proxied, HTTP/2, 16 streams': fast('/fresh', 16),
  'proxied, origin of 200 ms': fast('/slow', 16),
  'cached downloads of 8 MB': fast('/large', 1),
  handshakes: slow('handshakes'),
  'slow heads, bodies, readers': slow('slow'),
};

const options = readOptions({
  command: 'node dist/bench/edge/flood.js',
  about: 'The latency of a site while another site of the same node is flooded by 100 connections.',
  options: {
    ...COMMON,
    only: { kind: 'choices', value: 'FLOOD', of: Object.keys(FLOODS), help: 'a flood' },
    main: { kind: 'text', value: 'FILE', help: 'main.js of the daemon, if not this one' },
  },
});
const rounds = options.rounds ?? (options.quick ? 5 : 30);

function start(command: readonly string[]): ChildProcess {
  return spawn('taskset', ['-c', '1', ...command], { stdio: ['pipe', 'pipe', 'ignore'] });
}

/** Empty: without the permission, or without the command. */
const realTime: readonly string[] = spawnSync('chrt', ['--rr', '1', 'true']).status === 0 ? ['chrt', '--rr', '1'] : [];

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
const median = (values: readonly number[]): number => quantile(values, 0.5);
/** Of the clock that all processes share. */
const now = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

async function addSite({ api }: Daemon, domain: string, originPort: number): Promise<void> {
  const key = ecKey();
  const id = await api.createDomain(domain);
  await api.createRecord(id, '@', 'A', '192.0.2.7');
  await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port: originPort, protocol: 'http' });
  await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  const cert = certificate({ name: domain, key, dnsNames: [domain] });
  await api.call('PUT', `/api/v1/domains/${id}/proxy/certificate`, { certificate: cert, private_key: pemOfKey(key) });
}

/** Begin and end, by `now`. */
type Slice = readonly [from: number, to: number];

async function slice(): Promise<Slice> {
  const from = now();
  await sleep(SLICE_MS);
  return [from, now()];
}

async function measure(port: number, name: string): Promise<void> {
  const [program, ...args] = FLOODS[name];
  const isFast = program === 'h2load';
  const path = args.at(-1);
  const command = isFast
    ? [program, ...args.slice(0, -1), `--connect-to=127.0.0.1:${port}`, `https://${FLOODED}${path}`]
    : [program, ...args, String(port), FLOODED, String(FLOOD)];
  const visitor = [file('flood-load.js'), 'visitor', String(port), OTHER, String(VISITORS)];
  const visitors = start([...realTime, process.execPath, ...visitor]);
  let text = '';
  visitors.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await sleep(2000);
  truncateSync(records);
  let flood = isFast ? start(command) : null;
  await sleep(isFast ? WARM_UP_MS : 0);
  flood?.kill('SIGSTOP');
  const slices: { readonly quiet: Slice[]; readonly flooded: Slice[] } = { quiet: [], flooded: [] };
  for (let round = 0; round < rounds; round++) {
    await sleep(isFast ? SETTLE_MS : OPEN_MS);
    slices.quiet.push(await slice());
    if (isFast) flood?.kill('SIGCONT');
    else flood = start(command);
    await sleep(isFast ? SETTLE_MS : OPEN_MS);
    slices.flooded.push(await slice());
    if (isFast) flood?.kill('SIGSTOP');
    else if (flood !== null) await end(flood);
  }
  if (flood !== null) await end(flood);
  visitors.stdin?.end();
  await once(visitors, 'close');
  const answers = (JSON.parse(text) as [at: number, took: number][]).map(([at, took]) => [at - took, took * 1000]);
  const waits = readFileSync(records, 'utf8')
    .split('\n')
    .map((row) => row.split(' ').map(Number));
  const rows = [
    ['visitors, by the clock, µs', answers],
    ['requests of the flood before one', waits.map(([at, requests]) => [at / 1000, requests])],
  ] as const;
  process.stdout.write(`${name}\n`);
  for (const [what, values] of rows) {
    const [quiet, flooded] = [slices.quiet, slices.flooded].map((list) => figures(list, values));
    process.stdout.write(`  ${what}: without ${quiet}; with ${flooded}\n`);
  }
}

/** Medians over slices of p50 and p99, with the quartiles of p99. */
function figures(slices: readonly Slice[], values: readonly (readonly number[])[]): string {
  const lists = slices.map(([from, to]) => values.filter(([at]) => at >= from && at <= to).map(([, value]) => value));
  const full = lists.filter((list) => list.length > 0);
  const p99 = full.map((list) => quantile(list, 0.99));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => Math.round(quantile(p99, share)));
  return `p50 ${Math.round(median(full.map(median)))}, p99 ${middle} (${low}–${high}) of ${full.flat().length}`;
}

const main = await writeMainOfModules(options.main ?? MAIN);
const work = temporaryFolder('flood');
const records = join(work, 'records');
writeFileSync(records, '');
const origin = start([process.execPath, file('flood-origin.js')]);
const [line] = (await once(origin.stdout!, 'data')) as [Buffer];
const https = await freePort();
const daemon = await startDaemon(
  {
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_HTTP1_REQUESTS: '1000000',
    NODE_OPTIONS: `--import=${pathToFileURL(file('flood-probe.js')).href}`,
    ...{ FLOOD_DIST: dirname(main), FLOOD_RECORDS: records, FLOOD_OTHER: OTHER },
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
  },
  { main, prefix: ['taskset', '-c', '0'] },
);
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  for (const site of [FLOODED, OTHER]) await addSite(daemon, site, Number(String(line)));
  for (const name of options.only ?? Object.keys(FLOODS)) await measure(https, name);
} finally {
  await daemon.close();
  await end(origin);
  removeFolder(work);
}
