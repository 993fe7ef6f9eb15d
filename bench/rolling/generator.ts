/**
 * The queries of a rolling upgrade: `node dist/bench/rolling/generator.js --ports P,P,P,P --zone
 * NAME --names N --rate N`. Open loop, by the clock, over connected sockets. Every query is
 * accounted for: answered, wrong, or lost when no answer has come after five seconds.
 *
 * Reads lines: `without I` and `with I` change where queries go, and a line of JSON confirms it;
 * `end` waits for the last answers and prints GeneratorResult. Nothing is allocated for a query.
 */
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { addressOf, Batch, openSocket } from '../dns/udp.ts';

export interface GeneratorResult {
  readonly seconds: number;
  readonly sent: number;
  readonly answered: number;
  /** No answer within five seconds. */
  readonly lost: number;
  /** Answers with another code or address than the right ones. */
  readonly wrong: number;
  /** Packets that answer no query that is open. */
  readonly stray: number;
  /** Calls that the kernel refused because no socket listens. */
  readonly refused: number;
  /** Milliseconds from the call that sends to the call that has the answer. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Seconds of the run in which lost queries were sent, with their number. */
  readonly lostAt: readonly (readonly [second: number, count: number])[];
  /** Of each target. */
  readonly sentTo: readonly number[];
  readonly lostOf: readonly number[];
  /** That the generator has taken. */
  readonly cpuSeconds: number;
}

const MESSAGES = 64;
const ROOM = 512;
const TIMEOUT_MS = 5000;
const EXPIRE_MS = 200;
const IDS = 65_536;
/** With so many, no ID comes again within the timeout at 50,000 queries/s to one target. */
const SOCKETS_A_TARGET = 4;
/** Of the histogram of latencies: 10 microseconds, up to a second. */
const BUCKETS = 100_000;
const BUCKETS_A_MS = 100;
const MAX_SECONDS = 3600;

const { values: options } = parseArgs({
  options: {
    ports: { type: 'string' },
    zone: { type: 'string' },
    names: { type: 'string' },
    rate: { type: 'string' },
  },
});
const { ports, zone, names, rate: wanted } = options;
if (!ports || !zone || !names || !wanted) throw new Error('generator: --ports, --zone, --names and --rate are needed.');
const rate = Number(wanted);
const nameCount = Number(names);

/** The queries for `h0` and so on, A, one after the other. */
const packets = Array.from({ length: nameCount }, (_, i) => {
  const labels = [`h${i}`, ...zone.split('.')];
  const name = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), ...name, Buffer.from([0, 0, 1, 0, 1])]);
});
const stride = Math.max(...packets.map(({ length }) => length));
/** Each message of a batch has room of its own, since its ID differs. */
const outgoingBytes = Buffer.alloc(MESSAGES * stride);
const outgoingAt = addressOf(outgoingBytes);
const outgoing = new Batch(MESSAGES);
const arena = Buffer.alloc(MESSAGES * ROOM);
const arenaAt = addressOf(arena);
const incoming = new Batch(MESSAGES);
for (let i = 0; i < MESSAGES; i++) incoming.point(i, arenaAt + i * ROOM, ROOM);

class Target {
  readonly fds: readonly number[];
  /** By socket and ID: when it was sent, in milliseconds of the run, or -1; and its name. */
  readonly sentAt: readonly Float64Array[];
  readonly name: readonly Uint32Array[];
  readonly nextId: Uint32Array;
  /** The oldest ID that may be open. */
  readonly tail: Uint32Array;
  isUsed = true;
  turn = 0;
  sent = 0;
  lost = 0;
  open = 0;

  constructor(port: number) {
    this.fds = Array.from({ length: SOCKETS_A_TARGET }, () => openSocket('connect', port));
    this.sentAt = this.fds.map(() => new Float64Array(IDS).fill(-1));
    this.name = this.fds.map(() => new Uint32Array(IDS));
    this.nextId = new Uint32Array(SOCKETS_A_TARGET);
    this.tail = new Uint32Array(SOCKETS_A_TARGET);
  }
}

const targets = ports.split(',').map((port) => new Target(Number(port)));
const latencies = new Uint32Array(BUCKETS);
const lostAt = new Uint32Array(MAX_SECONDS);
let due = 0;
let sent = 0;
let answered = 0;
let lost = 0;
let wrong = 0;
let stray = 0;
let refused = 0;
let longest = 0;
let cursor = 0;
let nextTarget = 0;
const began = performance.now();
const timeOf = (): number => performance.now() - began;

function giveUp(target: Target, socket: number, id: number): void {
  lostAt[Math.min(MAX_SECONDS - 1, Math.floor(target.sentAt[socket][id] / 1000))]++;
  target.sentAt[socket][id] = -1;
  target.lost++;
  target.open--;
  lost++;
}

/** Sends up to `n` queries to the next target that is in use. Returns how many left. */
function send(n: number, now: number): number {
  let target = targets[nextTarget];
  for (let k = 0; k < targets.length; k++) {
    nextTarget = nextTarget + 1 === targets.length ? 0 : nextTarget + 1;
    target = targets[nextTarget];
    if (target.isUsed) break;
  }
  const socket = target.turn++ % SOCKETS_A_TARGET;
  const sentAt = target.sentAt[socket];
  const first = target.nextId[socket];
  for (let i = 0; i < n; i++) {
    const id = (first + i) & (IDS - 1);
    if (sentAt[id] >= 0) giveUp(target, socket, id);
    const index = (cursor + i) % nameCount;
    const packet = packets[index];
    const at = i * stride;
    outgoingBytes.set(packet, at);
    outgoingBytes[at] = id >> 8;
    outgoingBytes[at + 1] = id & 255;
    outgoing.point(i, outgoingAt + at, packet.length);
    target.name[socket][id] = index;
  }
  let left = 0;
  // An error of an earlier packet is reported once, in place of a call.
  for (let again = 0; left === 0 && again < 2; again++) {
    try {
      left = outgoing.send(target.fds[socket], n);
    } catch {
      refused++;
    }
  }
  for (let i = 0; i < left; i++) sentAt[(first + i) & (IDS - 1)] = now;
  target.nextId[socket] = (first + left) & (IDS - 1);
  cursor = (cursor + left) % nameCount;
  target.sent += left;
  target.open += left;
  return left;
}

function takeAnswers(now: number): void {
  for (let t = 0; t < targets.length; t++) {
    const target = targets[t];
    if (target.open === 0) continue;
    for (let socket = 0; socket < SOCKETS_A_TARGET; socket++) {
      for (let n = MESSAGES; n === MESSAGES; ) {
        try {
          n = incoming.receive(target.fds[socket], false);
        } catch {
          refused++;
          n = 0;
        }
        for (let i = 0; i < n; i++) take(target, socket, i * ROOM, incoming.received(i), now);
      }
    }
  }
}

function take(target: Target, socket: number, at: number, length: number, now: number): void {
  const id = (arena[at] << 8) | arena[at + 1];
  const begun = target.sentAt[socket][id];
  if (length < 12 || begun < 0) {
    stray++;
    return;
  }
  target.sentAt[socket][id] = -1;
  target.open--;
  answered++;
  const isRight =
    (arena[at + 3] & 15) === 0 &&
    arena[at + 7] === 1 &&
    arena[at + length - 1] === (target.name[socket][id] & 255) &&
    arena[at + length - 2] === target.name[socket][id] >> 8;
  if (!isRight) wrong++;
  const ms = now - begun;
  if (ms > longest) longest = ms;
  latencies[Math.min(BUCKETS - 1, Math.floor(ms * BUCKETS_A_MS))]++;
}

function expire(now: number): void {
  for (const target of targets)
    for (let socket = 0; socket < SOCKETS_A_TARGET; socket++) {
      const sentAt = target.sentAt[socket];
      let at = target.tail[socket];
      while (at !== target.nextId[socket] && (sentAt[at] < 0 || now - sentAt[at] > TIMEOUT_MS)) {
        if (sentAt[at] >= 0) giveUp(target, socket, at);
        at = (at + 1) & (IDS - 1);
      }
      target.tail[socket] = at;
    }
}

let isEnding = false;
let expireAt = EXPIRE_MS;
function tick(): void {
  const now = timeOf();
  if (!isEnding) {
    due = Math.floor((now * rate) / 1000);
    // Behind the clock, the rest goes with the next ticks.
    for (let calls = 0; sent < due && calls < MESSAGES; calls++) sent += send(Math.min(MESSAGES, due - sent), timeOf());
  }
  takeAnswers(timeOf());
  if (now >= expireAt) {
    expire(now);
    expireAt = now + EXPIRE_MS;
  }
}
const ticking = setInterval(tick, 1);

function percentile(share: number): number {
  let left = answered * share;
  for (let i = 0; i < BUCKETS; i++) {
    left -= latencies[i];
    if (left <= 0) return (i + 1) / BUCKETS_A_MS;
  }
  return longest;
}

const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);

async function end(): Promise<void> {
  const seconds = timeOf() / 1000;
  isEnding = true;
  const isOpen = (): boolean => targets.some(({ open }) => open > 0);
  for (const until = timeOf() + 2 * TIMEOUT_MS; isOpen() && timeOf() < until; )
    await new Promise((resolve) => setTimeout(resolve, 10));
  clearInterval(ticking);
  const { user, system } = process.cpuUsage();
  const result: GeneratorResult = {
    ...{ seconds, sent, answered, lost, wrong, stray, refused },
    ...{ p50: percentile(0.5), p99: percentile(0.99), p999: percentile(0.999), max: longest },
    lostAt: [...lostAt].flatMap((count, second) => (count > 0 ? [[second, count] as const] : [])),
    sentTo: targets.map((target) => target.sent),
    lostOf: targets.map((target) => target.lost),
    cpuSeconds: (user + system) / 1e6,
  };
  say(result);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [what, which] = line.split(' ');
  if (what === 'end') void end();
  else {
    targets[Number(which)].isUsed = what === 'with';
    say({ done: line });
  }
});
process.stdin.on('end', () => {
  if (!isEnding) process.exit(1);
});
