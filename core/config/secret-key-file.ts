import { join } from 'node:path';
import type { Config } from './schema.ts';

/** Path of the file with the key that encrypts stored secrets. */
export const secretKeyFile = ({ secrets, dataDir }: Pick<Config, 'secrets' | 'dataDir'>): string =>
  secrets.keyFile ?? join(dataDir, 'secret.key');
