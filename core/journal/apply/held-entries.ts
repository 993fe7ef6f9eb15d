/**
 * Entries that webhooks have not read yet stay in the journal beyond its history, so that no event
 * is lost. The node that delivers reads within milliseconds; entries are held only while none does.
 */
import type { Environment } from '../../store/environment.ts';
import { WEBHOOK_QUEUE_KEY, webhookQueues, webhooks } from '../../store/rows.ts';

/** Entries that are held at most. */
const MAX_HELD = 100_000;

/** The last entry that may be deleted. `wanted`: the last one that is to be deleted. */
export function heldAfter({ rows }: Pick<Environment, 'rows'>, wanted: number): number {
  if (wanted <= 0) return wanted;
  const value = rows.get(webhookQueues.number)!.get(WEBHOOK_QUEUE_KEY);
  if (value === undefined) return wanted;
  const { position } = webhookQueues.decode(WEBHOOK_QUEUE_KEY, value);
  if (position >= wanted) return wanted;
  let since = Number.POSITIVE_INFINITY;
  for (const { key, value: row } of rows.get(webhooks.number)!.getRange({})) {
    const webhook = webhooks.decode(key, row);
    if (webhook.enabled) since = Math.min(since, webhook.since);
  }
  return Math.max(Math.min(wanted, Math.max(position, since)), wanted - MAX_HELD);
}
