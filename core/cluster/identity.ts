/** The id of a data folder, which distinguishes nodes with the same name. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createPrivateFile, readPrivateFile } from '../base/private-file.ts';

/** Creates the id on the first call. Throws ConfigError. */
export function nodeId(dataDir: string): string {
  const file = join(dataDir, 'node.id');
  const stored = readPrivateFile(file);
  if (stored !== undefined) return stored.trim();
  createPrivateFile(file, randomBytes(16).toString('hex'));
  return nodeId(dataDir);
}
