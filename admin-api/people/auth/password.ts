/**
 * Hashes passwords with argon2id (RFC 9106). Node's thread pool runs the hashes and also commits,
 * so only a few hashes run concurrently. A client can use only one of two slots (FairSlots), so
 * that its sign-ins queue behind each other.
 */

import { hash, verify } from '@node-rs/argon2';
import { FairSlots, type SlotOwner, SlotsFullError } from '../../../core/base/fair-slots.ts';
import { HttpError } from '../../http/errors.ts';

/** Memory in KiB, passes and lanes. */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. Takes about 20 ms. */
const COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_CONCURRENT = 2;
/** About one second of work. */
const MAX_QUEUED = 64;

export class Passwords {
  readonly #slots = new FairSlots({ slots: MAX_CONCURRENT, queue: MAX_QUEUED });
  /** A dummy hash, so that an unknown login takes as long as a wrong password. */
  readonly #dummyHash: Promise<string>;

  constructor(private readonly cost: PasswordCost = COST) {
    this.#dummyHash = hash('', cost);
  }

  /** Throws HttpError 503, as `verify` does. */
  hash(password: string, owner: SlotOwner): Promise<string> {
    return this.#limited(owner, () => hash(password, this.cost));
  }

  /** Without a stored hash, resolves to false after the same time. */
  verify(stored: string | undefined, password: string, owner: SlotOwner): Promise<boolean> {
    return this.#limited(owner, async () => {
      const matches = await verify(stored ?? (await this.#dummyHash), password);
      return matches && stored !== undefined;
    });
  }

  async #limited<T>(owner: SlotOwner, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#slots.run(owner, work);
    } catch (error) {
      if (!(error instanceof SlotsFullError)) throw error;
      throw new HttpError(503, 'busy', 'Too many sign-ins from your network are waiting; retry later.');
    }
  }
}
