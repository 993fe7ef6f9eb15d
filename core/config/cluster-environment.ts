/**
 * Settings that "waypost cluster init" and "join" wrote into the data folder. They prevent a
 * start of a cluster node's data as a single node.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';

/** Path in the data folder. Lines of `WAYPOST_*=value`, in the format of systemd. */
export const CLUSTER_ENVIRONMENT = 'cluster/environment';

/** Empty without the file. Throws ConfigError `invalid_config` if the file is unreadable. */
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
