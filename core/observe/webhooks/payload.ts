/** The messages of webhooks: the types of events, their bodies, and the choices of a webhook. */
import type { Id } from '../../store/keys.ts';
import type { DeliveryRow } from '../../store/rows.ts';

export const EVENT_TYPES = [
  'domain.created',
  'domain.changed',
  'domain.deleted',
  'domain.restored',
  'records.changed',
  'proxy.changed',
  'certificate.issued',
  'certificate.failed',
  'certificate.expiring',
  'dnssec.changed',
  'dnssec.phase',
  'dnssec.problem',
  'audit.entry',
  'audit.verdict',
] as const;

export interface NewEvent {
  readonly type: EventType | typeof TEST_EVENT;
  readonly accountId: Id;
  /** Null: the event belongs to no domain. */
  readonly domainId: Id | null;
  readonly sequence: number | null;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Maximum characters of a body; above it, details are omitted. */
const MAX_BODY = 32_768;

export function formatBody({ type, time, data }: NewEvent): string {
  const timestamp = new Date(time).toISOString();
  const body = JSON.stringify({ type, timestamp, data });
  if (body.length <= MAX_BODY) return body;
  const { seq, kind, id, account_id, domain } = data;
  return JSON.stringify({ type, timestamp, data: { seq, kind, id, account_id, domain, is_shortened: true } });
}

/** `YYYY-MM-DD HH:MM:SS`, as all times of the API. `seconds`: since 1970. */
export const formatUtc = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

/**
 * The header `webhook-id`: the same for all attempts, so that a receiver can detect repeats. The
 * time distinguishes it from ids of a store before it was restored from a backup.
 */
export const messageId = ({ id, createdAt }: Pick<DeliveryRow, 'id' | 'createdAt'>): string => `msg_${createdAt}_${id}`;

export function newDelivery(id: Id, webhookId: Id, event: NewEvent, now: number): DeliveryRow {
  return {
    id,
    webhookId,
    event: event.type,
    sequence: event.sequence,
    body: formatBody(event),
    state: 'pending',
    createdAt: now,
    queuedAt: now,
    attempts: 0,
    nextAt: now,
    attemptedAt: null,
    status: null,
    error: null,
    milliseconds: null,
  };
}

/** The row of a delivery that a replay queues again. */
export const requeued = (row: DeliveryRow, now: number): DeliveryRow => ({
  ...row,
  state: 'pending',
  queuedAt: now,
  attempts: 0,
  nextAt: now,
});

export type EventType = (typeof EVENT_TYPES)[number];

/** The type of test deliveries, which are sent only on request, whatever the webhook has chosen. */
export const TEST_EVENT = 'webhook.test' as const;

/** All choices of a webhook: each type, each family such as `dnssec.*`, and `*`. */
export const EVENT_CHOICES: readonly string[] = [
  '*',
  ...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  ...EVENT_TYPES,
];

export function isChosen(type: EventType, chosen: readonly string[]): boolean {
  return chosen.some((choice) => choice === type || choice === '*' || choice === `${type.split('.')[0]}.*`);
}
