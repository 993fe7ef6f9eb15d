/** The memory of the delivering node. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey } from '../../store/keys.ts';
import { deliveries, type WebhookRow } from '../../store/rows.ts';
import { type Addition, type Queue, type Result, readWebhooks } from './queue.ts';
import { Receivers } from './receivers.ts';

/** Rows that are read between two turns of the event loop. */
const PIECE = 500;

export interface Session {
  readonly receivers: Receivers;
  /** The stored position. */
  position: number;
  /** The last entry that was read. */
  read: number;
  expiryCheckedAt: number;
  /** Entries since the last stored position. */
  unstored: number;
  readonly added: Addition[];
  readonly results: Map<Id, Result>;
  /** Time of the first unstored result in seconds since 1970. */
  resultsSince: number;
  sweptAt: number;
}

/**
 * Reads webhooks and pending deliveries, and makes this node the delivering node. `firstPause`: the
 * first pause of a failing receiver, in seconds.
 */
export async function openSession(
  environment: Environment,
  queue: Queue,
  head: number,
  now: number,
  firstPause: number,
): Promise<Session> {
  const receivers = new Receivers(firstPause);
  let first = head;
  for (const row of readWebhooks(environment)) {
    receivers.put(row);
    if (row.enabled) first = Math.min(first, row.since);
  }
  const { position, expiryCheckedAt } = await queue.takeOver(first);
  for (const { row } of receivers.values()) await loadPending(environment, receivers, row);
  return {
    receivers,
    position,
    read: Math.max(position, first),
    expiryCheckedAt,
    unstored: 0,
    added: [],
    results: new Map(),
    resultsSince: 0,
    sweptAt: now,
  };
}

async function loadPending({ rows }: Environment, receivers: Receivers, { id }: WebhookRow): Promise<void> {
  const table = rows.get(deliveries.number)!;
  const end = afterPrefix(idKey(id));
  for (let start: Buffer | undefined = idKey(id); ; await yieldToOthers()) {
    let count = 0;
    for (const { key, value } of table.getRange({ start, end, limit: PIECE })) {
      receivers.putDelivery(deliveries.decode(key, value));
      start = Buffer.concat([key as Buffer, Uint8Array.of(0)]);
      count++;
    }
    if (count < PIECE) return;
  }
}
