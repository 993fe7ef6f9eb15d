/** `waypost deliveries`: the pause of deliveries after a restore. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { addGroup, addVerb } from '../base/verb.ts';

export function addDeliveriesCommands(program: Command, context: CommandContext): void {
  const group = addGroup(program, 'deliveries', 'deliveries, which wait after a restore', [
    'waypost deliveries status',
    'waypost deliveries resume',
  ]);
  addVerb(group, context, {
    usage: 'status',
    about: 'show whether deliveries are paused',
    examples: ['waypost deliveries status'],
    async run(call) {
      const body = await call.api.GET('/api/v1/deliveries', {});
      call.show(body, describe(body), ...(body.paused ? ['resume them with "waypost deliveries resume"'] : []));
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'resume',
    about: 'resume deliveries of a restored copy that replaces the original',
    examples: ['waypost deliveries resume'],
    async run(call) {
      const body = await call.api.POST('/api/v1/deliveries/resume', {});
      call.show(body, describe(body));
      return true;
    },
  });
}

function describe({ paused, restored }: ApiResponse<'getDeliveries'>): string {
  const source = restored === null ? 'a restore' : `the restore of ${restored.from} at ${restored.at}`;
  return paused ? `deliveries are paused after ${source}` : 'deliveries are not paused';
}
