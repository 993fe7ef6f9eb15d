/**
 * Hashes passwords with argon2id (RFC 9106). Node's thread pool runs the hashes and also commits,
 * so only a few hashes run concurrently.
 */

import { hash, verify } from '@node-rs/argon2';
import { Semaphore } from '../../core/base/semaphore.ts';
import { HttpError } from '../http/errors.ts';

/** Memory in KiB, passes and lanes. */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. Takes about 20 ms. */
const COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_CONCURRENT = 2;
const MAX_QUEUED = 64;

export class Passwords {
  readonly #slots = new Semaphore(MAX_CONCURRENT);
  readonly #cost: PasswordCost;
  /** A dummy hash, so that an unknown login takes as long as a wrong password. */
  readonly #dummyHash: Promise<string>;

  constructor(cost: PasswordCost = COST) {
    this.#cost = cost;
    this.#dummyHash = hash('', cost);
  }

  hash(password: string): Promise<string> {
    return this.#limited(() => hash(password, this.#cost));
  }

  /** Without a stored hash, takes as long and resolves to false. */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    return this.#limited(async () => {
      const matches = await verify(stored ?? (await this.#dummyHash), password);
      return matches && stored !== undefined;
    });
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.#slots.waiting >= MAX_QUEUED)
      throw new HttpError(503, 'busy', 'Too many logins at the moment; retry later.');
    return this.#slots.run(work);
  }
}
