/**
 * `node dist/bench/edge/many-sites.js [--count N] [--rules N] [--kept N] [--seconds N] [--rounds
 * N]`: the daemon with 100,000 domains, each with the proxy on and a certificate of its own, next
 * to one with none: how long it takes to start, its memory, and what a handshake costs by how many
 * of the sites are asked for. The folder is made once and kept in BENCH_DIR.
 */

import { join } from 'node:path';
import { checkServerIdentity, connect } from 'node:tls';
import { SERVER_LIMITS } from '../../test/edge/http/limits.ts';
import type { ServerProcess } from '../dns/process.ts';
import { table } from '../dns/report.ts';
import { median } from '../dns/rounds.ts';
import { SERVER_CORE } from '../dns/servers.ts';
import type { Daemon } from '../dns/waypost.ts';
import { describeMachine } from '../machine.ts';
import { COMMON, readOptions } from '../options.ts';
import type { Contender } from './contender.ts';
import { type Draw, driveHandshakes } from './handshakes.ts';
import { ownMegabytes, PORT, prepareDaemon, workFolder } from './many-sites-daemon.ts';
import { apexOf } from './many-sites-names.ts';
import type { Measured } from './measured.ts';

const options = readOptions({
  command: 'node dist/bench/edge/many-sites.js',
  about:
    'The daemon with many domains, each with the proxy on and a certificate of its own, next to one with none: its start, its memory, and what a handshake costs.',
  options: {
    count: { kind: 'number', help: 'domains; 100,000' },
    rules: { kind: 'number', help: 'rules of each domain; none' },
    kept: { kind: 'number', help: 'certificates that the daemon keeps ready; its own default' },
    rounds: COMMON.rounds,
    seconds: COMMON.seconds,
  },
});
const { count = 100_000, rules = 0, kept, seconds = 5, rounds = 3 } = options;
const CHECKED = 50;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Started {
  readonly server: ServerProcess;
  readonly seconds: number;
  readonly cpu: number;
}

async function start(daemon: Daemon): Promise<Started> {
  const begin = performance.now();
  const server = await daemon.start(join(workFolder, 'sites.log'));
  return { server, seconds: (performance.now() - begin) / 1000, cpu: server.cpuSeconds() };
}

/** Rejects when a site is not shown its own certificate. */
function assertCertificate(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ host: '127.0.0.1', port: PORT, servername: name, ALPNProtocols: ['h2'], rejectUnauthorized: false },
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const error = checkServerIdentity(name, socket.getPeerCertificate());
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

const startRows: string[][] = [];
const memory = (process: ServerProcess): string => `${ownMegabytes(process).toFixed(0)} MB`;
for (const sites of [0, count]) {
  const daemon = await prepareDaemon({ sites, rules, kept });
  const times: Started[] = [];
  let resident = '';
  for (let round = 0; round < rounds; round++) {
    const started = await start(daemon);
    times.push(started);
    resident = memory(started.server);
    await started.server.stop();
  }
  const middle = (of: (started: Started) => number): string => `${median(times.map(of)).toFixed(2)} s`;
  startRows.push([
    sites.toLocaleString('en'),
    middle((started) => started.seconds),
    middle((started) => started.cpu),
    resident,
  ]);
  say(startRows[startRows.length - 1].join(', '));
}

const { server } = await start(await prepareDaemon({ sites: count, rules, kept }));
server.pin(SERVER_CORE);
const contender: Contender = { name: 'Waypost', version: '', process: server, port: PORT };
const shakeRows: string[][] = [];
const draws: [sites: number, draw: Draw][] = [1, 1000, 10_000, count]
  .filter((figure) => figure <= count)
  .map((sites) => [sites, 'random']);
/** Seconds in which each site had its turn, more than that takes. */
const ONE_TURN = 1000;
for (const [sites, draw] of [...draws, [count, 'zipf'] as const]) {
  for (let i = 0; i < CHECKED; i++) await assertCertificate(`www.${apexOf(Math.floor((sites / CHECKED) * i))}`);
  const drive = (): Promise<Measured> => driveHandshakes(contender, 'new', seconds, sites, draw);
  // What is kept is to be there already.
  if (kept !== undefined && kept >= sites) await driveHandshakes(contender, 'new', ONE_TURN, sites, 'turn');
  await drive();
  const measured: Measured[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await drive());
  const middle = (of: (measured: Measured) => number): number => median(measured.map(of));
  shakeRows.push([
    `${sites.toLocaleString('en')}${draw === 'zipf' ? ", by Zipf's law" : ''}`,
    Math.round(middle((sample) => sample.perSecond)).toLocaleString('en'),
    middle((sample) => sample.cpuMicros).toFixed(0),
    memory(server),
    String(measured.reduce((sum, sample) => sum + sample.wrong, 0)),
  ]);
  say(shakeRows[shakeRows.length - 1].join(', '));
}
await server.stop();
process.stdout.write(`
${describeMachine()}
- ${rounds} rounds of ${seconds} s, medians; ${kept ?? SERVER_LIMITS.maxCertificates} certificates kept by the thread

${table(['sites', 'ready after', 'CPU until then', 'memory'], startRows, 1)}

${table(['sites asked for, drawn at random', 'new connections/s', 'CPU µs each', 'memory then', 'failed'], shakeRows, 1)}
`);
process.exit(0);
