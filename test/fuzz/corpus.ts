/**
 * The inputs of each target that are kept in the repository, one file each, named for their
 * content. A name that begins with `fault-` is an input that once showed a fault.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bytesOf, type Target } from './target.ts';

const FOLDER = fileURLToPath(new URL('../../../test/corpus/', import.meta.url));
const NAME_LENGTH = 16;

export interface CorpusInput {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The inputs of a target, in the order of their names. */
export function loadCorpus(target: string): CorpusInput[] {
  let names: string[];
  try {
    names = readdirSync(join(FOLDER, target)).sort();
  } catch {
    return [];
  }
  return names.map((name) => ({ name, bytes: readFileSync(join(FOLDER, target, name)) }));
}

/** Stores an input. Returns its name. */
export function saveInput(target: string, bytes: Uint8Array, prefix = ''): string {
  const name = prefix + createHash('sha256').update(bytes).digest('hex').slice(0, NAME_LENGTH);
  mkdirSync(join(FOLDER, target), { recursive: true });
  writeFileSync(join(FOLDER, target, name), bytes);
  return name;
}

export const seedsOf = ({ seeds }: Target): CorpusInput[] =>
  seeds.map((seed, i) => ({ name: `seed ${i}`, bytes: bytesOf(seed) }));
