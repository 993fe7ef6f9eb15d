/** Takes away rows whose time has passed: answers kept under Idempotency-Keys, purges that every edge has acted on, old audit entries, packages that are over, and what accounts that have gone left behind. */
import { setImmediate } from 'node:timers/promises';
import { Trouble } from '../core/cluster/trouble.ts';
import { type Draft, write } from '../core/journal/draft.ts';
import { Periodic } from '../core/periodic.ts';
import { apps, audits, isOver, purges, replays, reports, type Table, uploads } from '../core/store/rows.ts';
import { REPLAYED_FOR } from './change.ts';
import { nowSeconds } from './http/time.ts';
import type { Services } from './services.ts';

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

/** Deletes what goes with a row. */
type Along<Row> = (draft: Draft, row: Row) => void;

const NOTHING = Buffer.alloc(0);

export class Sweeper {
  readonly #services: Services;
  /** Where the last look at a table ended. */
  readonly #cursors = new Map<number, Buffer>();
  readonly #turns: Periodic;

  constructor(services: Services) {
    this.#services = services;
    const trouble = new Trouble(
      services.log,
      'old rows can not be taken away; this is tried again',
      'old rows are taken away again',
    );
    this.#turns = new Periodic(() => this.sweep(), { interval: INTERVAL, onEnd: (error) => trouble.say(error) });
  }

  start(): void {
    this.#turns.start();
  }

  stop(): Promise<void> {
    return this.#turns.stop();
  }

  /** One look. */
  async sweep(now = nowSeconds()): Promise<void> {
    await this.#expire(replays, (row) => row.createdAt <= now - REPLAYED_FOR);
    await this.#expire(purges, (row) => row.createdAt <= now - PURGES_KEPT);
    const { reader, config } = this.#services;
    const { days } = config.audit;
    if (days > 0) await this.#expire(audits, (row) => row.at <= now - days * DAY);
    const overSince = now - config.packages.keepDays * DAY;
    await this.#expire(
      uploads,
      (row) => (isOver(row.state) && row.updatedAt <= overSince) || !reader.hasAccount(row.accountId),
      (draft, { id: uploadId }) => draft.delete(reports, { uploadId, findings: NOTHING }),
    );
    await this.#expire(apps, (row) => !reader.hasAccount(row.accountId));
  }

  /** A look goes on where the one before ended, so that none takes long, however large the table is. */
  async #expire<Row>(table: Table<Row>, isOver: (row: Row) => boolean, along?: Along<Row>): Promise<void> {
    for (let scanned = 0; scanned < MOST_SCANNED; scanned += SCANNED) {
      if (this.#turns.isStopped || (await this.#expirePiece(table, isOver, along))) return;
      await setImmediate();
    }
  }

  /** Resolves to true at the end of the table. */
  async #expirePiece<Row>(table: Table<Row>, isOver: (row: Row) => boolean, along?: Along<Row>): Promise<boolean> {
    const { environment, journal } = this.#services;
    const start = this.#cursors.get(table.number);
    const rows: Row[] = [];
    let last: Buffer | undefined;
    let scanned = 0;
    for (const { key, value } of environment.rows.get(table.number)!.getRange({ start, limit: SCANNED })) {
      scanned++;
      last = key as Buffer;
      const row = table.decode(key, value);
      if (isOver(row)) rows.push(row);
    }
    if (last === undefined || scanned < SCANNED) this.#cursors.delete(table.number);
    else this.#cursors.set(table.number, Buffer.concat([last, Uint8Array.of(0)]));
    for (let i = 0; i < rows.length; i += BATCH)
      await write(environment, journal, 'sweeper', (draft) => {
        for (const row of rows.slice(i, i + BATCH)) {
          const current = draft.row(table, table.key(row));
          if (current === undefined || !isOver(current)) continue;
          draft.delete(table, current);
          along?.(draft, current);
        }
      });
    return scanned < SCANNED;
  }
}
