/** Starts the host, and asks it and the system how it is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { startChild } from '../../../support/child.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { BEAT_MS } from './client-time.ts';
import type { HostOptions, LimitOptions } from './options.ts';

/** A name that every client finds on loopback by itself, and sends as the server name of TLS. */
export const NAME = 'localhost';

export interface Host {
  readonly tlsPort: number;
  readonly clearPort: number;
  /** Of HTTPS, without a slash at its end. */
  readonly origin: string;
  /** The file with the certificate, which is its own authority. */
  readonly caFile: string;
  readonly pid: number;
  /** All counters by name, with `server_`, `http1_` or `http2_` before it. */
  counters(): Promise<Readonly<Record<string, number>>>;
  /** Resolves as soon as it is true of the counters; rejects with `what` when it never is. */
  until(what: string, is: (counters: Readonly<Record<string, number>>) => boolean): Promise<void>;
  /** Megabytes of memory that the process has in use (RSS). */
  memory(): number;
  /** The same, when garbage has been collected. */
  memoryAtRest(): Promise<number>;
  output(): string;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

export async function startHost(limits: LimitOptions = {}): Promise<Host> {
  const key = ecKey();
  const pem = { key: pemOfKey(key), cert: certificate({ name: NAME, key, dnsNames: [NAME], ca: true }) };
  const caFile = join(temporaryFolder('host'), 'ca.pem');
  writeFileSync(caFile, pem.cert);
  const options: HostOptions = { ...limits, data: { name: NAME, pem } };
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const child = startChild(process.execPath, ['--expose-gc', program, JSON.stringify(options)]);
  const [line] = await child.waitFor(/^\{"tlsPort.*\}$/m);
  const { tlsPort, clearPort, controlPort } = JSON.parse(line) as Record<string, number>;
  const beats = request({ host: '127.0.0.1', port: controlPort, path: '/beats', method: 'POST' });
  beats.on('error', () => {});
  const timer = setInterval(() => beats.write('.'), BEAT_MS).unref();
  const ask = async (path: string): Promise<Record<string, number>> =>
    (await fetch(`http://127.0.0.1:${controlPort}${path}`)).json() as Promise<Record<string, number>>;
  const memory = (): number =>
    Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  return {
    tlsPort,
    clearPort,
    origin: `https://${NAME}:${tlsPort}`,
    caFile,
    pid: child.pid,
    counters: () => ask('/counters'),
    async until(what, is) {
      let last: Readonly<Record<string, number>> = {};
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(25)) {
        last = await ask('/counters');
        if (is(last)) return;
      }
      throw new Error(`Never: ${what}. ${describe(last)}`);
    },
    memory,
    async memoryAtRest() {
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 4; i++) {
        await ask('/collect');
        await sleep(50);
        least = Math.min(least, memory());
      }
      return least;
    },
    output: () => child.output(),
    stop() {
      clearInterval(timer);
      beats.destroy();
      return child.stop();
    },
  };
}

/** Those that are not 0. */
export const describe = (counters: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(counters).filter(([, count]) => count > 0)));
