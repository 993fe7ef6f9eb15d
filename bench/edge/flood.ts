/**
 * `node dist/bench/edge/flood.js [--rounds N] [--seconds N] [--quick]`: what visitors of one site
 * notice while another site of the same node is flooded, by 100 connections that are fast or slow.
 * The daemon with one thread on core 0, all clients on core 1. Where the system allows it, daemon
 * and visitors go before all else there, so that they do not measure their own wait.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { certificate, ecKey, pemOfKey } from '../../test/support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../test/support/daemon.ts';
import { freePort } from '../../test/support/ports.ts';
import { COMMON, readOptions } from '../options.ts';

const FLOODED = 'flooded.test';
const OTHER = 'other.test';
const FLOOD = 100;
const VISITORS = 10;
const LARGE = Buffer.alloc(8 << 20, 'x');
const PAGE = Buffer.alloc(2048, 'x');
const LOAD = fileURLToPath(new URL('./flood-load.js', import.meta.url));
/** A command that runs another one before others; empty where the system does not allow it. */
const allowed = (command: readonly string[]): readonly string[] =>
  spawnSync(command[0], [...command.slice(1), 'true']).status === 0 ? command : [];
const AHEAD = allowed(['chrt', '--fifo', '1']);
const FAVOURED = allowed(['nice', '-n', '-15']);

const options = readOptions({
  command: 'node dist/bench/edge/flood.js',
  about: 'The latency of a site while another site of the same node is flooded by 100 connections.',
  options: COMMON,
});
const rounds = options.rounds ?? (options.quick ? 1 : 5);
const seconds = options.seconds ?? (options.quick ? 3 : 10);

interface Load {
  stop(): Promise<number[]>;
}

function start(kind: string, port: number, host: string, connections: number, prefix: readonly string[]): Load {
  const [command, ...args] = ['taskset', '-c', '1', ...prefix, process.execPath, LOAD];
  const child = spawn(command, [...args, kind, String(port), host, String(connections)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return {
    async stop() {
      child.stdin.end();
      await new Promise((resolve) => child.once('close', resolve));
      return JSON.parse(text) as number[];
    },
  };
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];

async function addSite({ api }: Daemon, domain: string, origin: number): Promise<void> {
  const key = ecKey();
  const id = await api.createDomain(domain);
  await api.createRecord(id, '@', 'A', '192.0.2.7');
  await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port: origin, protocol: 'http' });
  await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  const cert = certificate({ name: domain, key, dnsNames: [domain] });
  await api.call('PUT', `/api/v1/domains/${id}/proxy/certificate`, { certificate: cert, private_key: pemOfKey(key) });
}

/** The visitors' times, and how many answers the flood got per second. */
async function measure(port: number, kind: string | null): Promise<{ times: number[]; flood: number }> {
  const flood = kind === null ? null : start(kind, port, FLOODED, FLOOD, []);
  // Its connections are open, and the thread has seen it.
  await sleep(2000);
  const visitors = start('visitor', port, OTHER, VISITORS, AHEAD);
  await sleep(seconds * 1000);
  const times = await visitors.stop();
  const answers = (await flood?.stop()) ?? [];
  // Without the handshakes.
  return { times: times.slice(VISITORS), flood: answers.length / (seconds + 2) };
}

const origin = createServer(({ url }, response) => {
  const body = url === '/large' ? LARGE : PAGE;
  response.writeHead(200, { 'cache-control': 'max-age=3600', 'content-length': body.length });
  response.end(body);
});
await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
for (const isFair of [true, false]) {
  const https = await freePort();
  const daemon = await startDaemon(
    {
      WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
      WAYPOST_EDGE_WORKERS: '1',
      WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
      WAYPOST_EDGE_FAIR_SITES: String(isFair),
    },
    { prefix: ['taskset', '-c', '0', ...FAVOURED] },
  );
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { port } = origin.address() as AddressInfo;
    for (const site of [FLOODED, OTHER]) await addSite(daemon, site, port);
    await measure(https, null);
    const found: Record<string, { p50: number[]; p99: number[]; flood: number[] }> = {};
    for (let round = 0; round < rounds; round++)
      for (const kind of ['none', 'fast', 'slow']) {
        found[kind] ??= { p50: [], p99: [], flood: [] };
        const { times, flood } = await measure(https, kind === 'none' ? null : kind);
        found[kind].p50.push(quantile(times, 0.5));
        found[kind].p99.push(quantile(times, 0.99));
        found[kind].flood.push(flood);
      }
    for (const [kind, { p50, p99, flood }] of Object.entries(found)) {
      const [half, most, rate] = [p50, p99, flood].map((values) => quantile(values, 0.5));
      process.stdout.write(
        `fair_sites ${isFair}, flood ${kind}: p50 ${half.toFixed(2)} ms, p99 ${most.toFixed(2)} ms (${p99.map((value) => value.toFixed(2)).join(' ')}); flood ${Math.round(rate)} answers/s\n`,
      );
    }
  } finally {
    await daemon.close();
  }
}
origin.close();
origin.closeAllConnections();
