/**
 * `node dist/bench/edge/many-sites-visits.js [--count N] [--rules N] [--kept N] [--rounds N]`: the
 * memory of the daemon before and after each of 10,000 sites is visited, which compiles its rules:
 * without rules, with 20 rules that are the same in all sites, and with 20 of its own in each.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '../dns/report.ts';
import { median } from '../dns/rounds.ts';
import { describeMachine } from '../machine.ts';
import { COMMON, readOptions } from '../options.ts';
import { type ManySites, ORIGIN_PORT, ownMegabytes, PORT, prepareDaemon, workFolder } from './many-sites-daemon.ts';
import { apexOf } from './many-sites-names.ts';

const options = readOptions({
  command: 'node dist/bench/edge/many-sites-visits.js',
  about: 'The memory of the daemon before and after each of many sites is visited, without rules and with rules.',
  options: {
    count: { kind: 'number', help: 'domains; 10,000' },
    rules: { kind: 'number', help: 'rules of each domain; 20' },
    kept: { kind: 'number', help: 'domains that the daemon keeps ready; as many as there are' },
    rounds: COMMON.rounds,
  },
});
const { count = 10_000, rules = 20, rounds = 3 } = options;
const { kept = count } = options;
/** Visits at a time. */
const CONCURRENT = 16;
/** Until garbage has gone that an idle thread collects. */
const SETTLE_MS = 5000;

/** Resolves with the status. The connection is closed. */
function visit(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: PORT, servername: host, headers: { host }, agent: false, rejectUnauthorized: false },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    );
    sent.on('error', reject).end();
  });
}

async function visitAll(): Promise<void> {
  let next = 0;
  const line = async (): Promise<void> => {
    while (next < count) {
      const host = `www.${apexOf(next++)}`;
      const status = await visit(host);
      if (status !== 200) throw new Error(`status ${status} of ${host}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, line));
}

interface Measured {
  readonly ready: number;
  /** Megabytes before the first visits, after them, and after the second ones. */
  readonly memory: readonly number[];
  /** CPU milliseconds of a visit, of the first ones and of the second ones. */
  readonly cpu: readonly number[];
}

async function measureVisits(sites: ManySites): Promise<Measured> {
  const daemon = await prepareDaemon(sites);
  const begin = performance.now();
  const server = await daemon.start(`${workFolder}/visits.log`);
  const ready = (performance.now() - begin) / 1000;
  try {
    await sleep(SETTLE_MS);
    const memory = [ownMegabytes(server)];
    const cpu: number[] = [];
    for (let pass = 0; pass < 2; pass++) {
      const before = server.cpuSeconds();
      await visitAll();
      cpu.push(((server.cpuSeconds() - before) * 1000) / count);
      await sleep(SETTLE_MS);
      memory.push(ownMegabytes(server));
    }
    return { ready, memory, cpu };
  } finally {
    await server.stop();
  }
}

const origin = createServer((_, response) => response.setHeader('cache-control', 'no-store').end('x'));
origin.listen(ORIGIN_PORT, '127.0.0.1');
await once(origin, 'listening');

const kinds: readonly [title: string, sites: ManySites][] = [
  ['none', { sites: count, rules: 0, kept }],
  [`${rules}, the same in all`, { sites: count, rules, kept }],
  [`${rules} of its own`, { sites: count, rules, areOwn: true, kept }],
];
const measured = kinds.map((): Measured[] => []);
for (let round = 0; round < rounds; round++)
  for (const [i, [title, sites]] of kinds.entries()) {
    measured[i].push(await measureVisits(sites));
    process.stderr.write(`${title}: ${JSON.stringify(measured[i].at(-1))}\n`);
  }

const rows = kinds.map(([title], i) => {
  const middle = (of: (figures: Measured) => number): number => median(measured[i].map(of));
  return [
    title,
    `${middle(({ ready }) => ready).toFixed(2)} s`,
    ...[0, 1, 2].map((at) => `${middle(({ memory }) => memory[at]).toFixed(0)} MB`),
    ...[0, 1].map((at) => middle(({ cpu }) => cpu[at]).toFixed(2)),
  ];
});
process.stdout.write(`
${describeMachine()}
- ${count.toLocaleString('en')} sites, ${kept.toLocaleString('en')} kept by the thread; ${rounds} rounds, medians

${table(['rules of a site', 'ready after', 'memory', 'each visited once', 'twice', 'CPU ms of a first visit', 'of a second'], rows, 1)}
`);
process.exit(0);
