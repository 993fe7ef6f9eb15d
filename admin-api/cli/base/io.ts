/**
 * Streams and functions that the command line uses. main.ts passes those of the process; tests
 * replace them.
 */
import type { Readable, Writable } from 'node:stream';
import type { BuildInfo } from '../../../core/base/build-info.ts';
import type { Config, ResolvedConfig } from '../../../core/config/index.ts';

/** A terminal has `isTTY`. `setRawMode` turns its echo off. */
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
/** `columns` is the width of a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface CliIo {
  readonly stdin: Input;
  /** Only results, so that they can be piped. */
  readonly stdout: Output;
  /** Progress, prompts, hints and errors. */
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly build: BuildInfo;
  /**
   * Runs the daemon; resolves when it has shut down. `read`: reads the configuration, at the start
   * and at each reload.
   */
  serve(read: () => ResolvedConfig): Promise<void>;
  /**
   * Throws ConfigError with everything that a start refuses in the configuration. `bind`: also
   * binds each address for a moment.
   */
  checkStart(config: Config, options: { readonly bind: boolean }): Promise<void>;
  /** Recompiles the answers of all zones from the rows in the data folder; no daemon may use it. */
  rebuildAnswers(config: Config): Promise<{ readonly zones: number; readonly answers: number }>;
  /** Waits; replaced by tests. */
  sleep?(milliseconds: number): Promise<void>;
}

/** Options of every command. */
export interface GlobalOptions {
  readonly url?: string;
  readonly token?: string;
  readonly config?: string;
  readonly json?: boolean;
  /** Username or id of another account, for commands about objects of an account. */
  readonly account?: string;
}

/**
 * JSON without terminal controls and characters that change the text direction. JSON.stringify
 * only escapes characters below U+0020.
 */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    char.replace(/./gs, escaped),
  );

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

export function print(output: Output, line: string): void {
  output.write(`${line}\n`);
}
