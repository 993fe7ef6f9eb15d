/**
 * A server of the edge in a process of its own, with one thread, so that its memory can be measured
 * from outside. Its arguments: a HostOptions in JSON. It prints its ports in one line of JSON. On a
 * third port, for the test alone, `/counters` tells what it has counted, `/collect` makes it give
 * back memory, and the body of `/beats` has a byte for each sign of life of the test.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '../../../../core/base/log/index.ts';
import { HTTP1_COLUMNS } from '../../../../edge/http/http1/counters.ts';
import { HTTP2_COLUMNS } from '../../../../edge/http/http2/counters.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { SERVER_COLUMNS } from '../../../../edge/http/server/counters.ts';
import { Pool } from '../../../../edge/http/server/pool.ts';
import { DEFAULT_HTTP1_LIMITS, SERVER_LIMITS } from '../../../edge/http/limits.ts';
import type { ThreadData } from './application.ts';
import { clientTime, passOnBeats } from './client-time.ts';
import type { HostOptions } from './options.ts';

const options = JSON.parse(process.argv[2]) as HostOptions;
const anyPort = { address: '127.0.0.1', port: 0, family: 4 } as const;
const time = clientTime();
const beat = passOnBeats(time);
const pool = await Pool.start({
  tlsListen: [anyPort],
  clearListen: [anyPort],
  threads: 1,
  limits: {
    server: { ...SERVER_LIMITS, drainTimeout: 1000, ...options.server },
    http1: { ...DEFAULT_HTTP1_LIMITS, ...options.http1 },
    http2: { ...DEFAULT_LIMITS, ...options.http2 },
  },
  application: new URL('./application.js', import.meta.url).href,
  data: { ...options.data, time } satisfies ThreadData,
  ticketRotation: 3600,
  transport: 'auto',
  tls: options.tls ?? 'auto',
  log: createLogger({ level: 'info', format: 'text', write: (line) => process.stderr.write(line) }),
});

function counts(): Record<string, number> {
  const { server, http1, http2 } = pool.counters;
  return Object.fromEntries([
    ...SERVER_COLUMNS.map((name) => [`server_${name}`, server.sum(name)]),
    ...HTTP1_COLUMNS.map((name) => [`http1_${name}`, http1.sum(name)]),
    ...HTTP2_COLUMNS.map((name) => [`http2_${name}`, http2.sum(name)]),
    ['connections', pool.counters.connections],
    ['restarts', pool.counters.restarts],
  ]);
}

const control = createServer((request, response) => {
  if (request.url === '/beats') {
    request.on('data', beat);
    request.on('error', () => {});
    return;
  }
  if (request.url === '/collect') {
    (globalThis as { gc?: () => void }).gc?.();
    pool.send('collect');
  }
  response.end(JSON.stringify(counts()));
});
control.listen(0, '127.0.0.1', () => {
  const ports = {
    tlsPort: pool.tlsListen[0].port,
    clearPort: pool.clearListen[0].port,
    controlPort: (control.address() as AddressInfo).port,
  };
  process.stdout.write(`${JSON.stringify(ports)}\n`);
});
process.once('SIGTERM', () => {
  control.close();
  control.closeAllConnections();
  void pool.stop();
});
