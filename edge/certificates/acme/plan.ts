/** Plans an order: its names, and the validation method of each; or why none is possible. */
import { formatCaa, type Issuer, type Method, mayIssue, relevantCaa } from './caa.ts';
import { OrderFailure } from './problem.ts';
import type { PublicDns } from './public-dns.ts';
import type { OwnZoneFacts } from './zone-facts.ts';

export interface Plan {
  /** The validation method of each host name; a wildcard starts with `*.`. */
  readonly names: ReadonlyMap<string, Method>;
  /** For the customer: which names are not covered, and why; null: all are covered. */
  readonly notice: string | null;
}

/**
 * Rejects with OrderFailure when the zone is not delegated to us. Other nameservers may be among
 * ours: secondaries have the same records. Also rejects when the query fails.
 */
export async function checkDelegation(
  { apex, nameservers }: OwnZoneFacts,
  dns: PublicDns,
  service: readonly string[],
): Promise<void> {
  let found: readonly string[];
  try {
    found = await dns.nameservers(apex);
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    throw new OrderFailure(
      'delegation_unknown',
      `The nameservers of ${apex} could not be looked up (${code}). Check at your registrar that it is delegated to ${list(service)}.`,
      { cause: error },
    );
  }
  if (found.some((host) => nameservers.includes(host))) return;
  const action = `At your registrar, set its nameservers to ${list(service)}; the certificate is then ordered automatically.`;
  const state =
    found.length === 0
      ? `${apex} is not delegated in the public DNS: it is not registered, or has no nameservers yet.`
      : `${apex} is not delegated to this service: its nameservers are ${list(found)}.`;
  throw new OrderFailure('not_delegated', `${state} ${action}`);
}

/**
 * Rejects with OrderFailure `caa` and `no_names`. Without identities of the issuer, CAA is not
 * checked.
 */
export async function planOrder(facts: OwnZoneFacts, dns: PublicDns, issuer: Issuer): Promise<Plan> {
  const { apex, wildcard, closed } = facts;
  // A failed query counts as no records, because the authority checks CAA itself.
  const ask = (name: string) => (name === apex ? Promise.resolve(facts.caa) : dns.caa(name).catch(() => []));
  const { name: at, records } = issuer.identities.length === 0 ? NO_CAA : await relevantCaa(apex, ask);
  const allows = (method: Method, isWildcard: boolean): boolean => mayIssue(records, issuer, method, isWildcard);
  const names = new Map<string, Method>();
  const byDns = closed === null && allows('dns-01', false);
  if (byDns) names.set(apex, 'dns-01');
  if (byDns && wildcard !== null && allows('dns-01', true))
    return { names: names.set(wildcard, 'dns-01'), notice: null };
  if (allows('http-01', false)) for (const host of facts.webNames()) if (!names.has(host)) names.set(host, 'http-01');
  const forbids = `The CAA record at ${at} (${records.slice(0, 3).map(formatCaa).join(', ')}) does not allow ${issuer.identities[0]} to issue`;
  const add = (tag: string): string =>
    `add a CAA record to ${apex} with the content 0 ${tag} "${issuer.identities[0]}"`;
  const mayAtAll = allows('dns-01', false) || allows('http-01', false);
  if (!mayAtAll) throw new OrderFailure('caa', `${forbids} certificates: ${add('issue')}.`);
  if (names.size === 0)
    throw new OrderFailure(
      'no_names',
      `No certificate can be ordered: ${closed ?? forbids}, and no name of the domain is proxied.`,
    );
  const why =
    closed ??
    (wildcard === null
      ? 'the name of the domain is too long for a wildcard'
      : `${lowerFirst(forbids)} for *.${apex}: ${add('issuewild')}`);
  return {
    names,
    notice: `The certificate covers only ${list([...names.keys()])}, not all names below ${apex}: ${why}.`,
  };
}

const NO_CAA = { name: '', records: [] } as const;
const SHOWN = 5;

function list(names: readonly string[]): string {
  if (names.length > SHOWN) return `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const lowerFirst = (text: string): string => text[0].toLowerCase() + text.slice(1);
