/** Parses numbers in options. */
import { InvalidArgumentError } from 'commander';

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
