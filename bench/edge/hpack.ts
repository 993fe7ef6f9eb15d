/**
 * The heads of requests and responses, decoded and encoded: a browser's 12 headers with a cookie of
 * 500 bytes, as the first on a connection, again, and again with another cookie. Run: node
 * --expose-gc --min-semi-space-size=16 dist/bench/edge/hpack.js
 */
import { Bench } from 'tinybench';
import { HpackDecoder } from '../../edge/http/http2/hpack/decoder.ts';
import { blockBound, encodeStateless, HpackEncoder } from '../../edge/http/http2/hpack/encoder.ts';
import { INDEX, planOf, staticLine } from '../../edge/http/http2/hpack/indexing.ts';
import { FIRST_DYNAMIC } from '../../edge/http/http2/hpack/tables.ts';
import { writeInteger, writeLiteral } from '../../edge/http/http2/hpack/write.ts';

const LIMITS = { maxListSize: 16 * 1024, maxListCount: 100 };
const OPERATIONS = 1000;
/**
 * Enough that the heap's pages don't show, and few enough that they fit in the young generation.
 */
const ALLOCATING = 3_000;

const LINES: readonly (readonly [name: string, value: string])[] = [
  [':method', 'GET'],
  [':authority', 'www.example.com'],
  [':scheme', 'https'],
  [':path', '/assets/app.3f2a91.js?v=12'],
  ['sec-ch-ua', '"Chromium";v="126", "Not.A/Brand";v="24"'],
  ['sec-ch-ua-mobile', '?0'],
  ['sec-ch-ua-platform', '"Linux"'],
  ['upgrade-insecure-requests', '1'],
  [
    'user-agent',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  ],
  ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
  ['sec-fetch-site', 'same-origin'],
  ['sec-fetch-mode', 'navigate'],
  ['sec-fetch-dest', 'document'],
  ['referer', 'https://www.example.com/start'],
  ['accept-encoding', 'gzip, deflate, br, zstd'],
  ['accept-language', 'en-GB,en;q=0.9,de;q=0.8'],
];

function cookie(seed: number): string {
  let text = 'session=';
  for (let i = seed + 1; text.length < 500; i = (i * 48271) % 0x7fffffff) text += i.toString(36);
  return text.slice(0, 500);
}

/**
 * As a browser encodes: everything is given a place in the table. `known`: places given already, by
 * line.
 */
function request(lines: readonly (readonly [string, string])[], header: string[]): Uint8Array {
  const target = new Uint8Array(4096);
  let at = 0;
  for (const [name, value] of lines) {
    const plan = planOf(name);
    const position = header.indexOf(`${name} ${value}`);
    const index = staticLine(plan, value) || (position < 0 ? 0 : FIRST_DYNAMIC + position);
    if (index > 0) {
      at = writeInteger(target, at, 0x80, 0x7f, index);
    } else {
      at = writeLiteral(target, at, INDEX, plan.firstStatic, name, value);
      header.unshift(`${name} ${value}`);
    }
  }
  return target.slice(0, at);
}

const names: string[] = [];
const first = request([...LINES, ['cookie', cookie(0)]], names);
const again = request([...LINES, ['cookie', cookie(0)]], names);
/**
 * The table holds the lines before the last, whatever cookies come: each new one pushes out the one
 * before last.
 */
const ROUNDS = 16;
const others = Array.from({ length: ROUNDS }, (_, i) => {
  const target = new Uint8Array(1024);
  return target.slice(0, writeLiteral(target, 0, 0, 32, 'cookie', cookie(i + 1)));
});
const withoutCookie = request(LINES, names);
const withOtherCookie = others.map((line) => Uint8Array.from([...withoutCookie, ...line]));

let bytes = 0;
const sink = {
  field: (name: string, value: string, flags: number): void => {
    // small, since a larger number is an object
    bytes = (bytes + name.length + value.length + flags) | 0;
  },
};
const used = new HpackDecoder(LIMITS);
used.decode(first, 0, first.length, sink);

function decode(decoder: HpackDecoder, block: Uint8Array): void {
  const outcome = decoder.decode(block, 0, block.length, sink);
  if (outcome !== 0) throw new Error(`outcome ${outcome}`);
}

const RESPONSE = [
  ...['server', 'waypost', 'content-type', 'text/html; charset=utf-8', 'cache-control', 'public, max-age=3600'],
  ...['vary', 'accept-encoding', 'x-frame-options', 'DENY', 'strict-transport-security', 'max-age=31536000'],
  ...['etag', '"5f3a-19c3a8d2"', 'content-length', '2000', 'date', 'Sat, 21 Nov 2026 09:28:21 GMT'],
];
const target = new Uint8Array(blockBound(RESPONSE));
const encoder = new HpackEncoder();

function encode(by: HpackEncoder): number {
  return by.fields(target, by.status(target, by.begin(target, 0), 200), RESPONSE);
}

const TASKS: Readonly<Record<string, (i: number) => void>> = {
  'decode, first request': () => decode(new HpackDecoder(LIMITS), first),
  'decode, the same again': () => decode(used, again),
  'decode, another cookie': (i) => decode(used, withOtherCookie[i % ROUNDS]),
  'encode, first response': () => void encode(new HpackEncoder()),
  'encode, the same again': () => void encode(encoder),
  'encode, without a table': () => void encodeStateless(200, RESPONSE),
};

/**
 * Bytes that one call allocates: what the heap grows by while nothing is collected. The most of
 * some runs, since a collection hides it.
 */
function allocated(task: (i: number) => void): string {
  if (globalThis.gc === undefined) return 'unknown, without --expose-gc';
  let most = 0;
  for (let run = 0; run < 5; run++) {
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < ALLOCATING; i++) task(i);
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  return String(Math.round(most / ALLOCATING));
}

const bench = new Bench({ time: 1000, warmupIterations: 50 });
for (const [what, task] of Object.entries(TASKS))
  bench.add(what, () => {
    for (let i = 0; i < OPERATIONS; i++) task(i);
  });
await bench.run();
console.log(
  `Bytes of a request: ${first.length} first, ${again.length} again, ${withOtherCookie[0].length} with another cookie.`,
);
console.table(
  bench.tasks.map((task) => ({
    task: task.name,
    'ns (median)': 'latency' in task.result ? Math.round((task.result.latency.p50 / OPERATIONS) * 1e6) : 'failed',
    'bytes allocated': allocated(TASKS[task.name]),
  })),
);
if (bytes === 0) throw new Error('nothing was decoded');
