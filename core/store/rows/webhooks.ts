/**
 * Webhooks: URLs that receive signed events, the deliveries to them, and how far the queue is. A
 * write stores nothing here. The node that delivers reads the entries of the journal afterwards.
 */
import { type Id, idKey, LOOKUP, lookupKey, writeId } from '../keys.ts';
import { jsonTable, unjson } from './table.ts';

export interface WebhookRow {
  readonly id: Id;
  readonly accountId: Id;
  readonly url: string;
  readonly description: string;
  /** Types of events, `kind.*` or `*`. */
  readonly events: readonly string[];
  /** Ids of the domains whose events are delivered; null: all of the account. */
  readonly domains: readonly Id[] | null;
  readonly enabled: boolean;
  /** The secret, sealed (core/base/secrets.ts) for `webhookContext(id)`; base64. */
  readonly sealed: string;
  /** The secret before the last rotation, which also signs until a time; empty: there is none. */
  readonly sealedBefore: string;
  readonly signsBeforeUntil: number;
  /** Entries up to this sequence are not delivered. */
  readonly since: number;
  /** The first failed attempt since the last successful one; null: the last one was successful. */
  readonly failingSince: number | null;
  /** Why the service has disabled it; null: it has not. */
  readonly disabledReason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const WEBHOOK_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof WEBHOOK_STATES)[number];

/** One event for one webhook. Times are seconds since 1970. */
export interface DeliveryRow {
  /** Rises in the order of the events, over all webhooks. */
  readonly id: Id;
  readonly webhookId: Id;
  readonly event: string;
  /** Sequence of the entry that it is about; null: a test, or an event of the clock. */
  readonly sequence: number | null;
  /** JSON, as it is sent. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  /** Since when attempts are counted: the creation, or the last replay. */
  readonly queuedAt: number;
  readonly attempts: number;
  /** Null: no further attempt follows. */
  readonly nextAt: number | null;
  readonly attemptedAt: number | null;
  /** Of the last response; null: there was none. */
  readonly status: number | null;
  /** Why the last attempt failed; null: it has not. */
  readonly error: string | null;
  readonly milliseconds: number | null;
}

/** There is one row, from the first webhook on. */
export interface WebhookQueueRow {
  /** Name of the node that delivers. */
  readonly owner: string;
  /** The last entry whose events are among the deliveries. */
  readonly position: number;
  /** The id of the next delivery. */
  readonly nextId: Id;
  /** Certificates that expire were looked for until then, seconds since 1970. */
  readonly expiryCheckedAt: number;
}

export const webhooks = jsonTable<WebhookRow>({
  number: 45,
  name: 'webhooks',
  key: (row) => idKey(row.id),
  lookups: (key, value) => [lookupKey(LOOKUP.accountWebhook, idKey(unjson<WebhookRow>(value).accountId), key)],
});

/** What the secrets of a webhook are sealed for. */
export const webhookContext = (id: Id): string => `webhook:${id}`;

export function deliveryKey(webhookId: Id, id: Id): Buffer {
  const key = Buffer.allocUnsafe(16);
  writeId(webhookId, key, 0);
  writeId(id, key, 8);
  return key;
}

export const deliveries = jsonTable<DeliveryRow>({
  number: 46,
  name: 'webhook_deliveries',
  key: (row) => deliveryKey(row.webhookId, row.id),
  lookupsFromKey: true,
});

export const WEBHOOK_QUEUE_KEY = Buffer.alloc(8);

export const webhookQueues = jsonTable<WebhookQueueRow>({
  number: 47,
  name: 'webhook_queue',
  key: () => WEBHOOK_QUEUE_KEY,
  lookupsFromKey: true,
});
