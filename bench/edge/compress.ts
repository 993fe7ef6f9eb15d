/**
 * What coding a body costs and what is left of it: by level, and by the ways that edge/compress has
 * for one. µs of CPU of all threads of the process. Run: node dist/bench/edge/compress.js
 */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { BodyCompressor } from '../../edge/compress/body.ts';
import { CODINGS_AT_ONCE, type Coding, compressAtOnce, compressWell } from '../../edge/compress/coding.ts';
import { ScriptedSource } from '../../test/edge/compress/scripted-source.ts';

const SIZES = [256, 1024, 4096, 16_384, 32_768, 65_536, 262_144];
const MILLISECONDS = 200;
/** The edge's own code, which is longer than the longest: JavaScript as it is served. */
const folder = new URL('../../edge/', import.meta.url);
const sources = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith('.js')).sort();
const script = Buffer.concat(sources.map((name) => readFileSync(new URL(name, folder))));

type Way = (bytes: Buffer) => number | Promise<number>;

const brotli = (quality: number, bytes: Buffer): number =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;

const LEVELS: readonly (readonly [name: string, way: Way])[] = [
  ...[1, 4, 5, 6, 9].map((level) => [`gzip ${level}`, (bytes: Buffer) => gzipSync(bytes, { level }).length] as const),
  ...[1, 4, 5, 6, 9].map((quality) => [`br ${quality}`, (bytes: Buffer) => brotli(quality, bytes)] as const),
];

const WAYS: readonly (readonly [name: string, way: (bytes: Buffer, coding: Coding) => number | Promise<number>])[] = [
  ['at once', (bytes, coding) => compressAtOnce(bytes, coding).length],
  ['in parts', (bytes, coding) => throughCompressor(bytes, coding)],
  ['to be kept', (bytes, coding) => compressWell(bytes, coding).length],
];

const compressor = new BodyCompressor(1);

/** As from an origin: pieces of 16 KB, each in a turn of its own, so all are flushed. */
async function throughCompressor(bytes: Buffer, coding: Coding): Promise<number> {
  const source = new ScriptedSource();
  const { body } = compressor.compress(source, coding, '1');
  let at = 0;
  const bring = (): void => {
    source.push(bytes.subarray(at, at + 16_384));
    at += 16_384;
    if (at < bytes.length) setImmediate(bring);
    else source.finish();
  };
  setImmediate(bring);
  let data = 0;
  for (let part = await body.read(); part !== null; part = await body.read()) data += part.length;
  return data;
}

async function measure(name: string, bytes: Buffer, way: Way): Promise<void> {
  const left = await way(bytes);
  let runs = 0;
  const cpu = process.cpuUsage();
  const end = performance.now() + MILLISECONDS;
  do {
    await way(bytes);
    runs++;
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(cpu);
  const micros = ((user + system) / runs).toFixed(0).padStart(8);
  console.log(`${name.padEnd(22)}${micros} µs  ${((left / bytes.length) * 100).toFixed(1).padStart(5)} %`);
}

for (const size of SIZES) {
  if (script.length < size) throw new Error(`There are ${script.length} bytes to code, and ${size} are needed.`);
  const bytes = script.subarray(0, size);
  console.log(`\n${size} bytes`);
  for (const [name, way] of LEVELS) await measure(name, bytes, way);
  for (const coding of CODINGS_AT_ONCE)
    for (const [name, way] of WAYS) await measure(`${coding}, ${name}`, bytes, (given) => way(given, coding));
}
