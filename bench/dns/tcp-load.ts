/**
 * The load generator over TCP: a process of its own, `taskset -c 1 node dist/bench/dns/tcp-load.js
 * --port P --queries FILE --mode MODE`. Closed loop over sockets and epoll of its own. `once`: each
 * query on a connection of its own, which the client closes; `--connections` at a time.
 * `pipelined`: as many connections that stay, each with `--window` queries out; as many are sent
 * again at once as were answered.
 *
 * To make and close a connection costs its client as much as the server, so that a client of one
 * core measures itself as soon as it does more than it must: a new connection is looked at once
 * when all others have had their turn, and only what has no answer by then is given to epoll.
 *
 * Every answer is checked: ID, QR, response code and ANCOUNT. Prints one line of JSON (Result of
 * load.ts).
 */
import { parseArgs } from 'node:util';
import { AGAIN, Area, BROKEN, close, connectTo, Poll } from '../api/tcp.ts';
import type { Result } from './load.ts';
import { FRESH_LABEL, HEADER, readQueryFile, SLOT_HEAD } from './query-file.ts';
import { Random, writeRandomLabel } from './random.ts';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string' },
    queries: { type: 'string' },
    mode: { type: 'string', default: 'pipelined' },
    seconds: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '0.5' },
    connections: { type: 'string', default: '32' },
    /** Queries out at a time on each connection. */
    window: { type: 'string', default: '16' },
  },
});
if (!options.port || !options.queries) throw new Error('tcp-load: --port and --queries are needed.');

const port = Number(options.port);
const { bytes: queries, stride, count } = readQueryFile(options.queries);
const isOnce = options.mode === 'once';
const window = isOnce ? 1 : Number(options.window);
const random = new Random(process.pid ^ Date.now());
const rcodes = new Uint32Array(16);
const poll = new Poll();
/** Answers as they come, behind the beginning of one that came before. */
const incoming = new Area(Buffer.alloc(1 << 17));
/** Queries with their length before each, for one connection's window. */
const outgoing = new Area(Buffer.alloc(window * (stride + 2)));
const DRAIN_MS = 500;
let cursor = 0;
let sent = 0;
let received = 0;
let wrong = 0;
let lost = 0;
let bytes = 0;
let wrongAnswer: string | null = null;
let running = true;

/** Opened, and not yet known to epoll. */
let fresh: Connection[] = [];

class Connection {
  fd = -1;
  readonly tag: number;
  /**
   * Queries out, in the order in which they were sent: answers come in that order from every server
   * that is measured.
   */
  readonly #out = new Int32Array(window);
  #head = 0;
  size = 0;
  #rest = Buffer.alloc(0);
  #writable = false;
  #opened = 0;
  /** Whether epoll knows it. */
  #isWatched = false;

  constructor(tag: number) {
    this.tag = tag;
  }

  open(): void {
    this.fd = connectTo(port);
    this.#rest = Buffer.alloc(0);
    this.#head = 0;
    this.size = 0;
    // On the loopback the connection is there when connect() has returned.
    this.#writable = !this.#fill();
    this.#opened++;
    this.#isWatched = false;
    if (this.#writable) this.#watch();
    else fresh.push(this);
  }

  /** The first look after `open`: what is there is taken, what is not is waited for. */
  look(): void {
    const before = this.#opened;
    this.ready();
    if (this.#opened === before && this.fd >= 0 && !this.#isWatched) this.#watch();
  }

  #watch(): void {
    poll.watch(this.fd, this.tag, this.#writable, this.#isWatched);
    this.#isWatched = true;
  }

  ready(): void {
    if (this.#writable) {
      this.#writable = !this.#fill();
      this.#watch();
    }
    const at = this.#rest.length;
    incoming.bytes.set(this.#rest);
    const n = incoming.receive(this.fd, at);
    if (n === AGAIN) return;
    if (n === BROKEN || n === 0) {
      this.#again(this.size);
      return;
    }
    const left = this.#take(at + n);
    this.#rest = left === at + n ? EMPTY : Buffer.from(incoming.bytes.subarray(left, at + n));
    if (isOnce && this.size === 0) this.#again(0);
    else if (!isOnce && running && !this.#fill()) {
      this.#writable = true;
      this.#watch();
    }
  }

  #again(unanswered: number): void {
    lost += unanswered;
    this.size = 0;
    close(this.fd);
    this.fd = -1;
    if (running) this.open();
  }

  /**
   * Takes the answers in incoming[0, end). Returns where the first one that is not whole begins.
   */
  #take(to: number): number {
    const { bytes: data } = incoming;
    let p = 0;
    while (to - p >= 2) {
      const length = (data[p] << 8) | data[p + 1];
      if (to - p - 2 < length) break;
      const at = p + 2;
      const query = this.#out[this.#head];
      const slot = HEADER + query * stride;
      this.#head = (this.#head + 1) % window;
      this.size--;
      received++;
      bytes += length;
      const rcode = data[at + 3] & 15;
      rcodes[rcode]++;
      const right =
        ((data[at] << 8) | data[at + 1]) === (query & 0xffff) &&
        (data[at + 2] & 0x80) !== 0 &&
        rcode === queries[slot + 2] &&
        ((data[at + 6] << 8) | data[at + 7]) === queries[slot + 4] + (queries[slot + 5] << 8);
      if (!right) {
        wrong++;
        wrongAnswer ??= data.toString('hex', at, at + length);
      }
      p = at + length;
    }
    return p;
  }

  /**
   * Sends as many queries as there is room for in the window. False when the kernel took none yet.
   */
  #fill(): boolean {
    const { bytes: data } = outgoing;
    const from = cursor;
    let p = 0;
    let n = 0;
    while (this.size + n < window) {
      const slot = HEADER + cursor * stride;
      const length = queries[slot] | (queries[slot + 1] << 8);
      const at = slot + SLOT_HEAD;
      if (queries[slot + 3] === FRESH_LABEL) writeRandomLabel(random, queries, at + 13);
      data[p] = length >> 8;
      data[p + 1] = length;
      data.set(queries.subarray(at, at + length), p + 2);
      data[p + 2] = cursor >> 8;
      data[p + 3] = cursor;
      this.#out[(this.#head + this.size + n) % window] = cursor;
      cursor = cursor + 1 === count ? 0 : cursor + 1;
      p += 2 + length;
      n++;
    }
    if (n === 0) return true;
    const taken = outgoing.send(this.fd, 0, p);
    if (taken === p) {
      this.size += n;
      sent += n;
      return true;
    }
    // A window is far smaller than a socket's buffer: it goes whole or not at all.
    if (taken >= 0) throw new Error('tcp-load: the kernel took a part of a window; choose a smaller --window.');
    cursor = from;
    return false;
  }
}

const EMPTY = Buffer.alloc(0);
const connections = Array.from({ length: Number(options.connections) }, (_, i) => new Connection(i));

/** Runs for `ms` milliseconds. Returns the milliseconds it really took. */
function run(duration: number): number {
  const start = performance.now();
  let now = start;
  while (now - start < duration) {
    const opened = fresh;
    fresh = [];
    for (const connection of opened) connection.look();
    const n = poll.wait(fresh.length > 0 ? 0 : 50);
    for (let i = 0; i < n; i++) connections[poll.tag(i)].ready();
    now = performance.now();
  }
  return now - start;
}

for (const connection of connections) connection.open();
run(Number(options.warmup) * 1000);
const before = received;
const cpu = process.cpuUsage();
const ms = run(Number(options.seconds) * 1000);
const used = process.cpuUsage(cpu);
const measured = received - before;
running = false;
const end = performance.now() + DRAIN_MS;
while (performance.now() < end && connections.some((connection) => connection.fd >= 0 && connection.size > 0)) run(10);
for (const connection of connections) lost += connection.size;
const result: Result = {
  qps: Math.round((measured * 1000) / ms),
  seconds: ms / 1000,
  sent,
  received,
  lost,
  wrong,
  wrongAnswer,
  stray: 0,
  bytes,
  rcodes: Object.fromEntries([...rcodes].map((n, rcode) => [String(rcode), n]).filter(([, n]) => n !== 0)),
  busy: (used.user + used.system) / 1000 / ms,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
