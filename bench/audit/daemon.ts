/** A daemon that audits, and what a bomb costs it. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon } from '../dns/waypost.ts';
import { ownManifest, zip } from './sources.ts';

export const PORTS = { dns: 5947, admin: 8947 } as const;
const MB = 1024 * 1024;

export interface Running {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

/** Of the API, each answer with status 200. Throws Error. */
export async function ask<T>(
  { url, token }: Running,
  method: string,
  path: string,
  type?: string,
  body?: string,
): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, ...(type !== undefined && { 'content-type': type }) };
  const answer = await fetch(url + path, { method, headers, body });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 1000)}`);
  return JSON.parse(text) as T;
}

/** With an empty data folder. */
export async function withDaemon<T>(folder: string, name: string, use: (running: Running) => Promise<T>): Promise<T> {
  const data = join(folder, name);
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  const daemon = new Daemon(data, PORTS.dns, PORTS.admin, { WAYPOST_PACKAGES_UPLOAD_RATE_LIMIT: '0' });
  const running = await daemon.start(join(folder, `${name}.log`));
  try {
    return await use({ url: daemon.url, token: await daemon.token(), pid: running.pid });
  } finally {
    await running.stop();
  }
}

const headersOf = ({ token }: Running) => ({ authorization: `Bearer ${token}` });

export async function send(running: Running, content: Buffer): Promise<{ status: number; text: string }> {
  const form = new FormData();
  form.set('package', new Blob([new Uint8Array(content)]), 'bench.pkg');
  const response = await fetch(`${running.url}/api/dev/apps/upload`, {
    method: 'POST',
    headers: headersOf(running),
    body: form,
  });
  return { status: response.status, text: await response.text() };
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
