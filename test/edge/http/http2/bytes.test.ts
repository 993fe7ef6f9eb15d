/**
 * Every byte of many bodies, both ways and over real sockets, while clients write in odd pieces and
 * take nothing for a while: buffers that are used again (one to read into for the thread, a pool to
 * write from) must never show one exchange what belongs to another.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { Http2Counters } from '../../../../edge/http/http2/counters.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { FLAG, FRAME, FRAME_HEADER, MAX_WINDOW, PREFACE, SETTING } from '../../../../edge/http/http2/protocol.ts';
import { Http2Session } from '../../../../edge/http/http2/session.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { data, headers, SETTINGS_ACK, settings, windowUpdate } from './rig.ts';

const CLIENTS = 6;
const ECHOES = 8; // of 60,000 bytes: what the windows take without an update
const DOWNLOADS = 3; // of 3 MB: more than the system holds for a connection that is not read
const READIES = 4;
const ECHOED = 60_000;
const DOWNLOADED = 3_000_000;

const random = new Random(SEED);
const pick = (most: number): number => 1 + random.below(most);

/**
 * A text without an end that no two streams begin at the same place of; of prime length, so that it
 * does not go in step with any buffer.
 */
const PERIOD = 65_521;
const TEXT = Buffer.alloc(2 * PERIOD);
for (let i = 0; i < PERIOD; i++) TEXT[i] = TEXT[i + PERIOD] = random.below(256);
const textAt = (offset: number, from: number, length: number): Buffer => {
  const start = (offset + from) % PERIOD;
  return TEXT.subarray(start, start + length);
};

const READY = new ReadyAnswer(200, [], Buffer.from(textAt(7, 0, 40_000)));

async function echo(exchange: Exchange): Promise<void> {
  exchange.respond(200, []);
  for (let part = await exchange.body.read(); part !== null; part = await exchange.body.read()) {
    const kept = part;
    await new Promise((done) => setImmediate(done));
    if (!exchange.write(kept)) await new Promise<void>((done) => exchange.onDrain(done));
  }
  exchange.end();
}

async function download(exchange: Exchange, offset: number): Promise<void> {
  exchange.respond(200, []);
  for (let at = 0; at < DOWNLOADED; ) {
    const length = Math.min(DOWNLOADED - at, pick(40_000));
    const hasRoom = exchange.write(Buffer.from(textAt(offset, at, length)));
    at += length;
    if (!hasRoom) await new Promise<void>((done) => exchange.onDrain(done));
  }
  exchange.end();
}

function serve(exchange: Exchange): Promise<void> | undefined {
  const [, kind, offset] = exchange.path.split('/');
  if (kind === 'echo') return echo(exchange);
  if (kind === 'download') return download(exchange, Number(offset));
  exchange.answer(READY);
}

interface Stream {
  readonly offset: number;
  readonly length: number;
  got: number;
  isEnded: boolean;
}

class SlowClient {
  readonly streams = new Map<number, Stream>();
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #ended = 0;

  constructor(socket: Socket, number: number) {
    this.#socket = socket;
    socket.pause();
    socket.on('data', (bytes: Buffer) => {
      socket.pause();
      this.#take(bytes);
      setTimeout(() => socket.resume(), pick(3) - 1);
    });
    for (let i = 0; i < ECHOES + DOWNLOADS + READIES; i++) {
      const offset = i < ECHOES + DOWNLOADS ? (number * 1009 + i * 4001) % PERIOD : 7;
      const length = i < ECHOES ? ECHOED : i < ECHOES + DOWNLOADS ? DOWNLOADED : READY.body.length;
      this.streams.set(2 * i + 1, { offset, length, got: 0, isEnded: false });
    }
  }

  /** All requests, those with a body a piece of each in turn, cut anywhere. */
  async write(): Promise<void> {
    const parts: Buffer[] = [PREFACE, settings([SETTING.INITIAL_WINDOW_SIZE, MAX_WINDOW]), SETTINGS_ACK];
    parts.push(windowUpdate(0, MAX_WINDOW - 65_535));
    const sent = new Map<number, number>();
    for (const [id, { offset, length }] of this.streams) {
      const kind = length === ECHOED ? 'echo' : length === DOWNLOADED ? 'download' : 'ready';
      const path = `/${kind}/${offset}`;
      const method = kind === 'echo' ? 'POST' : 'GET';
      const fields = [':method', method, ':scheme', 'https', ':authority', 'a.test', ':path', path];
      parts.push(headers(id, fields, kind !== 'echo'));
      if (kind === 'echo') sent.set(id, 0);
    }
    while (sent.size > 0) {
      for (const [id, at] of sent) {
        const { offset } = this.streams.get(id) as Stream;
        const length = Math.min(ECHOED - at, pick(9000));
        parts.push(data(id, textAt(offset, at, length), at + length === ECHOED));
        if (at + length === ECHOED) sent.delete(id);
        else sent.set(id, at + length);
      }
    }
    const all = Buffer.concat(parts);
    for (let at = 0; at < all.length; ) {
      const end = at + pick(20_000);
      if (!this.#socket.write(all.subarray(at, end))) await once(this.#socket, 'drain');
      else await new Promise((done) => setImmediate(done));
      at = end;
    }
  }

  /** Reads to the end of all streams. */
  async read(): Promise<void> {
    this.#socket.resume();
    while (this.#ended < this.streams.size) await new Promise((done) => setTimeout(done, 5));
  }

  #take(bytes: Buffer): void {
    let rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    while (rest.length >= FRAME_HEADER) {
      const end = FRAME_HEADER + rest.readUIntBE(0, 3);
      if (rest.length < end) break;
      this.#frame(rest[3], rest[4], rest.readUInt32BE(5), rest.subarray(FRAME_HEADER, end));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (type === FRAME.RST_STREAM || type === FRAME.GOAWAY) throw new Error(`Frame ${type} of stream ${id}.`);
    if (type !== FRAME.DATA) return;
    const stream = this.streams.get(id) as Stream;
    if (!payload.equals(textAt(stream.offset, stream.got, payload.length)))
      throw new Error(`Other bytes on stream ${id} at ${stream.got}, seed ${SEED}`);
    stream.got += payload.length;
    if ((flags & FLAG.END_STREAM) === 0) return;
    assert.is(stream.got, stream.length);
    stream.isEnded = true;
    this.#ended++;
  }
}

async function run(server: Server, dial: (port: number) => Promise<Socket>, event: string): Promise<void> {
  const sessions: Http2Session[] = [];
  const errors: unknown[] = [];
  const counters = new Http2Counters();
  server.on(event, (socket: Socket) => {
    const client = { address: '127.0.0.1', port: 1, serverName: '', isEncrypted: false };
    const onHandlerError = (error: unknown): void => void errors.push(error);
    sessions.push(
      new Http2Session(socket, {
        handler: serve,
        client,
        scheme: 'https',
        limits: DEFAULT_LIMITS,
        counters,
        onHandlerError,
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  try {
    for (let i = 0; i < CLIENTS; i++) sockets.push(await dial(port));
    const clients = sockets.map((socket, number) => new SlowClient(socket, number));
    await Promise.all(clients.map((client) => client.write()));
    // No client reads: all sessions are stuck in a write, and none holds more than it may.
    while (!sessions.every((session) => session.output.underWay > 0 && session.sender.queued > 0))
      await new Promise((done) => setTimeout(done, 5));
    for (const { sender, limits } of sessions)
      assert.ok(sender.queued < limits.sessionBuffer + (ECHOES + DOWNLOADS + READIES) * limits.streamBuffer);
    await Promise.all(clients.map((client) => client.read()));
    assert.equal(errors, []);
    for (const session of sessions) assert.is(session.isIdle, true);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test(`over TCP, seed ${SEED}`, () =>
  run(
    createServer(),
    async (port) => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
    'connection',
  ));

test('bytes arrive over TLS as they were sent', () => {
  const key = ecKey();
  const pem = { key: pemOfKey(key), cert: certificate({ name: 'a.test', key, dnsNames: ['a.test'] }) };
  return run(
    createTlsServer(pem),
    async (port) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      return socket;
    },
    'secureConnection',
  );
});

test.run();
