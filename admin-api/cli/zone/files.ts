/** Finds the zone files of a path: one file, or all files NAME.zone in a folder. */
import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { zoneOfMaster } from '../../zones/migration/index.ts';
import { zoneName } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { headOf } from '../base/text-file.ts';

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
  for await (const entry of await opendir(path, { bufferSize: 512 })) if (isZone(entry)) count++;
  if (count === 0) {
    throw new CliError('no_zone_files', `${path} has no files with names that end in ${SUFFIX}.`, {
      next: `Name each file after its zone, such as example.net${SUFFIX}.`,
    });
  }
  return { count, files: filesOfFolder(path) };
}

async function* singleFile(file: string, zone: string | undefined): AsyncGenerator<ZoneFile> {
  const name = zone ?? nameOf(file);
  if (name === undefined) {
    throw new CliError('zone_name_needed', `The name of the zone cannot be derived from the file name ${file}.`, {
      next: `Pass --zone NAME, or name the file NAME${SUFFIX}.`,
    });
  }
  yield { file, zone: zoneName(name) };
}

/** The zone of a file: by its content, if that has an absolute name, or by the name of the file. */
function nameOf(file: string): string | undefined {
  try {
    return zoneOfMaster(file, headOf(file));
  } catch (error) {
    // An unreadable file is an error of its own zone.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return isZoneFile(basename(file)) ? basename(file).slice(0, -SUFFIX.length) : undefined;
  }
}

async function* filesOfFolder(path: string): AsyncGenerator<ZoneFile> {
  for await (const entry of await opendir(path, { bufferSize: 512 })) {
    if (!isZone(entry)) continue;
    const file = join(path, entry.name);
    yield { file, zone: zoneName(nameOf(file)!) };
  }
}

const isZone = (entry: Dirent): boolean => isZoneFile(entry.name) && !entry.isDirectory();

function isZoneFile(name: string): boolean {
  return name.endsWith(SUFFIX) && name.length > SUFFIX.length && !name.startsWith('.');
}
