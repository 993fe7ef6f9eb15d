/** The commits of the delivery queue. Each contains many events or results. */
import { type Draft, write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import {
  audits,
  type DeliveryRow,
  deliveries,
  deliveryKey,
  type WebhookQueueRow,
  type WebhookRow,
  webhookQueues,
  webhooks,
} from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { type NewEvent, newDelivery } from './payload.ts';

/** The author of entries that cause no notifications. */
export const QUEUE_AUTHOR = 'webhooks';
/** The author of changes that the service makes to a webhook. */
const SERVICE = 'webhook';

/** Another node delivers, or has advanced the queue. */
export class LostQueue extends Error {
  override readonly name = 'LostQueue';
}

/** The result of an attempt. */
export interface Result extends Pick<DeliveryRow, 'state' | 'attempts' | 'nextAt' | 'status' | 'error'> {
  readonly webhookId: Id;
  readonly id: Id;
  readonly attemptedAt: number;
  readonly milliseconds: number;
}

export interface Addition {
  readonly webhookId: Id;
  readonly event: NewEvent;
}

interface Progress {
  /** The position before and after; equal: no entries were read. */
  readonly from: number;
  readonly to: number;
  readonly added: readonly Addition[];
  readonly results: readonly Result[];
  /** Null: expiring certificates were not checked. */
  readonly expiryCheckedAt: number | null;
}

interface QueueOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly nodeName: string;
  /** Seconds since 1970. */
  readonly now: () => number;
}

export const newQueue = (position: number, now: number): WebhookQueueRow => ({
  owner: '',
  position,
  nextId: 1,
  expiryCheckedAt: now,
});

/** Queues events, and returns the rows. `queue`: the stored row. */
export function addDeliveries(
  draft: Draft,
  queue: WebhookQueueRow,
  added: readonly Addition[],
  now: number,
): DeliveryRow[] {
  const rows = added.map(({ webhookId, event }, i) => newDelivery(queue.nextId + i, webhookId, event, now));
  for (const row of rows) draft.insert(deliveries, row);
  draft.put(webhookQueues, { ...queue, nextId: queue.nextId + rows.length });
  return rows;
}

export class Queue {
  readonly #reader: StoreReader;

  constructor(private readonly options: QueueOptions) {
    this.#reader = new StoreReader(options.environment);
  }

  /** Makes this node the delivering node. `position`: the start position if the queue is new. */
  async takeOver(position: number): Promise<WebhookQueueRow> {
    const { nodeName } = this.options;
    const current = this.#reader.webhookQueue();
    if (current?.owner === nodeName) return current;
    return this.#write((draft, now) => {
      const queue = { ...(draft.webhookQueue() ?? newQueue(position, now)), owner: nodeName };
      draft.put(webhookQueues, queue);
      return queue;
    });
  }

  /** Returns the queued deliveries. Throws LostQueue. */
  advance({ from, to, added, results, expiryCheckedAt }: Progress): Promise<DeliveryRow[]> {
    return this.#write((draft, now) => {
      for (const result of results) storeResult(draft, result);
      noteFailing(draft, results);
      if (from === to && added.length === 0 && expiryCheckedAt === null) return [];
      const queue = draft.webhookQueue();
      if (queue === undefined || queue.owner !== this.options.nodeName || queue.position !== from)
        throw new LostQueue('another node delivers');
      const kept = added.filter(({ webhookId }) => draft.webhook(webhookId)?.enabled === true);
      const moved = { ...queue, position: to, expiryCheckedAt: expiryCheckedAt ?? queue.expiryCheckedAt };
      return addDeliveries(draft, moved, kept, now);
    });
  }

  /** Stops the deliveries to a webhook, with an audit entry for its owner. */
  async disable(id: Id, reason: string): Promise<void> {
    const { environment, journal, now } = this.options;
    await write(environment, journal, SERVICE, (draft) => {
      const row = draft.webhook(id);
      if (row === undefined || !row.enabled) return;
      const at = Math.floor(now());
      draft.put(webhooks, { ...row, enabled: false, disabledReason: reason, updatedAt: at });
      draft.insert(audits, {
        id: 0,
        accountId: row.accountId,
        actor: null,
        action: 'webhook.disable',
        domain: null,
        target: id,
        detail: { url: row.url, reason },
        requestId: '',
        remoteAddress: '',
        at,
        revision: 0,
      });
    });
  }

  async delete(rows: readonly Pick<DeliveryRow, 'webhookId' | 'id'>[]): Promise<void> {
    await this.#write((draft) => {
      for (const { webhookId, id } of rows) {
        const row = draft.row(deliveries, deliveryKey(webhookId, id));
        if (row !== undefined) draft.delete(deliveries, row);
      }
    });
  }

  async #write<T>(work: (draft: Draft, now: number) => T): Promise<T> {
    const { environment, journal, now } = this.options;
    const { result } = await write(environment, journal, QUEUE_AUTHOR, (draft) => work(draft, Math.floor(now())));
    return result;
  }
}

/** The delivery may have been deleted. */
function storeResult(draft: Draft, { webhookId, id, ...result }: Result): void {
  const row = draft.row(deliveries, deliveryKey(webhookId, id));
  if (row !== undefined) draft.put(deliveries, { ...row, ...result });
}

/** Updates webhooks whose receivers started to fail, or recovered. */
function noteFailing(draft: Draft, results: readonly Result[]): void {
  const last = new Map(results.map((result) => [result.webhookId, result]));
  for (const [id, { error, attemptedAt }] of last) {
    const row = draft.webhook(id);
    if (row === undefined || (error === null) === (row.failingSince === null)) continue;
    draft.put(webhooks, { ...row, failingSince: error === null ? null : attemptedAt });
  }
}

/** All webhooks. */
export function readWebhooks({ rows }: Pick<Environment, 'rows'>): WebhookRow[] {
  const found: WebhookRow[] = [];
  for (const { key, value } of rows.get(webhooks.number)!.getRange({})) found.push(webhooks.decode(key, value));
  return found;
}

export function hasWebhooks({ rows }: Pick<Environment, 'rows'>): boolean {
  for (const _ of rows.get(webhooks.number)!.getKeys({ limit: 1 })) return true;
  return false;
}

export function readDelivery(reader: Reader, webhookId: Id, id: Id): DeliveryRow | undefined {
  return reader.row(deliveries, deliveryKey(webhookId, id));
}
