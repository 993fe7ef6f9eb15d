/** Owners and modes of the data folder and of files with secrets. */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { clusterFiles } from '../../../core/cluster/files.ts';
import { secretKeyFile } from '../../../core/config/index.ts';
import { storeFiles } from '../../../core/store/inspect.ts';
import { type AnyCheck, check, failure, NotChecked, note, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';
import { pathExists, quoted, readText } from './machine.ts';

interface FileReading {
  readonly path: string;
  /** Null: the file does not exist. */
  readonly mode: number | null;
  readonly owner: number | null;
  /** User id of the daemon, or of the owner of the data folder; null: unknown. */
  readonly user: number | null;
}

/** Permission bits of the group and of others. */
const FOREIGN = 0o077;

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');

function readFileState(path: string, user: number | null): FileReading {
  try {
    const { mode, uid } = statSync(path);
    return { path, mode, owner: uid, user };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { path, mode: null, owner: null, user };
    throw new NotChecked(`${path} cannot be read (${code})`, 'sudo waypost doctor');
  }
}

/** The effective user of the daemon, or the owner of the data folder if the daemon is stopped. */
function serviceUser(context: Context): number | null {
  const { pid, config } = context;
  const status = pid === null ? null : readText(`/proc/${pid}/status`);
  const match = status === null ? null : /^Uid:\s+\d+\s+(\d+)/m.exec(status);
  if (match !== null) return Number(match[1]);
  return statSync(config.dataDir, { throwIfNoEntry: false })?.uid ?? null;
}

interface FolderReading extends FileReading {
  readonly isFolder: boolean;
  /** Whether this user can write to the folder, or create it. */
  readonly isWritable: boolean;
  readonly isRoot: boolean;
}

export const dataFolder = check<FolderReading>({
  id: 'permissions.data_folder',
  why: 'It holds the database and keys: only the service may read it, and it must be able to write.',
  read(context) {
    const path = resolve(context.config.dataDir);
    const state = readFileState(path, serviceUser(context));
    let folder = path;
    while (statSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder)
      folder = dirname(folder);
    const stats = statSync(folder);
    return { ...state, isFolder: stats.isDirectory(), isWritable: canWrite(folder), isRoot: context.isRoot };
  },
  judge({ path, mode, owner, user, isFolder, isWritable, isRoot }) {
    if (mode === null) {
      if (isWritable) return note(`${path} does not exist yet; the first start creates it`);
      return note(
        `${path} does not exist yet, and this user cannot create it`,
        `sudo install -d -m 700 -o "$USER" ${quoted(path)}`,
      );
    }
    if (!isFolder) return failure(`${path} is not a folder`, `sudo mv ${quoted(path)} ${quoted(`${path}.old`)}`);
    if ((mode & FOREIGN) !== 0)
      return warning(`${path} has mode ${octal(mode)}: other users can enter it`, `sudo chmod 700 ${quoted(path)}`);
    if (owner !== user && user !== null && user !== 0)
      return failure(
        `${path} belongs to user ${owner}, and the daemon runs as user ${user}`,
        `sudo chown -R ${user} ${quoted(path)}`,
      );
    if (!isWritable && !isRoot)
      return note(`${path} has mode ${octal(mode)} and belongs to user ${owner}; this user cannot write there`);
    return ok(`${path} has mode ${octal(mode)} and belongs to user ${owner}`);
  },
});

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

interface UserReading {
  readonly user: number | null;
  readonly isRunning: boolean;
}

export const userCheck = check<UserReading>({
  id: 'permissions.user',
  why: 'A bug in a daemon that runs as root gives away the machine.',
  read: (context) => ({ user: serviceUser(context), isRunning: context.pid !== null }),
  judge({ user, isRunning }) {
    if (!isRunning) return ok('the daemon does not run, so its user is not known');
    if (user === 0)
      return warning('the daemon runs as root', 'sudo systemctl enable --now waypost   # the unit has its own user');
    return ok(`the daemon runs as user ${user}`);
  },
});

/** `isNeeded`: a missing file is an error. */
interface SecretFile extends FileReading {
  readonly isNeeded: boolean;
}

function judgeSecretFile({ path, mode, owner, user, isNeeded }: SecretFile): Verdict {
  if (mode === null) return isNeeded ? failure('missing', `ls -l ${quoted(dirname(path))}`, path) : ok('none', path);
  if ((mode & FOREIGN) !== 0)
    return failure(`mode ${octal(mode)}: other users can read it`, `sudo chmod 600 ${quoted(path)}`, path);
  if (user !== null && user !== 0 && owner !== user && owner !== 0)
    return warning(
      `belongs to user ${owner}, not to the daemon's user ${user}`,
      `sudo chown ${user} ${quoted(path)}`,
      path,
    );
  return ok(`mode ${octal(mode)}`, path);
}

export const secretKey = check<SecretFile>({
  id: 'permissions.secret_key',
  why: 'It decrypts all private keys in the database; without it they are lost.',
  read(context) {
    const { config } = context;
    const hasStore = pathExists(storeFiles(config.dataDir).data);
    return { ...readFileState(secretKeyFile(config), serviceUser(context)), isNeeded: hasStore };
  },
  judge(reading) {
    if (reading.mode !== null || !reading.isNeeded) return judgeSecretFile(reading);
    return failure(
      'missing, although there is a database: its private keys cannot be decrypted',
      `sudo install -m 600 -o ${reading.user ?? 0} BACKUP-OF-secret.key ${quoted(reading.path)}`,
      reading.path,
    );
  },
});

export const keyFiles = check<readonly SecretFile[]>({
  id: 'permissions.key_files',
  why: 'Who can read a private key can impersonate this server.',
  read(context) {
    const { config } = context;
    const { dns, admin, etcd } = config;
    const owner = serviceUser(context);
    const { key, authority } = clusterFiles(config);
    const isCluster = etcd.endpoints.length > 0;
    const named = [dns.tlsKey, admin.hostnameKey, etcd.keyFile, config.peer.keyFile].filter(
      (path) => path !== undefined,
    );
    const files = new Map<string, boolean>([...named.map((path) => [path, true] as const), [authority, false]]);
    if (!files.has(key)) files.set(key, isCluster);
    return [...files]
      .map(([path, isNeeded]) => ({ ...readFileState(path, owner), isNeeded }))
      .filter(({ mode, isNeeded }) => mode !== null || isNeeded);
  },
  judge: (files) => (files.length === 0 ? ok('no key files are configured') : files.map(judgeSecretFile)),
});

interface ConfigurationFile extends FileReading {
  /** Keys of secret settings in the file. */
  readonly secrets: readonly string[];
}

export const configurationFile = check<readonly ConfigurationFile[]>({
  id: 'permissions.configuration',
  why: 'A configuration with passwords or secrets must not be readable for all users.',
  read(context) {
    const { file, settings, config } = context;
    const secrets = settings.filter(({ setting, value }) => setting.secret && value !== undefined);
    const inFile = secrets.filter(({ origin }) => origin === 'file').map(({ key }) => key);
    const inEnvironment = secrets.filter(({ origin }) => origin === 'environment').map(({ key }) => key);
    const environment = join('/etc/waypost', 'environment');
    return [
      ...(file === undefined ? [] : [{ ...readFileState(resolve(file), null), secrets: inFile }]),
      { ...readFileState(environment, null), secrets: inEnvironment },
      { ...readFileState(clusterFiles(config).environment, null), secrets: [] },
    ].filter(({ mode }) => mode !== null);
  },
  judge(files) {
    if (files.length === 0) return ok('there is no configuration file');
    return files.map(({ path, mode, secrets }) => {
      const found = `mode ${octal(mode ?? 0)}`;
      if (secrets.length === 0) return ok(`${found}, without secrets`, path);
      if (((mode ?? 0) & 0o044) === 0) return ok(`${found}, with secrets`, path);
      return failure(`${found}, with ${secrets.join(', ')}`, `sudo chmod 600 ${quoted(path)}`, path);
    });
  },
});

export const PERMISSION_CHECKS: readonly AnyCheck[] = [dataFolder, userCheck, secretKey, keyFiles, configurationFile];
