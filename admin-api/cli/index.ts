/** The command line, as main.ts imports it. */
export type { CliIo, Input, Output } from './base/io.ts';
export { runCli } from './run.ts';
