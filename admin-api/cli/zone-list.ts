import { once } from 'node:events';
import type { Command } from 'commander';
import { escapeControls } from '../../core/log/index.ts';
import { withClient } from './client.ts';
import { domains } from './domains.ts';
import { print } from './io.ts';
import type { CommandContext } from './run.ts';

export function addZoneList(zone: Command, { io, action }: CommandContext): void {
  zone
    .command('list')
    .description('list the zones of the account, with the number of records of each')
    .option('--filter <text>', 'only zones whose name contains this')
    .addHelpText(
      'after',
      '\nExamples:\n  $ waypost zone list\n  $ waypost zone list --filter example\n  $ waypost zone list --json | jq -r .domain\n',
    )
    .action(
      action<{ filter?: string }>((options) =>
        withClient(io, options, async (client) => {
          for await (const { domain, row } of domains(client, options.filter)) {
            if (!io.stdout.writable) return true;
            if (options.json) print(io.stdout, JSON.stringify(row));
            else print(io.stdout, escapeControls(`${domain.padEnd(40)} ${String(row.record_count ?? '')}`.trimEnd()));
            // A pipe that is closed while we wait ends the loop above.
            if (io.stdout.writableNeedDrain) await once(io.stdout, 'drain').catch(() => {});
          }
          return true;
        }),
      ),
    );
}
