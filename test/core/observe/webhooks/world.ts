/** A deliverer on the store of a daemon, with a receiver that a test scripts. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createLogger } from '../../../../core/base/log/index.ts';
import { openSecrets } from '../../../../core/base/secrets.ts';
import type { Attempt, Message } from '../../../../core/net/delivery/sender.ts';
import { Deliverer } from '../../../../core/observe/webhooks/deliverer.ts';
import type { Daemon, Json } from '../../../admin-api/daemon.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';

export const OK: Attempt = { status: 200, error: null, milliseconds: 1 };
export const BROKEN: Attempt = { status: 500, error: 'status 500', milliseconds: 1 };

export interface Received extends Message {
  readonly id: string;
  readonly type: string;
  readonly data: Json;
}

/** `answer`: to each message, in order. */
export function startDeliverer(
  { environment, journal, folder }: Pick<Daemon, 'environment' | 'journal'> & { readonly folder: string },
  answer: (message: Received) => Attempt | Promise<Attempt>,
  options: { readonly now: () => number; readonly nodeName?: string },
) {
  const received: Received[] = [];
  const deliverer = new Deliverer({
    ...{ environment, journal, secrets: openSecrets(`${folder}/secret.key`), nodeName: 'n1', tasks: singleNodeTasks() },
    sender: {
      async send(message) {
        const { type, data } = JSON.parse(String(message.body));
        const arrived = { ...message, id: message.headers['webhook-id'], type, data };
        received.push(arrived);
        return answer(arrived);
      },
      release() {},
      close() {},
    },
    ...{ retries: { first: 5, total: 259_200 }, keep: 604_800, userAgent: 'test', random: () => 0.5 },
    log: createLogger({ level: 'error', format: 'text', write() {} }),
    ...options,
  });
  return {
    deliverer,
    received,
    /** Runs rounds until attempts that are due have ended. */
    async settle(rounds = 4): Promise<void> {
      for (let i = 0; i < rounds; i++) {
        await deliverer.turn();
        await yieldToOthers();
      }
    },
  };
}
