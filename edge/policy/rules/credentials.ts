/**
 * Verifies Basic credentials (RFC 7617) against argon2id hashes. Hashes run outside the event loop,
 * a few at a time, queued fairly by site and client network. Results are cached by a keyed hash,
 * never in plain text.
 */

import { createHmac, randomBytes } from 'node:crypto';
import { verify } from '@node-rs/argon2';
import { FairSlots, type SlotOwner } from '../../../core/base/fair-slots.ts';
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { BasicAuthUser } from '../../../core/site/rules/index.ts';

/** Each costs the memory of its hash: 19 MiB as a rule. */
const MAX_CONCURRENT = 2;
/** Some seconds of work, in which visitors of other sites have their turns. */
const MAX_QUEUED = 128;
/** Pairs that were accepted, and that were rejected, so that guesses evict no visitor. */
const MAX_ACCEPTED = 2048;
const MAX_REJECTED = 2048;
/** Milliseconds that a result is remembered. */
const ACCEPTED_MS = 600_000;
const REJECTED_MS = 10_000;
/** Characters of an Authorization field that is looked at. */
const MAX_LENGTH = 1024;

/** `busy`: too many verifications are waiting. */
export type Verdict = 'accepted' | 'rejected' | 'busy';

export class Credentials {
  readonly #key = randomBytes(32);
  readonly #slots = new FairSlots({ slots: MAX_CONCURRENT, queue: MAX_QUEUED });
  /** Times until which pairs are remembered. */
  readonly #accepted = new RecentMap<number>(MAX_ACCEPTED);
  readonly #rejected = new RecentMap<number>(MAX_REJECTED);
  /** A page's requests have the same pair, and need one verification. */
  readonly #pending = new Map<string, Promise<Verdict>>();

  constructor(private readonly clock: () => number = Date.now) {}

  /**
   * `authorization`: the value of the field; empty without one. `owner`: the site, and the network
   * of the visitor.
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
