/** Loads the configuration from a TOML file and the environment; one error lists every fault. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { ConfigError } from '../base/errors.ts';
import { findNearest } from '../base/nearest.ts';
import { ADVICE } from '../dns/wire/rdata/index.ts';
import { type Config, OTHER_VARIABLES, type PlacedSetting, sections, settings } from './schema.ts';

/** Path in the data folder. Lines of `WAYPOST_*=value`, in the format of systemd. */
export const CLUSTER_ENVIRONMENT = 'cluster/environment';

export interface ConfigSource {
  /** Path of the TOML file; WAYPOST_CONFIG is used if it is missing. */
  readonly file?: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ResolvedSetting extends PlacedSetting {
  readonly value: unknown;
  readonly origin: 'default' | 'file' | 'environment';
}

export interface ResolvedConfig {
  readonly config: Config;
  /** In the order of the schema. */
  readonly settings: readonly ResolvedSetting[];
}

const byKey = new Map(settings.map((setting) => [setting.key, setting]));
const knownVariables = [...settings.map((setting) => setting.env), ...OTHER_VARIABLES];

/**
 * Precedence: the environment, the settings of a cluster node in its data folder, the file, the
 * defaults. An empty variable counts as unset. Throws ConfigError `invalid_config`, whose message
 * lists every fault on its own line: the key, the value found, the value expected.
 */
export function loadConfig(source: ConfigSource): Config {
  return resolveConfig(source).config;
}

/** As loadConfig, and reports the source of each value, in the order of the schema. */
export function resolveConfig({ file: given, env }: ConfigSource): ResolvedConfig {
  const path = given ?? (env.WAYPOST_CONFIG || undefined);
  const faults: string[] = [];
  const file = path === undefined ? null : readTable(path);
  const found = file === null ? new Map<string, FileValue>() : flatten(file, faults);
  checkVariables(env, faults);
  const { value: dataDir } = resolve(byKey.get('data_dir')!, found, env, {}, []);
  const written = typeof dataDir === 'string' ? clusterEnvironment(dataDir) : {};
  const resolved = settings.map((setting) => resolve(setting, found, env, written, faults));
  if (faults.length > 0) throw invalidConfig(faults);
  return { config: buildConfig(resolved), settings: resolved };
}

/** The error of a configuration with these faults, each on a line of its own. */
export function invalidConfig(faults: readonly string[]): ConfigError {
  const count = faults.length === 1 ? '1 error' : `${faults.length} errors`;
  return new ConfigError('invalid_config', `The configuration has ${count}:\n  ${faults.join('\n  ')}`);
}

/** A parsed file. */
interface TomlFile {
  readonly path: string;
  readonly source: string;
  readonly table: Record<string, unknown>;
}

/** A value of the file, and the names that lead to it. */
interface FileValue {
  readonly value: unknown;
  /** `waypost.toml:12`, for messages. */
  readonly where: () => string;
}

function readTable(path: string): TomlFile {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError('invalid_config', `Cannot read the configuration file: ${why}`, { cause: error });
  }
  try {
    return { path, source, table: parse(source) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The first line only, and no cause: smol-toml quotes the surrounding lines, which may contain
    // a password.
    const why = error.message.split('\n')[0];
    throw new ConfigError('invalid_config', `${path}:${error.line}:${error.column}: ${why}`);
  }
}

/** Key to value for every known key of the file; unknown keys become faults. */
function flatten({ path, source, table }: TomlFile, faults: string[]): Map<string, FileValue> {
  const found = new Map<string, FileValue>();
  const visit = (value: unknown, names: readonly string[]): void => {
    const key = names.join('.');
    const where = (): string => `${path}:${lineOf(source, names)}`;
    if (byKey.has(key)) found.set(key, { value, where });
    else if (isTable(value) && (sections.has(key) || Object.keys(value).length > 0)) {
      for (const [name, inner] of Object.entries(value)) visit(inner, [...names, name]);
    } else if (sections.has(key)) faults.push(`${key} (${where()}): found ${show(value)}, expected a table, [${key}]`);
    else if (key !== '') {
      const nearest = findNearest(key, [...byKey.keys()]);
      faults.push(`${clean(key)} (${where()}): unknown setting; did you mean ${nearest}?`);
    }
  };
  visit(table, []);
  return found;
}

/**
 * The line on which the statement of a key begins, from 1. The parser reports no positions.
 * Therefore this parses the file up to each line, until the key is there: an unfinished statement
 * is no valid TOML. Called for faults only.
 */
function lineOf(source: string, names: readonly string[]): number {
  const lines = source.split('\n');
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    let at: unknown;
    try {
      at = parse(`${lines.slice(0, end).join('\n')}\n`);
    } catch {
      continue;
    }
    for (const name of names) at = isTable(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    if (at !== undefined) break;
    start = end;
  }
  return start + 1;
}

function checkVariables(env: NodeJS.ProcessEnv, faults: string[]): void {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('WAYPOST_') || knownVariables.includes(name)) continue;
    const nearest = findNearest(name, knownVariables);
    faults.push(`${clean(name)}: unknown variable; did you mean ${nearest}?`);
  }
}

function resolve(
  setting: PlacedSetting,
  found: ReadonlyMap<string, FileValue>,
  env: NodeJS.ProcessEnv,
  ofNode: NodeJS.ProcessEnv,
  faults: string[],
): ResolvedSetting {
  const { kind, secret } = setting.setting;
  const fault = (where: string, actual: unknown, read: (value: never) => unknown) => {
    const shown = secret ? 'a value that is not shown' : show(actual);
    faults.push(`${where}: found ${shown}, expected ${kind.expected}${secret ? '' : adviceFor(actual, read)}`);
  };
  let value: unknown;
  let origin: ResolvedSetting['origin'] = 'default';
  const written = found.get(setting.key);
  if (written !== undefined) {
    origin = 'file';
    value = kind.fromToml(written.value);
    if (value === undefined) fault(`${setting.key} (${written.where()})`, written.value, kind.fromToml);
  }
  const text = env[setting.env] || ofNode[setting.env];
  if (text !== undefined && text !== '') {
    origin = 'environment';
    value = kind.fromText(text);
    if (value === undefined) fault(`${setting.key} (${setting.env})`, text, kind.fromText);
  }
  return { ...setting, origin, value: origin === 'default' ? setting.setting.standard() : value };
}

/**
 * Repairs of values that are nearly right, and what to do. Addresses: the texts of addressAdvice,
 * for an address that is a part of a value.
 */
const REPAIRS: readonly (readonly [repair: (text: string) => string, advice: string])[] = [
  [(text) => text.trim().replace(/[\s,]+/g, ','), 'separate the values with commas'],
  [(text) => text.replace(/%[^\],/\s]+/g, ''), ADVICE.zoned],
  [(text) => text.replace(/\[?::ffff:(\d+\.\d+\.\d+\.\d+)\]?/gi, '$1'), ADVICE.mapped],
];

/** How to make a value valid, as the end of a sentence; empty: unknown. `read`: as in Kind. */
function adviceFor(value: unknown, read: (value: never) => unknown): string {
  for (const [repair, advice] of REPAIRS) {
    const repairItem = (item: unknown): unknown => (typeof item === 'string' ? repair(item) : item);
    const repaired = Array.isArray(value) ? value.map(repairItem) : repairItem(value);
    if (String(repaired) !== String(value) && read(repaired as never) !== undefined) return `; ${advice}`;
  }
  return '';
}

/**
 * The object of the settings, which is deeply frozen. `current`: reads the value of a reloadable
 * setting; omitted: values never change.
 */
export function buildConfig(resolved: readonly ResolvedSetting[], current?: (key: string) => unknown): Config {
  const config: Record<string, unknown> = {};
  for (const { key, path, setting, value } of resolved) {
    let at = config;
    for (const part of path.slice(0, -1)) {
      at[camel(part)] ??= {};
      at = at[camel(part)] as Record<string, unknown>;
    }
    const name = camel(path[path.length - 1]);
    if (current === undefined || setting.isReloadable !== true) at[name] = value;
    else Object.defineProperty(at, name, { enumerable: true, get: () => current(key) });
  }
  // The schema defines both this object and its type.
  return deepFreeze(config) as Config;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

function camel(part: string): string {
  return part.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function show(value: unknown): string {
  if (isTable(value)) return 'a table';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** A quoted TOML key can contain any character; a key that would garble the message is escaped. */
function clean(key: string): string {
  return /^[\w.-]{1,100}$/.test(key) ? key : JSON.stringify(key.slice(0, 100));
}

/** Path of the file with the key that encrypts stored secrets. */
export const secretKeyFile = ({ secrets, dataDir }: Pick<Config, 'secrets' | 'dataDir'>): string =>
  secrets.keyFile ?? join(dataDir, 'secret.key');

/**
 * Settings that "waypost cluster init" and "join" wrote into the data folder. They prevent a start
 * of a cluster node's data as a single node. Empty without the file. Throws ConfigError
 * `invalid_config` if the file is unreadable.
 */
export function clusterEnvironment(dataDir: string): NodeJS.ProcessEnv {
  const file = join(dataDir, CLUSTER_ENVIRONMENT);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new ConfigError('invalid_config', `Cannot read the cluster settings of this node: ${message}`, {
      cause: error,
    });
  }
  return Object.fromEntries([...text.matchAll(/^(WAYPOST_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}
