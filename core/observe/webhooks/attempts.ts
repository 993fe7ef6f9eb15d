/**
 * Sends due deliveries, one at a time for each receiver. Accounts are served in turns, so that a
 * slow receiver delays only its own account.
 */
import { FairSlots, type Slot, SlotLines } from '../../base/fair-slots.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Attempt, Message } from '../../net/delivery/sender.ts';
import { formatSignatures } from '../../net/delivery/signature.ts';
import { type DeliveryRow, type WebhookRow, webhookContext } from '../../store/rows.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import { messageId } from './payload.ts';
import { type Result, readDelivery } from './queue.ts';
import type { Receiver } from './receivers.ts';
import type { Session } from './session.ts';

export interface AttemptsOptions {
  readonly reader: StoreReader;
  readonly secrets: Secrets;
  readonly sender: {
    send(message: Message): Promise<Attempt>;
    release(receiverId: number): void;
    close(): void;
  };
  readonly retries: RetryRule;
  readonly userAgent: string;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly random: () => number;
  /** Whether a session is still the current one. */
  readonly isCurrent: (session: Session) => boolean;
  readonly onResult: (result: Result) => void;
}

/** Maximum number of unstored results; above it, no attempt starts. */
export const MAX_RESULTS = 200;
/** Concurrent attempts; one account can use half of them. */
const MAX_SENDING = 64;
/** Maximum number of accounts that wait for a slot; further accounts are retried every second. */
const MAX_ACCOUNTS_WAITING = 4096;

export class Attempts {
  readonly #slots = new FairSlots({ slots: MAX_SENDING, queue: MAX_ACCOUNTS_WAITING });
  readonly #lines = new SlotLines(this.#slots);
  #isStopped = false;

  constructor(private readonly options: AttemptsOptions) {}

  /** Aborts all attempts. Attempts without a response have no result. */
  stop(): void {
    this.#isStopped = true;
    this.#lines.close();
    this.options.sender.close();
  }

  /** Queues each receiver with a due attempt in the line of its account. */
  sendDue(session: Session): void {
    const now = this.options.now();
    for (const receiver of session.receivers.values()) {
      if (receiver.isQueued || !this.#isDue(session, receiver, now)) continue;
      receiver.isQueued = true;
      const begin = (slot: Slot): void => {
        receiver.isQueued = false;
        if (!this.options.isCurrent(session) || !this.#sendNext(session, receiver, slot)) slot.release();
      };
      this.#lines.put({ begin, cancel: () => {} }, `${receiver.row.accountId}`);
    }
  }

  #isDue(session: Session, { row, sending, schedule }: Receiver, now: number): boolean {
    if (this.#isStopped || !row.enabled || sending !== null || session.results.size >= MAX_RESULTS) return false;
    const id = schedule.next(now);
    return id !== undefined && !session.results.has(id);
  }

  /** Starts a due attempt of a receiver; returns whether there was one. */
  #sendNext(session: Session, receiver: Receiver, slot: Slot): boolean {
    const { row, schedule } = receiver;
    const now = this.options.now();
    if (!this.#isDue(session, receiver, now)) return false;
    const id = schedule.next(now)!;
    const delivery = readDelivery(this.options.reader, row.id, id);
    if (delivery?.state === 'pending') {
      void this.#send(session, receiver, delivery, slot);
      return true;
    }
    schedule.remove(id);
    return false;
  }

  async #send(session: Session, receiver: Receiver, delivery: DeliveryRow, slot: Slot): Promise<void> {
    const { sender, now } = this.options;
    receiver.sending = delivery.id;
    const attempt = await this.#attempt(receiver.row, delivery);
    receiver.sending = null;
    if (this.#isStopped && attempt.error !== null) {
      slot.release();
      return;
    }
    const result = this.#resultOf(delivery, attempt, now());
    if (session.results.size === 0) session.resultsSince = now();
    session.results.set(delivery.id, result);
    noteResult(receiver, result, now());
    if (receiver.schedule.size === 0) sender.release(delivery.webhookId);
    const goesOn = this.options.isCurrent(session) && this.#lines.waiting === 0;
    if (!goesOn || !this.#sendNext(session, receiver, slot)) slot.release();
    this.options.onResult(result);
  }

  async #attempt(row: WebhookRow, delivery: DeliveryRow): Promise<Attempt> {
    try {
      return await this.options.sender.send(this.#message(row, delivery));
    } catch (error) {
      // This node cannot decrypt the secret.
      return { status: null, error: (error as Error).message, milliseconds: 0 };
    }
  }

  #resultOf(delivery: DeliveryRow, attempt: Attempt, now: number): Result {
    const { retries, random } = this.options;
    const attempts = delivery.attempts + 1;
    const isDelivered = attempt.error === null;
    const nextAt = isDelivered ? null : nextAttempt(retries, { ...delivery, attempts }, now, random());
    return {
      ...attempt,
      webhookId: delivery.webhookId,
      id: delivery.id,
      attempts,
      attemptedAt: Math.floor(now),
      state: isDelivered ? 'delivered' : nextAt === null ? 'failed' : 'pending',
      nextAt: nextAt === null ? null : Math.ceil(nextAt),
    };
  }

  /** Throws WaypostError `unsealable`. */
  #message(row: WebhookRow, delivery: DeliveryRow): Message {
    const { secrets, userAgent, now } = this.options;
    const timestamp = Math.floor(now());
    const id = messageId(delivery);
    const signsBefore = row.sealedBefore !== '' && timestamp < row.signsBeforeUntil;
    const keys = (signsBefore ? [row.sealed, row.sealedBefore] : [row.sealed]).map((sealed) =>
      secrets.unseal(Buffer.from(sealed, 'base64'), webhookContext(row.id)),
    );
    const signatures = formatSignatures(keys, { id, timestamp, body: delivery.body });
    for (const key of keys) key.fill(0);
    return {
      receiverId: row.id,
      url: row.url,
      body: delivery.body,
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures,
      },
    };
  }
}

function noteResult({ schedule }: Receiver, { id, nextAt, error }: Result, now: number): void {
  if (nextAt === null) schedule.remove(id);
  else schedule.put({ id, nextAt, attemptedAt: now });
  if (error === null) schedule.noteSuccess(now);
  else schedule.noteFailure(now);
}

/** When failed deliveries are retried. */
export interface RetryRule {
  /** Seconds before the first retry. */
  readonly first: number;
  /** Seconds since the first due time after which no retry follows. */
  readonly total: number;
}

/** Seconds. */
const LONGEST_DELAY = 43_200;
const GROWTH = 4;
/** Random share that is added to or subtracted from a delay, to spread retries. */
const JITTER = 0.2;

/** Seconds until the next attempt. `attempts`: failed attempts; 0 ≤ `random` < 1. */
export function retryDelay({ first }: RetryRule, attempts: number, random: number): number {
  const delay = Math.min(LONGEST_DELAY, first * GROWTH ** Math.min(attempts - 1, 20));
  return Math.ceil(delay * (1 - JITTER + 2 * JITTER * random));
}

/** Null: no retry follows; the delivery has failed. */
function nextAttempt(
  rule: RetryRule,
  delivery: { readonly queuedAt: number; readonly attempts: number },
  now: number,
  random: number,
): number | null {
  const at = now + retryDelay(rule, delivery.attempts, random);
  return at > delivery.queuedAt + rule.total ? null : at;
}
