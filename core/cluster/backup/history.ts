/**
 * Which history of changes writes to a target. A file in the target names it, with the last change
 * that it has stored. Another history is refused: a test installation or a restored copy with the
 * settings of production would delete its backups, and a restore would find two branches.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../../base/errors.ts';
import type { Config } from '../../config/index.ts';
import { readHead } from '../../journal/applied-head.ts';
import { hashEntry } from '../../journal/entry-codec.ts';
import { type Environment, openEnvironment, STORE_FILE } from '../../store/environment.ts';
import { sequenceKey } from '../../store/keys.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { listBackups } from './backups.ts';
import type { Backup } from './names.ts';
import type { Position } from './segments.ts';
import { readAll, type Target, writeAll } from './target.ts';

/** The file, and the version of its format. */
const OWNER = 'history.json';
const FORMAT = 1;
/** Maximum bytes of the file. */
const MAX_SIZE = 4096;

/** The history that writes to a target, and the last change that it has stored there. */
export interface Owner extends Position {
  /** Id of the history, see InstallationRow. */
  readonly history: string;
  /** The node that wrote last, and its version. */
  readonly node: string;
  readonly version: string;
  /** ISO 8601: the last write. */
  readonly at: string;
}

interface Writer {
  readonly config: Pick<Config, 'dataDir' | 'nodeName' | 'store' | 'etcd'>;
  readonly target: Target;
  readonly version: string;
}

/** Null: no history has written to the target, or only a version before 0.3.0. */
export async function readOwner(target: Target): Promise<Owner | null> {
  const file = (await target.list(OWNER)).find(({ name }) => name === OWNER);
  if (file === undefined) return null;
  const damaged = new StateError(
    'bad_history',
    `${OWNER} in ${target.description} cannot be read. If only this installation writes there, run "waypost backup claim".`,
  );
  if (file.size > MAX_SIZE) throw damaged;
  try {
    const read = JSON.parse((await readAll(target, file)).toString()) as (Owner & { format: number }) | null;
    const { format, history, node, version, at, sequence = Number.NaN, hash = '' } = read ?? {};
    const texts = [history, node, version, at].every((text) => typeof text === 'string');
    if (format === FORMAT && texts && Number.isSafeInteger(sequence) && /^[0-9a-f]{16,64}$/.test(hash))
      return read as Owner;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw damaged;
}

/** Throws StateError `other_history` if the target has the backups of another history. */
export async function requireOwnHistory(writer: Writer): Promise<void> {
  const { config, target } = writer;
  if (!existsSync(join(config.dataDir, STORE_FILE))) return;
  const owner = await readOwner(target);
  const latest = owner === null ? (await listBackups(target)).at(-1) : undefined;
  // Opened last: what is in the target was in the store before.
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
  try {
    const own = new StoreReader(environment).installation();
    const isAlone = config.etcd.endpoints.length === 0;
    if (owner !== null && owner.history !== own?.history) throw otherHistory(target, owner, own?.history);
    if (owner !== null && !isIn(environment, owner, isAlone)) throw otherCopy(target, owner);
    if (latest !== undefined && (own?.restored != null || !isIn(environment, latest, isAlone)))
      throw unknownHistory(target, latest, own?.history);
  } finally {
    await environment.close();
  }
}

/** Names this history as the writer of the target. Null: the store has no id of its history yet. */
export async function nameOwnHistory(writer: Writer, position?: Position): Promise<Owner | null> {
  const { config, target, version } = writer;
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
  try {
    const history = new StoreReader(environment).installation()?.history;
    if (history === undefined) return null;
    const head = readHead(environment);
    const { sequence, hash } = position ?? { sequence: head.sequence, hash: head.hash.toString('hex') };
    const at = new Date().toISOString();
    const owner: Owner = { history, node: config.nodeName, version, at, sequence, hash };
    const bytes = Buffer.from(`${JSON.stringify({ format: FORMAT, ...owner }, null, 2)}\n`);
    await writeAll(target, OWNER, bytes);
    return owner;
  } finally {
    await environment.close();
  }
}

/**
 * Whether the history of a store has a position, as far as its journal reaches back. A node of a
 * cluster may be behind another one that wrote the backup.
 */
function isIn(environment: Environment, { sequence, hash }: Position, isAlone: boolean): boolean {
  const head = readHead(environment);
  if (sequence > head.sequence) return !isAlone;
  const entry = environment.journal.get(sequenceKey(sequence));
  const own = sequence === head.sequence ? head.hash : entry && hashEntry(entry);
  return own === undefined || own.toString('hex').startsWith(hash);
}

/** `history 5f0c… of node ns1, which wrote last at …`. */
export const describeOwner = ({ history, node, version, at, sequence }: Owner): string =>
  `history ${history} of node ${node} (${version}), which wrote last at ${at}, up to change ${sequence}`;

const NEXT =
  'Set another backup.folder, or backup.s3_prefix, for this installation. If it replaces the other one, stop that one, then run "waypost backup claim" here.';

const refused = (message: string): StateError => new StateError('other_history', `${message} ${NEXT}`);

const ownName = (history: string | undefined): string =>
  `This installation is ${history === undefined ? 'new, without backups' : `history ${history}`}.`;

const otherHistory = ({ description }: Target, owner: Owner, own: string | undefined): StateError =>
  refused(
    `The backups in ${description} are of another installation: ${describeOwner(owner)}. ${ownName(own)} Nothing was written.`,
  );

const otherCopy = ({ description }: Target, owner: Owner): StateError =>
  refused(
    `The backups in ${description} have changes that this node does not have: another copy of this installation writes there, or the data of this node was set back. They are of ${describeOwner(owner)}. Nothing was written.`,
  );

const unknownHistory = ({ description }: Target, { name, node, made, version }: Backup, own: string | undefined) =>
  refused(
    `The backups in ${description} are of another installation: the latest is ${name} of node ${node} (${version}), made at ${made}. ${ownName(own)} Nothing was written.`,
  );
