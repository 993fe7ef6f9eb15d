/** Updates the orders of domains (core/store/domain-orders.ts) after a group of journal entries. */
import { proxyKeys, stateKeys } from '../../store/domain-orders.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { type Domain, proxies } from '../../store/rows.ts';
import type { ZoneUpdate } from './zone-update.ts';

export class OrderChanges {
  /** The rows of proxies before the group, of domains whose row it writes. */
  readonly #proxies = new Map<Id, Buffer | undefined>();

  constructor(private readonly environment: Environment) {}

  /** `old`: the stored row before the change. */
  addProxy(key: Buffer, old: Buffer | undefined): void {
    const id = idAt(key);
    if (!this.#proxies.has(id)) this.#proxies.set(id, old);
  }

  /** Inside a write transaction. `domain` returns the current row. */
  write(zones: ReadonlyMap<Id, ZoneUpdate>, domain: (id: Id) => Domain | undefined): void {
    for (const [id, { stored, domain: current, state }] of zones) {
      const before = stored === null ? [] : stateKeys(stored.domain, stored.state);
      this.#replace(id, before, current === null ? [] : stateKeys(current, state));
      if (stored?.domain.accountId !== current?.accountId || this.#proxies.has(id))
        this.#writeProxy(id, stored?.domain, current ?? undefined);
    }
    for (const id of this.#proxies.keys()) if (!zones.has(id)) this.#writeProxy(id, domain(id), domain(id));
  }

  #writeProxy(id: Id, before: Domain | undefined, after: Domain | undefined): void {
    const key = idKey(id);
    const now = this.environment.rows.get(proxies.number)!.get(key);
    const old = this.#proxies.has(id) ? this.#proxies.get(id) : now;
    const keysOf = (domain: Domain | undefined, row: Buffer | undefined): Buffer[] =>
      domain === undefined || row === undefined ? [] : proxyKeys(domain, proxies.decode(key, row));
    this.#replace(id, keysOf(before, old), keysOf(after, now));
  }

  #replace(id: Id, before: readonly Buffer[], after: readonly Buffer[]): void {
    const { orders } = this.environment;
    before.forEach((key, i) => {
      if (after[i]?.equals(key) !== true) orders.remove(key);
    });
    after.forEach((key, i) => {
      if (before[i]?.equals(key) !== true) orders.put(key, idKey(id));
    });
  }
}
