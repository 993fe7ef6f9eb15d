/** `waypost serve`: runs the daemon. */
import type { Command } from 'commander';
import { resolveConfig } from '../../../core/config/index.ts';
import type { CommandContext } from '../base/command.ts';

export function addServeCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('serve')
    .description('run the daemon until SIGTERM or SIGINT')
    .addHelpText(
      'after',
      `
Examples:
  $ waypost serve
  $ waypost serve --config /etc/waypost/waypost.toml
  $ WAYPOST_DNS_LISTEN='*:53' WAYPOST_DATA_DIR=/var/lib/waypost waypost serve
`,
    )
    .action(
      action(async (options) => {
        await io.serve(() => resolveConfig({ file: options.config, env: io.env }));
        return true;
      }),
    );
}
