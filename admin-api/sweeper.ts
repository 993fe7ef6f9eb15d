/**
 * Deletes expired rows: stored responses of Idempotency-Keys, old purges, old audit entries,
 * expired sessions, used challenges, finished packages, and the rest of deleted accounts.
 */
import { setImmediate } from 'node:timers/promises';
import type { Task } from '../core/base/tasks.ts';
import { type Draft, write } from '../core/journal/draft/draft.ts';
import { afterPrefix, type Id, idAt } from '../core/store/keys.ts';
import { uploadsOf } from '../core/store/package-reads.ts';
import {
  type App,
  type Audit,
  apps,
  audits,
  isOver,
  purges,
  replays,
  reports,
  sessions,
  spentChallenges,
  type Table,
  uploads,
} from '../core/store/rows.ts';
import { decodeUsage } from '../core/store/zone-state.ts';
import { REPLAY_LIFETIME } from './change/change.ts';
import type { Services } from './change/services.ts';
import { nowSeconds } from './http/time.ts';
import { isReleased } from './miniapp/packages/app-ids.ts';
import type { Sessions } from './people/auth/sessions.ts';

/** Milliseconds between two sweeps. */
const INTERVAL = 60_000;
/** Rows that are read between two yields to the event loop, and deleted in one commit. */
const BATCH_SIZE = 2000;
const BATCH = 500;
/**
 * Maximum rows of one table in one sweep. As many as 1,500 writes per second add: with fewer, a
 * sweep would never reach the end of a growing table.
 */
const MAX_SCANNED = 100_000;
const DAY = 86_400;
/** Share of an audit log that is deleted when it is full. */
const TRIMMED_SHARE = 1 / 16;
/** Seconds for which a purge is kept, for edges that were offline. */
const PURGE_LIFETIME = DAY;
/** Maximum seconds between the clocks of two nodes: another may still accept a challenge. */
const CLOCK_DIFFERENCE = 3600;

interface Rows<Row> {
  readonly table: Table<Row>;
  readonly isOver: (row: Row) => boolean;
  /** Whether no later row with the same first GROUP_BYTES bytes of the key has expired. */
  readonly isLast?: (row: Row) => boolean;
  /** Deletes what depends on a row. */
  readonly deleteDependents?: (draft: Draft, row: Row) => void;
}

/** Bytes of the common id at the start of the keys of related rows. */
const GROUP_BYTES = 8;
const NOTHING = Buffer.alloc(0);

export class Sweeper {
  /** By table, the key at which the last sweep ended. */
  readonly #cursors = new Map<number, Buffer>();
  readonly #task: Task;
  readonly #sessions: Pick<Sessions, 'isExpired'>;

  constructor(
    private readonly services: Services,
    validity: Pick<Sessions, 'isExpired'>,
  ) {
    this.#sessions = validity;
    this.#task = services.tasks.add({
      name: 'expired-rows',
      owner: 'node',
      due: INTERVAL,
      log: services.log,
      messages: ['cannot delete expired rows; retrying', 'expired rows are deleted again'],
      run: () => this.sweep(),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Runs one sweep. */
  async sweep(now = nowSeconds()): Promise<void> {
    await this.#expire({ table: replays, isOver: (row) => row.createdAt <= now - REPLAY_LIFETIME });
    await this.#expire({ table: purges, isOver: (row) => row.createdAt <= now - PURGE_LIFETIME });
    const { reader, config } = this.services;
    const { days } = config.audit;
    const kept = now - days * DAY;
    // Entries of an account are in the order of their times, except those of a clock that was
    // ahead.
    const isLast = ({ at }: Audit): boolean => at > kept && at <= now;
    if (days > 0) await this.#expire({ table: audits, isOver: ({ at }) => at <= kept, isLast });
    await this.#trimAudits(config.audit.maxSize);
    await this.#expire({ table: sessions, isOver: (row) => this.#sessions.isExpired(row, now) });
    await this.#expire({ table: spentChallenges, isOver: (row) => row.expiresAt <= now - CLOCK_DIFFERENCE });
    const overSince = now - config.packages.keepDays * DAY;
    await this.#expire({
      table: uploads,
      isOver: (row) => (isOver(row.state) && row.updatedAt <= overSince) || !reader.hasAccount(row.accountId),
      deleteDependents: (draft, { id: uploadId }) => draft.delete(reports, { uploadId, findings: NOTHING }),
    });
    // An app whose last package has expired, and which had no accepted one.
    const isEmpty = (row: App): boolean => uploadsOf(reader, row.id, null, 1).length === 0 && isReleased(reader, row);
    await this.#expire({ table: apps, isOver: (row) => !reader.hasAccount(row.accountId) || isEmpty(row) });
  }

  /** Deletes the oldest audit entries of accounts that have more than `maxSize` bytes of them. */
  async #trimAudits(maxSize: number): Promise<void> {
    if (maxSize === 0) return;
    const { environment, journal, reader } = this.services;
    const large: { readonly accountId: Id; readonly audit: number }[] = [];
    for (const { key, value } of environment.usage.getRange({})) {
      const { audit } = decodeUsage(value);
      if (audit > maxSize) large.push({ accountId: idAt(key), audit });
    }
    for (const { accountId, audit } of large) {
      // Some more than necessary, so that the next sweep finds nothing.
      let surplus = audit - maxSize * (1 - TRIMMED_SHARE);
      while (surplus > 0 && !this.#task.isStopped) {
        let freed = 0;
        await write(environment, journal, 'sweeper', (draft) => {
          freed = 0;
          for (const row of reader.oldestAudits(accountId, BATCH)) {
            if (freed >= surplus) break;
            draft.delete(audits, row);
            freed += audits.key(row).length + audits.encode(row).length;
          }
        });
        if (freed === 0) break;
        surplus -= freed;
        await setImmediate();
      }
    }
  }

  /**
   * Continues where the previous sweep ended, so that no sweep takes long, even in a large table.
   */
  async #expire<Row>(rows: Rows<Row>): Promise<void> {
    for (let scanned = 0; scanned < MAX_SCANNED; scanned += BATCH_SIZE) {
      if (this.#task.isStopped || (await this.#expirePiece(rows))) return;
      await setImmediate();
    }
  }

  /** Resolves to true at the end of the table. */
  async #expirePiece<Row>({ table, isOver: isExpired, isLast, deleteDependents: along }: Rows<Row>): Promise<boolean> {
    const { environment, journal } = this.services;
    const stored = environment.rows.get(table.number)!;
    const rows: Row[] = [];
    let start = this.#cursors.get(table.number);
    let isAtEnd = false;
    for (let left = BATCH_SIZE; left > 0 && !isAtEnd; ) {
      isAtEnd = true;
      for (const { key, value } of stored.getRange({ start, limit: left })) {
        const row = table.decode(key, value);
        if (isExpired(row)) rows.push(row);
        start = Buffer.concat([key, Uint8Array.of(0)]);
        if (--left === 0) isAtEnd = false;
        if (isLast?.(row) !== true) continue;
        start = afterPrefix((key as Buffer).subarray(0, GROUP_BYTES));
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
          if (current === undefined || !isExpired(current)) continue;
          draft.delete(table, current);
          along?.(draft, current);
        }
      });
    return isAtEnd;
  }
}
