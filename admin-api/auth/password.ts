/** Passwords as argon2id (RFC 9106). Hashing runs on Node's thread pool, which commits use too, so only a few run at once. */

import { hash, verify } from '@node-rs/argon2';
import { Semaphore } from '../../core/base/semaphore.ts';
import { HttpError } from '../http/errors.ts';

/** The recommendation of OWASP for argon2id: 19 MiB, two passes, one lane; about 20 ms. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const AT_ONCE = 2;
const MOST_WAITING = 64;

export class Passwords {
  readonly #slots = new Semaphore(AT_ONCE);
  /** Of no password: an unknown login takes as long as a wrong password. */
  readonly #nobody: Promise<string> = hash('', COST);

  hash(password: string): Promise<string> {
    return this.#limited(() => hash(password, COST));
  }

  /** `hash` undefined: nobody's; takes as long and is false. */
  verify(stored: string | undefined, password: string): Promise<boolean> {
    return this.#limited(async () => {
      const matches = await verify(stored ?? (await this.#nobody), password);
      return matches && stored !== undefined;
    });
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.#slots.waiting >= MOST_WAITING)
      throw new HttpError(503, 'busy', 'Too many logins at the moment; retry later.');
    return this.#slots.run(work);
  }
}
