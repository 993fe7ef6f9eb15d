/** Finds the domains and accounts with ALIAS records that target a name. */

import type { Name } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwnerParts, aliasOwners, type Id, idKey } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';

/** Domains of an account per read. */
const PIECE = 50;
/** Maximum of domains whose accounts are compared for a turn. */
const MAX_COMPARED = 256;

export class Owners {
  readonly #reader: Reader;

  constructor(private readonly environment: Environment) {
    this.#reader = new Reader(rawReader(environment));
  }

  /** The first target at or after a key of the table. */
  nextTarget(start: Buffer | undefined): Name | undefined {
    for (const key of this.environment.aliases.getKeys({ start, limit: 1 }))
      return aliasOwnerParts(key as Buffer).target;
    return undefined;
  }

  /**
   * The first account with a domain that targets the name and that is not busy, or else the first
   * account. So an account with many queued lookups does not delay targets that it shares. 0: no
   * domain targets the name.
   */
  turnOf(target: Name, isBusy: (account: Id) => boolean): Id {
    let first: Id | undefined;
    let rest = MAX_COMPARED;
    for (const domainId of this.domains(target)) {
      const account = this.accountOf(domainId);
      if (account !== undefined && !isBusy(account)) return account;
      first ??= account;
      if (--rest === 0) break;
    }
    return first ?? 0;
  }

  /** Whether the account has a domain that targets the name. */
  has(target: Name, account: Id): boolean {
    // Either list may be long, so both are read in step until the shorter one ends.
    const owners = this.domains(target);
    const own = this.#domainsOf(account);
    for (;;) {
      const owner = owners.next();
      if (owner.done) return false;
      if (this.accountOf(owner.value) === account) return true;
      const domain = own.next();
      if (domain.done) return false;
      if (this.leads(domain.value, target)) return true;
    }
  }

  /** Whether an account that is not in `accounts` has a domain that targets the name. */
  hasOther(target: Name, accounts: ReadonlyMap<Id | null, unknown>): boolean {
    for (const domainId of this.domains(target)) {
      const account = this.accountOf(domainId);
      if (account !== undefined && !accounts.has(account)) return true;
    }
    return false;
  }

  /** Whether a domain has an ALIAS record that targets the name. */
  leads(domainId: Id, target: Name): boolean {
    const start = Buffer.concat([aliasOwners(target), idKey(domainId)]);
    for (const _ of this.environment.aliases.getKeys({ start, end: afterPrefix(start), limit: 1 })) return true;
    return false;
  }

  /** Undefined: the domain was deleted. */
  accountOf(domainId: Id): Id | undefined {
    return this.#reader.domain(domainId)?.accountId;
  }

  /** Yields each domain once, even if several of its names target the name. */
  *domains(target: Name): Generator<Id> {
    const prefix = aliasOwners(target);
    const end = afterPrefix(prefix);
    for (let start = prefix; ; ) {
      let found: Id | undefined;
      for (const key of this.environment.aliases.getKeys({ start, end, limit: 1 }))
        found = aliasOwnerParts(key as Buffer).domainId;
      if (found === undefined) return;
      yield found;
      start = Buffer.concat([prefix, idKey(found + 1)]);
    }
  }

  *#domainsOf(account: Id): Generator<Id> {
    for (let after: Name | null = null; ; ) {
      const piece = this.#reader.domainsOf(account, after, PIECE);
      for (const { id } of piece) yield id;
      if (piece.length < PIECE) return;
      after = piece[piece.length - 1].apex;
    }
  }
}
