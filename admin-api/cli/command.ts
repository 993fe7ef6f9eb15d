/** What every command's file needs: its outcome and the context that it gets. */
import type { CliIo, GlobalOptions } from './io.ts';

/** What a command's work ends with: true or nothing for success, false when it has said itself what failed. */
export type Outcome = boolean | undefined;

/** What a group needs to add its commands: wraps the work of a command so that its outcome reaches the exit code. */
export interface CommandContext {
  readonly io: CliIo;
  /** `work` gets the command's positional arguments, and its own and the global options. */
  action<Options extends object>(
    work: (options: Options & GlobalOptions, args: readonly string[]) => Promise<Outcome>,
  ): (...all: unknown[]) => Promise<void>;
}
