/**
 * `node dist/bench/attacks/sign-in.js [--main FILE]`: a stranger at 127.0.0.9 keeps 200 guesses of
 * passwords in flight, each for another login. Two customers sign in from 127.0.0.3 with the right
 * password, and one of them reads the list of domains.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../test/support/daemon.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const { main, seconds } = attackOptions('sign-in', 'A flood of sign-ins from one address.');
const GUESSES = 200;
const PAUSE_MS = 50;
const PATH = '/api/v1/auth/token';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly from: string;
  readonly agent: Agent;
  readonly token?: string;
  readonly json?: unknown;
}

function ask(server: Daemon, { method, path, from, agent, token, json }: Asked): Promise<number> {
  return new Promise((done, fail) => {
    const headers: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const asking = request({
      ...{ host: '127.0.0.1', port: server.adminPort, localAddress: from, agent, method, path, headers },
    });
    asking.on('response', (response) => {
      response.resume();
      response.on('end', () => done(response.statusCode ?? 0));
    });
    asking.on('error', fail);
    asking.end(json === undefined ? undefined : JSON.stringify(json));
  });
}

/** Guesses until `isOver`; the pause keeps the flood from slowing down the probes itself. */
async function guess(server: Daemon, agent: Agent, state: { isOver: boolean }, i: number): Promise<void> {
  for (let n = 0; !state.isOver; n++) {
    const json = { login: `guess-${i}-${n}`, password: 'x', name: 'x' };
    await ask(server, { method: 'POST', path: PATH, from: '127.0.0.9', agent, json }).catch(() => {});
    await sleep(PAUSE_MS);
  }
}

const daemon = await startDaemon({}, { main });
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const right = async (method: string, path: string, json?: unknown): Promise<void> => {
    const agent = new Agent();
    const token = json === undefined ? daemon.api.token : undefined;
    const status = await ask(daemon, { method, path, from: '127.0.0.3', agent, token, json });
    if (status !== 200) throw new Error(`${status}`);
  };
  const signIn = (): Promise<void> => right('POST', PATH, { login: 'admin', password: ADMIN_PASSWORD, name: 'x' });
  const read = (): Promise<void> => right('GET', '/api/v1/domains');
  const calm = [await probeFor(seconds, signIn, { intervalMs: 200 }), await probeFor(seconds, read)];
  const state = { isOver: false };
  const agent = new Agent({ keepAlive: true, maxSockets: GUESSES });
  const flood = Array.from({ length: GUESSES }, (_, i) => guess(daemon, agent, state, i));
  const attacked = await Promise.all([probeFor(seconds, signIn, { intervalMs: 200 }), probeFor(seconds, read)]);
  const { megabytes, descriptors } = processFigures(daemon.child.pid);
  state.isOver = true;
  await Promise.all(flood);
  agent.destroy();
  const figures = [`${megabytes} MB`, String(descriptors)];
  printRow('right sign-ins from elsewhere', calm[0], attacked[0], figures);
  printRow('reads with a token', calm[1], attacked[1], figures);
} finally {
  await daemon.close();
}
