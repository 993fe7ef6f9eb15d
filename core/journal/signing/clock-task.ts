/**
 * Advances the signing clocks of all zones, so that their signatures are renewed: see
 * clock-plan.ts. Every node runs this task at times of its own. All nodes plan the same steps, so
 * the later nodes find no work.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import type { HashRange } from '../../dns/dnssec/lifetime.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { type DnssecRow, dnssec } from '../../store/rows.ts';
import { decodeReadable, type OnDamaged } from '../../store/scan.ts';
import { type Draft, write } from '../draft/draft.ts';
import type { Journal } from '../journal.ts';
import { type ClockStep, type CountNames, IDLE, isAhead, planEntries, type ZoneClock } from './clock-plan.ts';
import { hashEnd, hashStart, startResigning } from './progress.ts';

/** Milliseconds between passes over all zones; a random third less or more. */
const INTERVAL_MS = 300_000;
const RETRY = { first: 10_000, longest: 60_000 };
/** Milliseconds before the first pass, since a starting node has other work. */
const FIRST_MS = 5000;
/** Pause after each entry, as a multiple of its duration. */
const PAUSE = 2;
/** Rows per read. */
const PAGE = 500;
/** Maximum seconds that a signing clock is behind the time, unless it could not advance. */
const LATE = 2 * IDLE;
const BY = 'dnssec';

interface ClockTaskOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  /** The clock of the machine. Signing clocks advance only while it is trusted. */
  readonly clock?: { readonly isTrusted: boolean };
  /** There are no other nodes. */
  readonly isAlone: boolean;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Called for each row of a zone that cannot be decoded. */
  readonly onDamaged?: OnDamaged;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export class ClockTask {
  readonly #task: Task;
  /** When the next pass is due, by performance.now(). */
  #passAt = Number.POSITIVE_INFINITY;
  #isFirst = true;
  /**
   * A zone that passes skip: it is being signed in pieces, with a clock that is far behind or ahead
   * of the time. Its clock was planned before the clock of the machine was set. A pass follows
   * after the last piece.
   */
  #skipped: Id | null = null;
  /** A zone was signed with a clock that is ahead of the time. A pass follows immediately. */
  #hasAhead = false;
  /** The last pass was skipped because the clock was not trusted. */
  #isWaiting = false;

  constructor(private readonly options: ClockTaskOptions) {
    const { tasks, log } = options;
    this.#task = tasks.add({
      name: 'signature-renewal',
      owner: 'claim',
      due: () => (this.#isDue ? 0 : this.#passAt - performance.now()),
      first: FIRST_MS,
      log,
      retry: RETRY,
      messages: ['signatures cannot be renewed', 'signatures are renewed again'],
      run: () => this.#run(),
    });
  }

  start(): void {
    this.options.journal.onSigning((domainIds) => {
      for (const id of domainIds) this.#hasAhead ||= this.#isSignedAhead(id);
      this.#task.reschedule();
    });
    this.#task.start();
  }

  /** Resolves when the current entry is written. */
  async stop(): Promise<void> {
    await this.#task.stop();
  }

  async #run(): Promise<void> {
    if (this.#isFirst && !(await this.#isUrgent())) this.#passAt = performance.now() + INTERVAL_MS * Math.random();
    else await this.#passAll();
    this.#isFirst = false;
  }

  async #passAll(): Promise<void> {
    this.#passAt = performance.now() + INTERVAL_MS * (2 / 3 + Math.random() * (2 / 3));
    try {
      while (await this.pass());
    } catch (error) {
      this.#skipped = null;
      throw error;
    }
  }

  /** Whether the first pass must not wait for a random time, which keeps the nodes apart. */
  async #isUrgent(): Promise<boolean> {
    const { isAlone, now = Date.now } = this.options;
    const seconds = now() / 1000;
    const clocks = await this.#readClocks(seconds);
    return isAlone || clocks.some(({ clock }) => isAhead(clock, seconds));
  }

  /**
   * Advances each clock by one step at most. Resolves with whether another pass must follow
   * immediately.
   */
  async pass(): Promise<boolean> {
    const { environment, now = Date.now } = this.options;
    const { signal } = this.#task;
    this.#isWaiting = !this.#isClockTrusted;
    if (this.#isWaiting) return false;
    const seconds = now() / 1000;
    this.#hasAhead = false;
    const zones = await this.#readClocks(seconds);
    let isCut = false;
    for (const steps of planEntries(zones, seconds, countNames(environment))) {
      if (signal.aborted) return false;
      const start = performance.now();
      await this.#write(steps);
      isCut ||= steps.some(({ kind }) => kind === 'cut');
      await sleep((performance.now() - start) * PAUSE, undefined, { signal }).catch(() => {});
    }
    return isCut && !signal.aborted;
  }

  /** Reads the clocks of zones that are not being signed in pieces. `now`: seconds since 1970. */
  async #readClocks(now: number): Promise<ZoneClock[]> {
    const table = this.options.environment.rows.get(dnssec.number)!;
    const clocks: ZoneClock[] = [];
    this.#skipped = null;
    let start: Buffer = Buffer.alloc(0);
    for (let isLast = false; !isLast && !this.#task.isStopped; await setImmediate()) {
      isLast = true;
      for (const { key, value } of table.getRange({ start, limit: PAGE })) {
        const row = decodeReadable(dnssec, key as Buffer, value, this.options.onDamaged);
        if (row !== undefined && row.progress === undefined) clocks.push({ id: idAt(key as Buffer), clock: row.clock });
        else if (row !== undefined && (now - row.clock > LATE || isAhead(row.clock, now)))
          this.#skipped = idAt(key as Buffer);
        start = Buffer.concat([key as Buffer, Uint8Array.of(0)]);
        isLast = false;
      }
    }
    return clocks;
  }

  async #write(steps: readonly ClockStep[]): Promise<void> {
    const { environment, journal } = this.options;
    await write(environment, journal, BY, (draft) => {
      for (const step of steps) advance(draft, step);
    });
  }

  /** Whether the skipped zone is signed now. */
  get #isSkippedSigned(): boolean {
    return this.#skipped !== null && this.#read(this.#skipped)?.progress === undefined;
  }

  get #isClockTrusted(): boolean {
    return this.options.clock?.isTrusted !== false;
  }

  /** Whether a pass must start early. */
  get #isDue(): boolean {
    if (!this.#isClockTrusted) return false;
    return this.#isWaiting || this.#hasAhead || this.#isSkippedSigned;
  }

  #isSignedAhead(id: Id): boolean {
    const { now = Date.now } = this.options;
    const row = this.#read(id);
    return row !== undefined && row.progress === undefined && isAhead(row.clock, now() / 1000);
  }

  #read(id: Id): DnssecRow | undefined {
    const key = idKey(id);
    const value = this.options.environment.rows.get(dnssec.number)!.get(key);
    return value && decodeReadable(dnssec, key, value, this.options.onDamaged);
  }
}

/**
 * Does nothing if another node has advanced the clock, or if the signing of the zone has changed.
 */
function advance(draft: Draft, { id, clock, to, kind }: ClockStep): void {
  const row: DnssecRow | undefined = draft.row(dnssec, idKey(id));
  if (row === undefined || row.clock !== clock || row.progress !== undefined || draft.domain(id) === undefined) return;
  draft.put(dnssec, kind === 'pieces' ? startResigning(row, { ...row, clock: to }) : { ...row, clock: to });
}

/** Returns a function that counts in the nsec3 table. */
function countNames({ nsec3 }: Pick<Environment, 'nsec3'>): CountNames {
  return (id: Id, ranges: readonly HashRange[], limit: number) => {
    let count = 0;
    for (const { first, last } of ranges)
      for (const key of nsec3.getKeys({
        start: hashStart(id, first),
        end: hashEnd(id, last),
        limit: limit - count + 1,
      })) {
        if (count === limit) return { count, next: Buffer.from(key as Uint8Array).readUInt32BE(8) };
        count++;
      }
    return { count, next: null };
  };
}
