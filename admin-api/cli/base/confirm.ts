/** Asks for confirmation, and reads a line from standard input. */
import { escapeControls } from '../../../core/base/log/index.ts';
import { CliError } from './errors.ts';
import type { CliIo } from './io.ts';

/**
 * Resolves if the user confirms. Throws CliError `cancelled`, or `not_confirmed` without a
 * terminal.
 */
export async function confirm(io: CliIo, question: string): Promise<void> {
  if (!io.stdin.isTTY) {
    throw new CliError('not_confirmed', `Not confirmed: ${question}`, {
      next: 'Pass --yes: there is no terminal for the question.',
    });
  }
  io.stderr.write(`${escapeControls(question)} [y/N] `);
  const answer = await firstLine(io, 100);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CliError('cancelled', 'Cancelled; nothing was changed.');
}

/** Reads the first line of standard input. Stops reading after more than `maxLength` characters. */
export async function firstLine({ stdin }: CliIo, maxLength: number): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > maxLength) break;
  }
  return text.split(/\r?\n/, 1)[0];
}
