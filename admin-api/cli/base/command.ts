/** Types that the files of all commands share. */
import type { CliIo, GlobalOptions } from './io.ts';

/**
 * Result of a command: true or undefined for success, false if the command has printed its error,
 * or its exit code.
 */
export type Outcome = boolean | number | undefined;

export interface CommandContext {
  readonly io: CliIo;
  /**
   * Wraps the work of a command, so that its outcome sets the exit code. `work` receives the
   * options of the command, the global options, and the positional arguments.
   */
  action<Options extends object>(
    work: (options: Options & GlobalOptions, args: readonly string[]) => Promise<Outcome>,
  ): (...all: unknown[]) => Promise<void>;
}
