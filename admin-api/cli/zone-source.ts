/** Reads zone files from disk, and inserts the files that they include. */
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { inlineIncludes, type MasterFile, type MasterLine, mayInclude } from '../../core/wire/master/index.ts';
import { parseName } from '../../core/wire/name.ts';
import { CliError } from './errors.ts';
import type { ZoneFile } from './zone-files.ts';

export interface ZoneSource {
  /** Null: the file is large and includes no other; read it as a stream. */
  readonly bytes: Uint8Array | null;
  /** In bytes. */
  readonly size: number;
  /** Finds the file and line that a line of `bytes` comes from. */
  locate(line: number): MasterLine;
}

/**
 * Files of `streamedFrom` bytes or more are not read into memory if they include no other file.
 * Throws InvalidError, CliError `unreadable`, and errors of the file system.
 */
export async function openZone({ file, zone }: ZoneFile, streamedFrom = Number.POSITIVE_INFINITY): Promise<ZoneSource> {
  const { size } = await stat(file);
  const locate = (line: number): MasterLine => ({ file, line });
  if (size >= streamedFrom && !(await streamMayInclude(file))) return { bytes: null, size, locate };
  const bytes = await readFile(file);
  if (!mayInclude(bytes)) return { bytes, size: bytes.length, locate };
  const folder = realpathSync(dirname(file));
  const inlined = inlineIncludes({ file, bytes }, parseName(zone), (path, from) => readIncluded(folder, path, from));
  const whole = inlined.bytes;
  return { bytes: whole, size: whole.length, locate: (line) => inlined.locate(line) };
}

/** Only files in the folder of the zone file, so that a foreign zone file cannot publish others. */
function readIncluded(folder: string, path: string, from: MasterLine): MasterFile {
  const refuse = (message: string): never => {
    throw new CliError('unreadable', `${from.file}:${from.line}: $INCLUDE ${path}: ${message}.`);
  };
  if (isAbsolute(path)) refuse('the path must be relative to the file that includes it');
  const file = join(dirname(from.file), path);
  try {
    const real = realpathSync(file);
    if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
      refuse('the file is outside of the folder of the zone file');
    return { file, bytes: readFileSync(real) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Longer than the directive, so that one that is split between two chunks is found. */
const OVERLAP = 16;

async function streamMayInclude(file: string): Promise<boolean> {
  let last = Buffer.from('\n');
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    const bytes = Buffer.concat([last, chunk as Buffer]);
    if (mayInclude(bytes)) return true;
    last = bytes.subarray(Math.max(0, bytes.length - OVERLAP));
  }
  return false;
}
