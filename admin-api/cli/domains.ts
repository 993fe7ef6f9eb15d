/** The domains of the account, as the API lists them. */
import { domainToASCII } from 'node:url';
import { type ApiClient, asObject, asText, type Json } from './client.ts';
import { CliError } from './errors.ts';
import { rows } from './pages.ts';

export interface Domain {
  readonly id: string;
  readonly domain: string;
  /** As the API gave it. */
  readonly row: Json;
}

export const DOMAINS = '/api/v1/domains';

/** A row of the API; throws CliError `not_the_api` when it has no id and name. */
export function asDomain(value: unknown): Domain {
  const row = asObject(value);
  const domain = asText(row?.domain);
  if (row === undefined || domain === undefined || (typeof row.id !== 'string' && typeof row.id !== 'number')) {
    throw new CliError('not_the_api', 'The daemon returned a domain without an id or a name.');
  }
  return { id: String(row.id), domain, row };
}

/** A zone's name as the API writes it: A-labels, lower case, without the last dot. */
export function zoneName(text: string): string {
  const name = text.replace(/\.$/, '').toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name;
}

/** The account's domain of that name, or undefined. */
export async function findDomain(api: ApiClient, name: string): Promise<Domain | undefined> {
  const wanted = zoneName(name);
  for await (const row of rows(api, DOMAINS, 'domains', { q: wanted })) {
    if (row.domain === wanted) return asDomain(row);
  }
  return undefined;
}

/** As `findDomain`. Throws CliError `no_such_domain`. */
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
