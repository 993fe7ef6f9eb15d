/** Takes away rows whose time has passed: answers kept under Idempotency-Keys, purges that every edge has acted on, old audit entries, packages that are over, and what accounts that have gone left behind. */
import { setImmediate } from 'node:timers/promises';
import { FaultLog } from '../core/base/log/throttle.ts';
import { Periodic } from '../core/base/periodic.ts';
import { type Draft, write } from '../core/journal/draft/draft.ts';
import { afterPrefix } from '../core/store/keys.ts';
import { type Audit, apps, audits, isOver, purges, replays, reports, type Table, uploads } from '../core/store/rows.ts';
import { REPLAYED_FOR } from './change/change.ts';
import type { Services } from './change/services.ts';
import { nowSeconds } from './http/time.ts';

/** Milliseconds between two looks. */
const INTERVAL = 60_000;
/** Rows that are looked at between two turns of the event loop, and that go in one commit. */
const SCANNED = 2000;
const BATCH = 500;
/** Rows of one table in one look, as many as some 1,500 writes a second bring: less would never come to the end of a table that grows. */
const MOST_SCANNED = 100_000;
const DAY = 86_400;
/** Seconds for which a purge is kept: for edges that were away. */
const PURGES_KEPT = DAY;

interface Rows<Row> {
  readonly table: Table<Row>;
  readonly isOver: (row: Row) => boolean;
  /** None behind this one is over, of those whose keys have the first GROUP bytes in common. */
  readonly isLast?: (row: Row) => boolean;
  /** Deletes what goes with a row. */
  readonly along?: (draft: Draft, row: Row) => void;
}

/** Bytes of the id that keys of rows which belong together begin with. */
const GROUP = 8;
const NOTHING = Buffer.alloc(0);

export class Sweeper {
  readonly #services: Services;
  /** Where the last look at a table ended. */
  readonly #cursors = new Map<number, Buffer>();
  readonly #turns: Periodic;

  constructor(services: Services) {
    this.#services = services;
    const fault = new FaultLog(services.log, 'cannot delete expired rows; retrying', 'expired rows are deleted again');
    this.#turns = new Periodic(() => this.sweep(), { interval: INTERVAL, onEnd: (error) => fault.report(error) });
  }

  start(): void {
    this.#turns.start();
  }

  stop(): Promise<void> {
    return this.#turns.stop();
  }

  /** One look. */
  async sweep(now = nowSeconds()): Promise<void> {
    await this.#expire({ table: replays, isOver: (row) => row.createdAt <= now - REPLAYED_FOR });
    await this.#expire({ table: purges, isOver: (row) => row.createdAt <= now - PURGES_KEPT });
    const { reader, config } = this.#services;
    const { days } = config.audit;
    const kept = now - days * DAY;
    // Those of an account stand in the order of their times, but for what was written while a clock was ahead.
    const isLast = ({ at }: Audit): boolean => at > kept && at <= now;
    if (days > 0) await this.#expire({ table: audits, isOver: ({ at }) => at <= kept, isLast });
    const overSince = now - config.packages.keepDays * DAY;
    await this.#expire({
      table: uploads,
      isOver: (row) => (isOver(row.state) && row.updatedAt <= overSince) || !reader.hasAccount(row.accountId),
      along: (draft, { id: uploadId }) => draft.delete(reports, { uploadId, findings: NOTHING }),
    });
    await this.#expire({ table: apps, isOver: (row) => !reader.hasAccount(row.accountId) });
  }

  /** A look goes on where the one before ended, so that none takes long, however large the table is. */
  async #expire<Row>(rows: Rows<Row>): Promise<void> {
    for (let scanned = 0; scanned < MOST_SCANNED; scanned += SCANNED) {
      if (this.#turns.isStopped || (await this.#expirePiece(rows))) return;
      await setImmediate();
    }
  }

  /** Resolves to true at the end of the table. */
  async #expirePiece<Row>({ table, isOver, isLast, along }: Rows<Row>): Promise<boolean> {
    const { environment, journal } = this.#services;
    const stored = environment.rows.get(table.number)!;
    const rows: Row[] = [];
    let start = this.#cursors.get(table.number);
    let isAtEnd = false;
    for (let left = SCANNED; left > 0 && !isAtEnd; ) {
      isAtEnd = true;
      for (const { key, value } of stored.getRange({ start, limit: left })) {
        const row = table.decode(key, value);
        if (isOver(row)) rows.push(row);
        start = Buffer.concat([key, Uint8Array.of(0)]);
        if (--left === 0) isAtEnd = false;
        if (isLast?.(row) !== true) continue;
        start = afterPrefix((key as Buffer).subarray(0, GROUP));
        isAtEnd = start === undefined;
        break;
      }
    }
    if (isAtEnd || start === undefined) this.#cursors.delete(table.number);
    else this.#cursors.set(table.number, start);
    for (let i = 0; i < rows.length; i += BATCH)
      await write(environment, journal, 'sweeper', (draft) => {
        for (const row of rows.slice(i, i + BATCH)) {
          const current = draft.row(table, table.key(row));
          if (current === undefined || !isOver(current)) continue;
          draft.delete(table, current);
          along?.(draft, current);
        }
      });
    return isAtEnd;
  }
}
