/**
 * A steady stream of UDP queries: `node dist/bench/api/stream.js PORT ZONE HOSTS RATE SECONDS`.
 * Open loop: queries leave by the clock, whatever the answers do, so a stall of the server is seen
 * in all the queries that it holds up. Prints one line of JSON (StreamResult).
 */
import koffi from 'koffi';
import { addressQuery } from '../dns/probe.ts';
import { addressOf, Batch, openSocket } from '../dns/udp.ts';

export interface StreamResult {
  readonly sent: number;
  readonly lost: number;
  /** Answers other than NOERROR with one record. */
  readonly wrong: number;
  /**
   * Milliseconds, 99th percentile: how late queries left. The server cannot delay them, so
   * something else took the generator's core.
   */
  readonly late: number;
  /** Milliseconds from when a query left until its answer was read. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

const [port, zone, hosts, rate, seconds] = process.argv.slice(2);
const MESSAGES = 64;
const ROOM = 1536;
const QUERIES = 4096;
const SLOT = 512;
/** For the answers that are still out at the end. */
const LAST_MS = 1000;
const POLLIN = 1;

const libc = koffi.load(null);
const ppoll = libc.func('int ppoll(void*, ulong, void*, void*)');

/**
 * Asks for slices of 0.1 ms (sched_setattr(2), Linux 6.12): who has shorter ones takes the core at
 * once when it wakes, so the clock holds next to other programs. An older kernel takes no notice.
 * struct sched_attr: size, policy (4 each), flags (8), nice, priority (4 each), runtime (8,
 * nanoseconds), two more (8 each).
 */
function shortSlices(): void {
  const attributes = Buffer.alloc(48);
  attributes.writeUInt32LE(48, 0);
  attributes.writeBigUInt64LE(100_000n, 24);
  const number = process.arch === 'arm64' ? 274 : 314;
  libc.func('long syscall(long, int, void*, uint)')(number, 0, attributes, 0);
}
shortSlices();
const fd = openSocket('connect', Number(port));
const pollfd = Buffer.alloc(8);
pollfd.writeInt32LE(fd, 0);
pollfd.writeInt16LE(POLLIN, 4);
const timeout = Buffer.alloc(16);

const queries = Buffer.alloc(QUERIES * SLOT);
const lengths = new Uint16Array(QUERIES);
for (let i = 0; i < QUERIES; i++) {
  const query = addressQuery(`h${Math.floor(Math.random() * Number(hosts))}.${zone}`, 0);
  lengths[i] = query.length;
  queries.set(query, i * SLOT);
}
const queriesAt = addressOf(queries);
const arena = Buffer.alloc(MESSAGES * ROOM);
const arenaAt = addressOf(arena);
const incoming = new Batch(MESSAGES);
const outgoing = new Batch(MESSAGES);
for (let i = 0; i < MESSAGES; i++) incoming.point(i, arenaAt + i * ROOM, ROOM);

const total = Math.floor(Number(rate) * Number(seconds));
const gap = 1000 / Number(rate);
/** By message ID: when its query left; NaN: answered, or not sent. */
const left = new Float64Array(65_536).fill(Number.NaN);
const latencies = new Float64Array(total);
const lateness = new Float64Array(total);
let sent = 0;
let received = 0;
let wrong = 0;

function take(now: number): void {
  for (let n = incoming.receive(fd, false); n > 0; n = incoming.receive(fd, false)) {
    for (let i = 0; i < n; i++) {
      const at = i * ROOM;
      const id = (arena[at] << 8) | arena[at + 1];
      if (Number.isNaN(left[id])) continue;
      latencies[received++] = now - left[id];
      left[id] = Number.NaN;
      if ((arena[at + 3] & 15) !== 0 || arena[at + 7] !== 1) wrong++;
    }
    if (n < MESSAGES) return;
  }
}

const start = performance.now();
for (;;) {
  let now = performance.now();
  let count = 0;
  while (sent + count < total && count < MESSAGES && start + (sent + count) * gap <= now) {
    const n = sent + count;
    const slot = (n % QUERIES) * SLOT;
    queries[slot] = (n >> 8) & 255;
    queries[slot + 1] = n & 255;
    left[n & 0xffff] = now;
    lateness[n] = now - (start + n * gap);
    outgoing.point(count++, queriesAt + slot, lengths[n % QUERIES]);
  }
  if (count > 0 && outgoing.send(fd, count) !== count) throw new Error('The kernel did not take a query.');
  sent += count;
  now = performance.now();
  const next = sent < total ? start + sent * gap : start + total * gap + LAST_MS;
  if (sent === total && (received === total || now >= next)) break;
  const wait = Math.max(0, next - now);
  timeout.writeBigInt64LE(BigInt(Math.floor(wait / 1000)), 0);
  timeout.writeBigInt64LE(BigInt(Math.floor((wait % 1000) * 1e6)), 8);
  if (ppoll(pollfd, 1, timeout, null) > 0) take(performance.now());
}

/** The least of the sorted `values` that so many of 100 do not exceed. */
const rank = (values: Float64Array, percent: number) =>
  values[Math.max(0, Math.ceil((percent / 100) * values.length) - 1)] ?? Number.NaN;
const sorted = latencies.subarray(0, received).sort();
const result: StreamResult = {
  sent,
  lost: total - received,
  wrong,
  late: rank(lateness.sort(), 99),
  p50: rank(sorted, 50),
  p99: rank(sorted, 99),
  p999: rank(sorted, 99.9),
  max: rank(sorted, 100),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
