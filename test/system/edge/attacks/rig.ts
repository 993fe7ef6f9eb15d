/** An attack, and normal clients next to it that notice nothing; what it costs the server. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent, get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { wholeResponse } from '../../../support/http2-response.ts';
import { describe, type Host, NAME, startHost } from '../host/host.ts';
import type { LimitOptions } from '../host/options.ts';
import { READY } from '../host/site.ts';
import { within } from './within.ts';

/**
 * Short, so that tests take seconds, though not so short that a normal client on a busy machine
 * meets them. All else is the default.
 */
export const SHORT: Required<LimitOptions> = {
  server: { handshakeTimeout: 1500, maxPerAddress: 200 },
  http1: { headerTimeout: 1000, idleTimeout: 4000, bodyWindow: 1000, writeTimeout: 1500, lingerTimeout: 500 },
  http2: {
    ...{
      prefaceTimeout: 1_000,
      settingsTimeout: 2_000,
      headerTimeout: 1_000,
      idleTimeout: 6_000,
      stallTimeout: 3_000,
      bodyWindow: 3_000,
      lingerTimeout: 3_000,
    },
  },
};

/**
 * Megabytes that an attack may add to the server's memory while it lasts, garbage included, and
 * when it is over: malloc gives back some 30 MB now and then.
 */
const MOST_MB = 96;
const LEFT_MB = 48;
const SAMPLE_MS = 20;
/** A normal client asks at least so often. */
const REQUESTS = 20;
/** Answers of normal clients after which the attack begins. */
const BEGUN = 4;

/** Megabytes that a server had in use at rest after the last attack: a collection is expensive. */
const restMemory = new WeakMap<Host, number>();

/** A server that has served before, so that what it needs anyway is there. */
export async function startTarget(limits: LimitOptions = SHORT): Promise<Host> {
  const host = await startHost(limits);
  await neighbour(host, () => sleep(500), { isWarming: true });
  return host;
}

export interface BesideOptions {
  /** Memory is not looked at. */
  readonly isWarming?: boolean;
  /**
   * The attack is run twice, and memory looked at the second time: malloc keeps what so many
   * buffers took, but needs no more for as many again.
   */
  readonly isTwice?: boolean;
}

/**
 * Runs the attack next to normal clients; then all is as it was before. Attackers have to be gone
 * when `attack` resolves, or the server has to close them.
 */
export async function neighbour(
  host: Host,
  attack: () => Promise<void>,
  { isWarming = false, isTwice = false }: BesideOptions = {},
): Promise<void> {
  if (isTwice) await neighbour(host, attack, { isWarming: true });
  const before = restMemory.get(host) ?? (await host.memoryAtRest());
  restMemory.delete(host);
  let most = before;
  const sampler = setInterval(() => {
    most = Math.max(most, host.memory());
  }, SAMPLE_MS);
  const state: State = { isOver: false, answered: 0 };
  const normal = Promise.all([normalHttp2(host, state), normalHttp1(host, state)]);
  // It is awaited below, also when the attack itself fails.
  normal.catch(() => {});
  try {
    while (state.answered < BEGUN) await Promise.race([sleep(5), normal]);
    await attack();
  } finally {
    state.isOver = true;
    clearInterval(sampler);
  }
  await normal;
  await host.until('every connection is closed', ({ connections }) => connections === 0);
  const { restarts } = await host.counters();
  assert.is(restarts, 0, host.output());
  assert.not.match(host.output(), /handler of the edge failed/);
  if (isWarming) return;
  assert.ok(most - before < MOST_MB, `${most - before} MB more while it lasted`);
  const after = await host.memoryAtRest();
  restMemory.set(host, after);
  assert.ok(after - before < LEFT_MB, `${after - before} MB more when it was over`);
}

interface State {
  /** The attack; the normal clients finish. */
  isOver: boolean;
  /** Requests of all normal clients. */
  answered: number;
}

async function normalHttp2(host: Host, state: State): Promise<void> {
  const session = connect(`https://${NAME}:${host.tlsPort}`, {
    lookup: toLoopback,
    rejectUnauthorized: false,
  });
  let failure: unknown;
  session.on('error', (error) => {
    failure = error;
  });
  session.on('goaway', (code: number, _last: number, detail?: Buffer) => {
    failure = `GOAWAY ${code} ${detail?.toString() ?? ''}`;
  });
  for (let i = 0; i < REQUESTS || !state.isOver; i++) {
    const reply = await within(askHttp2(session), `request ${i} of HTTP/2`).catch((error) => {
      throw new Error(`A normal client of HTTP/2: ${error}, ${failure}. ${host.output()}`);
    });
    assert.equal(reply, { status: 200, body: READY });
    assert.is(failure, undefined);
    state.answered++;
    await sleep(PAUSE_MS);
  }
  session.destroy();
}

async function normalHttp1(host: Host, state: State): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, servername: NAME });
  for (let i = 0; i < REQUESTS || !state.isOver; i++) {
    const request = get({ agent, host: '127.0.0.1', port: host.tlsPort, path: '/ready', headers: { host: NAME } });
    const reply = await within(
      (async () => {
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        return { status: response.statusCode, body: await text(response) };
      })(),
      `request ${i} of HTTP/1.1`,
    ).catch((error) => {
      throw new Error(`A normal client of HTTP/1.1: ${error}. ${host.output()}`);
    });
    assert.equal(reply, { status: 200, body: READY });
    state.answered++;
    await sleep(PAUSE_MS);
  }
  agent.destroy();
}

/** Between a normal client's requests. */
const PAUSE_MS = 5;

async function askHttp2(session: ClientHttp2Session): Promise<unknown> {
  const { status, body } = await wholeResponse(session.request({ ':path': '/ready' }));
  return { status, body: String(body) };
}

async function text(stream: AsyncIterable<unknown>): Promise<string> {
  let all = '';
  for await (const part of stream) all += String(part);
  return all;
}

const toLoopback = ((_name: string, options: { all?: boolean }, done: (...result: unknown[]) => void) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never;

/** What the attack has added to the counters. */
export async function counted(host: Host, attack: () => Promise<void>): Promise<(name: string) => number> {
  const before = await host.counters();
  await attack();
  const after = await host.counters();
  return (name) => {
    const added = after[name] - before[name];
    assert.ok(Number.isInteger(added), `There is no counter ${name}: ${describe(after)}`);
    return added;
  };
}
