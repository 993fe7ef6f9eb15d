/** The domains and records that a group of journal entries adds to each account, or removes. */
import type { Environment } from '../../store/environment.ts';
import { type Id, idKey } from '../../store/keys.ts';
import { decodeUsage, encodeUsage } from '../../store/reader.ts';

interface Counts {
  domains: number;
  records: number;
}

export class UsageChanges {
  readonly #accounts = new Map<Id, Counts>();

  countsOf(accountId: Id): Counts {
    let counts = this.#accounts.get(accountId);
    if (counts === undefined) {
      counts = { domains: 0, records: 0 };
      this.#accounts.set(accountId, counts);
    }
    return counts;
  }

  /** Inside a write transaction. */
  write(environment: Environment): void {
    for (const [accountId, { domains, records }] of this.#accounts) {
      if (domains === 0 && records === 0) continue;
      const key = idKey(accountId);
      const old = decodeUsage(environment.usage.get(key));
      const updated = { domains: old.domains + domains, records: old.records + records };
      if (updated.domains === 0 && updated.records === 0) environment.usage.remove(key);
      else environment.usage.put(key, encodeUsage(updated));
    }
  }
}
