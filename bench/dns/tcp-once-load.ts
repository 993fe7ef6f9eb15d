/**
 * The load generator over TCP with a connection for each query: a process of its own, `taskset -c 1 node dist/bench/dns/tcp-once-load.js --port P --queries FILE`.
 * `--connections` are open at a time; the client closes.
 *
 * A connection costs client and server about the same in the kernel, so that a generator that does more than it must measures itself. This one asks epoll
 * nothing: it takes its connections in the order in which they were made, and waits for the oldest when that has no answer yet. Every answer is
 * checked: ID, QR, response code and ANCOUNT. Prints one line of JSON (Result of load.ts).
 */
import { parseArgs } from 'node:util';
import { AGAIN, Area, close, connectTo, untilReadable } from '../api/tcp.ts';
import type { Result } from './load.ts';
import { FRESH_LABEL, HEADER, readQueryFile, SLOT_HEAD } from './query-file.ts';
import { Random, writeRandomLabel } from './random.ts';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string' },
    queries: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    warmup: { type: 'string', default: '0.5' },
    connections: { type: 'string', default: '192' },
  },
});
if (!options.port || !options.queries) throw new Error('tcp-once-load: --port and --queries are needed.');

const port = Number(options.port);
const { bytes: queries, stride, count } = readQueryFile(options.queries);
const random = new Random(process.pid ^ Date.now());
const rcodes = new Uint32Array(16);
const incoming = new Area(Buffer.alloc(1 << 17));
const outgoing = new Area(Buffer.alloc(stride + 2));
/** An answer that has not come by then is lost, and its connection given up. */
const TIMEOUT_MS = 500;
/** Connections between two looks at the clock. */
const TURN = 64;
const NONE = -1;
const fds = new Int32Array(Number(options.connections));
const asked = new Int32Array(fds.length);
let cursor = 0;
let received = 0;
let sent = 0;
let wrong = 0;
let lost = 0;
let bytes = 0;
let wrongAnswer: string | null = null;

/** Makes the connection at `place`, and sends its query. */
function open(place: number): void {
  const { bytes: data } = outgoing;
  const slot = HEADER + cursor * stride;
  const length = queries[slot] | (queries[slot + 1] << 8);
  const at = slot + SLOT_HEAD;
  if (queries[slot + 3] === FRESH_LABEL) writeRandomLabel(random, queries, at + 13);
  data[0] = length >> 8;
  data[1] = length;
  for (let i = 0; i < length; i++) data[2 + i] = queries[at + i];
  data[2] = cursor >> 8;
  data[3] = cursor;
  const fd = connectTo(port);
  fds[place] = fd;
  asked[place] = cursor;
  cursor = cursor + 1 === count ? 0 : cursor + 1;
  sent++;
  // On the loopback the connection is there when connect() has returned, unless the server's queue of those was full.
  if (outgoing.send(fd, 0, 2 + length) === 2 + length) return;
  giveUp(place);
}

function giveUp(place: number): void {
  lost++;
  close(fds[place]);
  fds[place] = NONE;
}

/** Takes the answer of the connection at `place`, waiting for it, and closes that. */
function take(place: number): void {
  const fd = fds[place];
  if (fd === NONE) return;
  const { bytes: data } = incoming;
  let end = 0;
  while (end < 2 || end - 2 < ((data[0] << 8) | data[1])) {
    const n = incoming.receive(fd, end);
    if (n > 0) end += n;
    else if (n !== AGAIN || !untilReadable(fd, TIMEOUT_MS)) {
      giveUp(place);
      return;
    }
  }
  close(fd);
  received++;
  bytes += end - 2;
  const slot = HEADER + asked[place] * stride;
  const rcode = data[5] & 15;
  rcodes[rcode]++;
  const right =
    ((data[2] << 8) | data[3]) === (asked[place] & 0xffff) &&
    (data[4] & 0x80) !== 0 &&
    rcode === queries[slot + 2] &&
    ((data[8] << 8) | data[9]) === queries[slot + 4] + (queries[slot + 5] << 8);
  if (right) return;
  wrong++;
  wrongAnswer ??= data.toString('hex', 2, end);
}

let place = 0;

/** Runs for `ms` milliseconds. Returns the milliseconds it really took. */
function run(ms: number): number {
  const start = performance.now();
  let now = start;
  while (now - start < ms) {
    for (let i = 0; i < TURN; i++) {
      take(place);
      open(place);
      place = place + 1 === fds.length ? 0 : place + 1;
    }
    now = performance.now();
  }
  return now - start;
}

for (let i = 0; i < fds.length; i++) open(i);
run(Number(options.warmup) * 1000);
const before = received;
const cpu = process.cpuUsage();
const ms = run(Number(options.seconds) * 1000);
const used = process.cpuUsage(cpu);
const measured = received - before;
for (let i = 0; i < fds.length; i++) take(i);
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
