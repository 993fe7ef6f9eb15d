import type { Command } from 'commander';
import { escapeControls } from '../../core/log/index.ts';
import { withClient } from './client.ts';
import { print } from './io.ts';
import type { CommandContext } from './run.ts';

export function addStatusCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('status')
    .description('ask the daemon whether it is ready; ends with 1 when it is not')
    .addHelpText('after', '\nExamples:\n  $ waypost status\n  $ waypost status --url http://192.0.2.1:8300 --json\n')
    .action(
      action((options) =>
        withClient(io, options, async (client) => {
          const { status, body } = await client.answer({
            method: 'GET',
            path: '/readyz',
            authorized: false,
            anyStatus: true,
          });
          const ready = status === 200;
          if (options.json) print(io.stdout, JSON.stringify(body));
          else {
            print(io.stdout, `${client.url}: ${ready ? 'ready' : `not ready (status ${status})`}`);
            for (const [key, value] of Object.entries(body)) {
              if (key !== 'ok') print(io.stdout, `  ${escapeControls(`${key}: ${shown(value)}`)}`);
            }
          }
          return ready;
        }),
      ),
    );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
