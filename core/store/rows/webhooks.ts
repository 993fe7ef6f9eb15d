/**
 * Webhooks: URLs that receive signed events, their deliveries, and the position of the queue.
 * Writes that cause events store nothing here. The delivering node reads the journal afterwards.
 */
import { type Id, idKey, LOOKUP, lookupKey, writeId } from '../keys.ts';
import { jsonTable, unjson } from './table.ts';

export interface WebhookRow {
  readonly id: Id;
  readonly accountId: Id;
  readonly url: string;
  readonly description: string;
  /** Event types, `kind.*` or `*`. */
  readonly events: readonly string[];
  /** Ids of the domains whose events are delivered; null: all domains of the account. */
  readonly domains: readonly Id[] | null;
  readonly enabled: boolean;
  /** The secret, sealed (core/base/secrets.ts) for `webhookContext(id)`; base64. */
  readonly sealed: string;
  /**
   * The secret before the last rotation, which also signs until `signsBeforeUntil`; empty: none.
   */
  readonly sealedBefore: string;
  readonly signsBeforeUntil: number;
  /** Journal entries up to this sequence are not delivered. */
  readonly since: number;
  /** Time of the first failed attempt since the last success; null: the last attempt succeeded. */
  readonly failingSince: number | null;
  /** Why the service disabled the webhook; null: it did not. */
  readonly disabledReason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const WEBHOOK_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof WEBHOOK_STATES)[number];

/** One event for one webhook. Times are seconds since 1970. */
export interface DeliveryRow {
  /** Increases in the order of events, over all webhooks. */
  readonly id: Id;
  readonly webhookId: Id;
  readonly event: string;
  /** Sequence of the journal entry of the event; null: a test, or a time-based event. */
  readonly sequence: number | null;
  /** The request body, JSON. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  /** When attempts started to count: the creation, or the last replay. */
  readonly queuedAt: number;
  readonly attempts: number;
  /** Null: no further attempt follows. */
  readonly nextAt: number | null;
  readonly attemptedAt: number | null;
  /** Status code of the last response; null: none. */
  readonly status: number | null;
  /** Why the last attempt failed; null: it did not. */
  readonly error: string | null;
  readonly milliseconds: number | null;
}

/** A single row, created with the first webhook. */
export interface WebhookQueueRow {
  /** Name of the delivering node. */
  readonly owner: string;
  /** Sequence of the last journal entry whose events are queued as deliveries. */
  readonly position: number;
  /** The id of the next delivery. */
  readonly nextId: Id;
  /** End of the last check for expiring certificates, in seconds since 1970. */
  readonly expiryCheckedAt: number;
}

export const webhooks = jsonTable<WebhookRow>({
  number: 45,
  name: 'webhooks',
  quota: 'account',
  key: (row) => idKey(row.id),
  lookups: (key, value) => [lookupKey(LOOKUP.accountWebhook, idKey(unjson<WebhookRow>(value).accountId), key)],
});

/** The context for sealing the secrets of a webhook. */
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
  quota: { none: 'a limited number and size for each webhook' },
  key: (row) => deliveryKey(row.webhookId, row.id),
  lookupsFromKey: true,
});

export const WEBHOOK_QUEUE_KEY = Buffer.alloc(8);

export const webhookQueues = jsonTable<WebhookQueueRow>({
  number: 47,
  name: 'webhook_queue',
  quota: { none: 'one row' },
  key: () => WEBHOOK_QUEUE_KEY,
  lookupsFromKey: true,
});
