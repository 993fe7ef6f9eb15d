/**
 * `node dist/bench/edge/authenticate.js [--quick] [--rounds N] [--seconds N]`: proxied requests
 * about which another server decides: the action `authenticate`, and auth_request of nginx.
 */
import { runBenchmark } from './benchmark.ts';
import { driveH2load } from './h2load.ts';
import { DECISION, MEMBERS, startNginxOrigin } from './origin-files.ts';
import { startNginx, startWaypost } from './proxied-servers.ts';

const rulesFor = (originPort: number): unknown => ({
  rules: [
    {
      name: 'Members',
      match: { path: { prefix: [MEMBERS.path] } },
      action: {
        type: 'authenticate',
        forward: { url: `http://127.0.0.1:${originPort}${DECISION.path}`, copy_headers: [DECISION.user] },
      },
    },
  ],
});

await runBenchmark({
  name: 'edge',
  command: 'node dist/bench/edge/authenticate.js',
  about: 'Proxied requests about which another server decides, next to auth_request of nginx.',
  rows: [
    {
      id: 'authenticate',
      text: 'proxied, 2,000 bytes, after a decision of another server, 16 × 16; goals by CPU',
      by: 'cpu',
      goals: [{ peer: 'nginx', atLeast: 1, aim: 1.4 }],
      drive: (server, seconds) => driveH2load(server, { connections: 16, streams: 16, path: MEMBERS.file }, seconds),
    },
  ],
  starts: {
    Waypost: (tools) => startWaypost(tools, { name: 'Waypost', offset: 0, rules: rulesFor(tools.originPort) }),
    nginx: startNginx,
  },
  startOrigin: startNginxOrigin,
});
