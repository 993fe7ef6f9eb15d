/**
 * The last use of each token. Uses on this node are visible at once. A background task stores them,
 * so that other nodes see them minutes later and reads cause few writes.
 */
import type { Task } from '../../../core/base/tasks.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { tokenUses } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { nowSeconds } from '../../http/time.ts';

/** Seconds between two records of the use of a token. */
const RECORD_INTERVAL = 300;
/** Milliseconds between two runs of the background task. */
const INTERVAL = 60_000;
/** Maximum tokens whose use is in memory. Above it, the least recently used token is evicted. */
const MAX_REMEMBERED = 10_000;
/** Maximum uses in a commit. */
const BATCH = 500;

export class TokenUses {
  readonly #services: Pick<Services, 'environment' | 'journal' | 'reader'>;
  /**
   * `at`: the last use on this node. `since`: the first use that is not stored; null: all are
   * stored.
   */
  readonly #lastUses = new Map<Id, { at: number; since: number | null }>();
  readonly #task: Task;

  constructor(services: Pick<Services, 'environment' | 'journal' | 'reader' | 'log' | 'tasks'>) {
    this.#services = services;
    this.#task = services.tasks.add({
      name: 'token-uses',
      owner: 'node',
      due: INTERVAL,
      log: services.log,
      messages: ['cannot record the last use of tokens; retrying', 'the last use of tokens is recorded again'],
      run: () => this.record(),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  note(tokenId: Id): void {
    const now = nowSeconds();
    const used = this.#lastUses.get(tokenId);
    if (used === undefined) {
      if (this.#lastUses.size >= MAX_REMEMBERED) this.#forgetOldest();
      this.#lastUses.set(tokenId, { at: now, since: now });
    } else {
      used.at = now;
      used.since ??= now;
    }
  }

  /** Seconds since 1970; null: never. */
  lastUse(tokenId: Id): number | null {
    const own = this.#lastUses.get(tokenId)?.at ?? 0;
    return Math.max(own, this.#services.reader.tokenUse(tokenId)?.usedAt ?? 0) || null;
  }

  /** Records the uses that have not been recorded for RECORD_INTERVAL. */
  async record(now = nowSeconds()): Promise<void> {
    const { environment, journal } = this.#services;
    const due = [...this.#lastUses].filter(([, { since }]) => since !== null && since <= now - RECORD_INTERVAL);
    for (let i = 0; i < due.length; i += BATCH) {
      const batch = due.slice(i, i + BATCH).map(([tokenId, used]) => ({ tokenId, used, usedAt: used.at }));
      await write(environment, journal, 'tokens', (draft) => {
        for (const { tokenId, usedAt } of batch) {
          const isOld = (draft.tokenUse(tokenId)?.usedAt ?? 0) <= usedAt - RECORD_INTERVAL;
          if (isOld && draft.token(tokenId) !== undefined) draft.put(tokenUses, { tokenId, usedAt });
        }
      });
      for (const { used, usedAt } of batch) used.since = used.at > usedAt ? now : null;
    }
  }

  #forgetOldest(): void {
    for (const id of this.#lastUses.keys()) {
      this.#lastUses.delete(id);
      return;
    }
  }
}
