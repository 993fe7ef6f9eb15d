/** Known releases of libraries, by their files. */
import { createHash } from 'node:crypto';
import { RELEASES } from './releases.ts';

let names: ReadonlyMap<string, string> | undefined;

/** `lodash 4.17.21`, if the text is that of one of its files, byte for byte. */
export function libraryOf(text: string): string | undefined {
  names ??= new Map(
    RELEASES.flatMap(([name, version, hashes]) => hashes.split(' ').map((hash) => [hash, `${name} ${version}`])),
  );
  return names.get(createHash('sha256').update(text).digest().toString('base64url', 0, 16));
}
