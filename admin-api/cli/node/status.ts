/** `waypost status`: shows whether the daemon is ready. */
import type { Command } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import type { CommandContext } from '../base/command.ts';
import { print } from '../base/io.ts';
import { addVerb } from '../base/verb.ts';

export function addStatusCommand(program: Command, context: CommandContext): void {
  addVerb(program, context, {
    usage: 'status',
    about: 'show whether the daemon is ready',
    more: 'The exit code is 1 if it is not.',
    examples: ['waypost status', 'waypost status --url http://192.0.2.1:8300 --json'],
    async run({ api, io, options }) {
      const { status, body } = await api.GET('/readyz', { parseAs: 'reply', authorized: false });
      const ready = status === 200;
      if (options.json) {
        print(io.stdout, JSON.stringify(body));
        return ready;
      }
      print(io.stdout, `${api.url}: ${ready ? 'ready' : `not ready (status ${status})`}`);
      for (const [key, value] of Object.entries(body)) {
        if (key !== 'ok') print(io.stdout, `  ${escapeControls(`${key}: ${shown(value)}`)}`);
      }
      return ready;
    },
  });
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value)
      .map(([key, inner]) => `${key} ${shown(inner)}`)
      .join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
