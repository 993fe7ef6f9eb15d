/**
 * Checks whether the CNAME targets of proxied names have an address that the proxy may connect to.
 * Results are cached for minutes, because a list needs many hosts.
 */

import { RecentMap } from '../../../core/base/recent-map.ts';
import { mayConnect, parseAddress } from '../../../core/net/address/index.ts';
import type { Id } from '../../../core/store/keys.ts';
import { isOwn } from '../../sites/proxy/origin.ts';
import type { OriginRules } from '../../sites/proxy/origin-rules.ts';
import { codeOf } from '../../sites/proxy/resolve.ts';

/** Why a host cannot be used, as the rest of a sentence; null: usable or not yet checked. */
type HostFault = string | null;

interface Checked {
  readonly fault: HostFault;
  /** Milliseconds of the monotonic clock. */
  readonly until: number;
}

/** Milliseconds for which a result is used. */
const LIFETIME = 300_000;
/** Milliseconds for which a failed lookup is cached. */
const UNKNOWN_LIFETIME = 30_000;
/** Timeout of a lookup in milliseconds. */
const LOOKUP_MS = 3_000;
const MAX_HOSTS = 10_000;
/** Maximum lookups in flight; a later list checks further hosts. */
const MAX_PER_ACCOUNT = 16;

export class HostChecks {
  readonly #checked = new RecentMap<Checked>(MAX_HOSTS);
  readonly #pending = new Map<string, Promise<void>>();
  /** Number of lookups in flight. */
  readonly #ofAccount = new Map<Id, number>();

  constructor(private readonly rules: OriginRules) {}

  /** Returns the last result. A missing or expired result starts a lookup in the background. */
  peek(host: string, account: Id): HostFault {
    const found = this.#checked.get(host);
    void this.look(host, account);
    return found?.fault ?? null;
  }

  /**
   * Resolves when a fresh result is cached, or at once if too many lookups of the account are in
   * flight. Never rejects.
   */
  look(host: string, account: Id): Promise<void> {
    const found = this.#checked.get(host);
    if (found !== undefined && found.until >= performance.now()) return Promise.resolve();
    const before = this.#pending.get(host);
    if (before !== undefined) return before;
    const count = this.#ofAccount.get(account) ?? 0;
    if (count >= MAX_PER_ACCOUNT) return Promise.resolve();
    this.#ofAccount.set(account, count + 1);
    const pending = this.#check(host, account).finally(() => {
      this.#pending.delete(host);
      const left = (this.#ofAccount.get(account) ?? 1) - 1;
      if (left === 0) this.#ofAccount.delete(account);
      else this.#ofAccount.set(account, left);
    });
    this.#pending.set(host, pending);
    return pending;
  }

  async #check(host: string, account: Id): Promise<void> {
    const fault = await this.#findFault(host, account);
    this.#checked.set(host, {
      fault: fault ?? null,
      until: performance.now() + (fault === undefined ? UNKNOWN_LIFETIME : LIFETIME),
    });
  }

  /** Undefined: the host could not be looked up. */
  async #findFault(host: string, account: Id): Promise<HostFault | undefined> {
    const { resolve } = this.rules;
    try {
      const addresses = await resolve(host, AbortSignal.timeout(LOOKUP_MS), account);
      if (addresses.length === 0) return NO_ADDRESS;
      const faults = addresses.map((address) => this.#faultOf(address));
      return faults.includes(null) ? null : faults[0];
    } catch (error) {
      return FAULTS.get(codeOf(error) ?? '');
    }
  }

  /**
   * Names the range, not the address: a name that only our resolver can resolve could otherwise
   * reveal the operator's network.
   */
  #faultOf(address: string): HostFault {
    const { allowPrivate, own } = this.rules;
    const bytes = parseAddress(address);
    if (bytes === undefined) return 'it resolves to an invalid address';
    const verdict = mayConnect(bytes, allowPrivate);
    if (!verdict.public) return `it resolves to an address in ${verdict.range}, "${verdict.name}"`;
    return isOwn(bytes, allowPrivate, own) ? 'it resolves to this service itself' : null;
  }
}

const NO_ADDRESS = 'it has no A or AAAA records';

/** Faults by codes of node:dns. Other codes are failures of our resolver or temporary. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'it does not exist'],
  ['ENODATA', NO_ADDRESS],
]);
