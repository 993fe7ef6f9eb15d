/** `node waypost-server.js PORT CERTIFICATE KEY`: one thread of the edge as the daemon runs it. */

import { createLogger } from '../../core/base/log/index.ts';
import { DEFAULT_LIMITS } from '../../edge/http/http2/limits.ts';
import { Pool } from '../../edge/http/server/pool.ts';
import { DEFAULT_HTTP1_LIMITS, SERVER_LIMITS } from '../../test/edge/http/limits.ts';

const [port, certificate, key] = process.argv.slice(2);
const pool = await Pool.start({
  tlsListen: [{ address: '127.0.0.1', port: Number(port), family: 4 }],
  clearListen: [],
  threads: 1,
  // All load comes from one address.
  limits: { server: { ...SERVER_LIMITS, maxPerAddress: 50_000 }, http1: DEFAULT_HTTP1_LIMITS, http2: DEFAULT_LIMITS },
  application: new URL('./waypost-application.js', import.meta.url).href,
  data: { certificate, key },
  ticketRotation: 21_600,
  transport: 'auto',
  tls: process.env.BENCH_TLS === 'node' ? 'node' : 'auto',
  log: createLogger({ level: 'info', format: 'text' }),
});
process.once('SIGTERM', () => void pool.stop());
