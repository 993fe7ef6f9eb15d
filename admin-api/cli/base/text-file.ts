/** Reads text that a command line names: a file, or standard input. */
import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { CliError } from './errors.ts';
import type { Input } from './io.ts';

/** With `stdin`, the name "-" is standard input. Throws CliError `unreadable`. */
export function readText(file: string, stdin?: Input): Promise<string> {
  const reading = file === '-' && stdin !== undefined ? readStream(stdin) : readFile(file, 'utf8');
  return reading.catch((error: unknown) => {
    throw new CliError('unreadable', `${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
}

/** Bytes at the start of a file that show its kind. */
const HEAD = 256 * 1024;

/** The start of a file, in Latin-1 or UTF-16. Throws errors of the file system. */
export function headOf(path: string): string {
  const buffer = Buffer.alloc(HEAD);
  const descriptor = openSync(path, 'r');
  try {
    const bytes = buffer.subarray(0, readSync(descriptor, buffer, 0, HEAD, 0));
    return isUtf16(bytes) ? textOfBytes(bytes) : bytes.toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the bytes are UTF-16, which programs of Windows write. */
export const isUtf16 = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xfe;

/** Text in UTF-8 or UTF-16. */
export const textOfBytes = (bytes: Buffer): string =>
  isUtf16(bytes) ? bytes.toString('utf16le', 2, bytes.length & ~1) : bytes.toString('utf8');
