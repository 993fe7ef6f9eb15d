/**
 * Everything that a start refuses in the settings of the core, short of binding sockets. The start,
 * a reload and "waypost check-config" run the same checks.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './base/errors.ts';
import { checkKeyFile } from './base/secrets.ts';
import { checkBackupSettings } from './cluster/backup/open-target.ts';
import { etcdSettings, peerTls } from './cluster/files.ts';
import {
  type Config,
  checkListeners,
  formatListen,
  invalidConfig,
  listenersOf,
  secretKeyFile,
} from './config/index.ts';
import { readTlsFiles } from './nameserver/tls-certificate.ts';
import { readHeadersFile } from './observe/traces/headers-file.ts';
import { bindFailure } from './os/sockets.ts';

/** Throws ConfigError, or resolves, and changes nothing. */
export type StartCheck = (config: Config) => unknown;

export const START_CHECKS: readonly StartCheck[] = [
  ({ dataDir }) => checkDataFolder(dataDir),
  // A start creates the data folder, in which the key is by default.
  (config) =>
    (config.secrets.keyFile === undefined && !existsSync(config.dataDir)) || checkKeyFile(secretKeyFile(config)),
  checkListeners,
  ({ dns }) => dns.tlsListen.length === 0 || readTlsFiles({ certificate: dns.tlsCertificate, key: dns.tlsKey }),
  (config) => config.etcd.endpoints.length === 0 || [etcdSettings(config), peerTls(config)],
  ({ backup }) => checkBackupSettings(backup),
  ({ traces: { endpoint, headersFile: file } }) =>
    endpoint === undefined || file === undefined || readHeadersFile(file),
];

/** Binds each address for a moment. */
export const BIND_CHECKS: readonly StartCheck[] = [
  async (config) => {
    for (const { key, protocol, listen } of listenersOf(config)) {
      const why = await bindFailure(listen, protocol);
      if (why === null) continue;
      const address = `${formatListen(listen)} (${protocol.toUpperCase()})`;
      throw new ConfigError('listen', `${key}: cannot listen on ${address}: ${why.message}. Choose another address.`);
    }
  },
];

/** Throws a ConfigError that has the faults of all checks. */
export async function runStartChecks(config: Config, checks: readonly StartCheck[]): Promise<void> {
  const faults: ConfigError[] = [];
  for (const check of checks)
    try {
      await check(config);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error);
    }
  if (faults.length === 1) throw faults[0];
  if (faults.length > 0) throw invalidConfig(faults.map(({ message }) => message));
}

/** A start creates the folder and its missing parents. */
function checkDataFolder(dataDir: string): void {
  const fail = (why: string): never => {
    throw new ConfigError('no_folder', `data_dir: cannot use the folder ${dataDir}: ${why}.`);
  };
  let folder = resolve(dataDir);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) fail(`${folder} is not a folder`);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    fail((error as Error).message);
  }
}
