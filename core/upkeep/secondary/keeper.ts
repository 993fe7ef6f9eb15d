/**
 * Refreshes the secondary zones of all accounts: the timers of their SOA records (RFC 1034 section
 * 4.3.5, RFC 1912 section 2.2), NOTIFY, and expiry.
 *
 * A hash assigns the lease of each zone to one of the live nodes, so no lease is written. When a
 * node stops, its zones move to other nodes. Only the holder queries the primaries by the timers.
 *
 * The node that receives a NOTIFY refreshes the zone, since that is fastest. If two nodes transfer
 * the same change, their commits conflict, and the second is dropped.
 *
 * Expiry needs no commit: each node stops serving a zone that was not confirmed in time. Before
 * that, a node without a recent confirmation queries the primaries itself, since it may be
 * partitioned from the holder.
 *
 * Accounts take turns for the slots of refreshes. A slow primary loses its slot while zones of
 * other accounts wait. The zone is retried later with its next primary.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { DueQueue } from '../../base/due-queue.ts';
import { FairSlots, type Slot, SlotLines } from '../../base/fair-slots.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { formatHost } from '../../dns/wire/name.ts';
import type { Id } from '../../store/keys.ts';
import { type Domain, NO_WARNINGS, type SecondaryRow, type StoredWarnings, secondaryState } from '../../store/rows.ts';
import { isAfter } from '../../zone/compile/serial.ts';
import { boundedTimer, type RowBatch, SupersededError } from './commit.ts';
import { MINIMUM_RATE, type Outcome, type RefreshOptions } from './refresh.ts';

interface KeeperOptions {
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** The stored rows of all zones, of one zone, and its domain. */
  readonly rows: () => Iterable<SecondaryRow>;
  readonly storedRow: (domainId: Id) => SecondaryRow | undefined;
  readonly domain: (domainId: Id) => Domain | undefined;
  /** See refresh.ts. */
  readonly refresh: (domain: Domain, row: SecondaryRow, options: RefreshOptions) => Promise<Outcome>;
  readonly batch: Pick<RowBatch, 'add' | 'stop'>;
  readonly tasks: Tasks;
  /** Zones whose queries get SERVFAIL. */
  readonly unavailable: { set(apex: Uint8Array, isUnavailable: boolean): void };
  /** Receives the number of secondary zones. */
  readonly onCount: (count: number) => void;
  readonly observer?: (outcome: Outcome['kind']) => void;
  readonly maxConcurrent: number;
  /** Bounds of the timers, in seconds. */
  readonly minRefresh: number;
  readonly maxRefresh: number;
  /** See refresh.ts. */
  readonly acceptsOlder: boolean;
}

interface Zone {
  readonly domainId: Id;
  readonly apex: Domain['apex'];
  /** The latest row on this node; the stored row may be older. */
  row: SecondaryRow;
  /** Consecutive failures. */
  failures: number;
  /** Index of the primary that is queried first. */
  first: number;
  running: Promise<void> | null;
  /** Of the refresh in flight. */
  controller: AbortController | null;
  /** A NOTIFY was received during the refresh. */
  isNotified: boolean;
  isExpired: boolean;
}

/** Window of the minimum rate in milliseconds: longer than a connection setup takes. */
const RATE_WINDOW_MS = 15_000;
/** Maximum of accounts that wait for a slot; others are retried every second. */
const MAX_ACCOUNTS_WAITING = 4096;
/** Zones per turn of the event loop. */
const PIECE = 4;
/** First retry delay of a zone without timers, in seconds; doubled by each failure. */
const FIRST_RETRY = 5;
const LONGEST_FIRST_RETRY = 300;
/** Delay per rank of a node after a NOTIFY, which all nodes may have received. Milliseconds. */
const NOTIFY_STEP_MS = 25;
/** Maximum of seconds after which a confirmed serial is written. */
const RENEWAL = 3600;
/** Timeout of a refresh with its transfer, in seconds. */
const MAX_SECONDS = 3600;

export class SecondaryKeeper {
  readonly #zones = new Map<Id, Zone>();
  readonly #due = new DueQueue<Id>();
  readonly #expiries = new DueQueue<Id>();
  readonly #slots: FairSlots;
  readonly #lines: SlotLines;
  /** Zones with a refresh that is queued or in flight, including deleted zones. */
  readonly #running = new Set<Zone>();
  readonly #refreshes: Task;
  readonly #endings: Task;

  constructor(private readonly options: KeeperOptions) {
    this.#slots = new FairSlots({
      slots: options.maxConcurrent,
      queue: MAX_ACCOUNTS_WAITING,
      minimumRate: { perSecond: MINIMUM_RATE, windowMs: RATE_WINDOW_MS },
    });
    this.#lines = new SlotLines(this.#slots);
    const { tasks, log } = options;
    this.#refreshes = tasks.add({
      name: 'secondary-refresh',
      owner: 'rank',
      due: () => this.#untilFirst(this.#due),
      log,
      run: () => this.#beginDue(),
    });
    this.#endings = tasks.add({
      name: 'secondary-expiry',
      owner: 'node',
      due: () => this.#untilFirst(this.#expiries),
      log,
      run: () => this.#expireDue(),
    });
  }

  /** Zones by state. */
  counts(): Record<ReturnType<typeof secondaryState>, number> {
    const counts = { pending: 0, current: 0, retrying: 0, expired: 0 };
    const now = this.options.now();
    for (const { row } of this.#zones.values()) counts[secondaryState(row, now)]++;
    return counts;
  }

  /** Refreshes in flight. */
  get inFlight(): number {
    return this.#slots.inUse;
  }

  /** Refreshes that are queued for a slot. */
  get waiting(): number {
    return this.#lines.waiting;
  }

  /** Reads all zones and lists the unavailable zones. Called before the nameserver starts. */
  load(): void {
    for (const row of this.options.rows()) this.#track(row);
    this.options.onCount(this.#zones.size);
  }

  start(): void {
    this.#refreshes.start();
    this.#endings.start();
  }

  async stop(): Promise<void> {
    const stopped = Promise.all([this.#refreshes.stop(), this.#endings.stop()]);
    this.#lines.close();
    for (const { controller } of this.#running) controller?.abort(this.#refreshes.signal.reason);
    await stopped;
    await Promise.all([...this.#running].map(({ running }) => running));
    await this.options.batch.stop();
  }

  row(domainId: Id): SecondaryRow | undefined {
    return this.#zones.get(domainId)?.row;
  }

  /** Called when rows were written or deleted, by this node or another. */
  onRows(domainIds: Iterable<Id>): void {
    for (const domainId of domainIds) {
      const row = this.options.storedRow(domainId);
      if (row === undefined) this.#forget(domainId);
      else this.#track(row);
    }
    this.options.onCount(this.#zones.size);
    this.#schedule();
  }

  /** Called when the row of a domain was written. Its primaries may have changed. */
  onDomain(domainId: Id): void {
    const zone = this.#zones.get(domainId);
    if (zone !== undefined && this.#isHolder(domainId)) this.#due.set(domainId, this.options.now());
    this.#schedule();
  }

  /** Handles a NOTIFY of a primary. `serial` null: the message has no serial. */
  notify(domainId: Id, serial: number | null): void {
    const zone = this.#zones.get(domainId);
    if (zone === undefined) return;
    const isNew = (): boolean => {
      const { serial: ours } = zone.row;
      if (serial === null || ours === null || isAfter(serial, ours)) return true;
      return serial !== ours && (this.options.acceptsOlder || zone.isExpired);
    };
    if (!isNew()) return;
    const rank = this.options.tasks.rank(`${domainId}`);
    const begin = (): void => {
      if (!isNew() || this.#zones.get(domainId) !== zone) return;
      if (zone.running !== null) zone.isNotified = true;
      else void this.#run(zone, { force: false, isNotified: true });
    };
    if (rank === 0) begin();
    else setTimeout(begin, rank * NOTIFY_STEP_MS).unref();
  }

  /** Refreshes the zone now. Never rejects. */
  async transfer(domainId: Id, force: boolean): Promise<SecondaryRow | undefined> {
    const zone = this.#zones.get(domainId);
    if (zone === undefined) return undefined;
    // A loop, since another caller may start the next refresh first.
    while (zone.running !== null) await zone.running;
    await this.#run(zone, { force, isNotified: true });
    return zone.row;
  }

  #track(stored: SecondaryRow): void {
    const { domainId } = stored;
    let zone = this.#zones.get(domainId);
    if (zone === undefined) {
      const domain = this.options.domain(domainId);
      if (domain === undefined) return;
      zone = {
        domainId,
        apex: domain.apex,
        row: stored,
        failures: 0,
        first: 0,
        running: null,
        controller: null,
        isNotified: false,
        isExpired: false,
      };
      this.#zones.set(domainId, zone);
      this.#due.set(domainId, this.#firstDue(stored));
    } else if (isNewer(stored, zone.row)) {
      const isSame = stored.serial === zone.row.serial && stored.refreshedAt === zone.row.refreshedAt;
      zone.row = stored;
      if (!isSame) {
        zone.failures = 0;
        if (zone.running === null) this.#due.set(domainId, this.#nextDue(zone));
      }
    }
    this.#checkExpiry(zone);
  }

  #forget(domainId: Id): void {
    const zone = this.#zones.get(domainId);
    if (zone === undefined) return;
    this.#zones.delete(domainId);
    this.#due.set(domainId, null);
    this.#expiries.set(domainId, null);
    this.options.unavailable.set(zone.apex, false);
    zone.controller?.abort(new Error('the zone was deleted'));
  }

  /** Spreads the refreshes of overdue zones after a restart. */
  #firstDue(row: SecondaryRow): number {
    const now = this.options.now();
    // A time in the future was written with a clock that was ahead.
    if (row.refreshedAt === null || row.refreshedAt > now) return now;
    const due = row.refreshedAt + this.#bounded(row.error === null ? row.refresh : row.retry);
    return due > now ? due : now + Math.random() * Math.min(30, this.#bounded(row.retry));
  }

  /** Subtracts up to 10 % as jitter, so that zones with the same timers spread out. */
  #nextDue({ row, failures }: Zone): number {
    const now = this.options.now();
    const jitter = 1 - Math.random() / 10;
    if (row.serial === null)
      return now + Math.min(LONGEST_FIRST_RETRY, FIRST_RETRY * 2 ** Math.max(0, failures - 1)) * jitter;
    const due = now + this.#bounded(failures === 0 && row.error === null ? row.refresh : row.retry) * jitter;
    const endangered = this.#endangeredAt(row);
    return endangered > now ? Math.min(due, Math.max(now + this.options.minRefresh, endangered)) : due;
  }

  /**
   * The time from which every node queries the primaries, since the zone expires soon. Normally
   * the holder of the lease writes a confirmation long before: see `#confirm`.
   */
  #endangeredAt({ refreshedAt, expire, refresh }: SecondaryRow): number {
    if (refreshedAt === null) return Number.POSITIVE_INFINITY;
    const usual = this.#bounded(refresh);
    return refreshedAt + (Math.max(expire / 2, usual < expire ? usual : 0) + expire) / 2;
  }

  #bounded(seconds: number): number {
    return boundedTimer(this.options, seconds);
  }

  #checkExpiry(zone: Zone): void {
    const { unavailable, now, log } = this.options;
    const { row, domainId } = zone;
    const isExpired = row.expiresAt === null || row.expiresAt <= now();
    unavailable.set(zone.apex, isExpired);
    this.#expiries.set(domainId, isExpired ? null : row.expiresAt);
    if (isExpired === zone.isExpired) return;
    zone.isExpired = isExpired;
    if (row.expiresAt === null) return;
    const fields = { zone: formatHost(zone.apex), serial: row.serial };
    if (isExpired) log.warn('secondary zone expired: queries fail until a primary answers', fields);
    else log.info('secondary zone is served again', fields);
  }

  /** Whether this node holds the lease of the zone. */
  #isHolder(domainId: Id): boolean {
    return this.options.tasks.rank(`${domainId}`) === 0;
  }

  #untilFirst({ first }: DueQueue<Id>): number {
    return ((first ?? Number.POSITIVE_INFINITY) - this.options.now()) * 1000;
  }

  #schedule(): void {
    this.#refreshes.reschedule();
    this.#endings.reschedule();
  }

  async #expireDue(): Promise<void> {
    const now = this.options.now();
    for (let i = 0; !this.#refreshes.isStopped; i++) {
      const domainId = this.#expiries.take(now);
      if (domainId === null) break;
      const zone = this.#zones.get(domainId);
      if (zone !== undefined) this.#checkExpiry(zone);
      if (i % PIECE === PIECE - 1) await yieldToOthers();
    }
  }

  /** Queues the due zones. */
  async #beginDue(): Promise<void> {
    const now = this.options.now();
    for (let i = 0; !this.#refreshes.isStopped; i++) {
      const domainId = this.#due.take(now);
      if (domainId === null) break;
      this.#begin(domainId);
      if (i % PIECE === PIECE - 1) await yieldToOthers();
    }
  }

  #begin(domainId: Id): void {
    const zone = this.#zones.get(domainId);
    if (zone === undefined || zone.running !== null) return;
    if (!this.#isHolder(domainId) && this.options.now() < this.#endangeredAt(zone.row)) {
      this.#due.set(domainId, this.#nextDue(zone));
      return;
    }
    void this.#run(zone, { force: false, isNotified: false });
  }

  #run(zone: Zone, how: { force: boolean; isNotified: boolean }): Promise<void> {
    this.#running.add(zone);
    zone.running = this.#refreshInTurn(zone, how).then(() => {
      zone.running = null;
      this.#running.delete(zone);
      if (this.#zones.get(zone.domainId) !== zone) return;
      this.#due.set(zone.domainId, this.#nextDue(zone));
      if (zone.isNotified && !this.#refreshes.isStopped) {
        zone.isNotified = false;
        void this.#run(zone, { force: false, isNotified: true });
      } else this.#schedule();
    });
    return zone.running;
  }

  /** Resolves when the refresh has ended. Never rejects. */
  #refreshInTurn(zone: Zone, how: { force: boolean; isNotified: boolean }): Promise<void> {
    const account = `${this.options.domain(zone.domainId)?.accountId ?? ''}`;
    return new Promise((resolve) => {
      const begin = (slot: Slot): void => {
        void this.#refresh(zone, how, slot).finally(() => {
          slot.release();
          resolve();
        });
      };
      this.#lines.put({ begin, cancel: resolve }, account, how.isNotified);
    });
  }

  /** Never rejects. */
  async #refresh(zone: Zone, how: { force: boolean; isNotified: boolean }, slot: Slot): Promise<void> {
    const { log, observer, batch } = this.options;
    const domain = this.options.domain(zone.domainId);
    if (domain?.kind !== 'secondary' || this.#refreshes.isStopped) return;
    const controller = new AbortController();
    zone.controller = controller;
    const timer = setTimeout(() => controller.abort(new Error('the transfer took too long')), MAX_SECONDS * 1000);
    timer.unref();
    const { signal } = controller;
    const name = formatHost(domain.apex);
    const before = zone.row;
    const { force, isNotified } = how;
    const { first } = zone;
    try {
      const outcome = await this.options.refresh(domain, before, { force, isNotified, signal, slot, first });
      observer?.(outcome.kind);
      if (outcome.kind === 'failed') {
        zone.failures++;
        zone.first = outcome.slow === undefined ? 0 : outcome.slow + 1;
        if (before.error === null) log.warn('secondary zone not refreshed', { zone: name, error: outcome.error });
        else log.debug('secondary zone not refreshed', { zone: name, error: outcome.error });
        zone.row = { ...zone.row, error: outcome.error };
        // Nodes may get different errors. Of refreshes by timer, only the holder writes the error.
        if (before.error !== outcome.error && (how.isNotified || this.#isHolder(zone.domainId))) batch.add(zone.row);
        return;
      }
      zone.failures = 0;
      zone.row = outcome.row;
      if (outcome.kind === 'current') this.#confirm(before, outcome.row);
      else {
        log.info('secondary zone transferred', { zone: name, serial: outcome.row.serial, kind: outcome.kind });
        this.#logWarnings(name, before.warnings, outcome.row.warnings);
      }
      this.#checkExpiry(zone);
    } catch (error) {
      if (this.#refreshes.isStopped || !this.#zones.has(zone.domainId) || error instanceof SupersededError) return;
      zone.failures++;
      log.warn('secondary zone not committed; retrying', { zone: name, error: error as Error });
    } finally {
      clearTimeout(timer);
      zone.controller = null;
    }
  }

  /** Logs new warnings about the content of a zone, the first in full. */
  #logWarnings(zone: string, before: StoredWarnings = NO_WARNINGS, after: StoredWarnings = NO_WARNINGS): void {
    const had = new Set(before.first.map(({ message }) => message));
    const isNew = after.first.some(({ message }) => !had.has(message)) || after.omitted > before.omitted;
    if (!isNew || after.first.length === 0) return;
    const count = after.first.length + after.omitted;
    this.options.log.warn('the primary sent questionable records', { zone, count, first: after.first[0].message });
  }

  /** Writes that a serial was confirmed, unless a recent confirmation is stored. */
  #confirm(before: SecondaryRow, row: SecondaryRow): void {
    const { storedRow, now, batch } = this.options;
    const age = now() - (storedRow(row.domainId)?.refreshedAt ?? 0);
    if (before.error !== null || age >= Math.min(RENEWAL, row.expire / 4)) batch.add(row);
  }
}

/** Whether a stored row is newer than the row of this node. */
function isNewer(stored: SecondaryRow, current: SecondaryRow): boolean {
  if (stored.serial !== current.serial) return true;
  return (stored.refreshedAt ?? 0) >= (current.refreshedAt ?? 0);
}
