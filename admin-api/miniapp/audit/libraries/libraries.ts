/** Recognizes files of known library releases by their hashes. */
import { createHash } from 'node:crypto';
import { RELEASES } from './releases.ts';

let names: ReadonlyMap<string, string> | undefined;

/** Returns `lodash 4.17.21` if the text equals a file of that release. */
export function libraryOf(text: string): string | undefined {
  names ??= new Map(
    RELEASES.flatMap(([name, version, hashes]) => hashes.split(' ').map((hash) => [hash, `${name} ${version}`])),
  );
  return names.get(createHash('sha256').update(text).digest().toString('base64url', 0, 16));
}
