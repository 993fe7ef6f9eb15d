/**
 * Finds domains that their accounts could not create now. They were created before the rule, before
 * a change of the settings, or by a former administrator. They are not deleted.
 */
import type { Logger } from '../../base/log/index.ts';
import { formatHost, parentName } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import type { Reader } from '../../store/reader.ts';
import type { Domain } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { type ServiceNameSettings, ServiceNames } from './domain-names.ts';

/** Maximum of domains in the log, and of domains read below a name of the service. */
const LISTED = 10;
const BELOW = 1000;

/** The service's own names that belong to accounts of customers. */
export function findForeignOwners(reader: Reader, { reserved }: ServiceNames): Domain[] {
  const found = new Map<number, Domain>();
  const add = (domain: Domain | undefined): void => {
    if (domain !== undefined && reader.account(domain.accountId)?.role !== 'admin') found.set(domain.id, domain);
  };
  for (const name of reserved) {
    for (let above = name; above.length > 1; above = parentName(above)) add(reader.domainByApex(above));
    for (const domain of reader.domainsBelow(name, BELOW)) add(domain);
  }
  return [...found.values()];
}

interface ForeignOwnersOptions {
  readonly config: ServiceNameSettings;
  readonly environment: Environment;
  readonly log: Logger;
}

/** Logs a warning at the start of the daemon, since settings change with a restart. */
export function reportForeignOwners({ config, environment, log }: ForeignOwnersOptions): void {
  const found = findForeignOwners(new StoreReader(environment), new ServiceNames(config));
  if (found.length === 0) return;
  log.warn('domains with names of the service belong to accounts without the role admin', {
    count: found.length,
    domains: found
      .slice(0, LISTED)
      .map(({ apex, accountId }) => `${formatHost(apex)} (account ${accountId})`)
      .join(', '),
  });
}
