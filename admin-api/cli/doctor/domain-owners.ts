/** Whether accounts have domains that the current rules would not let them create. */

import { formatHost } from '../../../core/dns/wire/name.ts';
import { findNameFault, ServiceNames } from '../../../core/upkeep/domains/domain-names.ts';
import { type AnyCheck, check, NotChecked, note, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';
import { quoted } from './machine.ts';

interface OwnersReading {
  readonly domains: readonly { readonly domain: string; readonly account: number; readonly fault: string }[];
  /** Number of checked domains. */
  readonly total: number;
}

const MAX_DOMAINS = 100_000;
const MAX_SHOWN = 20;

async function readOwners(context: Context): Promise<OwnersReading> {
  const { reader } = await context.store();
  if (reader === null) throw new NotChecked('the store has another format');
  const serviceNames = new ServiceNames(context.config);
  const all = reader.allDomains(null, MAX_DOMAINS);
  const domains = all.flatMap(({ apex, accountId }) => {
    const owner = reader.account(accountId);
    const fault = owner && findNameFault(serviceNames, apex, owner, owner);
    return fault ? [{ domain: formatHost(apex), account: accountId, fault: fault.message }] : [];
  });
  return { domains, total: all.length };
}

export const owners = check<OwnersReading>({
  id: 'domains.owners',
  why: 'Who has a public suffix, or a name of the service, can speak for the domains of others.',
  read: readOwners,
  judge({ domains, total }) {
    if (domains.length === 0) return ok(`no account has a domain that it may not have; ${total} domains`);
    const verdicts: Verdict[] = domains
      .slice(0, MAX_SHOWN)
      .map(({ domain, account, fault }) =>
        warning(`account ${account}: ${fault}`, `waypost domain rm ${quoted(domain)}`, domain),
      );
    if (domains.length > MAX_SHOWN) verdicts.push(note(`${domains.length - MAX_SHOWN} more domains have findings`));
    return verdicts;
  },
});

export const DOMAIN_CHECKS: readonly AnyCheck[] = [owners];
