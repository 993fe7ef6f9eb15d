/**
 * Finds deliveries to delete: expired ones, the oldest above the limit, and those of deleted
 * webhooks.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import { type DeliveryRow, deliveries } from '../../store/rows.ts';

/** Maximum number of finished deliveries of a webhook. */
const MAX_FINISHED = 1000;
/** Rows that are read between two turns of the event loop. */
const PIECE = 500;

type DeliveryId = Pick<DeliveryRow, 'webhookId' | 'id'>;

/** `oldest`: seconds since 1970. */
export async function findExpired(
  { rows }: Pick<Environment, 'rows'>,
  hasWebhook: (id: Id) => boolean,
  oldest: number,
): Promise<DeliveryId[]> {
  const table = rows.get(deliveries.number)!;
  const expired: DeliveryId[] = [];
  let finished: DeliveryId[] = [];
  let current: Id = 0;
  let exists = false;
  for (let start: Buffer | undefined = Buffer.alloc(0); start !== undefined; await yieldToOthers()) {
    let last: Buffer | undefined;
    for (const { key, value } of table.getRange({ start, limit: PIECE })) {
      const { webhookId, id, state, queuedAt } = deliveries.decode(key, value);
      if (webhookId !== current) {
        finished = [];
        current = webhookId;
        exists = hasWebhook(webhookId);
      }
      if (!exists || queuedAt < oldest) expired.push({ webhookId, id });
      else if (state !== 'pending') finished.push({ webhookId, id });
      // Rows are in the order of ids: the oldest are first.
      if (finished.length > MAX_FINISHED) expired.push(...finished.splice(0, 1));
      last = key as Buffer;
    }
    start = last && Buffer.concat([last, Uint8Array.of(0)]);
  }
  return expired;
}
