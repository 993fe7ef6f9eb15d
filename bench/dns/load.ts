/**
 * The load generator: a process of its own, `taskset -c 1 node dist/bench/dns/load.js --port P
 * --queries FILE`. Closed loop: so many queries are out at any time, and an answer makes room for
 * the next. It spins, because it has its core to itself.
 *
 * Every answer is checked: ID, QR, response code and ANCOUNT; of one in 256 the question too, byte
 * by byte. Prints one line of JSON (Result). A hot path throughout: no closures, strings or
 * iterators once the run has begun. On the measuring machine it drives the reflector at 570,000 to
 * 610,000 queries/s.
 */
import { parseArgs } from 'node:util';
import { Flight } from './flight.ts';
import { FRESH_LABEL, HEADER, readQueryFile, SLOT_HEAD } from './query-file.ts';
import { Random, writeRandomLabel } from './random.ts';
import { addressOf, Batch, openSocket } from './udp.ts';

export interface Result {
  /** Answers a second in the measured time. */
  qps: number;
  /** Seconds measured, the warm-up not counted. */
  seconds: number;
  /**
   * Queries sent and answered, the warm-up counted in: what the server's CPU time is divided by.
   */
  sent: number;
  received: number;
  /** Queries not answered within half a second. */
  lost: number;
  /** Answers with another response code, ANCOUNT or question than the right one. */
  wrong: number;
  /** The first wrong answer in hexadecimal, or null. */
  wrongAnswer: string | null;
  /** Packets that answer no query of ours. */
  stray: number;
  /** Bytes of DNS messages received. */
  bytes: number;
  /** Answers by response code. */
  rcodes: Record<string, number>;
  /**
   * Share of the measured time that the generator had its core. Below about 0.95 something else ran
   * there, and the figure is worth little.
   */
  busy: number;
}

const MESSAGES = 64;
/** Larger than any answer over UDP (1,232 bytes by our EDNS, 1,500 by none). */
const ROOM = 1536;
const TIMEOUT_MS = 500;
const EXPIRE_EVERY_MS = 100;

const { values: options } = parseArgs({
  options: {
    port: { type: 'string' },
    queries: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '0.5' },
    sockets: { type: 'string', default: '8' },
    /** Queries out at a time, over all sockets. */
    window: { type: 'string', default: '192' },
    unsigned: { type: 'boolean', default: false },
  },
});
if (!options.port || !options.queries) throw new Error('load: --port and --queries are needed.');

const { bytes: queries, stride, count } = readQueryFile(options.queries);
const queriesAt = addressOf(queries);
const arena = Buffer.alloc(MESSAGES * ROOM);
const arenaAt = addressOf(arena);
const incoming = new Batch(MESSAGES);
const outgoing = new Batch(MESSAGES);
for (let i = 0; i < MESSAGES; i++) incoming.point(i, arenaAt + i * ROOM, ROOM);

const sockets = Array.from({ length: Number(options.sockets) }, () => openSocket('connect', Number(options.port)));
const flights = sockets.map(() => new Flight());
const share = Math.max(1, Math.floor(Number(options.window) / sockets.length));
/** Half of the records of a signed answer are signatures. */
const halved = options.unsigned ? 1 : 0;
const random = new Random(process.pid ^ Date.now());
const rcodes = new Uint32Array(16);
let cursor = 0;
let sent = 0;
let received = 0;
let wrong = 0;
let stray = 0;
let bytes = 0;
let wrongAnswer: string | null = null;

/** Whether the answer at `at` repeats the question of the query at `query`, byte by byte. */
function sameQuestion(at: number, length: number, query: number): boolean {
  let p = 12;
  while (queries[query + p] !== 0) p += queries[query + p] + 1;
  p += 5;
  if (length < p) return false;
  for (let i = 12; i < p; i++) if (arena[at + i] !== queries[query + i]) return false;
  return true;
}

function take(flight: Flight, at: number, length: number): void {
  const id = (arena[at] << 8) | arena[at + 1];
  const query = length < 12 || (arena[at + 2] & 0x80) === 0 ? -1 : flight.land(id);
  if (query < 0) {
    stray++;
    return;
  }
  const slot = HEADER + query * stride;
  const rcode = arena[at + 3] & 15;
  received++;
  bytes += length;
  rcodes[rcode]++;
  const ancount = (arena[at + 6] << 8) | arena[at + 7];
  if (
    rcode !== queries[slot + 2] ||
    ancount !== (queries[slot + 4] + (queries[slot + 5] << 8)) >> halved ||
    ((id & 255) === 0 && !sameQuestion(at, length, slot + SLOT_HEAD))
  ) {
    wrong++;
    wrongAnswer ??= arena.toString('hex', at, at + length);
  }
}

function fill(fd: number, flight: Flight, now: number): void {
  let n = share - flight.size;
  if (n > MESSAGES) n = MESSAGES;
  for (let i = 0; i < n; i++) {
    const slot = HEADER + cursor * stride;
    const id = flight.launch(cursor, now);
    cursor = cursor + 1 === count ? 0 : cursor + 1;
    queries[slot + SLOT_HEAD] = id >> 8;
    queries[slot + SLOT_HEAD + 1] = id;
    if (queries[slot + 3] === FRESH_LABEL) writeRandomLabel(random, queries, slot + SLOT_HEAD + 13);
    outgoing.point(i, queriesAt + slot + SLOT_HEAD, queries[slot] | (queries[slot + 1] << 8));
  }
  // What the kernel would not take stays in flight and is lost in half a second; that has not been
  // seen on loopback.
  if (n > 0) sent += outgoing.send(fd, n);
}

/** Runs for `ms` milliseconds. Returns the milliseconds it really took. */
function run(duration: number): number {
  const start = performance.now();
  let now = start;
  let expireAt = now + EXPIRE_EVERY_MS;
  while (now - start < duration) {
    for (let s = 0; s < sockets.length; s++) {
      const n = incoming.receive(sockets[s], false);
      for (let i = 0; i < n; i++) take(flights[s], i * ROOM, incoming.received(i));
      fill(sockets[s], flights[s], now);
    }
    now = performance.now();
    if (now >= expireAt) {
      for (let s = 0; s < flights.length; s++) flights[s].expire(now - TIMEOUT_MS);
      expireAt = now + EXPIRE_EVERY_MS;
    }
  }
  return now - start;
}

/** Takes the answers that are still on their way, so that the server's work and our count agree. */
function drain(): void {
  const end = performance.now() + TIMEOUT_MS;
  while (performance.now() < end && flights.some((flight) => flight.size > 0)) {
    for (let s = 0; s < sockets.length; s++) {
      const n = incoming.receive(sockets[s], false);
      for (let i = 0; i < n; i++) take(flights[s], i * ROOM, incoming.received(i));
    }
  }
  for (const flight of flights) flight.expire(Number.POSITIVE_INFINITY);
}

run(Number(options.warmup) * 1000);
const before = received;
const cpu = process.cpuUsage();
const ms = run(Number(options.seconds) * 1000);
const used = process.cpuUsage(cpu);
const measured = received - before;
drain();
const result: Result = {
  qps: Math.round((measured * 1000) / ms),
  seconds: ms / 1000,
  sent,
  received,
  lost: flights.reduce((sum, flight) => sum + flight.lost, 0),
  wrong,
  wrongAnswer,
  stray,
  bytes,
  rcodes: Object.fromEntries([...rcodes].map((n, rcode) => [String(rcode), n]).filter(([, n]) => n !== 0)),
  busy: (used.user + used.system) / 1000 / ms,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
