/** Whether the parent zones of the domains delegate them to the nameservers of the settings. */
import { getServers } from 'node:dns';
import { equalNames, formatHost, nameAt } from '../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { queryResolvers } from '../../../core/net/resolver/query.ts';
import { parseServer } from '../../../core/net/resolver/resolver.ts';
import type { DelegationRow, Domain } from '../../../core/store/rows.ts';
import { expectedNameservers } from '../../../core/upkeep/delegation/keeper.ts';
import { type DelegationState, judgeDelegation } from '../../../core/upkeep/delegation/state.ts';
import { type AnyCheck, check, failure, NotChecked, note, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';

interface DomainReading {
  readonly domain: string;
  readonly state: DelegationState;
  readonly seen: readonly string[];
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  /** Why the delegation is unknown; null: it is known. */
  readonly trouble: string | null;
}

interface DelegationReading {
  readonly domains: readonly DomainReading[];
  /** Number of domains in the store. */
  readonly total: number;
}

/** Maximum number of domains to look up with resolvers. */
const MAX_ASKED = 200;
const CONCURRENT = 16;
const MAX_DOMAINS = 100_000;
const MAX_SHOWN = 20;
/** Maximum age in seconds of a check by the daemon, which saves a lookup. */
const FRESH = 2 * 86_400;
/** Timeout of the lookup of a domain, in milliseconds. */
const QUERY_MS = 6000;

async function readDelegations(context: Context): Promise<DelegationReading> {
  const { reader } = await context.store();
  if (reader === null) throw new NotChecked('the store has another format');
  const { config } = context;
  const resolvers = (config.dnssec.resolvers.length > 0 ? config.dnssec.resolvers : getServers()).map(parseServer);
  const all = reader.allDomains(null, MAX_DOMAINS).filter(({ kind }) => kind !== 'catalog');
  const now = Date.now() / 1000;
  const domains: DomainReading[] = [];
  const queue: (() => Promise<void>)[] = [];
  const add = (domain: Domain, row: DelegationRow | undefined, trouble: string | null): void => {
    const judged = judgeDelegation(expectedNameservers(reader, domain, config.nameservers), row);
    domains.push({ domain: formatHost(domain.apex), ...judged, trouble });
  };
  for (const domain of all) {
    const row = reader.delegation(domain.id);
    if (row !== undefined && row.checkedAt !== null && row.checkedAt > now - FRESH) add(domain, row, null);
    else if (queue.length < MAX_ASKED)
      queue.push(async () => {
        const found = await askResolvers(domain, resolvers);
        if (typeof found === 'string') add(domain, undefined, found);
        else add(domain, { ...EMPTY_ROW, domainId: domain.id, sets: [found] }, null);
      });
  }
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (let work = queue.shift(); work !== undefined; work = queue.shift()) await work();
    }),
  );
  return { domains, total: all.length };
}

const EMPTY_ROW = { zone: null, checkedAt: null, trouble: null, dueAt: 0 };

/** Resolves with the sorted nameservers of a domain, or with the reason of a failure. */
async function askResolvers(
  { apex }: Domain,
  resolvers: readonly ReturnType<typeof parseServer>[],
): Promise<readonly string[] | string> {
  try {
    const { rcode, answer } = await queryResolvers(resolvers, apex, TYPE.NS, AbortSignal.timeout(QUERY_MS));
    if (rcode === RCODE.NXDOMAIN) return [];
    const hosts = answer.filter(({ type, name }) => type === TYPE.NS && equalNames(name, apex));
    return hosts.map(({ rdata }) => formatHost(nameAt(rdata, 0)).toLowerCase()).sort();
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'the resolvers did not answer in time' : (error as Error).message;
  }
}

export const delegation = check<DelegationReading>({
  id: 'delegation.domains',
  why: 'Resolvers find a domain only through the nameservers that its parent zone has.',
  read: readDelegations,
  judge({ domains, total }) {
    const verdicts = domains.flatMap(judgeDomain);
    const live = domains.filter(({ state }) => state === 'live').length;
    const rest = total - domains.length;
    const summary = ok(`${live} of ${total} domains are delegated here`);
    const more = rest === 0 ? [] : [note(`${rest} domains were not looked at`, 'waypost domain list --json')];
    const shown = verdicts.slice(0, MAX_SHOWN);
    if (verdicts.length > shown.length) more.push(note(`${verdicts.length - shown.length} more domains have findings`));
    return shown.length === 0 ? [summary, ...more] : [...shown, ...more];
  },
});

function judgeDomain({ domain, state, seen, missing, extra, trouble }: DomainReading): Verdict[] {
  const dig = `dig +trace NS ${domain}`;
  switch (state) {
    case 'live':
      return [];
    case 'partial': {
      const parts = [
        ...(missing.length > 0 ? [`${missing.join(', ')} is missing`] : []),
        ...(extra.length > 0 ? [`${extra.join(', ')} is not ours`] : []),
      ];
      return [warning(`delegated in part: ${parts.join('; ')}`, dig, domain)];
    }
    case 'elsewhere':
      return [failure(`delegated to ${seen.join(', ')}`, dig, domain)];
    case 'none':
      return [warning('not delegated', dig, domain)];
    case 'unknown':
      return [note(`not known: ${trouble ?? 'the parent was not asked yet'}`, dig, domain)];
  }
}

export const DELEGATION_CHECKS: readonly AnyCheck[] = [delegation];
