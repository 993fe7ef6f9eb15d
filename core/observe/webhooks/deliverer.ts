/**
 * Delivers events to webhooks, on one node of a cluster. It reads the journal from the stored
 * position and queues a delivery for each event and webhook. The deliveries and the new position
 * are one commit; results are stored in batches. So each event is delivered at least once, under
 * the same id, even after a crash.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import type { Secrets } from '../../base/secrets.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import { type DeliveryRow, deliveries } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { Attempts, type AttemptsOptions, MAX_RESULTS, type RetryRule } from './attempts.ts';
import { EntryReader } from './entry-reader.ts';
import { hasWebhooks, LostQueue, Queue, type Result } from './queue.ts';
import { openSession, type Session } from './session.ts';

/** Maximum number of finished deliveries of a webhook. */
const MAX_FINISHED = 1000;
/** Rows that are read between two turns of the event loop. */
const ROWS_READ = 500;

interface DelivererOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly secrets: Secrets;
  readonly sender: AttemptsOptions['sender'];
  readonly nodeName: string;
  readonly tasks: Tasks;
  readonly retries: RetryRule;
  /** Retention of finished deliveries in seconds. */
  readonly keep: number;
  readonly userAgent: string;
  readonly log: Logger;
  readonly observer?: DeliveryObserver;
  /** Seconds since 1970; omitted: the system clock. */
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface DeliveryObserver {
  attempted(result: 'delivered' | 'retried' | 'failed', seconds: number): void;
  lost(entries: number): void;
}

/** Counts for the metrics; zero on nodes that do not deliver. */
export interface DelivererCounts {
  readonly receivers: number;
  readonly down: number;
  readonly disabled: number;
  readonly pending: number;
}

/** Milliseconds to collect changes before a round. */
const COLLECT_MS = 50;
/** Milliseconds between rounds without a change. */
const IDLE_MS = 1000;
const RETRY = { first: 1000, longest: 60_000 };
/** Seconds to collect results before a commit. */
const RESULTS_SECONDS = 0.5;
/** Number of entries without an event after which the position is stored. */
const MAX_UNSTORED = 1000;
/** Maximum number of pending deliveries of one receiver. */
const MAX_PENDING = 5000;
/** Seconds between two sweeps, and rows that one commit deletes. */
const SWEEP_INTERVAL = 300;
const DELETED_AT_ONCE = 500;
/** The receiver is permanently gone (RFC 9110 section 15.5.11). */
const GONE = 410;

export class Deliverer {
  readonly #queue: Queue;
  readonly #reader: StoreReader;
  readonly #now: () => number;
  readonly #entries: EntryReader;
  readonly #attempts: Attempts;
  readonly #task: Task;
  #session: Session | null = null;

  constructor(private readonly options: DelivererOptions) {
    const { environment, journal, nodeName, tasks, log, observer, sender } = options;
    this.#now = options.now ?? (() => Date.now() / 1000);
    this.#queue = new Queue({ environment, journal, nodeName, now: this.#now });
    this.#reader = new StoreReader(environment);
    this.#task = tasks.add({
      name: 'webhooks',
      owner: 'first',
      due: () => this.#pause(),
      log,
      retry: RETRY,
      messages: ['cannot store progress of webhooks; retrying', 'progress of webhooks is stored'],
      run: () => this.turn(),
      standby: () => this.release(),
    });
    this.#entries = new EntryReader({
      environment,
      journal,
      log,
      onLost: (entries) => observer?.lost(entries),
      onChangedReceiver: (id) => sender.release(id),
    });
    const { secrets, retries, userAgent, random = Math.random } = options;
    this.#attempts = new Attempts({
      reader: this.#reader,
      sender,
      secrets,
      retries,
      userAgent,
      random,
      now: this.#now,
      isCurrent: (session) => session === this.#session,
      onResult: (result) => this.#noteResult(result),
    });
    journal.onApplied(() => this.#task.wake(COLLECT_MS));
  }

  get counts(): DelivererCounts {
    const all = [...(this.#session?.receivers.values() ?? [])];
    return {
      receivers: all.length,
      down: all.filter(({ row, schedule }) => row.enabled && schedule.isDown).length,
      disabled: all.filter(({ row }) => !row.enabled).length,
      pending: all.reduce((sum, { schedule }) => sum + schedule.size, 0),
    };
  }

  start(): void {
    this.#task.start();
  }

  /** Aborts all attempts; the next delivering node repeats attempts without a response. */
  async stop(): Promise<void> {
    this.#attempts.stop();
    await this.#task.stop();
    await this.#store().catch(() => {});
  }

  /** One round: reads entries, stores new deliveries and results, and starts due attempts. */
  turn(): Promise<void> {
    return hasWebhooks(this.options.environment) ? this.#resetOnError(() => this.#takeTurn()) : this.release();
  }

  /** Stores the progress, since another node delivers. */
  release(): Promise<void> {
    return this.#resetOnError(async () => {
      await this.#store();
      this.#session = null;
    });
  }

  /** The memory may differ from the store after an error. */
  async #resetOnError(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#session = null;
      if (!(error instanceof LostQueue)) throw error;
    }
  }

  async #takeTurn(): Promise<void> {
    const { journal } = this.options;
    const session = this.#session ?? (await this.#open());
    this.#session = session;
    do {
      this.#entries.read(session);
      await this.#entries.findExpiring(session, Math.floor(this.#now()));
      if (this.#mustStore(session)) await this.#store();
      await yieldToOthers();
    } while (!this.#task.isStopped && session.read < journal.head && session === this.#session);
    if (!this.#reader.areDeliveriesPaused()) this.#attempts.sendDue(session);
    await this.#sweep(session);
  }

  #open(): Promise<Session> {
    const { environment, journal, retries } = this.options;
    return openSession(environment, this.#queue, journal.head, this.#now(), retries.first);
  }

  #mustStore(session: Session): boolean {
    const { added, results, unstored, resultsSince } = session;
    if (added.length > 0 || unstored >= MAX_UNSTORED || results.size >= MAX_RESULTS) return true;
    return results.size > 0 && this.#now() >= resultsSince + RESULTS_SECONDS;
  }

  /** Stores new deliveries, results and the position in one commit. Throws LostQueue. */
  async #store(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    const { added, read, receivers } = session;
    const results = [...session.results.values()];
    const isMoving = added.length > 0 || session.unstored >= MAX_UNSTORED;
    if (!isMoving && results.length === 0) return;
    const full = this.#overfull(session);
    const queued = await this.#queue.advance({
      from: session.position,
      to: isMoving ? read : session.position,
      results,
      added: added.filter(({ webhookId }) => !full.has(webhookId)),
      expiryCheckedAt: isMoving ? session.expiryCheckedAt : null,
    });
    if (isMoving) {
      session.position = read;
      session.unstored = 0;
      added.length = 0;
    }
    for (const row of queued) receivers.putDelivery(row);
    for (const result of results) if (session.results.get(result.id) === result) session.results.delete(result.id);
    session.resultsSince = this.#now();
    for (const id of full) await this.#queue.disable(id, `More than ${MAX_PENDING} deliveries were waiting.`);
    await this.#noteFailing(session, results);
  }

  /** Webhooks whose receivers are behind for too long. */
  #overfull({ added, receivers }: Session): ReadonlySet<Id> {
    const counts = new Map<Id, number>();
    for (const { webhookId } of added) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    const full = [...counts].filter(([id, count]) => (receivers.get(id)?.schedule.size ?? 0) + count > MAX_PENDING);
    return new Set(full.map(([id]) => id));
  }

  /** Disables webhooks that have failed for too long, or whose receivers are gone. */
  async #noteFailing({ receivers }: Session, results: readonly Result[]): Promise<void> {
    const { total } = this.options.retries;
    for (const { webhookId, state, status, error } of results) {
      const receiver = receivers.get(webhookId);
      const row = this.#reader.webhook(webhookId);
      if (receiver === undefined || row === undefined) continue;
      receiver.row = row;
      if (error === null || !row.enabled) continue;
      const failingFor = row.failingSince === null ? 0 : this.#now() - row.failingSince;
      if (status === GONE) await this.#queue.disable(webhookId, 'The receiver answered 410 (Gone).');
      else if (failingFor >= total || (state === 'failed' && failingFor >= total / 2))
        await this.#queue.disable(webhookId, `No delivery has succeeded for ${formatDays(failingFor)}.`);
    }
  }

  /** Deletes expired deliveries, the oldest above the limit, and deliveries of deleted webhooks. */
  async #sweep(session: Session): Promise<void> {
    const now = this.#now();
    if (now < session.sweptAt + SWEEP_INTERVAL) return;
    session.sweptAt = now;
    const hasWebhook = (id: Id): boolean => this.#reader.webhook(id) !== undefined;
    const expired = await findExpired(this.options.environment, hasWebhook, now - this.options.keep);
    for (let i = 0; i < expired.length && !this.#task.isStopped; i += DELETED_AT_ONCE)
      await this.#queue.delete(expired.slice(i, i + DELETED_AT_ONCE));
    for (const { webhookId, id } of expired) session.receivers.get(webhookId)?.schedule.remove(id);
  }

  #noteResult({ state, milliseconds }: Result): void {
    this.options.observer?.attempted(state === 'pending' ? 'retried' : state, milliseconds / 1000);
    this.#task.wake(COLLECT_MS);
  }

  /** Milliseconds until the next round. */
  #pause(): number {
    const session = this.#session;
    if (session === null) return IDLE_MS;
    if (session.results.size > 0) return Math.max(0, 1000 * (session.resultsSince + RESULTS_SECONDS - this.#now()));
    return IDLE_MS;
  }
}

const formatDays = (seconds: number): string =>
  seconds < 172_800 ? `${Math.floor(seconds / 3600)} hours` : `${Math.floor(seconds / 86_400)} days`;

type DeliveryId = Pick<DeliveryRow, 'webhookId' | 'id'>;

/**
 * Finds deliveries to delete: expired ones, the oldest above the limit, and those of deleted
 * webhooks.
 *
 * `oldest`: seconds since 1970.
 */
async function findExpired(
  { rows }: Pick<Environment, 'rows'>,
  hasWebhook: (id: Id) => boolean,
  oldest: number,
): Promise<DeliveryId[]> {
  const table = rows.get(deliveries.number)!;
  const expired: DeliveryId[] = [];
  let finished: DeliveryId[] = [];
  let current: Id = 0;
  let exists = false;
  for (let start: Buffer | undefined = Buffer.alloc(0); start !== undefined; await yieldToOthers()) {
    let last: Buffer | undefined;
    for (const { key, value } of table.getRange({ start, limit: ROWS_READ })) {
      const { webhookId, id, state, queuedAt } = deliveries.decode(key, value);
      if (webhookId !== current) {
        finished = [];
        current = webhookId;
        exists = hasWebhook(webhookId);
      }
      if (!exists || queuedAt < oldest) expired.push({ webhookId, id });
      else if (state !== 'pending') finished.push({ webhookId, id });
      // Rows are in the order of ids: the oldest are first.
      if (finished.length > MAX_FINISHED) expired.push(...finished.splice(0, 1));
      last = key as Buffer;
    }
    start = last && Buffer.concat([last, Uint8Array.of(0)]);
  }
  return expired;
}
