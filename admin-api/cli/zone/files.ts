/** Finds the zone files of a path: one file, or all files NAME.zone in a folder. */
import { opendir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { zoneName } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';

const SUFFIX = '.zone';

export interface ZoneFile {
  readonly file: string;
  /** Name of the zone as in the API. */
  readonly zone: string;
  /** The content if it is in memory; undefined: that of the file. */
  readonly bytes?: Uint8Array;
  /**
   * Finds the file of an $INCLUDE in the file `from`. Undefined: the path is relative to that file,
   * and must be in the folder of the zone file.
   */
  readonly findIncluded?: (path: string, from: string) => string;
}

export interface ZoneFiles {
  readonly count: number;
  /** Size in bytes if the path is a file. */
  readonly bytes?: number;
  /** In the order of the folder. Can be iterated once; the list is never completely in memory. */
  readonly files: AsyncIterable<ZoneFile>;
}

/**
 * `zone`: name of the zone of a single file that is not named NAME.zone. Subfolders and other files
 * are ignored. Throws CliError `no_zone_files`, `zone_name_needed`, `usage` or `unreadable`.
 */
export async function zoneFiles(path: string, zone?: string): Promise<ZoneFiles> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CliError('unreadable', `${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  if (!found.isDirectory()) return { count: 1, bytes: found.size, files: singleFile(path, zone) };
  if (zone !== undefined) throw new CliError('usage', `--zone is for a single file, but ${path} is a folder.`);
  let count = 0;
  for await (const _ of filesOfFolder(path)) count++;
  if (count === 0) {
    throw new CliError('no_zone_files', `${path} has no files with names that end in ${SUFFIX}.`, {
      next: `Name each file after its zone, such as example.net${SUFFIX}.`,
    });
  }
  return { count, files: filesOfFolder(path) };
}

async function* singleFile(file: string, zone: string | undefined): AsyncGenerator<ZoneFile> {
  const name = basename(file);
  if (zone === undefined && !isZoneFile(name)) {
    throw new CliError('zone_name_needed', `The name of the zone cannot be derived from the file name ${file}.`, {
      next: `Pass --zone NAME, or name the file NAME${SUFFIX}.`,
    });
  }
  yield { file, zone: zoneName(zone ?? name.slice(0, -SUFFIX.length)) };
}

async function* filesOfFolder(path: string): AsyncGenerator<ZoneFile> {
  for await (const entry of await opendir(path, { bufferSize: 512 })) {
    if (!isZoneFile(entry.name) || entry.isDirectory()) continue;
    yield { file: join(path, entry.name), zone: zoneName(entry.name.slice(0, -SUFFIX.length)) };
  }
}

function isZoneFile(name: string): boolean {
  return name.endsWith(SUFFIX) && name.length > SUFFIX.length && !name.startsWith('.');
}
