/** What the command line touches of the world. main.ts passes the process's own; tests pass streams and functions of theirs. */
import type { Readable, Writable } from 'node:stream';
import type { Config } from '../../core/config/index.ts';

/** A terminal has `isTTY`, and `setRawMode` turns its echo off. */
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
/** `columns` is the width of a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface CliIo {
  readonly stdin: Input;
  /** Results only, so that they can be piped. */
  readonly stdout: Output;
  /** Progress, prompts, hints and errors. */
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** Runs the daemon; resolves when it has been stopped in order. */
  serve(config: Config): Promise<void>;
  /** Compiles the answers of all zones anew from the rows of the data folder, which no daemon has open. */
  rebuildAnswers(config: Config): Promise<{ readonly zones: number; readonly answers: number }>;
  /** Waits; replaced by tests. */
  sleep?(milliseconds: number): Promise<void>;
}

/** Options that every command takes. */
export interface GlobalOptions {
  readonly url?: string;
  readonly token?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** As JSON in which no control of a terminal and nothing that turns a line is left: JSON.stringify escapes those below U+0020 alone. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    char.replace(/./gs, escaped),
  );

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

export function print(output: Output, line: string): void {
  output.write(`${line}\n`);
}
