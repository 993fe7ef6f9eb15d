/** Parses numbers in options and arguments. */
import { InvalidArgumentError } from 'commander';
import { CliError } from './errors.ts';

/** Parses an id. */
export const parseId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** Creates a parser of whole numbers from `from` to `to`. */
export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (/^\d{1,16}$/.test(text) && n >= from && n <= to) return n;
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  };
}

/** Parses the number of a change. Throws CliError `usage`. */
export function parseSequence(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CliError('usage', `"${text}" is not the number of a change.`, {
    next: 'Writes print it: "(change 1234)", or the field "change" with --json.',
  });
}
