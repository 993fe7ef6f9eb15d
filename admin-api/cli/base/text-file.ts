/** Reads text that a command line names: a file, or standard input. */
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
