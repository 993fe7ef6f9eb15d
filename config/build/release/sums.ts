/** The SHA-256 sums of the artefacts, and the signature over them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from './run.ts';

export const SUMS = 'SHA256SUMS';
/** What the signature is for, so that it is valid for nothing else that the key signs. */
const NAMESPACE = 'waypost-release';

/**
 * Writes the sums of all files in `folder`, as `sha256sum --check` reads them, and
 * `SHA256SUMS.sig` for `ssh-keygen -Y verify`. `key`: file of an SSH key without a passphrase, or
 * the public half of one that ssh-agent has; undefined: no signature. Returns the sums. Throws an
 * Error if the key does not sign.
 */
export function writeSums(folder: string, key?: string): string {
  const sumOf = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  const sums = readdirSync(folder)
    .sort()
    .map((file) => `${sumOf(file)}  ${file}\n`)
    .join('');
  writeFileSync(join(folder, SUMS), sums);
  if (key !== undefined) run('ssh-keygen', ['-Y', 'sign', '-q', '-f', resolve(key), '-n', NAMESPACE, SUMS], folder);
  return sums;
}
