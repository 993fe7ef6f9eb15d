import { InvalidArgumentError } from 'commander';

/** Reads an option's whole number. */
export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (/^\d{1,15}$/.test(text) && n >= from && n <= to) return n;
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  };
}
