/** What tells a node from another with its name: a text that its data folder keeps. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createPrivateFile, readPrivateFile } from '../base/private-file.ts';

/** Makes it at the first time. Throws ConfigError. */
export function nodeId(dataDir: string): string {
  const file = join(dataDir, 'node.id');
  const stored = readPrivateFile(file);
  if (stored !== undefined) return stored.trim();
  createPrivateFile(file, randomBytes(16).toString('hex'));
  return nodeId(dataDir);
}
