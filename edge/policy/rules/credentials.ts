/**
 * Verifies Basic credentials (RFC 7617) against argon2id hashes. Hashing runs outside the event
 * loop with limited concurrency and is queued fairly by site and client network. The cache of
 * results stores a keyed hash of the credentials, never plain text.
 */

import { createHmac, randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { FairSlots, type SlotOwner } from '../../../core/base/fair-slots.ts';
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { BasicAuthUser } from '../../../core/site/rules/index.ts';

/** Each verification needs the memory of its hash, 19 MiB with common parameters. */
const MAX_CONCURRENT = 2;
/** A full queue is a few seconds of work. */
const MAX_QUEUED = 128;
/** Separate limits, so guessed passwords cannot evict accepted credentials. */
const MAX_ACCEPTED = 2048;
const MAX_REJECTED = 2048;
/** Milliseconds for which a result is cached. */
const ACCEPTED_MS = 600_000;
const REJECTED_MS = 10_000;
/** Maximum characters of an Authorization field; a longer field is rejected. */
const MAX_LENGTH = 1024;

/** `busy`: too many verifications are waiting. */
export type Verdict = 'accepted' | 'rejected' | 'busy';

export class Credentials {
  readonly #key = randomBytes(32);
  readonly #slots = new FairSlots({ slots: MAX_CONCURRENT, queue: MAX_QUEUED });
  /** Expiry times of cached results, by digest. */
  readonly #accepted = new RecentMap<number>(MAX_ACCEPTED);
  readonly #rejected = new RecentMap<number>(MAX_REJECTED);
  /** Verifications in progress, by digest. Requests with equal credentials share one. */
  readonly #pending = new Map<string, Promise<Verdict>>();

  constructor(private readonly clock: () => number = Date.now) {}

  /**
   * `authorization`: the field value; empty: no such field. `owner`: the site and the visitor's
   * network.
   */
  check(authorization: string, users: readonly BasicAuthUser[], owner: () => SlotOwner): Verdict | Promise<Verdict> {
    const pair = parseBasic(authorization);
    if (pair === undefined) return 'rejected';
    // An unknown name takes as long as a wrong password.
    const user = users.find(({ name }) => name === pair.name);
    const { hash } = user ?? users[0];
    const digest = createHmac('sha256', this.#key).update(`${hash}\0${pair.name}\0${pair.password}`).digest('base64');
    const now = this.clock();
    if ((this.#accepted.get(digest) ?? 0) > now) return 'accepted';
    if ((this.#rejected.get(digest) ?? 0) > now) return 'rejected';
    const pending = this.#pending.get(digest);
    if (pending !== undefined) return pending;
    const verdict = this.#verify(digest, pair.password, hash, user !== undefined, owner());
    this.#pending.set(digest, verdict);
    return verdict;
  }

  async #verify(digest: string, password: string, hash: string, isUser: boolean, owner: SlotOwner): Promise<Verdict> {
    const slot = await this.#slots.acquire(owner);
    try {
      if (typeof slot === 'string') return 'busy';
      const isPassword = await verify(hash, password).catch(() => false);
      const isAccepted = isPassword && isUser;
      if (isAccepted) this.#accepted.set(digest, this.clock() + ACCEPTED_MS);
      else this.#rejected.set(digest, this.clock() + REJECTED_MS);
      return isAccepted ? 'accepted' : 'rejected';
    } finally {
      this.#pending.delete(digest);
      if (typeof slot !== 'string') slot.release();
    }
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
