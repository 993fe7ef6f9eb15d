/** The inputs that checks share: configuration, daemon, store and cluster. Each is read once. */
import { readFileSync } from 'node:fs';
import { type ClusterStatus, clusterStatus } from '../../../core/cluster/status.ts';
import { type Config, type ResolvedSetting, resolveConfig } from '../../../core/config/index.ts';
import { processState } from '../../../core/os/process-state.ts';
import { type InspectedStore, inspectStore } from '../../../core/store/inspect.ts';
import { holderOf } from '../../../core/store/lock.ts';
import type { PathsOf } from '../../http/client.ts';
import type { ApiResponse, ApiRoute } from '../../routes/routes.ts';
import { readText, runProgram, showUnit } from './machine.ts';
import { NotChecked, NotNeeded } from './not-checked.ts';

const UNIT = 'waypost.service';

/** systemd.unit(5): the first folder wins. */
const FOLDERS = ['/etc/systemd/system', '/run/systemd/system', '/usr/local/lib/systemd/system'];

const SYSTEM_FOLDERS = ['/usr/lib/systemd/system', '/lib/systemd/system'];

const UNIT_PATHS: readonly string[] = [...FOLDERS, ...SYSTEM_FOLDERS].map((folder) => `${folder}/${UNIT}`);

interface DaemonReply {
  /** HTTP status. */
  readonly status: number;
  readonly body: string;
}

export interface ContextOptions {
  readonly file?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** The root of the program, with `systemd/waypost.service`. */
  readonly program: string;
  /** The URL of the API from an option or a variable; undefined: from the configuration. */
  readonly url?: string;
  readonly token?: string;
  /** As CliIo.checkStart. Omitted: files that the settings name are not read. */
  readonly checkStart?: (config: Config, options: { readonly bind: boolean }) => Promise<void>;
}

/** The response of /readyz. */
export type Readiness = Pick<ApiResponse<'getReadiness'>, 'reasons' | 'warnings'> & { readonly ok: boolean };

/** Timeout of a request to the daemon, in milliseconds. */
const REQUEST_MS = 4000;
/** Maximum bytes of a response. */
const MAX_BODY = 16 << 20;

export class Context {
  readonly isRoot = process.getuid?.() === 0;
  readonly uid = process.getuid?.() ?? -1;
  /** The source of the configuration, for people. */
  readonly source: string;
  /** The configuration file, if there is one. */
  readonly file: string | undefined;
  /** Whether this user lacks permission to read a file of the configuration. */
  readonly isUnreadable: boolean = false;
  /** The message of the error, if the configuration has one. */
  readonly fault: string | null = null;
  readonly settings: readonly ResolvedSetting[] = [];
  readonly #config: Config | null = null;
  readonly #memos = new Map<string, Promise<unknown>>();

  constructor(readonly options: ContextOptions) {
    const { env, source, file } = chooseConfiguration(
      options,
      unitEnvironment((path) => readFileSync(path, 'utf8')),
    );
    this.source = source;
    this.file = file;
    try {
      const { config, settings } = resolveConfig({ file, env });
      this.#config = config;
      this.settings = settings;
    } catch (error) {
      this.fault = (error as Error).message;
      this.isUnreadable = !this.isRoot && /\bEACCES\b/.test(this.fault);
      this.#config = this.isUnreadable ? withoutDataFolder(file, env) : null;
    }
  }

  /** The message of the error with which a start would fail; null: none. */
  async startFault(): Promise<string | null> {
    if (this.#config === null || this.fault !== null) return this.fault;
    try {
      await this.options.checkStart?.(this.#config, { bind: false });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Throws NotChecked. */
  get config(): Config {
    if (this.#config !== null) return this.#config;
    if (this.isUnreadable) throw new NotChecked('this user may not read the configuration', 'sudo waypost doctor');
    throw new NotChecked('the configuration has errors');
  }

  /** Id of the process that uses the data folder; null: no such process. */
  get pid(): number | null {
    if (this.#config === null) return null;
    const holder = holderOf(this.#config.dataDir);
    return holder !== null && processState(holder.pid, holder.started) === 'running' ? holder.pid : null;
  }

  get url(): string {
    if (this.options.url !== undefined) return this.options.url;
    const { address, port, family } = this.config.admin.listen;
    const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
    return `http://${family === 6 || host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** The response of the daemon; null: no response. */
  fetch(path: PathsOf<ApiRoute, 'GET'>): Promise<DaemonReply | null> {
    return this.#once(`fetch ${path}`, async () => {
      const { token } = this.options;
      const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
      try {
        const signal = AbortSignal.timeout(REQUEST_MS);
        const response = await fetch(new URL(path, this.url), { headers, signal, redirect: 'error' });
        return { status: response.status, body: (await response.text()).slice(0, MAX_BODY) };
      } catch (error) {
        if (error instanceof NotChecked) throw error;
        return null;
      }
    });
  }

  /** Null: the daemon does not respond. */
  async readiness(): Promise<Readiness | null> {
    const reply = await this.fetch('/readyz');
    if (reply === null) return null;
    try {
      const { ok, reasons, warnings } = JSON.parse(reply.body) as Partial<Readiness>;
      if (typeof ok !== 'boolean') return null;
      return { ok, reasons: (reasons ?? []).map(String), warnings: (warnings ?? []).map(String) };
    } catch {
      return null;
    }
  }

  /** Throws NotChecked. */
  store(): Promise<InspectedStore> {
    return this.#once('store', async () => {
      const { dataDir } = this.config;
      try {
        const store = inspectStore(dataDir);
        if (store !== null) return store;
      } catch (error) {
        throw new NotChecked(`the store cannot be read: ${(error as Error).message}`, rootHint(this));
      }
      throw new NotNeeded(`there is no store in ${dataDir} yet`);
    });
  }

  /** Throws NotNeeded for a single node. */
  requireCluster(): void {
    if (this.config.etcd.endpoints.length > 0) return;
    // The settings of a cluster may be in the data folder.
    if (this.isUnreadable) throw new NotChecked('this user may not read the configuration', 'sudo waypost doctor');
    throw new NotNeeded('this is a single node, without etcd');
  }

  /** Throws NotChecked, and errors of the cluster. */
  cluster(): Promise<ClusterStatus> {
    return this.#once('cluster', () => {
      this.requireCluster();
      return clusterStatus(this.config);
    });
  }

  unit(): Promise<Map<string, string> | null> {
    const properties = ['FragmentPath', 'DropInPaths', 'UnitFileState', 'ActiveState', 'LimitNOFILE', 'MemoryMax'];
    return this.#once('unit', () => showUnit('waypost.service', properties));
  }

  /** Like `runProgram`, but runs a program once for all checks that need it. */
  run(program: string, args: readonly string[]): ReturnType<typeof runProgram> {
    return this.#once(`run ${program} ${args.join(' ')}`, () => runProgram(program, args));
  }

  async close(): Promise<void> {
    const store = (await this.#memos.get('store')?.catch(() => undefined)) as InspectedStore | undefined;
    await store?.close();
  }

  #once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const before = this.#memos.get(key);
    if (before !== undefined) return before as Promise<T>;
    const promise = (async () => read())();
    this.#memos.set(key, promise);
    return promise;
  }
}

/** The command that repeats the check as root; undefined if the user is root. */
export const rootHint = ({ isRoot }: Pick<Context, 'isRoot'>): string | undefined =>
  isRoot ? undefined : 'sudo waypost doctor';

/**
 * The configuration without the settings of `waypost cluster init`, which are in a data folder that
 * this user cannot open. Null: the configuration is unreadable for another reason.
 */
function withoutDataFolder(file: string | undefined, env: NodeJS.ProcessEnv): Config | null {
  const nowhere = '/nonexistent/waypost';
  try {
    const { config, settings } = resolveConfig({ file, env: { ...env, WAYPOST_DATA_DIR: nowhere } });
    const folder = env.WAYPOST_DATA_DIR ?? fileSetting(file);
    return folder === undefined || settings.length === 0 ? null : { ...config, dataDir: folder };
  } catch {
    return null;
  }
}

/** `data_dir` of a configuration file; the key precedes all sections. */
function fileSetting(file: string | undefined): string | undefined {
  const text = file === undefined ? null : readText(file);
  return /^\s*data_dir\s*=\s*["'](.+)["']/m.exec(text ?? '')?.[1];
}

interface Configuration {
  readonly env: NodeJS.ProcessEnv;
  readonly file: string | undefined;
  readonly source: string;
}

/**
 * A shell lacks the environment of the unit. Without settings of its own, the command checks the
 * daemon that systemd starts. Variables equal to those of the unit do not count: the command of the
 * Debian package sets two.
 */
export function chooseConfiguration(
  { file, env }: Pick<ContextOptions, 'file' | 'env'>,
  unit: UnitEnvironment | null,
): Configuration {
  const ownSettings = Object.keys(env).filter(
    (name) => name.startsWith('WAYPOST_') && !/_(URL|TOKEN|SEED)$/.test(name),
  );
  if (file === undefined && unit !== null && ownSettings.every((name) => env[name] === unit.variables[name]))
    return { env: { ...env, ...unit.variables }, file: unit.variables.WAYPOST_CONFIG, source: unit.path };
  const path = file ?? (env.WAYPOST_CONFIG || undefined);
  return { env, file: path, source: path ?? 'the environment and the defaults' };
}

interface UnitEnvironment {
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Reads the environment variables of the systemd unit.
 *
 * `readFile` throws for an unreadable file. Null: the unit is not installed.
 */
export function unitEnvironment(readFile: (path: string) => string): UnitEnvironment | null {
  const attempt = (path: string): string | null => {
    try {
      return readFile(path);
    } catch {
      return null;
    }
  };
  for (const path of UNIT_PATHS) {
    const text = attempt(path);
    if (text === null) continue;
    const dropIn = attempt(`/etc/systemd/system/${UNIT}.d/override.conf`) ?? '';
    return { path, variables: { ...readUnit(`${text}\n${dropIn}`, attempt) } };
  }
  return null;
}

/** Environment= and EnvironmentFile= (systemd.exec(5)): variables of files take precedence. */
function readUnit(text: string, attempt: (path: string) => string | null): Record<string, string> {
  const variables: Record<string, string> = {};
  const files: string[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(Environment|EnvironmentFile)=(.*)$/.exec(line);
    if (match === null) continue;
    if (match[1] === 'EnvironmentFile') files.push(match[2].trim().replace(/^-/, ''));
    else
      for (const word of match[2].match(/"[^"]*"|\S+/g) ?? [])
        assign(variables, expand(word.replace(/^"(.*)"$/, '$1')));
  }
  for (const file of files)
    for (const line of (attempt(file) ?? '').split('\n')) if (!/^\s*[#;]/.test(line)) assign(variables, line.trim());
  return variables;
}

/** Specifiers, such as %d in %d/secret.key, can only be expanded by systemd. */
const expand = (word: string): string => (/%(?!%)/.test(word.replaceAll('%%', '')) ? '' : word.replaceAll('%%', '%'));

function assign(variables: Record<string, string>, text: string): void {
  const match = /^(WAYPOST_\w+)=(.*)$/.exec(text);
  if (match === null) return;
  variables[match[1]] = match[2].replace(/^(["'])(.*)\1$/, '$2');
}
