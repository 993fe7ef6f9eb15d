/**
 * Public keys of issuers of tokens (RFC 7517), fetched from their URLs. A set is fetched again
 * after a while, and for a token with an unknown key, but not more often than an interval.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { Fetch } from '../../origin/origin.ts';
import { fetchJson } from './outbound.ts';

/** Sets of a thread. */
const MAX_SETS = 256;
const MAX_KEYS = 100;
/** Milliseconds after which a set is fetched again, and after which it is not used any more. */
const FRESH_MS = 600_000;
const USABLE_MS = 4 * 3_600_000;
/** Milliseconds between two fetches of a set, and after a fetch that failed. */
const INTERVAL_MS = 30_000;
const RETRY_MS = 5000;

/** The keys of an issuer could not be fetched. */
export class NoKeysError extends Error {
  override readonly name = 'NoKeysError';
}

interface KeySet {
  find: JWTVerifyGetKey | null;
  /** Milliseconds since 1970; 0: never. */
  fetchedAt: number;
  triedAt: number;
  pending: Promise<void> | null;
}

export class KeySets {
  readonly #sets = new RecentMap<KeySet>(MAX_SETS);

  constructor(
    private readonly fetch: Fetch,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Finds the key of a token. Rejects with NoKeysError, or an error of jose for an unknown key. */
  finder(url: string, site: string): JWTVerifyGetKey {
    return async (header, token) => {
      const set = this.#sets.of(`${site} ${url}`, () => ({ find: null, fetchedAt: 0, triedAt: 0, pending: null }));
      const now = this.clock();
      if (set.find === null || now >= set.fetchedAt + USABLE_MS) {
        await this.#refresh(set, url, site);
        if (this.clock() >= set.fetchedAt + USABLE_MS) throw new NoKeysError(`no keys of ${url}`);
      } else if (now >= set.fetchedAt + FRESH_MS) void this.#refresh(set, url, site);
      const find = set.find;
      if (find === null) throw new NoKeysError(`no keys of ${url}`);
      try {
        return await find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        // The issuer may have a new key.
        await this.#refresh(set, url, site);
        if (set.find === null || set.find === find) throw error;
        return set.find(header, token);
      }
    };
  }

  /** Never rejects. */
  #refresh(set: KeySet, url: string, site: string): Promise<void> {
    if (set.pending !== null) return set.pending;
    const now = this.clock();
    if (now < set.triedAt + INTERVAL_MS) return Promise.resolve();
    set.triedAt = now;
    set.pending = this.#load(set, url, site)
      .catch(() => {
        set.triedAt = now + RETRY_MS - INTERVAL_MS;
      })
      .finally(() => {
        set.pending = null;
      });
    return set.pending;
  }

  async #load(set: KeySet, url: string, site: string): Promise<void> {
    const { keys } = await fetchJson(this.fetch, { url, site });
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new Error(`${url} has no list of keys`);
    set.find = createLocalJWKSet({ keys } as JSONWebKeySet);
    set.fetchedAt = this.clock();
  }
}
