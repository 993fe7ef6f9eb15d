/**
 * `npm run bench:edge -- [--quick] [--only ROW] [--server NAME] [--rounds N] [--seconds N]`: the
 * edge as a proxy with a cache, one server core: Waypost's daemon, nginx, HAProxy, Caddy, and
 * Varnish behind hitch. The server on core 0, the load and the origin on core 1.
 * docs/internals/benchmarks.md says what each figure means.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBenchmark } from './edge/benchmark.ts';
import { startGrpcOrigin } from './edge/grpc-origin.ts';
import { startNginxOrigin } from './edge/origin-files.ts';
import { proxiedRows } from './edge/proxied-rows.ts';
import { startCaddy, startHaproxy, startNginx, startVarnish, startWaypost } from './edge/proxied-servers.ts';

await runBenchmark({
  name: 'edge',
  command: 'npm run bench:edge --',
  about:
    'The edge as a proxy with a cache over HTTPS, one server core: Waypost, nginx, HAProxy, Caddy, and Varnish behind hitch.',
  rows: proxiedRows(process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench')),
  starts: {
    Waypost: startWaypost,
    nginx: startNginx,
    HAProxy: startHaproxy,
    Caddy: startCaddy,
    'Varnish + hitch': startVarnish,
  },
  startOrigin: async (tools) => {
    const stops = [await startNginxOrigin(tools), await startGrpcOrigin(tools)];
    return async () => {
      for (const stop of stops) await stop();
    };
  },
});
