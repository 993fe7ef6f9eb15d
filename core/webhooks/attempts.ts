/** Sends the deliveries that are due. A slow receiver delays no other. */
import type { Secrets } from '../base/secrets.ts';
import type { Attempt, Message } from '../delivery/sender.ts';
import { formatSignatures } from '../delivery/signature.ts';
import type { Id } from '../store/keys.ts';
import type { StoreReader } from '../store/reader.ts';
import { type DeliveryRow, type WebhookRow, webhookContext } from '../store/rows.ts';
import { messageId } from './payload.ts';
import { type Result, readDelivery } from './queue.ts';
import type { Receiver } from './receivers.ts';
import { nextAttempt, type RetryRule } from './retries.ts';
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

/** Results that are not stored yet; with more, no attempt begins. */
export const MAX_RESULTS = 200;
/** Concurrent attempts, of all and of one account. */
const MAX_SENDING = 64;
const MAX_ACCOUNT_SENDING = 8;

export class Attempts {
  readonly #options: AttemptsOptions;
  #isStopped = false;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Ends the attempts. Those without a response have no result. */
  stop(): void {
    this.#isStopped = true;
    this.#options.sender.close();
  }

  /** Starts the attempts that are due, from the receiver after the last one on. */
  sendDue(session: Session): void {
    const now = this.#options.now();
    const all = [...session.receivers.values()];
    const start = all.findIndex(({ row }) => row.id > session.cursor);
    const byAccount = new Map<Id, number>();
    for (const { row, sending } of all)
      if (sending !== null) byAccount.set(row.accountId, (byAccount.get(row.accountId) ?? 0) + 1);
    for (let i = 0; i < all.length && session.sending < MAX_SENDING; i++) {
      const receiver = all[(Math.max(0, start) + i) % all.length];
      const { id, accountId } = receiver.row;
      const ofAccount = byAccount.get(accountId) ?? 0;
      if (ofAccount >= MAX_ACCOUNT_SENDING || !this.#sendNext(session, receiver, now)) continue;
      byAccount.set(accountId, ofAccount + 1);
      session.cursor = id;
    }
  }

  /** Starts the attempt of a receiver that is due; returns whether there was one. */
  #sendNext(session: Session, receiver: Receiver, now: number): boolean {
    const { row, schedule } = receiver;
    if (this.#isStopped || !row.enabled || receiver.sending !== null || session.results.size >= MAX_RESULTS)
      return false;
    const id = schedule.next(now);
    if (id === undefined || session.results.has(id)) return false;
    const delivery = readDelivery(this.#options.reader, row.id, id);
    if (delivery?.state === 'pending') {
      void this.#send(session, receiver, delivery);
      return true;
    }
    schedule.remove(id);
    return false;
  }

  async #send(session: Session, receiver: Receiver, delivery: DeliveryRow): Promise<void> {
    const { sender, now } = this.#options;
    session.sending++;
    receiver.sending = delivery.id;
    const attempt = await this.#attempt(receiver.row, delivery);
    session.sending--;
    receiver.sending = null;
    if (this.#isStopped && attempt.error !== null) return;
    const result = this.#resultOf(delivery, attempt, now());
    if (session.results.size === 0) session.resultsSince = now();
    session.results.set(delivery.id, result);
    noteResult(receiver, result, now());
    if (receiver.schedule.size === 0) sender.release(delivery.webhookId);
    // With many receivers, the next round gives each its turn.
    if (this.#options.isCurrent(session) && session.sending < MAX_SENDING / 2) this.#sendNext(session, receiver, now());
    this.#options.onResult(result);
  }

  async #attempt(row: WebhookRow, delivery: DeliveryRow): Promise<Attempt> {
    try {
      return await this.#options.sender.send(this.#message(row, delivery));
    } catch (error) {
      // This node cannot decrypt the secret.
      return { status: null, error: (error as Error).message, milliseconds: 0 };
    }
  }

  #resultOf(delivery: DeliveryRow, attempt: Attempt, now: number): Result {
    const { retries, random } = this.#options;
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
    const { secrets, userAgent, now } = this.#options;
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
