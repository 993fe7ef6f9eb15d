/**
 * The flood and the client next to it, one process on one core: `node dist/bench/dns/flood-load.js
 * --port P --zone NAME --flood N --seconds N`. Open loop, by the clock: queries for random
 * sub-domains of the zone leave 127.0.0.1, N a second or as many as the core makes, and 1,000 a
 * second for names that exist leave 127.0.0.2, whose answers are timed. Prints one line of JSON
 * (FloodResult). A hot path throughout, as in load.ts.
 */
import { parseArgs } from 'node:util';
import { HEADER, readQueryFile, SLOT_HEAD } from './query-file.ts';
import { RANDOM_LABEL, Random, writeRandomLabel } from './random.ts';
import { addressOf, Batch, openSocket } from './udp.ts';

export interface FloodResult {
  /** Random sub-domains a second, as they were sent. */
  floodRate: number;
  /** Answers to them a second; of these, with TC set. */
  floodAnswered: number;
  floodTruncated: number;
  /** Queries of the client, and those not answered within half a second. */
  sent: number;
  lost: number;
  /** Answers with another code than NOERROR, or with TC set. */
  wrong: number;
  /** Milliseconds from the call that sends to the call that has the answer. */
  p50: number;
  p99: number;
  max: number;
  /** Share of the time that the generator had its core, on which it spins. */
  busy: number;
}

const MESSAGES = 64;
const ROOM = 1536;
const TIMEOUT_MS = 500;
const SOCKETS = 8;
const CLIENT_RATE = 1000;
const CLIENT_ADDRESS = [127, 0, 0, 2];

const { values: options } = parseArgs({
  options: {
    port: { type: 'string' },
    /**
     * Packed queries for names that exist (query-file.ts); of these A queries with an answer are
     * asked.
     */
    queries: { type: 'string' },
    zone: { type: 'string' },
    flood: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '5' },
    /** Seconds of the flood before the client begins. */
    warmup: { type: 'string', default: '1' },
  },
});
if (!options.port || !options.queries || !options.zone)
  throw new Error('flood-load: --port, --queries and --zone are needed.');
const port = Number(options.port);
const floodRate = Number(options.flood);
const seconds = Number(options.seconds);
const warmup = Number(options.warmup) * 1000;

/** Queries for random sub-domains, one a message of a batch; only ID and label change. */
const zone = options.zone.split('.');
const template = Buffer.concat([
  Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, RANDOM_LABEL]),
  Buffer.alloc(RANDOM_LABEL, 'x'),
  ...zone.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
  Buffer.from([0, 0, 1, 0, 1]),
]);
const flood = Buffer.alloc(MESSAGES * ROOM);
const floodAt = addressOf(flood);
const outgoing = new Batch(MESSAGES);
for (let i = 0; i < MESSAGES; i++) {
  flood.set(template, i * ROOM);
  outgoing.point(i, floodAt + i * ROOM, template.length);
}
const arena = Buffer.alloc(MESSAGES * ROOM);
const arenaAt = addressOf(arena);
const incoming = new Batch(MESSAGES);
for (let i = 0; i < MESSAGES; i++) incoming.point(i, arenaAt + i * ROOM, ROOM);

const { bytes: queries, stride, count } = readQueryFile(options.queries);
const queriesAt = addressOf(queries);
const single = new Batch(1);
const sockets = Array.from({ length: SOCKETS }, () => openSocket('connect', port));
const client = openSocket('connect', port, CLIENT_ADDRESS);
const random = new Random(process.pid ^ Date.now());

let floodSent = 0;
let floodAnswered = 0;
let floodTruncated = 0;
let cursor = 0;
let sent = 0;
let wrong = 0;
/**
 * When the query with this ID was sent, in milliseconds of the run, or -1. There are fewer in half
 * a second than IDs.
 */
const sentAt = new Float64Array(65_536).fill(-1);
const total = Math.ceil(seconds * CLIENT_RATE);
const times = new Float64Array(total);
let answered = 0;

/** Sends the client's next query. */
function ask(now: number): void {
  let slot = HEADER + cursor * stride;
  // Names that exist: one record in the answer.
  while (queries[slot + 2] !== 0 || queries[slot + 4] !== 1) {
    cursor = cursor + 1 === count ? 0 : cursor + 1;
    slot = HEADER + cursor * stride;
  }
  cursor = cursor + 1 === count ? 0 : cursor + 1;
  const id = sent++ & 0xffff;
  queries[slot + SLOT_HEAD] = id >> 8;
  queries[slot + SLOT_HEAD + 1] = id;
  single.point(0, queriesAt + slot + SLOT_HEAD, queries[slot] | (queries[slot + 1] << 8));
  sentAt[id] = now;
  single.send(client, 1);
}

function takeAnswers(now: number): void {
  const n = incoming.receive(client, false);
  for (let i = 0; i < n; i++) {
    const at = i * ROOM;
    const id = (arena[at] << 8) | arena[at + 1];
    const begun = sentAt[id];
    if (begun < 0) continue;
    sentAt[id] = -1;
    if ((arena[at + 3] & 15) !== 0 || (arena[at + 2] & 2) !== 0) wrong++;
    if (now - begun <= TIMEOUT_MS) times[answered++] = now - begun;
  }
}

function takeFlood(): void {
  for (let s = 0; s < SOCKETS; s++) {
    const n = incoming.receive(sockets[s], false);
    floodAnswered += n;
    for (let i = 0; i < n; i++) if ((arena[i * ROOM + 2] & 2) !== 0) floodTruncated++;
  }
}

const start = performance.now();
const cpu = process.cpuUsage();
let turn = 0;
for (;;) {
  let now = performance.now();
  if (now - start >= warmup + seconds * 1000) break;
  if (sent < total && now - start >= warmup + (sent * 1000) / CLIENT_RATE) ask(now);
  const due = Math.floor(((now - start) * floodRate) / 1000) - floodSent;
  const n = due > MESSAGES ? MESSAGES : due;
  if (n > 0) {
    for (let i = 0; i < n; i++) {
      flood[i * ROOM] = floodSent >> 8;
      flood[i * ROOM + 1] = floodSent + i;
      writeRandomLabel(random, flood, i * ROOM + 13);
    }
    floodSent += outgoing.send(sockets[turn & (SOCKETS - 1)], n);
  }
  now = performance.now();
  takeAnswers(now);
  if ((++turn & 7) === 0) takeFlood();
}
const ran = (performance.now() - start) / 1000;
const used = process.cpuUsage(cpu);
for (let now = performance.now(), end = now + TIMEOUT_MS; now < end; now = performance.now()) {
  takeAnswers(now);
  takeFlood();
}
const sorted = times.subarray(0, answered).sort();
const at = (share: number): number => sorted[Math.min(answered - 1, Math.floor(answered * share))] ?? Number.NaN;
const result: FloodResult = {
  floodRate: Math.round(floodSent / ran),
  floodAnswered: Math.round(floodAnswered / ran),
  floodTruncated: Math.round(floodTruncated / ran),
  sent,
  lost: sent - answered,
  wrong,
  p50: at(0.5),
  p99: at(0.99),
  max: at(1),
  busy: (used.user + used.system) / 1e6 / ran,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
