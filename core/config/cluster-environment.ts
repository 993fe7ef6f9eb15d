/** Settings that "waypost cluster init" and "join" have written into a node's data folder, so that the data of a node of several is never started as that of one alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';

/** In the data folder: lines of `WAYPOST_*=value`, as systemd reads them. */
export const CLUSTER_ENVIRONMENT = 'cluster/environment';

/** None when there is no such file. Throws ConfigError `invalid_config` when it can't be read. */
export function clusterEnvironment(dataDir: string): NodeJS.ProcessEnv {
  const file = join(dataDir, CLUSTER_ENVIRONMENT);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new ConfigError('invalid_config', `The settings of this node of a cluster can't be read: ${message}`, {
      cause: error,
    });
  }
  return Object.fromEntries([...text.matchAll(/^(WAYPOST_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}
