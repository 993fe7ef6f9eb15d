/**
 * The inputs of each target that are kept in the repository: an archive of JSON lines for each
 * target, in the order of their names, which are hashes of their content. A name that begins with
 * `fault-` is an input that once showed a fault.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytesOf, type Target } from './target.ts';

const FOLDER = fileURLToPath(new URL('../../../test/corpus/', import.meta.url));
const NAME_LENGTH = 16;

export interface CorpusInput {
  readonly name: string;
  readonly bytes: Buffer;
}

const archiveOf = (target: string, folder: string): string => join(folder, `${target}.jsonl`);

/** The inputs of a target, in the order of their names. */
export function loadCorpus(target: string, folder = FOLDER): CorpusInput[] {
  const archive = archiveOf(target, folder);
  if (!existsSync(archive)) return [];
  const lines = readFileSync(archive, 'utf8').split('\n');
  const inputs = lines.filter((line) => line !== '').map(readLine);
  return inputs.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readLine(line: string): CorpusInput {
  const { name, base64 } = JSON.parse(line) as { name: string; base64: string };
  return { name, bytes: Buffer.from(base64, 'base64') };
}

const lineOf = ({ name, bytes }: CorpusInput): string =>
  `${JSON.stringify({ name, base64: bytes.toString('base64') })}\n`;

/** Stores an input, unless it is stored. Returns its name. */
export function saveInput(target: string, bytes: Uint8Array, prefix = '', folder = FOLDER): string {
  const name = prefix + createHash('sha256').update(bytes).digest('hex').slice(0, NAME_LENGTH);
  const others = loadCorpus(target, folder).filter((input) => input.name !== name);
  const inputs = [...others, { name, bytes: Buffer.from(bytes) }].sort((a, b) => (a.name < b.name ? -1 : 1));
  const archive = archiveOf(target, folder);
  // A fuzzer that is stopped meanwhile leaves the archive as it was.
  writeFileSync(`${archive}.new`, inputs.map(lineOf).join(''));
  renameSync(`${archive}.new`, archive);
  return name;
}

export const seedsOf = ({ seeds }: Target): CorpusInput[] =>
  seeds.map((seed, i) => ({ name: `seed ${i}`, bytes: bytesOf(seed) }));
