/**
 * `npm run bench:start -- [--against FOLDER] [--node FILE]`: what a start costs: CPU of all threads
 * from the start of the process to the end of a second after it is ready, and the time until it is
 * ready; of a start with many zones both until the first right answer; of commands, until they end.
 * With another checkout, both in turns.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN_HEAP } from '../core/base/main-heap.ts';
import { type Name, parseName } from '../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../core/dns/wire/types.ts';
import { startChild } from '../test/support/child.ts';
import { environment, MAIN, USUAL } from '../test/support/daemon.ts';
import { UdpClient } from '../test/support/dns-client.ts';
import { fillStore } from '../test/support/large-store.ts';
import { decodeMessage, encodeQuery } from '../test/support/message.ts';
import { freePort } from '../test/support/ports.ts';
import { removeFolder, temporaryFolder } from '../test/support/temp.ts';
import { describeMachine } from './machine.ts';
import { COMMON, endWith, readOptions } from './options.ts';

/** Milliseconds. */
interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** Linux counts CPU in hundredths of a second. */
const TICK_MS = 10;
const IDLE_MS = 1000;
const READY_MS = 120_000;
const ROUNDS = 9;
/** Milliseconds between queries that wait for the first answer. */
const QUERY_MS = 2;
const ANSWER_MS = 10_000;
const RECORDS_PER_ZONE = 4;

type Measure = (main: string) => Promise<Cost>;

/** A daemon on an empty data folder. */
const serve =
  (hasEdge: boolean): Measure =>
  async (main) => {
    const dataDir = temporaryFolder('bench-start');
    const listen = async () => `127.0.0.1:${await freePort()}`;
    const admin = await listen();
    // Tests have one thread for UDP.
    const { WAYPOST_DNS_WORKERS: _, ...usual } = USUAL;
    const env = environment({
      ...usual,
      WAYPOST_DATA_DIR: join(dataDir, 'data'),
      WAYPOST_DNS_LISTEN: await listen(),
      WAYPOST_ADMIN_LISTEN: admin,
      ...(hasEdge && { WAYPOST_EDGE_HTTP_LISTEN: await listen(), WAYPOST_EDGE_HTTPS_LISTEN: await listen() }),
    });
    const started = performance.now();
    const child = startChild(node, [...MAIN_HEAP, main, 'serve'], env);
    try {
      await child.waitFor(/^waypost ready/m, READY_MS);
      const wall = performance.now() - started;
      const { status } = await fetch(`http://${admin}/readyz`);
      if (status !== 200) throw new Error(`/readyz answers ${status} after the daemon is ready.`);
      await sleep(IDLE_MS);
      return { cpu: cpuOf(child.pid), wall };
    } finally {
      await child.stop();
      removeFolder(dataDir);
    }
  };

/** Folders with a store of so many zones. */
const stores = new Map<number, string>();

async function storeOf(zones: number): Promise<string> {
  let folder = stores.get(zones);
  if (folder === undefined) {
    folder = temporaryFolder('bench-start');
    process.stderr.write(`creating a store with ${zones} zones\n`);
    await fillStore(folder, zones, RECORDS_PER_ZONE);
    stores.set(zones, folder);
  }
  return folder;
}

/** Until a daemon with so many zones answers for one of them. */
const firstAnswer =
  (zones: number): Measure =>
  async (main) => {
    const dataDir = await storeOf(zones);
    const port = await freePort();
    const { WAYPOST_DNS_WORKERS: _, ...usual } = USUAL;
    const env = environment({
      ...usual,
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_DNS_LISTEN: `127.0.0.1:${port}`,
      WAYPOST_ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
    });
    const client = await UdpClient.connect(port);
    const name = parseName(`host-0.zone-${zones - 1}.example.`);
    const started = performance.now();
    const child = startChild(node, [...MAIN_HEAP, main, 'serve'], env);
    try {
      const response = await firstResponse(client, name, () => {
        if (performance.now() - started > READY_MS) throw new Error(`No answer:\n${child.output()}`);
      });
      const cost = { cpu: cpuOf(child.pid), wall: performance.now() - started };
      const { rcode, answer } = decodeMessage(response);
      if (rcode !== RCODE.NOERROR || answer.length !== 1) throw new Error(`The first answer has the code ${rcode}.`);
      await child.waitFor(/^waypost ready/m, READY_MS);
      return cost;
    } finally {
      client.close();
      await child.stop();
    }
  };

/** Sends queries until one is answered. `check` may end it. */
async function firstResponse(client: UdpClient, name: Name, check: () => void): Promise<Uint8Array> {
  let first: Uint8Array | null = null;
  for (let id = 1; first === null; id++) {
    check();
    void client.query(encodeQuery({ name, type: TYPE.A, class: CLASS_IN }, id), ANSWER_MS, 1).then((response) => {
      first ??= response;
    });
    await sleep(QUERY_MS);
  }
  return first;
}

/** User and system time of all threads. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The second line of the shell's `times` is about its child: user and system, as 0m0.012s. */
const command =
  (...args: readonly string[]): Measure =>
  async (main) => {
    const started = performance.now();
    const { stdout, stderr, status } = spawnSync('sh', ['-c', '"$@" >/dev/null && times', 'sh', node, main, ...args], {
      encoding: 'utf8',
      env: environment({}),
    });
    if (status !== 0) throw new Error(`waypost ${args.join(' ')}: ${stderr}`);
    const wall = performance.now() - started;
    const times = [...stdout.split('\n')[1].matchAll(/(\d+)m([\d.]+)s/g)];
    return {
      cpu: times.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000, 0),
      wall,
    };
  };

const ROWS: Readonly<Record<string, Measure>> = {
  serve: serve(true),
  'serve-dns': serve(false),
  'answer-1000': firstAnswer(1000),
  'answer-200000': firstAnswer(200_000),
  version: command('--version'),
  help: command('--help'),
  'domain-help': command('domain', '--help'),
  'check-config': command('check-config'),
};

const options = readOptions({
  command: 'npm run bench:start --',
  about: 'What a start of the daemon and of commands costs, in CPU and time.',
  options: {
    only: { kind: 'choices', value: 'ROW', of: Object.keys(ROWS), help: 'this row' },
    rounds: COMMON.rounds,
    against: {
      kind: 'text',
      value: 'FOLDER',
      help: 'a built checkout of another revision, measured in turns with this one',
    },
    node: { kind: 'text', value: 'FILE', help: 'the Node that runs both, if not this one' },
  },
});
const node = options.node ?? process.execPath;
const mains = [MAIN];
if (options.against !== undefined) {
  const other = resolve(options.against, 'dist/main.js');
  if (!existsSync(other)) endWith(`${other} does not exist; run "npm run build" in ${options.against}.`);
  mains.unshift(other);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];
const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
process.stdout.write(`${describeMachine([`measured with Node ${version}`])}\n\n`);
const heads = mains.length === 1 ? ['CPU ms', 'ms'] : ['CPU ms before', 'after', 'ratio', 'ms before', 'after'];
process.stdout.write(`| row | ${heads.join(' | ')} |\n|---|${heads.map(() => '---:|').join('')}\n`);
for (const row of options.only ?? Object.keys(ROWS)) {
  const costs = mains.map((): Cost[] => []);
  for (let round = 0; round < (options.rounds ?? ROUNDS); round++)
    for (const [i, main] of mains.entries()) {
      costs[i].push(await ROWS[row](main));
      process.stderr.write(`${row} ${main}: ${JSON.stringify(costs[i].at(-1))}\n`);
    }
  const cpu = costs.map((of) => median(of.map((cost) => cost.cpu)));
  const wall = costs.map((of) => median(of.map((cost) => cost.wall)));
  const round = (values: readonly number[]) => values.map((value) => value.toFixed(0));
  const cells = [...round(cpu), ...(cpu.length > 1 ? [(cpu[1] / cpu[0]).toFixed(2)] : []), ...round(wall)];
  process.stdout.write(`| ${row} | ${cells.join(' | ')} |\n`);
}
for (const folder of stores.values()) removeFolder(folder);
