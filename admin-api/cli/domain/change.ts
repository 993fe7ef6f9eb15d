/** `waypost change`: shows which nodes have applied a change. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { parseSequence, wholeNumber } from '../base/numbers.ts';
import { shown } from '../base/table.ts';
import { addVerb, type Call, option } from '../base/verb.ts';

const POLL_MS = 500;

interface ChangeOptions {
  readonly wait?: boolean;
  readonly timeout: number;
}

export function addChangeCommand(program: Command, context: CommandContext): void {
  addVerb(program, context, {
    usage: 'change <seq>',
    about: 'show which nodes serve a change',
    more: 'Every write prints the number of its change: "(change 1234)", or the field "change" with --json.',
    options: [
      option('--wait', 'wait until all nodes serve it'),
      option('--timeout <seconds>', 'the maximum time to wait').argParser(wholeNumber(1, 86_400)).default(60),
    ],
    examples: [
      'waypost change 1234',
      'waypost change 1234 --wait --timeout 10',
      'waypost change "$(waypost domain add example.com --json | jq .change)" --wait',
    ],
    async run(call: Call<ChangeOptions>, [text]) {
      const { io, api, options } = call;
      const path = { seq: parseSequence(text) };
      for (let waited = 0; ; waited += POLL_MS) {
        const body = await api.GET('/api/v1/changes/{seq}', { params: { path } });
        const { applied, pending } = body;
        if (options.wait && pending.length > 0) {
          if (waited >= options.timeout * 1000) {
            throw new CliError(
              'pending',
              `After ${options.timeout} s change ${text} is still pending on ${shown(pending)}.`,
              {
                next: 'Check those nodes with "waypost status --url URL".',
              },
            );
          }
          await (io.sleep ?? wait)(POLL_MS);
          continue;
        }
        call.show(body, `change ${text}`, `  applied  ${shown(applied)}`, `  pending  ${shown(pending)}`);
        return true;
      }
    },
  });
}
