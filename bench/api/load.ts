/**
 * The load generator of the API benchmark: a process of its own, `taskset -c 1 node
 * dist/bench/api/load.js FILE`, FILE holding a Plan as JSON. Closed loop: every client has one
 * request out. Requests are bytes made beforehand; of an answer it reads status and Content-Length,
 * and in one of 64 the body. It sleeps in epoll_wait, so its CPU time tells how near it is to its
 * limit. Prints one line of JSON (LoadResult).
 */
import { readFileSync } from 'node:fs';
import { closing, FRESH, type LoadResult, type Plan } from './plan.ts';
import { AGAIN, Area, BROKEN, close, connectTo, Poll } from './tcp.ts';

/** Larger than any answer that is asked for. */
const ROOM = 2 << 20;
const LOOK_EVERY = 64;
/** A request that takes longer is counted as wrong. */
const PATIENCE_MS = 30_000;
const MAX_SAMPLES = 4_000_000;

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8')) as Plan;
const { port, keepAlive, status, contains } = plan;
const texts = plan.requests.map((text) => Buffer.from(keepAlive ? text : closing(text), 'latin1'));
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Labels of this run; the counter has its last eight digits. */
const run = `${(Date.now() % 36 ** 6).toString(36).padStart(6, '0')}${(process.pid % 36 ** 2).toString(36).padStart(2, '0')}`;
let labels = 0;

const poll = new Poll();
const samples = new Float64Array(MAX_SAMPLES);
let sampled = 0;
let answers = 0;
let bytes = 0;
let wrong = 0;
let firstWrong: string | null = null;
let looked = 0;
let measuring = false;
let stopping = false;
let left = plan.count ?? Number.POSITIVE_INFINITY;

function fault(what: string): void {
  wrong++;
  firstWrong ??= what.slice(0, 500);
}

class Client {
  readonly #index: number;
  readonly #out: Area[];
  readonly #fresh: (readonly number[])[];
  readonly #in = new Area(Buffer.alloc(ROOM));
  #fd = -1;
  #next: number;
  #current = 0;
  #sent = 0;
  #received = 0;
  /** Length of the whole answer; 0: not known yet. */
  #expected = 0;
  #began = 0;
  #waitsToWrite = false;
  idle = false;

  constructor(index: number) {
    this.#index = index;
    const own = plan.order === 'own' ? [texts[index % texts.length]] : texts;
    this.#out = own.map((text) => new Area(Buffer.from(text)));
    this.#fresh = own.map((text) => {
      const found: number[] = [];
      for (let at = text.indexOf(FRESH); at >= 0; at = text.indexOf(FRESH, at + 1)) found.push(at);
      return found;
    });
    // Clients of a rotation begin at different requests.
    this.#next = index % own.length;
  }

  get began(): number {
    return this.#began;
  }

  begin(now: number): void {
    if (stopping || left === 0) {
      this.idle = true;
      return;
    }
    left--;
    this.#current = this.#next;
    this.#next = this.#next + 1 === this.#out.length ? 0 : this.#next + 1;
    const fresh = this.#fresh[this.#current];
    if (fresh.length > 0) {
      const label = run + (labels++).toString(36).padStart(8, '0');
      for (const at of fresh) this.#out[this.#current].bytes.write(label, at, 'latin1');
    }
    this.#sent = 0;
    this.#received = 0;
    this.#expected = 0;
    this.#began = now;
    if (this.#fd < 0) this.#connect();
    this.write();
  }

  #connect(): void {
    this.#fd = connectTo(port);
    this.#waitsToWrite = false;
    poll.watch(this.#fd, this.#index, false);
  }

  write(): void {
    const out = this.#out[this.#current];
    while (this.#sent < out.bytes.length) {
      const n = out.send(this.#fd, this.#sent, out.bytes.length);
      if (n === BROKEN) return; // the read that follows says so, too
      if (n === AGAIN) break;
      this.#sent += n;
    }
    const waits = this.#sent < out.bytes.length;
    if (waits !== this.#waitsToWrite) {
      this.#waitsToWrite = waits;
      poll.watch(this.#fd, this.#index, waits, true);
    }
  }

  ready(): void {
    if (this.#fd < 0) return;
    if (this.#waitsToWrite) this.write();
    const n = this.#in.receive(this.#fd, this.#received);
    if (n === AGAIN) return;
    if (n <= 0) {
      const text = this.#in.bytes.toString('latin1', 0, Math.min(this.#received, 200));
      if (!this.idle) fault(`the connection ended after ${this.#received} bytes: ${text}`);
      this.#hangUp();
      if (!this.idle) this.begin(performance.now());
      return;
    }
    this.#received += n;
    if (this.#expected === 0) this.#readHead();
    if (this.#expected === 0 || this.#received < this.#expected) return;
    this.#finish();
  }

  #readHead(): void {
    const end = this.#in.bytes.subarray(0, this.#received).indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = LENGTH.exec(this.#in.bytes.toString('latin1', 0, end));
    this.#expected = end + 4 + (length === null ? 0 : Number(length[1]));
    if (this.#expected > ROOM)
      throw new Error(`An answer of ${this.#expected} bytes is more than the generator takes.`);
  }

  #finish(): void {
    const now = performance.now();
    const answer = this.#in.bytes;
    const code = (answer[9] - 48) * 100 + (answer[10] - 48) * 10 + (answer[11] - 48);
    if (code !== status || this.#received !== this.#expected)
      fault(answer.toString('latin1', 0, Math.min(this.#received, 2000)));
    else if (answers % LOOK_EVERY === 0 && contains !== undefined) {
      looked++;
      const text = answer.toString('latin1', 0, this.#received);
      const missing = contains.find((part) => !text.includes(part));
      if (missing !== undefined) fault(`no ${missing} in ${text}`);
    }
    answers++;
    bytes += this.#received;
    if (measuring && sampled < MAX_SAMPLES) samples[sampled++] = now - this.#began;
    if (!keepAlive) this.#hangUp();
    this.begin(now);
  }

  #hangUp(): void {
    close(this.#fd);
    this.#fd = -1;
  }
}

const clients = Array.from({ length: plan.clients }, (_, index) => new Client(index));

/**
 * Serves the clients for `ms` milliseconds, or until all are idle. Returns the milliseconds it
 * took.
 */
function serve(duration: number): number {
  const start = performance.now();
  let now = start;
  while (now - start < duration && !clients.every((client) => client.idle)) {
    const ready = poll.wait(Math.min(100, Math.ceil(duration - (now - start))));
    for (let i = 0; i < ready; i++) clients[poll.tag(i)].ready();
    now = performance.now();
    if (ready === 0 && clients.some((client) => !client.idle && now - client.began > PATIENCE_MS))
      throw new Error(`No answer in ${PATIENCE_MS / 1000} s.`);
  }
  return now - start;
}

for (const client of clients) client.begin(performance.now());
serve(plan.warmup * 1000);
measuring = true;
const before = answers;
const cpu = process.cpuUsage();
const ms = serve(plan.seconds * 1000);
const used = process.cpuUsage(cpu);
const measured = answers - before;
measuring = false;
stopping = true;
// The answers that are still out, so that the server's work and our count agree.
serve(PATIENCE_MS);

const sorted = samples.subarray(0, sampled).sort();
const rank = (percent: number) => sorted[Math.max(0, Math.ceil((percent / 100) * sampled) - 1)] ?? 0;
const result: LoadResult = {
  perSecond: (measured * 1000) / ms,
  seconds: ms / 1000,
  measured,
  answers,
  wrong,
  firstWrong,
  looked,
  bytes: Math.round(bytes / Math.max(1, answers)),
  p50: rank(50),
  p99: rank(99),
  max: rank(100),
  busy: (used.user + used.system) / 1000 / ms,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
