/** Whose ALIAS records lead to a name. */
import type { Environment } from '../store/environment.ts';
import { afterPrefix, aliasOwnerParts, aliasOwners, type Id } from '../store/keys.ts';
import { Reader, rawReader } from '../store/reader.ts';
import type { Name } from '../wire/name.ts';

/** Owners that are looked through; who has more of them is taken for several accounts. */
const MOST = 10_000;

export class Owners {
  readonly #environment: Environment;
  readonly #reader: Reader;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#reader = new Reader(rawReader(environment));
  }

  /** The first target at or after a key of the table. */
  nextTarget(start: Buffer | undefined): Name | undefined {
    for (const key of this.#environment.aliases.getKeys({ start, limit: 1 }))
      return aliasOwnerParts(key as Buffer).target;
    return undefined;
  }

  /** The account of the oldest domain that leads to the name; 0 when none does. */
  firstAccount(target: Name): Id {
    for (const domainId of this.#domains(target, 1)) return this.accountOf(domainId) ?? 0;
    return 0;
  }

  /** The account of all domains that lead to the name; null: there are several. */
  onlyAccount(target: Name): Id | null {
    let only: Id | null = null;
    let last = 0;
    let count = 0;
    for (const domainId of this.#domains(target, MOST)) {
      if (++count === MOST) return null;
      if (domainId === last) continue;
      last = domainId;
      const account = this.accountOf(domainId);
      if (account === undefined || account === only) continue;
      if (only !== null) return null;
      only = account;
    }
    return only;
  }

  /** Undefined: the domain is gone. */
  accountOf(domainId: Id): Id | undefined {
    return this.#reader.domain(domainId)?.accountId;
  }

  *#domains(target: Name, limit: number): Iterable<Id> {
    const prefix = aliasOwners(target);
    for (const key of this.#environment.aliases.getKeys({ start: prefix, end: afterPrefix(prefix), limit }))
      yield aliasOwnerParts(key as Buffer).domainId;
  }
}
