/**
 * Verifies Basic credentials (RFC 7617) against argon2id hashes. Hashes run outside the event loop,
 * a few at a time. What was verified is remembered by a keyed hash, never in the clear.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { Semaphore } from '../../core/base/semaphore.ts';
import type { BasicAuthUser } from '../../core/rules/index.ts';

/** Each costs the memory of its hash: 19 MiB as a rule. */
const MAX_CONCURRENT = 2;
const MAX_QUEUED = 32;
const MAX_REMEMBERED = 2048;
/** Milliseconds that a result is remembered. */
const ACCEPTED_MS = 600_000;
const REJECTED_MS = 10_000;
/** Characters of an Authorization field that is looked at. */
const MAX_LENGTH = 1024;

/** `busy`: too many verifications are waiting. */
export type Verdict = 'accepted' | 'rejected' | 'busy';

interface Result {
  readonly isAccepted: boolean;
  readonly until: number;
}

export class Credentials {
  readonly #key = randomBytes(32);
  readonly #slots = new Semaphore(MAX_CONCURRENT);
  readonly #results = new Map<string, Result>();
  readonly #clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  /** `authorization`: the value of the field; empty without one. */
  check(authorization: string, users: readonly BasicAuthUser[]): Verdict | Promise<Verdict> {
    const pair = parseBasic(authorization);
    if (pair === undefined) return 'rejected';
    // An unknown name takes as long as a wrong password.
    const user = users.find(({ name }) => name === pair.name);
    const { hash } = user ?? users[0];
    const digest = createHmac('sha256', this.#key).update(`${hash}\0${pair.name}\0${pair.password}`).digest('base64');
    const result = this.#results.get(digest);
    if (result !== undefined && result.until > this.#clock()) return result.isAccepted ? 'accepted' : 'rejected';
    if (this.#slots.waiting >= MAX_QUEUED) return 'busy';
    return this.#slots.run(async () => {
      const isPassword = await verify(hash, pair.password).catch(() => false);
      const isAccepted = isPassword && user !== undefined;
      this.#remember(digest, isAccepted);
      return isAccepted ? 'accepted' : 'rejected';
    });
  }

  #remember(digest: string, isAccepted: boolean): void {
    if (this.#results.size >= MAX_REMEMBERED) this.#results.delete(this.#results.keys().next().value!);
    this.#results.delete(digest);
    this.#results.set(digest, { isAccepted, until: this.#clock() + (isAccepted ? ACCEPTED_MS : REJECTED_MS) });
  }
}

const BASIC = /^basic[ ]+([A-Za-z0-9+/]+={0,2})$/i;

function parseBasic(authorization: string): { readonly name: string; readonly password: string } | undefined {
  const token = authorization.length > MAX_LENGTH ? null : BASIC.exec(authorization);
  if (token === null) return undefined;
  const text = Buffer.from(token[1], 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
