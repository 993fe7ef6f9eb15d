/** The memory of the delivering node: each webhook with its schedule. */
import type { Id } from '../../store/keys.ts';
import type { DeliveryRow, WebhookRow } from '../../store/rows.ts';
import { type EventType, isChosen, type NewEvent } from './payload.ts';
import { Schedule } from './schedule.ts';

export interface Receiver {
  row: WebhookRow;
  readonly schedule: Schedule;
  /** The delivery in flight; null: none. */
  sending: Id | null;
  /** The receiver waits for a slot. */
  isQueued: boolean;
}

export class Receivers {
  readonly #byId = new Map<Id, Receiver>();
  #byAccount: Map<Id, Receiver[]> | null = null;

  /** `firstPause`: the first pause of a failing receiver, in seconds. */
  constructor(private readonly firstPause: number) {}

  get size(): number {
    return this.#byId.size;
  }

  get(id: Id): Receiver | undefined {
    return this.#byId.get(id);
  }

  values(): IterableIterator<Receiver> {
    return this.#byId.values();
  }

  put(row: WebhookRow): Receiver {
    const receiver = this.#byId.get(row.id) ?? {
      row,
      schedule: new Schedule(this.firstPause),
      sending: null,
      isQueued: false,
    };
    receiver.row = row;
    this.#byId.set(row.id, receiver);
    this.#byAccount = null;
    return receiver;
  }

  remove(id: Id): void {
    this.#byId.delete(id);
    this.#byAccount = null;
  }

  /** Whether an account has an enabled webhook. */
  readonly wants = (accountId: Id): boolean => this.#accounts().has(accountId);

  /** The webhooks that receive an event. */
  of({ accountId, domainId, type, sequence }: NewEvent): Id[] {
    const ids: Id[] = [];
    for (const { row } of this.#accounts().get(accountId) ?? []) {
      if (sequence !== null && sequence <= row.since) continue;
      if (row.domains !== null && (domainId === null || !row.domains.includes(domainId))) continue;
      if (isChosen(type as EventType, row.events)) ids.push(row.id);
    }
    return ids;
  }

  /** Adds a stored delivery to the schedule of its webhook, or removes it. */
  putDelivery(row: DeliveryRow): void {
    const schedule = this.#byId.get(row.webhookId)?.schedule;
    if (row.state === 'pending' && row.nextAt !== null)
      schedule?.put({ id: row.id, nextAt: row.nextAt, attemptedAt: row.attemptedAt });
    else schedule?.remove(row.id);
  }

  #accounts(): Map<Id, Receiver[]> {
    if (this.#byAccount !== null) return this.#byAccount;
    this.#byAccount = new Map();
    for (const receiver of this.#byId.values()) {
      const { enabled, accountId } = receiver.row;
      if (!enabled) continue;
      const others = this.#byAccount.get(accountId);
      if (others === undefined) this.#byAccount.set(accountId, [receiver]);
      else others.push(receiver);
    }
    return this.#byAccount;
  }
}
