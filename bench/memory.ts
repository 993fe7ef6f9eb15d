/**
 * `npm run bench:memory -- [--bound MB] [--main FILE]`: what a node at rest has resident, with DNS
 * and the API alone and with the edge, and the CPU of writes and of requests to the edge. With a
 * bound, in a control group of that size; with another main.js, of another revision.
 */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN_HEAP } from '../core/base/main-heap.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon, USUAL } from '../test/support/daemon.ts';
import { memoryGroup } from '../test/support/memory-group.ts';
import { freePort } from '../test/support/ports.ts';
import { describeMachine } from './machine.ts';
import { endWith, readOptions } from './options.ts';

const ZONES = 1000;
/** Domains of a request. */
const BATCH = 250;
/** With little memory, a node collects garbage after 15 seconds. */
const REST_MS = 25_000;
const WRITES = 2000;
const REQUESTS = 20_000;
const AT_ONCE = 32;
const TICK_MS = 10;

const options = readOptions({
  command: 'npm run bench:memory --',
  about: 'Memory of a node at rest with 1,000 zones, and the CPU that small heaps cost.',
  options: {
    bound: { kind: 'number', help: 'megabytes of a control group for the daemon' },
    main: { kind: 'text', value: 'FILE', help: 'the main.js of another revision' },
  },
});

interface Resident {
  readonly all: number;
  readonly files: number;
}

/** In megabytes. */
function residentOf({ child }: Daemon): Resident {
  const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024);
  return { all: megabytes('VmRSS'), files: megabytes('RssFile') };
}

/** Milliseconds of all threads. */
function cpuOf({ child }: Daemon): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Runs `count` times `work`, some at once. Returns microseconds of CPU of each. */
async function cost(daemon: Daemon, count: number, work: (i: number) => Promise<void>): Promise<number> {
  const before = cpuOf(daemon);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return Math.round(((cpuOf(daemon) - before) * 1000) / count);
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const visit = (port: number): Promise<void> =>
  new Promise((done, fail) => {
    get({ agent, port, host: '127.0.0.1', headers: { host: 'zone0.example' } }, (response) => {
      response.resume();
      response.on('end', done);
    }).on('error', fail);
  });

async function measure(hasEdge: boolean): Promise<void> {
  const group = options.bound === undefined ? null : memoryGroup(options.bound * 1024 ** 2);
  if (typeof group === 'string') endWith(group);
  const http = await freePort();
  const edge = hasEdge && {
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${await freePort()}`,
  };
  // Tests have one thread for UDP.
  delete (USUAL as Partial<typeof USUAL>).WAYPOST_DNS_WORKERS;
  const daemon = await startDaemon(
    { MALLOC_ARENA_MAX: '2', ...edge },
    { main: options.main, prefix: group?.prefix, options: MAIN_HEAP },
  );
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const ids: string[] = [];
    for (let i = 0; i < ZONES; i += BATCH) {
      const domains = Array.from({ length: BATCH }, (_, k) => ({ domain: `zone${i + k}.example` }));
      const { body } = await api.call('POST', '/api/v1/domains/batch', { domains });
      for (const { id } of body.domains as { id: number }[]) ids.push(String(id));
    }
    const write = await cost(daemon, WRITES, async (i) => {
      await api.createRecord(ids[i % ids.length], `www${i}`, 'A', '192.0.2.1');
    });
    const request = hasEdge ? await cost(daemon, REQUESTS, () => visit(http)) : null;
    await sleep(REST_MS);
    const used = residentOf(daemon);
    await daemon.stop();
    await daemon.start(options.main);
    await sleep(REST_MS);
    const fresh = residentOf(daemon);
    const cells = [hasEdge ? 'DNS, API, edge' : 'DNS, API', used.all, fresh.all, fresh.files, write, request ?? ''];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  } finally {
    await daemon.close();
    group?.remove();
  }
}

process.stdout.write(`${describeMachine([])}\n\n`);
process.stdout.write('| parts | MB after work | after a start | of these files | µs of CPU a write | a request |\n');
process.stdout.write('|---|---:|---:|---:|---:|---:|\n');
for (const hasEdge of [false, true]) await measure(hasEdge);
agent.destroy();
