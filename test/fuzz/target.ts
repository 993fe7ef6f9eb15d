/** A parser that faces the network or files of others, as the fuzzer calls it. */

export interface Target {
  /** Also of the archive of its inputs in test/corpus. */
  readonly name: string;
  /** Valid inputs, to begin with. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Texts that mutations insert. */
  readonly words?: readonly string[];
  /** Longer inputs are not tried; DEFAULT_BYTES if omitted. */
  readonly maxBytes?: number;
  /** Throws, or rejects, only because of a fault of the parser. */
  run(input: Buffer): void | Promise<void>;
}

export const DEFAULT_BYTES = 4096;

type ErrorClass = abstract new (...parameters: never[]) => Error;

/** Runs a parser that may throw these errors, and no others. */
export function tolerate(work: () => unknown, ...documented: readonly ErrorClass[]): void {
  try {
    work();
  } catch (error) {
    if (!documented.some((kind) => error instanceof kind)) throw error;
  }
}

export const bytesOf = (seed: string | Uint8Array): Buffer =>
  typeof seed === 'string' ? Buffer.from(seed, 'latin1') : Buffer.from(seed);
