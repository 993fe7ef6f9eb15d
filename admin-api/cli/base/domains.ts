/** Finds domains of the account through the API. */
import { domainToASCII } from 'node:url';
import { type ApiClient, asObject, asText, type Json } from './client.ts';
import { CliError } from './errors.ts';
import { rows } from './pages.ts';

export interface Domain {
  readonly id: string;
  readonly domain: string;
  /** The row in the response of the API. */
  readonly row: Json;
}

export const DOMAINS = '/api/v1/domains';

/** Throws CliError `not_the_api` if `value` has no id or no name. */
export function asDomain(value: unknown): Domain {
  const row = asObject(value);
  const domain = asText(row?.domain);
  if (row === undefined || domain === undefined || (typeof row.id !== 'string' && typeof row.id !== 'number')) {
    throw new CliError('not_the_api', 'The daemon returned a domain without an id or a name.');
  }
  return { id: String(row.id), domain, row };
}

/** The name of a zone as in the API: A-labels, lower case, without the trailing dot. */
export function zoneName(text: string): string {
  const name = text.replace(/\.$/, '').toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name;
}

/** The domain of the account with this name, or undefined. */
export async function findDomain(api: ApiClient, name: string): Promise<Domain | undefined> {
  const wanted = zoneName(name);
  for await (const row of rows(api, DOMAINS, 'domains', { q: wanted, account: api.account })) {
    if (row.domain === wanted) return asDomain(row);
  }
  return undefined;
}

/** Like `findDomain`, but throws CliError `no_such_domain`. */
export async function requireDomain(api: ApiClient, name: string): Promise<Domain> {
  const domain = await findDomain(api, name);
  if (domain !== undefined) return domain;
  throw new CliError('no_such_domain', `This account has no domain "${name}".`, {
    next: 'List the domains with "waypost domain list", or create it with "waypost domain add".',
  });
}

export function domainPath({ id }: Pick<Domain, 'id'>, rest = ''): string {
  return `${DOMAINS}/${encodeURIComponent(id)}${rest}`;
}
