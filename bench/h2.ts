/**
 * `npm run bench:h2 -- [--quick] [--only ROW] [--server NAME] [--rounds N] [--seconds N]`: HTTP/2
 * over TLS, one server core: Waypost, nginx, HAProxy and node:http2. The server on core 0, the load
 * on core 1. docs/internals/benchmarks.md says what each figure means.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from './dns/process.ts';
import { runBenchmark } from './edge/benchmark.ts';
import { type IdleMemory, measureIdle } from './edge/handshakes.ts';
import { idleTable } from './edge/report.ts';
import { IDLE_CONNECTIONS, IDLE_ROW, IDLE_SERVERS, ROWS } from './edge/rows.ts';
import { startClassical, startHaproxy, startNginx, startNode, startNodeTls, startWaypost } from './edge/servers.ts';

await runBenchmark({
  name: 'h2',
  command: 'npm run bench:h2 --',
  about: 'HTTP/2 over TLS, one server core: Waypost, nginx, HAProxy and node:http2.',
  rows: ROWS,
  starts: {
    Waypost: startWaypost,
    nginx: startNginx,
    HAProxy: startHaproxy,
    'node:http2': startNode,
    'node:tls': startNodeTls,
    X25519: startClassical,
  },
  startOrigin: async ({ work, originPort }) => {
    const program = fileURLToPath(new URL('./edge/origin.js', import.meta.url));
    const origin = new ServerProcess(process.execPath, [program, String(originPort)], join(work, 'edge-origin.log'));
    return () => origin.stop();
  },
  last: {
    id: IDLE_ROW,
    measure: async (servers, quick, say) => {
      const idle = new Map<string, IdleMemory>();
      for (const server of servers.filter(({ name }) => IDLE_SERVERS.includes(name))) {
        server.process.resume();
        idle.set(server.name, await measureIdle(server, quick ? IDLE_CONNECTIONS / 10 : IDLE_CONNECTIONS));
        server.process.pause();
        say(`${IDLE_ROW}  ${server.name}: ${Math.round(idle.get(server.name)?.perConnection ?? 0)} bytes for each`);
      }
      return idleTable(idle);
    },
  },
});
