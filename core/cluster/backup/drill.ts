/** The restore drill: checks a restored store, row by row and answer by answer. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidError } from '../../base/errors.ts';
import { openSecrets } from '../../base/secrets.ts';
import { type Config, secretKeyFile } from '../../config/index.ts';
import { readHead } from '../../journal/applied-head.ts';
import { Signers } from '../../journal/apply/signers.ts';
import { answersAreCurrent, rebuildAnswers } from '../../journal/upkeep/rebuild.ts';
import { countSealed } from '../../journal/upkeep/reseal.ts';
import { finishImport } from '../../journal/upkeep/unfinished-import.ts';
import { type Environment, openEnvironment } from '../../store/environment.ts';
import { TABLES } from '../../store/rows.ts';
import { zoneSettings } from '../../zone/compile/settings.ts';

export interface CheckedStore {
  readonly sequence: number;
  /** Number of rows by table; empty tables are omitted. */
  readonly rows: Readonly<Record<string, number>>;
  readonly answers: number;
  /**
   * Whether all answers were recompiled and match. False: this version or these settings compile
   * different answers, so they cannot be compared.
   */
  readonly areAnswersCompared: boolean;
  /** Number of encrypted values, and of those that secret.key cannot decrypt. */
  readonly sealed: number;
  readonly unsealable: number;
}

/** Compared bytes of a digest. */
const DIGEST = 6;

/**
 * Modifies the store: use it on copies only. Throws InvalidError `damaged_rows`, `other_answers`.
 */
export async function checkStore(config: Config): Promise<CheckedStore> {
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
  const secrets = openSecrets(secretKeyFile(config));
  const signers = new Signers(secrets);
  try {
    const settings = zoneSettings(config);
    await finishImport(environment, settings, signers);
    const rows = checkRows(environment);
    const areCompared = answersAreCurrent(environment, settings);
    const before = areCompared ? digests(environment) : null;
    const { answers } = await rebuildAnswers(environment, settings, undefined, signers);
    if (before !== null) compareAnswers(before, digests(environment));
    const { sequence } = readHead(environment);
    return { sequence, rows, answers, areAnswersCompared: areCompared, ...countSealed(environment, secrets) };
  } finally {
    await signers.close();
    await environment.close();
  }
}

/** Decodes every row, and verifies its lookup entries. */
function checkRows(environment: Environment): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [number, table] of TABLES) {
    let count = 0;
    for (const { key, value } of environment.rows.get(number)!.getRange({})) {
      try {
        table.decode(key as Buffer, value);
        for (const lookup of table.lookups(key as Buffer, value))
          if (environment.lookups.get(lookup)?.equals(key as Buffer) !== true) throw new Error('a lookup is missing');
      } catch (error) {
        throw new InvalidError(
          'damaged_rows',
          `A row of ${table.name} is damaged (key ${Buffer.from(key as Buffer).toString('hex')}): ${(error as Error).message}.`,
          { cause: error },
        );
      }
      count++;
    }
    if (count > 0) counts[table.name] = count;
  }
  return counts;
}

/** Digests of all answers, in the order of their keys. */
function digests(environment: Environment): Float64Array {
  environment.root.resetReadTxn();
  const { entryCount } = environment.answers.getStats() as { entryCount: number };
  const all = new Float64Array(entryCount);
  let i = 0;
  for (const { key, value } of environment.answers.getRange({})) {
    const digest = createHash('sha256')
      .update(key as Buffer)
      .update(value)
      .digest();
    all[i++] = digest.readUIntBE(0, DIGEST);
  }
  return all.subarray(0, i);
}

function compareAnswers(stored: Float64Array, compiled: Float64Array): void {
  const first = stored.findIndex((digest, i) => digest !== compiled[i]);
  if (stored.length === compiled.length && first === -1) return;
  throw new InvalidError(
    'other_answers',
    `The answers in the backup (${stored.length}) differ from those that its rows compile to (${compiled.length}). The restored data serves the compiled ones after "waypost answers rebuild".`,
  );
}

/** Sequence of the last change in the data of this node; null: no data exists. */
export async function livePosition({ dataDir, store }: Pick<Config, 'dataDir' | 'store'>): Promise<number | null> {
  if (!existsSync(join(dataDir, 'waypost.mdb'))) return null;
  const environment = openEnvironment(dataDir, store.mapSize);
  try {
    return readHead(environment).sequence;
  } finally {
    await environment.close();
  }
}
