/**
 * The checked answers that are down, in memory that threads share. Usually there are none, so a
 * pick reads one word. One thread writes: it fills the half that is not in use, and then switches.
 */
import { createHash } from 'node:crypto';
import type { SteeringHealth } from '../../store/rows.ts';

/** Slots of a half; at most half of them are used. Further answers count as up. */
const SLOTS = 1 << 15;
const MAX_DOWN = SLOTS / 2;
const HEADER = 4;
/** Words of the header: the half in use, 0 or 1, and the number of answers that are down. */
const ACTIVE = 0;
const COUNT = 1;

/** The state of a checked answer on this node. */
export interface AnswerHealth {
  /** Null: not known yet, which counts as up. */
  readonly isUp: boolean | null;
  /** Seconds since 1970; 0: not known yet. */
  readonly since: number;
  /** A sentence; null: it is up. */
  readonly reason: string | null;
}

export const shareCheckedAnswers = (): SharedArrayBuffer => new SharedArrayBuffer((HEADER + 2 * SLOTS * 2) * 4);

/**
 * Identifies the check of an answer, 8 bytes. All nodes get the same. `domain`: its id. `name`: the
 * owner, which checks send as host unless they have one.
 */
export function checkId(
  domain: number,
  name: Uint8Array,
  type: number,
  content: string,
  health: SteeringHealth,
): Buffer {
  const parts = JSON.stringify([domain, Buffer.from(name).toString('latin1'), type, content, health]);
  const id = createHash('sha256').update(parts).digest().subarray(0, 8);
  // Zero stands for an answer without a check, and for a free slot.
  id[7] |= 1;
  return id;
}

export class CheckedAnswers {
  readonly #words: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.#words = new Int32Array(shared);
  }

  /** Whether any answer is down. Hot. */
  get hasDown(): boolean {
    return Atomics.load(this.#words, COUNT) !== 0;
  }

  /** Whether the answer with the check at bytes[at] is down. Hot. */
  isDown(bytes: Uint8Array, at: number): boolean {
    const words = this.#words;
    const high = wordAt(bytes, at);
    const low = wordAt(bytes, at + 4);
    if (low === 0) return false;
    const base = HEADER + Atomics.load(words, ACTIVE) * SLOTS * 2;
    for (let slot = low & (SLOTS - 1), i = 0; i < SLOTS; slot = (slot + 1) & (SLOTS - 1), i++) {
      const found = words[base + slot * 2 + 1];
      if (found === 0) return false;
      if (found === low && words[base + slot * 2] === high) return true;
    }
    return false;
  }

  /** Replaces all: the checks, of 8 bytes each, of the answers that are down. */
  write(down: Iterable<Uint8Array>): void {
    const words = this.#words;
    const half = 1 - words[ACTIVE];
    const base = HEADER + half * SLOTS * 2;
    words.fill(0, base, base + SLOTS * 2);
    let count = 0;
    for (const id of down) {
      if (count === MAX_DOWN) break;
      const low = wordAt(id, 4);
      let slot = low & (SLOTS - 1);
      while (words[base + slot * 2 + 1] !== 0) slot = (slot + 1) & (SLOTS - 1);
      words[base + slot * 2] = wordAt(id, 0);
      words[base + slot * 2 + 1] = low;
      count++;
    }
    Atomics.store(words, ACTIVE, half);
    Atomics.store(words, COUNT, count);
  }
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
