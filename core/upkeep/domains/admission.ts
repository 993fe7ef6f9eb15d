/**
 * Decides whether an account can have a new domain. All code that creates domains uses it: the API,
 * the PowerDNS-compatible API, and consumed catalogs. Imports and migrations use the API.
 */
import { type Config, planLimit } from '../../config/index.ts';
import { type Name, parentName } from '../../dns/wire/name.ts';
import type { Id } from '../../store/keys.ts';
import type { Reader } from '../../store/reader.ts';
import type { Account, Domain } from '../../store/rows.ts';
import { findNameFault, type NameFault, type ServiceNameSettings, ServiceNames } from './domain-names.ts';

export interface Refusal {
  readonly code: NameFault['code'] | 'zone_exists' | 'plan_limit';
  readonly message: string;
}

export type AdmissionSettings = ServiceNameSettings & Pick<Config, 'plans'>;

export class DomainAdmission {
  readonly serviceNames: ServiceNames;
  readonly #plans: Config['plans'];

  constructor(settings: AdmissionSettings) {
    this.serviceNames = new ServiceNames(settings);
    this.#plans = settings.plans;
  }

  /** Maximum of domains of the account; 0: no limit. */
  limitOf({ plan }: Pick<Account, 'plan'>): number {
    return planLimit(this.#plans, plan);
  }

  /** Whether the account has reached the domain limit of its plan. */
  isFull(reader: Reader, owner: Account): boolean {
    const limit = this.limitOf(owner);
    return limit > 0 && reader.countDomains(owner.id, limit) >= limit;
  }

  /**
   * Null: the domain can be created, in the commit of the draft. `by`: see findNameFault. `isFull`:
   * of the owner, if the caller knows it.
   */
  findRefusal(reader: Reader, apex: Name, owner: Account, by: Pick<Account, 'role'>, isFull?: boolean): Refusal | null {
    const fault = findNameFault(this.serviceNames, apex, owner, by);
    if (fault !== null) return fault;
    const taken = findTaken(reader, apex, owner.id);
    if (taken !== null) {
      const own = taken.accountId === owner.id ? ' in this account' : '';
      const what = taken.apex.length === apex.length ? 'This domain' : 'A domain above or below this one';
      return { code: 'zone_exists', message: `${what} already exists${own}.` };
    }
    if (!(isFull ?? this.isFull(reader, owner))) return null;
    return {
      code: 'plan_limit',
      message: `The plan "${owner.plan}" allows ${this.limitOf(owner)} domains, and all are in use. Delete a domain, or ask an administrator for a larger plan.`,
    };
  }

  /** Null: the plan of the account has room for this number of new domains. */
  findPlanRefusal(reader: Reader, owner: Account, count: number): Refusal | null {
    const limit = this.limitOf(owner);
    if (limit === 0) return null;
    const used = reader.countDomains(owner.id, limit);
    if (used + count <= limit) return null;
    const message = `The plan "${owner.plan}" allows ${limit} domains: ${used} are in use, and ${count} new ones are too many. Create fewer, delete domains, or ask an administrator for a larger plan.`;
    return { code: 'plan_limit', message };
  }
}

/**
 * The domain that prevents a new domain: the same name, or another account's name above or below.
 * Null: the name is free.
 */
function findTaken(reader: Reader, apex: Name, accountId: Id): Domain | null {
  const same = reader.domainByApex(apex);
  if (same !== undefined) return same;
  // An administrator serves a copy of the root zone: the domains of all accounts are below it.
  if (apex.length === 1) return null;
  for (let above = parentName(apex); above.length > 1; above = parentName(above)) {
    const domain = reader.domainByApex(above);
    if (domain !== undefined && domain.accountId !== accountId) return domain;
  }
  return reader.domainsBelow(apex).find((domain) => domain.accountId !== accountId) ?? null;
}
