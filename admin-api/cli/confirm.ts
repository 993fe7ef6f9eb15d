/** A question whose answer is yes or no, and a line of standard input. */
import { escapeControls } from '../../core/base/log/index.ts';
import { CliError } from './errors.ts';
import type { CliIo } from './io.ts';

/** Resolves when the answer is yes. Throws CliError `cancelled`, or `not_confirmed` where there is no terminal to ask on. */
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

/** The first line of standard input, or what there is of it after `longest` characters. */
export async function firstLine({ stdin }: CliIo, longest: number): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > longest) break;
  }
  return text.split(/\r?\n/, 1)[0];
}
