/** A daemon that audits: how its API answers meanwhile, and what a bomb costs it. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon } from '../dns/waypost.ts';
import { percentile } from '../writes/statistics.ts';
import { ownManifest, packageOf, zip } from './sources.ts';

const PORTS = { dns: 5947, admin: 8947 } as const;
const AUDITS = 10;
/** Milliseconds between two requests. */
const EVERY = 5;
const MB = 1024 * 1024;

interface Running {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

async function withDaemon<T>(folder: string, name: string, use: (running: Running) => Promise<T>): Promise<T> {
  const data = join(folder, name);
  mkdirSync(data, { recursive: true });
  const daemon = new Daemon(data, PORTS.dns, PORTS.admin);
  const running = await daemon.start(join(folder, `${name}.log`));
  try {
    return await use({ url: daemon.url, token: await daemon.token(), pid: running.pid });
  } finally {
    await running.stop();
  }
}

const headersOf = ({ token }: Running) => ({ authorization: `Bearer ${token}` });

async function send(running: Running, content: Buffer): Promise<{ status: number; text: string }> {
  const form = new FormData();
  form.set('package', new Blob([new Uint8Array(content)]), 'bench.pkg');
  const response = await fetch(`${running.url}/api/dev/apps/upload`, {
    method: 'POST',
    headers: headersOf(running),
    body: form,
  });
  return { status: response.status, text: await response.text() };
}

/** Milliseconds of requests, one every EVERY, for as long as `until` has not resolved. */
async function latencies(running: Running, until: Promise<unknown>): Promise<number[]> {
  const found: Promise<number>[] = [];
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    const answer = fetch(`${running.url}/api/v1/account`, { headers: headersOf(running) });
    found.push(answer.then((response) => response.arrayBuffer()).then(() => performance.now() - began));
    await sleep(EVERY);
  }
  return Promise.all(found);
}

/** `bytes`: of the sources of each package. */
export function measureLatency(folder: string, bytes: number) {
  return withDaemon(folder, 'latency', async (running) => {
    const packages = await Promise.all(
      Array.from({ length: AUDITS }, (_, i) => packageOf(`com.example.bench${i}`, 1, bytes)),
    );
    const rest = await latencies(running, sleep(2000));
    const audited = Promise.all(packages.map((content) => send(running, content))).then(() => verdicts(running));
    const found = await latencies(running, audited);
    return {
      requests: found.length,
      p50: percentile(found, 50),
      p99: percentile(found, 99),
      restP99: percentile(rest, 99),
    };
  });
}

/** Resolves when every package has a verdict. */
async function verdicts(running: Running): Promise<void> {
  for (;;) {
    const response = await fetch(`${running.url}/api/dev/apps`, { headers: headersOf(running) });
    const { apps } = (await response.json()) as { apps: { audit_status: string }[] };
    if (apps.length >= AUDITS && apps.every(({ audit_status: is }) => is !== 'pending' && is !== 'scanning')) return;
    await sleep(100);
  }
}

/** Some hundred megabytes of nothing, many times. */
export function measureBomb(folder: string) {
  return withDaemon(folder, 'bomb', async (running) => {
    const zeros = Buffer.alloc(40 * MB);
    const files = Array.from({ length: 20 }, (_, i) => [`zeros${i}.js`, zeros] as const);
    const content = await zip([
      ['manifest.json', ownManifest('com.example.bomb', 1)],
      ['index.html', ''],
      ['host-sdk.js', ''],
      ...files,
    ]);
    const before = peak(running.pid);
    const { status } = await send(running, content);
    return { packed: content.length, status, grownMb: Math.round((peak(running.pid) - before) / 1024) };
  });
}

/** The most memory that a process has had resident, in KB. */
const peak = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
