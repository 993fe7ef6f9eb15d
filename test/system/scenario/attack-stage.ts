/**
 * An attack on the edge from one address, and what others notice of it: a daemon, within a bound of
 * memory if need be, one site that is attacked, a visitor of that or of another site, and a
 * resolver.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { memoryGroup } from '../../support/memory-group.ts';
import { encodeQuery } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';

/** Clients that ask for a large cached response and take nothing of it (unread-attacker.ts). */
export type Unread = 'shut' | 'drip' | 'deaf' | 'http1';
/** Clients that hold the connections to the origin (hold-attacker.ts). */
export type Hold = 'slow-get' | 'slow-post';

export interface AttackOptions {
  readonly kind: Unread | Hold;
  /** Of those that take nothing. */
  readonly connections?: number;
  /** Seconds that it lasts once all is asked for, and that are looked at afterwards. */
  readonly seconds: number;
  readonly after: number;
  /**
   * Megabytes that the daemon may use, all that the kernel has for it included; undefined: no
   * bound.
   */
  readonly bound?: number;
  /** The daemon's main.js, if not the one that is tested. */
  readonly main?: string;
  readonly settings?: Record<string, string>;
  /** The address of the visitor; the attacker has 127.0.0.2. */
  readonly visitor?: string;
}

export interface AttackReport {
  /** Megabytes resident: before, the most, at the end of the attack, and after it. */
  readonly before: number;
  readonly most: number;
  readonly atEnd: number;
  readonly after: number;
  /** Each second of the attack and after it. */
  readonly overTime: readonly number[];
  /** Megabytes of the control group at most, and processes killed for it; null without a bound. */
  readonly group: { readonly most: number; readonly kills: number } | null;
  /**
   * Megabytes that the daemon itself says clients hold, at the end of the attack and after it; null
   * where it does not say.
   */
  readonly charged: readonly (number | null)[];
  readonly isAlive: boolean;
  /** Milliseconds of each answer of the visitor and of the resolver; infinite: none. */
  readonly visits: readonly number[];
  readonly queries: readonly number[];
  /** Statuses of the visitor's answers other than 200. */
  readonly refusals: readonly number[];
  /** Connections that the attacked site's origin had open at once, at most. */
  readonly originMost: number;
}

const LARGE = 4 * 1024 * 1024;
const PROBE_MS = 50;
/** Milliseconds after which a connection counts. */
const SEEN_MS = 20;
/** An address of no other client. */
const VISITOR = '127.0.0.3';
const UNREAD = fileURLToPath(new URL('./unread-attacker.js', import.meta.url));
const HOLD = fileURLToPath(new URL('./hold-attacker.js', import.meta.url));
const isHold = (kind: Unread | Hold): kind is Hold => kind === 'slow-get' || kind === 'slow-post';

function residentMegabytes(pid: number): number {
  try {
    return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024);
  } catch {
    return 0;
  }
}

async function clientMegabytes(adminPort: number): Promise<number | null> {
  const metrics = await fetch(`http://127.0.0.1:${adminPort}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  const value = /^waypost_edge_client_memory_bytes (\S+)$/m.exec(metrics)?.[1];
  return value === undefined ? null : Number(value) / 1024 ** 2;
}

/** Throws a string that says why it cannot be played here. */
export async function playAttack(options: AttackOptions): Promise<AttackReport> {
  const group = options.bound === undefined ? null : memoryGroup(options.bound * 1024 * 1024);
  if (typeof group === 'string') throw group;
  const large = Buffer.alloc(LARGE, 'x');
  const uncached = large.subarray(0, LARGE / 2);
  let open = 0;
  let originMost = 0;
  const origin = createServer((sample, answer) => {
    const { url = '' } = sample;
    const isLarge = url === '/large';
    answer.writeHead(200, { 'cache-control': isLarge ? 'max-age=3600' : 'no-store', 'content-type': 'image/x-large' });
    if (sample.method === 'POST') sample.resume().once('end', () => answer.end('small'));
    else answer.end(isLarge ? large : url.startsWith('/uncached') ? uncached : 'small');
  });
  origin.on('connection', (socket) => {
    open++;
    socket.once('close', () => open--);
    // A connection that replaces another may be seen before the end of that one.
    setTimeout(() => {
      originMost = Math.max(originMost, open);
    }, SEEN_MS);
  });
  await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
  const http = await freePort();
  let daemon: Daemon | undefined;
  try {
    daemon = await startDaemon(
      {
        WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
        WAYPOST_EDGE_WORKERS: '2',
        WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
        ...options.settings,
      },
      { main: options.main, prefix: group?.prefix },
    );
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    for (const site of ['attacked.test', 'other.test']) {
      const id = await api.createDomain(site);
      await api.createRecord(id, '@', 'A', '192.0.2.7');
      const { port } = origin.address() as AddressInfo;
      await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port, protocol: 'http' });
      await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    }
    await untilKept(http);
    const report = await measure(daemon, http, options);
    return {
      ...report,
      originMost,
      group: group && { most: Math.round(group.most() / 1024 ** 2), kills: group.kills() },
    };
  } finally {
    origin.close();
    origin.closeAllConnections();
    await daemon?.close();
    group?.remove();
  }
}

async function measure(
  daemon: Daemon,
  http: number,
  { kind, connections = 0, seconds, after, visitor }: AttackOptions,
): Promise<Omit<AttackReport, 'group' | 'originMost'>> {
  const { pid } = daemon.child;
  const state = { isOver: false };
  const visits: number[] = [];
  const queries: number[] = [];
  const refusals: number[] = [];
  const before = residentMegabytes(pid);
  const probes = [
    repeat(state, visits, async () => {
      // Whose origin is held, or, where it is memory, whose daemon.
      const { status } = await get(http, isHold(kind) ? 'attacked.test' : 'other.test', '/', visitor);
      if (status !== 200) refusals.push(status);
    }),
    resolve(state, daemon.dnsPort, queries),
  ];
  let most = before;
  const sampler = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid));
  }, 20);
  const overTime: number[] = [];
  const args = isHold(kind)
    ? [HOLD, String(http), 'attacked.test', kind]
    : [UNREAD, String(http), 'attacked.test', '/large', kind, String(connections)];
  const attacker = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await new Promise((done) => attacker.stdout.once('data', done));
    for (let i = 0; i < seconds; i++) {
      await sleep(1000);
      overTime.push(residentMegabytes(pid));
    }
    const atEnd = residentMegabytes(pid);
    // What the visitor still waits for counts as well.
    const during = [visits.length + 1, queries.length + 1];
    const charged = await clientMegabytes(daemon.adminPort);
    attacker.stdin.end();
    await new Promise((done) => attacker.once('exit', done));
    for (let i = 0; i < after; i++) {
      await sleep(1000);
      overTime.push(residentMegabytes(pid));
    }
    const rested = residentMegabytes(pid);
    const afterCharged = await clientMegabytes(daemon.adminPort);
    state.isOver = true;
    await Promise.all(probes);
    return {
      ...{ before, most, atEnd, after: rested, overTime, isAlive: !daemon.child.exited(), refusals },
      charged: [charged, afterCharged],
      visits: visits.slice(0, during[0]),
      queries: queries.slice(0, during[1]),
    };
  } finally {
    attacker.kill('SIGKILL');
    clearInterval(sampler);
    state.isOver = true;
    await Promise.all(probes);
  }
}

/** Milliseconds that `probe` takes, repeatedly; infinite where it fails. */
async function repeat(state: { isOver: boolean }, times: number[], probe: () => Promise<void>): Promise<void> {
  while (!state.isOver) {
    const begun = performance.now();
    await probe().then(
      () => times.push(performance.now() - begun),
      () => times.push(Number.POSITIVE_INFINITY),
    );
    await sleep(PROBE_MS);
  }
}

async function resolve(state: { isOver: boolean }, port: number, times: number[]): Promise<void> {
  const client = await UdpClient.connect(port);
  let id = 0;
  await repeat(state, times, async () => {
    id = (id + 1) & 0xffff;
    const query = encodeQuery({ name: parseName('other.test.'), type: TYPE.SOA, class: CLASS_IN }, id);
    if ((await client.query(query, PATIENCE_MS, 1)) === null) throw new Error('no answer');
  });
  client.close();
}

/** Over a connection of its own. */
function get(
  port: number,
  host: string,
  path: string,
  localAddress = VISITOR,
): Promise<{ status: number; cache: string }> {
  return new Promise((done, fail) => {
    const asking = request({
      ...{ port, host: '127.0.0.1', localAddress, path, agent: false, headers: { host } },
      timeout: PATIENCE_MS,
    });
    asking.on('response', (response) => {
      response.resume();
      response.on('error', fail);
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, cache: String(response.headers['cache-status'] ?? '') }),
      );
    });
    asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
    asking.on('error', fail);
    asking.end();
  });
}

/** Until the large file is given from the disk. */
async function untilKept(http: number): Promise<void> {
  for (let hits = 0, i = 0; hits < 8; i++) {
    if (i === 400) throw new Error('The large file is not kept.');
    const { cache } = await get(http, 'attacked.test', '/large');
    if (/;\s*hit/.test(cache)) hits++;
    await sleep(20);
  }
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
