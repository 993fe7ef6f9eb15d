/** Loads the configuration from a TOML file and the environment; one error lists every fault. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { ConfigError } from '../base/errors.ts';
import { findNearest } from '../base/nearest.ts';
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
export function resolveConfig({ file, env }: ConfigSource): { config: Config; settings: ResolvedSetting[] } {
  const path = file ?? (env.WAYPOST_CONFIG || undefined);
  const faults: string[] = [];
  const found = path === undefined ? new Map<string, unknown>() : flatten(readTable(path), path, faults);
  checkVariables(env, faults);
  const { value: dataDir } = resolve(byKey.get('data_dir')!, found, env, {}, []);
  const written = typeof dataDir === 'string' ? clusterEnvironment(dataDir) : {};
  const resolved = settings.map((setting) => resolve(setting, found, env, written, faults));
  if (faults.length > 0) {
    const count = faults.length === 1 ? '1 error' : `${faults.length} errors`;
    throw new ConfigError('invalid_config', `The configuration has ${count}:\n  ${faults.join('\n  ')}`);
  }
  return { config: build(resolved), settings: resolved };
}

function readTable(path: string): Record<string, unknown> {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError('invalid_config', `Cannot read the configuration file: ${why}`, { cause: error });
  }
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The first line only, and no cause: smol-toml quotes the surrounding lines, which may contain
    // a password.
    const why = error.message.split('\n')[0];
    throw new ConfigError('invalid_config', `${path}:${error.line}:${error.column}: ${why}`);
  }
}

/** Key to value for every known key of the file; unknown keys become faults. */
function flatten(table: Record<string, unknown>, path: string, faults: string[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (value: unknown, key: string): void => {
    if (byKey.has(key)) found.set(key, value);
    else if (isTable(value) && (sections.has(key) || Object.keys(value).length > 0)) {
      for (const [name, inner] of Object.entries(value)) visit(inner, key === '' ? name : `${key}.${name}`);
    } else if (sections.has(key)) faults.push(`${key} (${path}): found ${show(value)}, expected a table, [${key}]`);
    else if (key !== '') {
      const nearest = findNearest(key, [...byKey.keys()]);
      faults.push(`${clean(key)} (${path}): unknown setting; did you mean ${nearest}?`);
    }
  };
  visit(table, '');
  return found;
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
  found: ReadonlyMap<string, unknown>,
  env: NodeJS.ProcessEnv,
  written: NodeJS.ProcessEnv,
  faults: string[],
): ResolvedSetting {
  const { kind, secret } = setting.setting;
  const fault = (where: string, actual: unknown) =>
    faults.push(`${where}: found ${secret ? 'a value that is not shown' : show(actual)}, expected ${kind.expected}`);
  let value: unknown;
  let origin: ResolvedSetting['origin'] = 'default';
  if (found.has(setting.key)) {
    origin = 'file';
    value = kind.fromToml(found.get(setting.key));
    if (value === undefined) fault(setting.key, found.get(setting.key));
  }
  const text = env[setting.env] || written[setting.env];
  if (text !== undefined && text !== '') {
    origin = 'environment';
    value = kind.fromText(text);
    if (value === undefined) fault(`${setting.key} (${setting.env})`, text);
  }
  return { ...setting, origin, value: origin === 'default' ? setting.setting.standard() : value };
}

function build(resolved: readonly ResolvedSetting[]): Config {
  const config: Record<string, unknown> = {};
  for (const { path, value } of resolved) {
    let at = config;
    for (const part of path.slice(0, -1)) {
      at[camel(part)] ??= {};
      at = at[camel(part)] as Record<string, unknown>;
    }
    at[camel(path[path.length - 1])] = value;
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
