/** The journal of a single node. It is stored in LMDB, next to the rows. */

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, UnavailableError } from '../base/errors.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { Head } from './applied-head.ts';
import type { PlacedZone } from './apply/staged-import.ts';
import type { ZoneUpdates } from './apply/zone-updates.ts';
import { buildGroup, type Group, type PendingCommit } from './commit/commit-queue.ts';
import type { CommitRequest, Committed, Journal } from './journal.ts';
import { type JournalOptions, LocalJournal } from './local-journal.ts';

interface PreparedGroup extends Group {
  /** A time of performance.now(). */
  readonly start: number;
  /** The checkpoint of recent writes before the group. */
  readonly checkpoint: number;
  /** Why the entries cannot be applied; null: they can. */
  readonly failure: Error | null;
}

export function openEmbeddedJournal(options: JournalOptions): Journal {
  return new EmbeddedJournal(options);
}

/** Bytes of records from which on an import is staged: some thousand records. */
const STAGED_BYTES = 256 << 10;
/** The records of one import can be hidden at a time. */
const CONCURRENT_IMPORTS = 1;
/** Milliseconds between two attempts to write the answers of an import. */
const RETRY_MS = 1000;

/** Work in steps between groups. `step` resolves with whether it was the last. */
interface SteppedWork {
  readonly step: () => Promise<boolean>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

class EmbeddedJournal extends LocalJournal {
  readonly #importing = new Semaphore(CONCURRENT_IMPORTS);
  #stepped: SteppedWork | null = null;

  protected get hasWork(): boolean {
    return !this.queue.isEmpty || this.#stepped !== null;
  }

  latest(): Promise<number> {
    return Promise.resolve(this.head);
  }

  protected override enqueue(request: CommitRequest): Promise<Committed> {
    const { compiled } = request;
    const isSmall = compiled?.rows === undefined || compiled.rows.end - compiled.rows.start < STAGED_BYTES;
    if (isSmall || !this.applier.stagesImports) return super.enqueue(request);
    const progress = compiled.progress ?? { begin() {}, done: 0 };
    progress.begin('waiting', 0);
    const zone = { ...compiled, rows: compiled.rows, progress };
    return this.#importing.run(() => this.#import(request, zone));
  }

  /** See staged-import.ts. */
  async #import(request: CommitRequest, zone: PlacedZone): Promise<Committed> {
    const { applier } = this;
    const staged = applier.stage(request.changes, zone);
    try {
      if (this.recent.hasConflict(request.reads)) throw new ConflictError();
      zone.progress.begin('records', zone.rows.count);
      // Records of an import that failed, and that could not be deleted.
      await this.#inSteps(applier.deleteHidden());
      const write = applier.writeRows(staged);
      await this.#inSteps(() => {
        // The next start deletes the records.
        if (this.isClosed) throw new UnavailableError('stopping', 'The service is stopping; nothing was imported.');
        return write();
      });
      const committed = await super.enqueue(request, staged);
      await this.#untilDone(applier.serve(staged));
      // The next start deletes the rest.
      zone.progress.begin('cleanup', 0);
      if (!this.isClosed) await this.#untilDone(applier.deleteHidden());
      return committed;
    } catch (error) {
      if (!staged.isCommitted && !this.isClosed) await this.#inSteps(applier.deleteHidden()).catch(() => {});
      throw error;
    }
  }

  /** The import is stored, so errors such as a full disk only delay what follows. */
  async #untilDone(step: () => Promise<boolean>): Promise<void> {
    for (;;)
      try {
        return await this.#inSteps(step);
      } catch (error) {
        if (this.isClosed) throw error;
        await sleep(RETRY_MS);
      }
  }

  #inSteps(step: () => Promise<boolean>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stepped = { step, resolve, reject };
      this.wake();
    });
  }

  async #runStep({ step, resolve, reject }: SteppedWork): Promise<void> {
    try {
      if (!(await step())) return;
      resolve();
    } catch (error) {
      reject(error as Error);
    }
    this.#stepped = null;
  }

  override async close(): Promise<void> {
    const closed = super.close();
    await this.#importing.run(() => closed);
    await closed;
  }

  protected async work(): Promise<void> {
    if (!this.queue.isEmpty) await this.#workOnGroups();
    if (this.#stepped !== null) await this.#runStep(this.#stepped);
  }

  /** If any zone is signed, a group is compiled and signed while the previous group is written. */
  async #workOnGroups(): Promise<void> {
    let group = await this.#prepare(this.queue.take(), this.applier.head);
    while (group !== null) {
      const writing = this.#write(group);
      const next = await this.#prepareNext(group, writing);
      const failure = await writing;
      if (failure !== null) {
        if (next !== null) this.queue.putBack(next.accepted);
        return this.#retry(group, failure);
      }
      group = next;
    }
  }

  /**
   * Builds a group after a head, and rehearses it if any zone is signed. Null: no commit was
   * accepted.
   */
  async #prepare(waiting: readonly PendingCommit[], head: Head): Promise<PreparedGroup | null> {
    const start = performance.now();
    const checkpoint = this.recent.checkpoint();
    const group = buildGroup(waiting, head, this.recent, this.clock, this.observer);
    if (group.accepted.length === 0) return null;
    let failure: Error | null = null;
    if (this.applier.hasSignedZones && group.accepted[0].staged === undefined)
      await this.applier.rehearse(group.links).catch((error: Error) => {
        failure = error;
      });
    return { ...group, start, checkpoint, failure };
  }

  /**
   * Prepares the next group during the write of a group, once as many commits are pending as that
   * group has. Null: the write ended first.
   */
  async #prepareNext({ links, hash }: PreparedGroup, writing: Promise<unknown>): Promise<PreparedGroup | null> {
    // An import in progress gets its turn after each group.
    if (!this.applier.hasSignedZones || this.#importing.inUse > 0) return null;
    let hasEnded = false;
    const ended = writing.then(() => {
      hasEnded = true;
    });
    await Promise.race([this.queue.hasReached(links.length), ended]);
    // Commits of the same turn of the event loop join the group.
    await setImmediate();
    if (hasEnded) return null;
    return this.#prepare(this.queue.take(), { sequence: links[links.length - 1].applied.entry.sequence, hash });
  }

  /** Resolves with the error if nothing was written; null: success. Never rejects. */
  async #write({ accepted, links, hash, start, failure }: PreparedGroup): Promise<Error | null> {
    if (failure !== null) return failure;
    let updates: ZoneUpdates;
    try {
      updates = await this.applier.apply(links, hash);
    } catch (error) {
      return error as Error;
    }
    this.applier.publish(updates);
    this.observer?.observeCommit(accepted.length, (performance.now() - start) / 1000);
    accepted.forEach((commit, i) => {
      commit.resolve({ sequence: links[i].applied.entry.sequence });
    });
    return null;
  }

  /**
   * Retries the commits one at a time. An entry that cannot be applied must not make the other
   * entries of its group fail.
   */
  async #retry({ accepted, checkpoint }: PreparedGroup, failure: Error): Promise<void> {
    this.observer?.observeFailure();
    this.recent.restore(checkpoint);
    if (accepted.length === 1) {
      accepted[0].reject(failure);
      return;
    }
    for (const commit of accepted) {
      const alone = await this.#prepare([commit], this.applier.head);
      const reason = alone && (await this.#write(alone));
      if (alone !== null && reason !== null) await this.#retry(alone, reason);
    }
  }
}
