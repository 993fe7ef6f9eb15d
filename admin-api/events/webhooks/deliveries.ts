/** The deliveries of a webhook: lists, tests and replays. */
import { Type } from '@sinclair/typebox';
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { oneOf } from '../../../core/base/schema.ts';
import { Steps } from '../../../core/base/steps.ts';
import { messageId, type NewEvent, requeued, TEST_EVENT } from '../../../core/observe/webhooks/payload.ts';
import { addDeliveries, newQueue } from '../../../core/observe/webhooks/queue.ts';
import { afterPrefix, type Id, idAt, idKey } from '../../../core/store/keys.ts';
import {
  type DeliveryRow,
  type DeliveryState,
  deliveries,
  deliveryKey,
  WEBHOOK_STATES,
} from '../../../core/store/rows.ts';
import { change } from '../../change/change.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { invalidCursor, type ListPart, type Page, pageQuery } from '../../http/lists.ts';
import type { Query } from '../../http/query.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds, parseTime } from '../../http/time.ts';
import type { replayBody } from './schema.ts';
import { webhookOf } from './service.ts';

/** Maximum deliveries that one request queues again. */
const MAX_REPLAYED = 1000;
/** Rows between two checks of the time. */
const BATCH = 100;

export const deliveriesQuery = {
  ...pageQuery,
  state: Type.Optional(oneOf(WEBHOOK_STATES, 'only deliveries in this state')),
};

/** Newest first. Throws HttpError 400 and 404. */
export function listDeliveries(
  services: Services,
  context: Context<Caller, unknown, Query<typeof deliveriesQuery>>,
  webhookId: Id,
) {
  webhookOf(services.reader, context.caller, webhookId);
  const { state } = context.query;
  return replyWithList(services.streams, context, 'deliveries', {
    read: (page) => readDeliveries(services, webhookId, state, page),
    view: viewDelivery,
  });
}

async function readDeliveries(
  services: Services,
  webhookId: Id,
  state: DeliveryState | undefined,
  { limit, after }: Page,
): Promise<ListPart<DeliveryRow>> {
  if (after !== null && after.length !== 8) throw invalidCursor();
  const rows: DeliveryRow[] = [];
  for await (const row of newestFirst(services, webhookId, after === null ? null : idAt(after))) {
    if (rows.length === limit) return { rows, last: idKey(rows[rows.length - 1].id) };
    if (state === undefined || row.state === state) rows.push(row);
  }
  return { rows, last: null };
}

/** `before`: an id, exclusive; null: starts with the newest delivery. */
async function* newestFirst({ environment }: Services, webhookId: Id, before: Id | null): AsyncGenerator<DeliveryRow> {
  const table = environment.rows.get(deliveries.number)!;
  const steps = new Steps();
  const end = deliveryKey(webhookId, 0);
  let start: Buffer | undefined = before === null ? afterPrefix(idKey(webhookId)) : deliveryKey(webhookId, before);
  for (;;) {
    let count = 0;
    const page: DeliveryRow[] = [];
    for (const { key, value } of table.getRange({ start, end, reverse: true, limit: BATCH })) {
      count++;
      // A reversed range includes its start, which is the last row of the previous page.
      if (start?.equals(key as Buffer) !== true) page.push(deliveries.decode(key, value));
    }
    yield* page;
    if (count < BATCH) return;
    start = deliveryKey(webhookId, page[page.length - 1].id);
    await steps.next();
  }
}

/** Throws HttpError 404. */
export function readDelivery(services: Services, context: Context<Caller>, webhookId: Id, id: Id) {
  webhookOf(services.reader, context.caller, webhookId);
  return viewDelivery(deliveryOf(services.reader.row(deliveries, deliveryKey(webhookId, id))));
}

/** Sends a message to try the receiver. Throws HttpError 404, StateError `webhook_disabled`. */
export function testWebhook(services: Services, context: Context<Caller>, webhookId: Id) {
  return change(services, context, (draft) => {
    const { accountId, url, enabled } = webhookOf(draft, context.caller, webhookId);
    requireEnabled(enabled);
    const now = nowSeconds();
    const event: NewEvent = {
      type: TEST_EVENT,
      accountId,
      domainId: null,
      sequence: null,
      time: now * 1000,
      data: { seq: null, kind: 'webhook', id: webhookId, account_id: accountId, domain: null },
    };
    const queue = draft.webhookQueue() ?? newQueue(services.journal.head, now);
    const [row] = addDeliveries(draft, queue, [{ webhookId, event }], now);
    return {
      action: 'webhook.test',
      accountId,
      target: webhookId,
      detail: { url },
      createResponse: () => viewDelivery(row),
    };
  });
}

/** Throws HttpError 404, StateError `webhook_disabled`. */
export function replayDelivery(services: Services, context: Context<Caller>, webhookId: Id, id: Id) {
  return change(services, context, (draft) => {
    const { accountId, enabled } = webhookOf(draft, context.caller, webhookId);
    const before = deliveryOf(draft.row(deliveries, deliveryKey(webhookId, id)));
    requireEnabled(enabled);
    const row = requeued(before, nowSeconds());
    draft.put(deliveries, row);
    return {
      action: 'webhook.replay',
      accountId,
      target: webhookId,
      detail: { delivery_id: id, event: row.event },
      createResponse: () => viewDelivery(row),
    };
  });
}

/**
 * Queues finished deliveries again, the oldest first. Throws HttpError 404, InvalidError
 * `invalid_time`, StateError `webhook_disabled`.
 */
export async function replaySince(
  services: Services,
  context: Context<Caller>,
  webhookId: Id,
  body: BodyOf<typeof replayBody>,
) {
  const since = parseTime(body.since);
  if (since === undefined)
    throw new InvalidError('invalid_time', '"since" must be a time, as YYYY-MM-DD HH:MM:SS in UTC.', {
      pointer: '/since',
    });
  webhookOf(services.reader, context.caller, webhookId);
  const isWanted = ({ state }: DeliveryRow): boolean =>
    state === 'failed' || (body.state === 'all' && state === 'delivered');
  const ids: Id[] = [];
  for await (const row of newestFirst(services, webhookId, null)) {
    if (row.createdAt < since) break;
    if (isWanted(row)) ids.push(row.id);
  }
  return change(services, context, (draft) => {
    const { accountId, enabled } = webhookOf(draft, context.caller, webhookId);
    requireEnabled(enabled);
    const now = nowSeconds();
    let queued = 0;
    for (const id of ids.reverse().slice(0, MAX_REPLAYED)) {
      const row = draft.row(deliveries, deliveryKey(webhookId, id));
      if (row === undefined || !isWanted(row)) continue;
      draft.put(deliveries, requeued(row, now));
      queued++;
    }
    return {
      action: 'webhook.replay',
      accountId,
      target: webhookId,
      detail: { since: body.since, queued },
      createResponse: () => ({ queued }),
    };
  });
}

function deliveryOf(row: DeliveryRow | undefined): DeliveryRow {
  if (row === undefined)
    throw new HttpError(404, 'no_such_delivery', 'The webhook has no delivery with this id; old ones are deleted.');
  return row;
}

function requireEnabled(enabled: boolean): void {
  if (!enabled) throw new StateError('webhook_disabled', 'The webhook is disabled; set "enabled" to true first.');
}

function viewDelivery(row: DeliveryRow) {
  const timeOf = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));
  return {
    id: row.id,
    message: messageId(row),
    event: row.event,
    seq: row.sequence,
    state: row.state,
    attempts: row.attempts,
    response_status: row.status,
    error: row.error,
    duration_ms: row.milliseconds,
    attempted_at: timeOf(row.attemptedAt),
    next_attempt_at: timeOf(row.nextAt),
    created_at: formatTime(row.createdAt),
    payload: JSON.parse(row.body) as Readonly<Record<string, unknown>>,
  };
}
