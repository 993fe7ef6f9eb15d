/**
 * `node --max-semi-space-size=64 dist/bench/edge/grpc-path.js [--h1]`: CPU of this process for a
 * gRPC call through sessions, handler, pool and the client of origins, without sockets and TLS: 16
 * clients with 16 calls each, and an origin that answers in the next turn of the loop. What the
 * two ends of it take is in the figure; they copy bytes that were encoded before. `--h1`: a GET by
 * way of a pool whose origin speaks HTTP/1.1, in place of gRPC.
 */

import { GATEWAY_COLUMNS, GatewayCounters } from '../../edge/gateway/counters.ts';
import { createGateway } from '../../edge/gateway/gateway.ts';
import { Observer } from '../../edge/gateway/observer.ts';
import { SiteCounts } from '../../edge/gateway/site-counts.ts';
import { HTTP2_COLUMNS, Http2Counters } from '../../edge/http/http2/counters.ts';
import { frameHeader } from '../../edge/http/http2/frame-writer.ts';
import { HpackEncoder } from '../../edge/http/http2/hpack/encoder.ts';
import { writeLiteral } from '../../edge/http/http2/hpack/write.ts';
import { DEFAULT_LIMITS } from '../../edge/http/http2/limits.ts';
import { FLAG, FRAME, FRAME_HEADER, PREFACE } from '../../edge/http/http2/protocol.ts';
import { Http2Session } from '../../edge/http/http2/session.ts';
import type { Transport, TransportReceiver } from '../../edge/http/transport/transport.ts';
import { createOriginClient } from '../../edge/origin/client.ts';
import { createMultiplexer } from '../../edge/origin/http2/multiplexer.ts';
import type { OriginSocket, SocketOwner } from '../../edge/origin/sockets.ts';
import { SiteTurns } from '../../edge/policy/fairness/site-turns.ts';
import { createSiteProxy } from '../../edge/proxy/proxy.ts';
import type { Site } from '../../edge/sites/site.ts';
import { SitePools } from '../../edge/sites/site-pools.ts';
import { GRPC, grpcMessage } from './grpc-origin.ts';
import { BROWSER_HEADERS, DOMAIN, HOST } from './requests.ts';
import { SITE } from './silent-exchange.ts';

const CLIENTS = 16;
const STREAMS = 16;
const ROUNDS = 10;
/** Turns of a round: each is one call of all clients' streams. */
const TURNS = 40;
const NOTHING = new Uint8Array(0);

const isHttp1 = process.argv.includes('--h1');
const message = grpcMessage(100);

function frame(type: number, flags: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(FRAME_HEADER + payload.length);
  bytes.set(payload, frameHeader(bytes, 0, payload.length, type, flags, 0));
  return bytes;
}

/** What h2load sends: nghttp2 indexes no `:path` and no `content-length`. */
class RequestBlocks {
  readonly #encoder = new HpackEncoder();

  next(): Buffer {
    const target = Buffer.alloc(8192);
    let at = this.#encoder.begin(target, 0);
    at = this.#encoder.line(target, at, ':method', isHttp1 ? 'GET' : 'POST');
    at = writeLiteral(target, at, 0, 4, ':path', isHttp1 ? '/file' : GRPC.unary);
    at = this.#encoder.line(target, at, ':scheme', 'https');
    at = this.#encoder.line(target, at, ':authority', HOST);
    for (const [name, value] of BROWSER_HEADERS)
      at =
        name === 'cookie'
          ? this.#encoder.line(target, at, 'x-cookie', value)
          : this.#encoder.line(target, at, name, value);
    if (isHttp1) return target.subarray(0, at);
    at = this.#encoder.line(target, at, 'content-type', 'application/grpc');
    at = this.#encoder.line(target, at, 'te', 'trailers');
    at = writeLiteral(target, at, 0, 28, 'content-length', String(message.length));
    return target.subarray(0, at);
  }
}

/** Frames of every stream, with their stream still to be set. */
function streamFrames(block: Buffer): Buffer {
  if (isHttp1) return frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, block);
  return Buffer.concat([frame(FRAME.HEADERS, FLAG.END_HEADERS, block), frame(FRAME.DATA, FLAG.END_STREAM, message)]);
}

function setStream(data: Buffer, start: number, end: number, streamId: number): void {
  for (let at = start; at < end; at += FRAME_HEADER + data.readUIntBE(at, 3)) data.writeUInt32BE(streamId, at + 5);
}

/** Frames with END_STREAM, and the last one's stream. */
function eachEnd(data: Buffer, start: number, found: (streamId: number) => void): void {
  for (let at = start; at + FRAME_HEADER <= data.length; ) {
    const type = data[at + 3];
    if (type <= FRAME.HEADERS && (data[at + 4] & FLAG.END_STREAM) !== 0)
      found(((data[at + 5] << 24) | (data[at + 6] << 16) | (data[at + 7] << 8) | data[at + 8]) & 0x7fffffff);
    at += FRAME_HEADER + ((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
  }
}

let ended = 0;
let wrong = 0;

class Client implements Transport {
  readonly unsent = 0;
  readonly unacknowledged = 0;
  #receiver!: TransportReceiver;
  #done: (() => void) | null = null;
  #next = 1;
  readonly #blocks = new RequestBlocks();
  #batch: Buffer | null = null;
  #bytes = 0;

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    const settings = Buffer.from([0, 4, 0, 64, 0, 0]);
    const window = frame(FRAME.WINDOW_UPDATE, 0, Buffer.from([0, 64, 0, 0]));
    setImmediate(() =>
      receiver.onBytes(
        Buffer.concat([PREFACE, frame(FRAME.SETTINGS, 0, settings), frame(FRAME.SETTINGS, FLAG.ACK, NOTHING), window]),
      ),
    );
  }

  /** As many calls as it has streams, in one read. */
  call(): void {
    if (this.#batch === null || this.#next < 2 * STREAMS) {
      const first = streamFrames(this.#blocks.next());
      const rest = streamFrames(this.#blocks.next());
      const batch = Buffer.concat([first, ...Array.from({ length: STREAMS - 1 }, () => rest)]);
      this.#send(batch, first.length, rest.length);
      this.#batch = Buffer.concat(Array.from({ length: STREAMS }, () => rest));
      return;
    }
    const length = this.#batch.length / STREAMS;
    this.#send(this.#batch, length, length);
  }

  #send(batch: Buffer, first: number, rest: number): void {
    for (let i = 0, at = 0; i < STREAMS; i++) {
      const end = at + (i === 0 ? first : rest);
      setStream(batch, at, end, this.#next);
      at = end;
      this.#next += 2;
    }
    this.#receiver.onBytes(batch);
    if (this.#bytes < 1 << 20) return;
    const update = frame(FRAME.WINDOW_UPDATE, 0, Buffer.alloc(4));
    update.writeUInt32BE(this.#bytes, FRAME_HEADER);
    this.#bytes = 0;
    this.#receiver.onBytes(update);
  }

  write(data: Buffer, done: (error?: Error | null) => void): void {
    eachEnd(data, 0, () => ended++);
    if (data.indexOf('xxxx') < 0 && data.length > 200) wrong++;
    this.#bytes += data.length;
    this.#done = done;
    setImmediate(() => this.#done?.());
  }

  pause(): void {}
  resume(): void {}
  end(): void {}
  destroy(): void {}
}

/** Answers all that one turn brought in the next one. */
class Origin implements OriginSocket {
  readonly address = '203.0.113.9';
  readonly isOpen = true;
  readonly isWritable = true;
  readonly isFull = false;
  readonly joinsParts = true;
  readonly accepted = 0;
  readonly unacknowledged = 0;
  #owner!: SocketOwner;
  #hasBegun = false;
  #first: Buffer | null = null;
  readonly #rest: Buffer;
  readonly #streams: number[] = [];
  readonly #bytes = Buffer.alloc(131_072);

  constructor() {
    const encoder = new HpackEncoder();
    const [first, rest] = [this.#answer(encoder), this.#answer(encoder)];
    this.#first = first;
    this.#rest = rest;
  }

  #answer(encoder: HpackEncoder): Buffer {
    const target = Buffer.alloc(1024);
    let at = encoder.begin(target, 0);
    at = encoder.status(target, at, 200);
    at = encoder.line(target, at, 'content-type', 'application/grpc');
    at = encoder.line(target, at, 'x-date', 'Fri, 27 Nov 2026 11:57:12 GMT');
    const trailers = Buffer.alloc(64);
    const end = encoder.line(trailers, 0, 'grpc-status', '0');
    return Buffer.concat([
      frame(FRAME.HEADERS, FLAG.END_HEADERS, target.subarray(0, at)),
      frame(FRAME.DATA, 0, message),
      frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, trailers.subarray(0, end)),
    ]);
  }

  start(owner: SocketOwner): void {
    this.#owner = owner;
  }

  write(data: Uint8Array): boolean {
    if (isHttp1) return this.writeText();
    const part = data as Buffer;
    let start = 0;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      start = PREFACE.length;
      const settings = frame(FRAME.SETTINGS, 0, Buffer.from([0, 3, 0, 0, 4, 0]));
      const window = frame(FRAME.WINDOW_UPDATE, 0, Buffer.from([0x3f, 0, 0, 0]));
      const greeting = Buffer.concat([settings, window]);
      setImmediate(() => this.#owner.take(greeting, greeting.length));
    }
    if (this.#streams.length === 0) setImmediate(() => this.#flush());
    eachEnd(part, start, (streamId) => this.#streams.push(streamId));
    return true;
  }

  #flush(): void {
    let at = 0;
    for (const streamId of this.#streams) {
      const answer = this.#first ?? this.#rest;
      this.#first = null;
      if (at + answer.length > this.#bytes.length) {
        this.#owner.take(this.#bytes, at);
        at = 0;
      }
      this.#bytes.set(answer, at);
      setStream(this.#bytes, at, at + answer.length, streamId);
      at += answer.length;
    }
    this.#streams.length = 0;
    this.#owner.take(this.#bytes, at);
  }

  writeText(): boolean {
    setImmediate(() => {
      this.#bytes.set(HTTP1_ANSWER);
      this.#owner.take(this.#bytes, HTTP1_ANSWER.length);
    });
    return true;
  }
  resume(): void {}
  end(): void {}
  destroySoon(): void {}
  destroy(): void {}
}

const HTTP1_ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\nCache-Control: no-store\r\n\r\n${'x'.repeat(100)}`,
);

const pools = new SitePools(
  {
    origins: [
      {
        path: isHttp1 ? '/file' : '/grpc',
        version: isHttp1 ? '1.1' : 'h2c',
        pool: [{ origin: '203.0.113.9', port: 8080, protocol: 'http' }],
      },
    ],
  },
  1,
  1 as never,
  DOMAIN,
  {
    stickyKeys: [Buffer.alloc(32)],
    openKey: () => '',
    ...{ onEjected() {}, onFault() {}, onRetry() {}, onUnusable() {} },
  },
);
const site: Site = {
  ...SITE,
  domainId: '1',
  documents: { key: '', errorPages: null, pools, protection: null, rules: null, logs: null },
} as Site;

const origins = createOriginClient({
  exemptions: true,
  multiplex: createMultiplexer,
  open: (_, __, ___, attempt) => {
    const socket = new Origin();
    setImmediate(() => {
      attempt.onConnected(socket);
      attempt.onReady(socket);
    });
    return socket;
  },
  limits: { connections: 4 * CLIENTS * STREAMS, totalConnections: 4 * CLIENTS * STREAMS, waiting: 100_000 },
});
const counters = new GatewayCounters(new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8));
const counts = new SiteCounts({
  send: (_, added) => void Atomics.add(new Int32Array(added), 0, 1),
  onLost() {},
});
const observer = new Observer(counters, null, () => {}, null, counts, null, null);
const trusts = (): boolean => false;
const proxy = createSiteProxy({
  fetch: origins.fetch,
  send: origins.send,
  trusts,
  onDone(record) {
    turns.ended(record.exchange, record.site.domainId);
    if (record.status !== 200 || !record.isWhole) wrong++;
    observer.recordProxied(record);
  },
}).serve;
const turns = new SiteTurns({
  serve: proxy,
  refuse: () => void wrong++,
  networkOf: ({ memory }) => memory.network,
  ...{ maxInFlight: 10_000, threads: 1, loop: null },
});
const handler = createGateway({
  siteOf: () => site,
  isShared: () => false,
  proxy: turns.serve,
  adminHosts: new Set(),
  admin() {},
  challenge: () => undefined,
  ...{ peers: null, load: null, httpPorts: new Set(), httpsPort: 443, trusts, observer },
});

const clients: Client[] = [];
const http2Counters = new Http2Counters();
for (let i = 0; i < CLIENTS; i++) {
  const transport = new Client();
  clients.push(transport);
  const client = { address: '198.51.100.7', port: 1024 + i, serverName: HOST, isEncrypted: true };
  new Http2Session(transport, {
    ...{ handler, client, limits: DEFAULT_LIMITS, counters: http2Counters, scheme: 'https' },
    onHandlerError: (error) => {
      throw error;
    },
  });
}
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function round(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const until = ended + CLIENTS * STREAMS;
    for (const client of clients) client.call();
    for (let turn = 0; ended < until; turn++) {
      if (turn > 100_000)
        throw new Error(
          `${until - ended} calls were not answered; ${JSON.stringify(origins.counters)} ${JSON.stringify(
            Object.fromEntries(
              Array.from(http2Counters.values)
                .map((v, column) => [HTTP2_COLUMNS[column], v])
                .filter(([, v]) => v),
            ),
          )}`,
        );
      await nextTurn();
    }
  }
}

await nextTurn();
await round(2);
await round(TURNS * 3);
let lowest = Number.POSITIVE_INFINITY;
const all: number[] = [];
for (let i = 0; i < ROUNDS; i++) {
  const cpu = process.cpuUsage();
  await round(TURNS);
  const { user, system } = process.cpuUsage(cpu);
  const micros = (user + system) / (TURNS * CLIENTS * STREAMS);
  all.push(micros);
  lowest = Math.min(lowest, micros);
}
all.sort((a, b) => a - b);
const { heapUsed } = process.memoryUsage();
await round(4);
const bytes = (process.memoryUsage().heapUsed - heapUsed) / (4 * CLIENTS * STREAMS);
console.log(
  `${lowest.toFixed(2)} µs of CPU a call (median ${all[ROUNDS >> 1].toFixed(2)}), ${bytes.toFixed(0)} bytes of heap, ${wrong} wrong`,
);
process.exit(wrong > 0 ? 1 : 0);
