/**
 * Queues work for slots (fair-slots.ts), with one line per account. A line waits for one slot at a
 * time, so a long line is cheap and delays only its account. Urgent work is first in its line.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FairSlots, NoSlot, Slot } from './fair-slots.ts';

interface SlotWork {
  /** Must not throw, and must release the slot. */
  begin(slot: Slot): void;
  /** Called instead of `begin` when the lines are closed. */
  cancel(): void;
}

interface Line {
  readonly urgent: Set<SlotWork>;
  readonly usual: Set<SlotWork>;
}

/** Milliseconds after which a line requests a slot again when too many lines wait. */
const RETRY_MS = 1000;

export class SlotLines {
  readonly #slots: FairSlots;
  readonly #lines = new Map<string, Line>();
  readonly #closing = new AbortController();
  #waiting = 0;

  constructor(slots: FairSlots) {
    this.#slots = slots;
  }

  /** Number of queued works. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Queues work. Starts it in this call if a slot is free and the line is empty. */
  put(work: SlotWork, account: string, isUrgent = false): void {
    if (this.#closing.signal.aborted) {
      work.cancel();
      return;
    }
    const existing = this.#lines.get(account);
    const line = existing ?? { urgent: new Set(), usual: new Set() };
    line[isUrgent ? 'urgent' : 'usual'].add(work);
    this.#waiting++;
    if (existing !== undefined) return;
    this.#lines.set(account, line);
    void this.#serve(account, line);
  }

  /** Cancels queued work, and all work that is queued later. */
  close(): void {
    this.#closing.abort();
    for (const { urgent, usual } of this.#lines.values())
      for (const works of [urgent, usual]) {
        for (const work of works) work.cancel();
        works.clear();
      }
    this.#waiting = 0;
  }

  async #serve(account: string, { urgent, usual }: Line): Promise<void> {
    const owner = { account, network: '' };
    const { signal } = this.#closing;
    while (urgent.size + usual.size > 0) {
      const slot: Slot | NoSlot = this.#slots.tryAcquire(owner) ?? (await this.#slots.acquire(owner, signal));
      if (slot === 'aborted') break;
      if (slot === 'full') {
        await delay(RETRY_MS, undefined, { ref: false });
        continue;
      }
      const works = urgent.size > 0 ? urgent : usual;
      const [work] = works;
      if (work === undefined) {
        slot.release();
        break;
      }
      works.delete(work);
      this.#waiting--;
      work.begin(slot);
    }
    this.#lines.delete(account);
  }
}
