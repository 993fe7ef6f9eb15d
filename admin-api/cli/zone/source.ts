/** Reads zone files from disk, and inserts the files that they include. */
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { inlineIncludes, type MasterFile, type MasterLine, mayInclude } from '../../../core/dns/wire/master/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CliError } from '../base/errors.ts';
import { isUtf16, textOfBytes } from '../base/text-file.ts';
import type { ZoneFile } from './files.ts';
import type { LineWarning } from './warnings.ts';

export interface ZoneSource {
  /** Null: the file is large and includes no other; read it as a stream. */
  readonly bytes: Uint8Array | null;
  /** In bytes. */
  readonly size: number;
  /** Finds the file and line that a line of `bytes` comes from. */
  locate(line: number): MasterLine;
}

interface OpenOptions {
  /** Files of this size in bytes are not read into memory if they include no other file. */
  readonly streamedFrom?: number;
  /** Gets the included files that cannot be read, which are left out. Omitted: they are errors. */
  readonly unread?: LineWarning[];
}

/** Throws InvalidError, CliError `unreadable`, and errors of the file system. */
export async function openZone(
  zoneFile: ZoneFile,
  { streamedFrom = Number.POSITIVE_INFINITY, unread }: OpenOptions = {},
): Promise<ZoneSource> {
  const { file, zone, findIncluded } = zoneFile;
  const locate = (line: number): MasterLine => ({ file, line });
  if (zoneFile.bytes === undefined) {
    const { size } = await stat(file);
    if (size >= streamedFrom && !(await needsWhole(file))) return { bytes: null, size, locate };
  }
  const stored = zoneFile.bytes ?? (await readFile(file));
  const bytes = isUtf16(stored) ? Buffer.from(textOfBytes(Buffer.from(stored))) : stored;
  if (!mayInclude(bytes)) return { bytes, size: bytes.length, locate };
  const read =
    findIncluded === undefined
      ? readerInFolder(realpathSync(dirname(file)))
      : (path: string, from: MasterLine) => readAnywhere(findIncluded(path, from.file), path, from);
  const inlined = inlineIncludes({ file, bytes }, parseName(zone), (path, from) => {
    try {
      return read(path, from);
    } catch (error) {
      if (!(error instanceof UnreadError) || unread === undefined) throw error;
      unread.push({ ...from, code: 'unreadable_include', message: `${error.fault} What it has is left out.` });
      return { file: path, bytes: new Uint8Array(0) };
    }
  });
  const whole = inlined.bytes;
  return { bytes: whole, size: whole.length, locate: (line) => inlined.locate(line) };
}

/** An included file that cannot be read. */
class UnreadError extends CliError {
  constructor(
    readonly fault: string,
    { file, line }: MasterLine,
  ) {
    super('unreadable', `${file}:${line}: ${fault}`);
  }
}

const refuse = (path: string, from: MasterLine, message: string): UnreadError =>
  new UnreadError(`$INCLUDE ${path}: ${message}.`, from);

/** Only files in the folder of the zone file, so that a foreign zone file cannot publish others. */
function readerInFolder(folder: string): (path: string, from: MasterLine) => MasterFile {
  return (path, from) => {
    if (isAbsolute(path)) throw refuse(path, from, 'the path must be relative to the file that includes it');
    const file = join(dirname(from.file), path);
    const { bytes, real } = readAnywhere(file, path, from);
    if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
      throw refuse(path, from, 'the file is outside of the folder of the zone file');
    return { file, bytes };
  };
}

function readAnywhere(file: string, path: string, from: MasterLine): MasterFile & { readonly real: string } {
  try {
    const real = realpathSync(file);
    return { file, bytes: readFileSync(real), real };
  } catch (error) {
    throw refuse(path, from, error instanceof Error ? error.message : String(error));
  }
}

/** Longer than the directive, so that a directive split between two chunks is found. */
const OVERLAP = 16;

/** Whether a file may include others, or must be converted. */
async function needsWhole(file: string): Promise<boolean> {
  let last: Buffer | undefined;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    if (last === undefined && isUtf16(chunk as Buffer)) return true;
    last ??= Buffer.from('\n');
    const bytes = Buffer.concat([last, chunk as Buffer]);
    if (mayInclude(bytes)) return true;
    last = bytes.subarray(Math.max(0, bytes.length - OVERLAP));
  }
  return false;
}
