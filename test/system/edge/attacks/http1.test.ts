/**
 * Attacks over HTTP/1.1: heads, bodies and chunks that drip or don't end, requests without waiting
 * for answers, readers that don't read.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Host, startHost } from '../host/host.ts';
import { READY } from '../host/site.ts';
import { dial, type Speaks, several, writable } from './attacker.ts';
import { counted, neighbour, startTarget } from './rig.ts';
import { within } from './within.ts';

const DRIP_MS = 100;
/** Connections that attack at the same time. */
const ATTACKERS = 20;
/** Bytes that an endless attack sends at most. */
const MOST = 20_000_000;

/**
 * `patient` has limits in time that no client meets who goes on sending, however seldom it gets a
 * turn.
 */
const test = suite<{ host: Host; patient: Host }>('http1');
test.before(async (context) => {
  [context.host, context.patient] = await Promise.all([startTarget(), startTarget({})]);
});
test.after(async ({ host, patient }) => {
  for (const server of [host, patient]) assert.is(await server.stop(), 0, server.output());
});

const request = (path: string, ...fields: readonly string[]): string =>
  `${[`POST ${path} HTTP/1.1`, 'host: localhost', ...fields].join('\r\n')}\r\n\r\n`;
const CHUNKED = 'transfer-encoding: chunked';

interface Attack {
  readonly name: string;
  /** Sent first. */
  readonly begin: string;
  /** Sent repeatedly, at once or, with `isSlow`, now and then. Nothing: waits. */
  readonly more?: string;
  readonly isSlow?: boolean;
  /** The client sends no more after `begin`, and says so. */
  readonly isHalfClosed?: boolean;
  /** Begin of what it gets; undefined: the connection is closed without a word. */
  readonly answer?: RegExp;
  /** Counter of the end, without `http1_`; undefined: an end like any other. */
  readonly reason?: string;
  /** Run two of these at the same time. */
  readonly isTwice?: boolean;
  /** Only so; else half of them with TLS, half without. */
  readonly speaks?: Speaks;
}

/** Reasons that a time-out gives. */
const OF_TIME = /^(?:idle$|slow_)/;
const BOTH: readonly Speaks[] = ['http/1.1', 'clear'];

const ATTACKS: readonly Attack[] = [
  {
    name: 'a head that drips',
    begin: 'GET / HTTP/1.1\r\n',
    more: 'x: y\r\n',
    isSlow: true,
    answer: /^HTTP\/1\.1 408 /,
    reason: 'slow_head',
  },
  {
    name: 'a head that stops',
    begin: 'GET / HTTP/1.1\r\nhost: local',
    answer: /^HTTP\/1\.1 408 /,
    reason: 'slow_head',
  },
  { name: 'no request at all', begin: '', reason: 'idle', speaks: 'http/1.1' },
  {
    name: 'no request after the first',
    begin: request('/ready', 'content-length: 0'),
    answer: /^HTTP\/1\.1 200 /,
    reason: 'idle',
  },
  {
    name: 'empty lines before a request that does not come',
    begin: '\r\n',
    more: '\r\n',
    isSlow: true,
    answer: /^HTTP\/1\.1 408 /,
    reason: 'slow_head',
  },
  {
    name: 'a body that drips',
    begin: request('/sink', 'content-length: 100000'),
    more: 'x',
    isSlow: true,
    answer: /^HTTP\/1\.1 408 /,
    reason: 'slow_body',
  },
  {
    name: 'a body that stops',
    begin: `${request('/sink', 'content-length: 100000')}xxx`,
    answer: /^HTTP\/1\.1 408 /,
    reason: 'slow_body',
  },
  {
    name: 'chunks that drip',
    begin: request('/sink', CHUNKED),
    more: '1\r\nx\r\n',
    isSlow: true,
    answer: /^HTTP\/1\.1 408 /,
    reason: 'slow_body',
  },
  {
    name: 'fields without end',
    begin: 'GET / HTTP/1.1\r\nhost: localhost\r\n',
    more: `x-long: ${'x'.repeat(1000)}\r\n`,
    answer: /^HTTP\/1\.1 431 /,
    reason: 'header_too_large',
  },
  {
    name: 'a field without end',
    begin: 'GET / HTTP/1.1\r\nhost: localhost\r\nx: ',
    more: 'x'.repeat(1000),
    answer: /^HTTP\/1\.1 431 /,
    reason: 'header_too_large',
  },
  { name: 'a target without end', begin: 'GET /', more: 'x'.repeat(1000), answer: /^HTTP\/1\.1 4(?:14|31) / },
  {
    name: 'many small fields',
    begin: `GET / HTTP/1.1\r\nhost: localhost\r\n${'a:\r\n'.repeat(5000)}\r\n`,
    answer: /^HTTP\/1\.1 431 /,
    reason: 'header_too_large',
  },
  {
    name: 'chunk extensions without end',
    begin: `${request('/sink', CHUNKED)}1`,
    more: `;x=${'y'.repeat(1000)}`,
    answer: /^HTTP\/1\.1 413 /,
    reason: 'chunk_extensions',
  },
  {
    name: 'trailers without end',
    begin: `${request('/sink', CHUNKED)}0\r\n`,
    more: `x-long: ${'x'.repeat(1000)}\r\n`,
    answer: /^HTTP\/1\.1 431 /,
    reason: 'header_too_large',
  },
  {
    name: 'requests behind one that takes long',
    begin: request('/slow/3000', 'content-length: 0'),
    more: request('/ready', 'content-length: 0').repeat(1000),
    answer: /^(?:HTTP\/1\.1 200 |$)/,
    reason: 'pipelining',
    isTwice: true,
  },
  {
    name: 'an unwanted body',
    begin: request('/ready', 'content-length: 100000000'),
    more: 'x'.repeat(10_000),
    answer: /^HTTP\/1\.1 200 /,
    reason: 'unread_body',
    isTwice: true,
  },
  { name: 'a request that is none', begin: 'GARBAGE\r\n\r\n', answer: /^HTTP\/1\.1 400 /, reason: 'malformed' },
  { name: 'an end within the head', begin: 'GET / HT', isHalfClosed: true },
  { name: 'an end within the body', begin: `${request('/sink', 'content-length: 10')}xxx`, isHalfClosed: true },
  {
    // Before it has begun it would mean that no request waits.
    name: 'an end within the answer',
    begin: request('/slow/20', 'content-length: 0'),
    isHalfClosed: true,
    answer: /^HTTP\/1\.1 200 [\s\S]*19/,
  },
];

for (const attack of ATTACKS)
  test(attack.name, async (hosts) => {
    const { answer = /^$/, more, isSlow, reason, isTwice = false, speaks } = attack;
    const host = reason !== undefined && OF_TIME.test(reason) ? hosts.host : hosts.patient;
    const run = async (i: number): Promise<void> => {
      const socket = await dial(host, { speaks: speaks ?? BOTH[i % BOTH.length] });
      const text = (await launch(socket, attack)).slice(0, 2000);
      // Who goes on sending until the connection breaks may not get to read what was said before.
      const isDeaf = more !== undefined && !isSlow && text === '';
      if (!isDeaf) assert.match(text, answer);
    };
    const added = await counted(host, () => neighbour(host, () => several(ATTACKERS, run), { isTwice }));
    if (reason !== undefined) assert.is(added(`http1_${reason}`), (isTwice ? 2 : 1) * ATTACKERS);
  });

/** Resolves with the received bytes, when the server has closed the connection. */
async function launch(
  socket: Socket,
  { begin, more = '', isSlow = false, isHalfClosed = false, answer }: Attack,
): Promise<string> {
  const state = { text: '', isClosed: false };
  const end = new Promise<void>((done) => {
    const close = (): void => {
      state.isClosed = true;
      done();
    };
    socket.on('data', (part: Buffer) => {
      if (state.text.length < 10_000) state.text += part.toString('latin1');
    });
    socket.on('end', close);
    socket.on('close', close);
  });
  if (begin !== '') socket.write(begin);
  if (isHalfClosed) {
    if (answer !== undefined) await within(Promise.race([once(socket, 'data'), end]), 'the first of the answer');
    // In the midst of a read, node's TLS drops what else has come with it as it says the end.
    await new Promise(setImmediate);
    socket.end();
  }
  for (let sent = 0; more !== '' && !state.isClosed && !socket.destroyed && sent < MOST; sent += more.length) {
    const isFull = !socket.write(more);
    if (isSlow) await sleep(DRIP_MS);
    else if (isFull) await writable(socket);
    else await new Promise(setImmediate);
  }
  await within(end, 'the end of the connection');
  socket.destroy();
  return state.text;
}

/** Milliseconds by which a head, and enough of a body, are due; and for which the thread stands. */
const DUE_MS = 3000;
const STANDING_MS = 4000;
/** Requests in two parts. */
const HALVES: readonly (readonly [string, string])[] = [
  ['GET /ready HTTP/1.1\r\nhost: local', 'host\r\nconnection: close\r\n\r\n'],
  [`${request('/sink', 'content-length: 2000', 'connection: close')}${'x'.repeat(500)}`, 'x'.repeat(1500)],
];

test('data that arrives while the thread is blocked is in time', async () => {
  const host = await startHost({ http1: { headerTimeout: DUE_MS, bodyWindow: DUE_MS } });
  const cases = HALVES.flatMap((halves) => BOTH.map((speaks) => ({ halves, speaks })));
  const sockets = await Promise.all(cases.map(({ speaks }) => dial(host, { speaks })));
  const answers = Promise.all(sockets.map((socket) => within(all(socket), 'an answer')));
  sockets.forEach((socket, i) => void socket.write(cases[i].halves[0]));
  await host.until('a body has begun', ({ http1_requests: now }) => now === BOTH.length);
  const standing = fetch(`http://localhost:${host.clearPort}/block/${STANDING_MS}`);
  await host.until('it stands', ({ http1_requests: now }) => now > BOTH.length);
  sockets.forEach((socket, i) => void socket.write(cases[i].halves[1]));
  assert.is(await (await standing).text(), READY);
  for (const answer of await answers) assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.is(await host.stop(), 0, host.output());
});

async function all(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket) text += (part as Buffer).toString('latin1');
  return text;
}

test('clients that request much and read nothing', async ({ host }) => {
  const attack = async (): Promise<void> => {
    const before = (await host.counters()).http1_slow_reader;
    const sockets = await Promise.all(
      Array.from({ length: ATTACKERS }, (_, i) => dial(host, { speaks: BOTH[i % BOTH.length] })),
    );
    for (const socket of sockets) {
      socket.pause();
      socket.write(request('/download/50000000', 'content-length: 0'));
    }
    await host.until('all are cut', ({ http1_slow_reader: now }) => now - before === ATTACKERS);
    for (const socket of sockets) socket.destroy();
  };
  await neighbour(host, attack, { isTwice: true });
});

test.run();
