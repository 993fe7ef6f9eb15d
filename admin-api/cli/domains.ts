/** The domains of the account, as the API lists them. */
import { domainToASCII } from 'node:url';
import { type ApiClient, asObject, asText, type Json } from './client.ts';
import { CliError } from './errors.ts';

export interface Domain {
  readonly id: string;
  readonly domain: string;
  /** As the API gave it. */
  readonly row: Json;
}

/** A row of the API; throws CliError `not_the_api` when it has no id and name. */
export function asDomain(value: unknown): Domain {
  const row = asObject(value);
  const domain = asText(row?.domain);
  if (row === undefined || domain === undefined || (typeof row.id !== 'string' && typeof row.id !== 'number')) {
    throw new CliError('not_the_api', 'The daemon answered with a domain that has no id and name.');
  }
  return { id: String(row.id), domain, row };
}

/** Every domain, a page at a time, so that a long list is not held in memory. `query` narrows it. */
export async function* domains(client: ApiClient, query?: string): AsyncGenerator<Domain> {
  let cursor: string | undefined;
  do {
    const search = new URLSearchParams({ limit: '1000' });
    if (query !== undefined) search.set('q', query);
    if (cursor !== undefined) search.set('cursor', cursor);
    const page = await client.json({ method: 'GET', path: `/api/v1/domains?${search}` });
    for (const row of Array.isArray(page.domains) ? page.domains : []) yield asDomain(row);
    cursor = asText(page.next_cursor);
  } while (cursor !== undefined);
}

/** A zone's name as the API writes it: A-labels, lower case, without the last dot. */
export function zoneName(text: string): string {
  const name = text.replace(/\.$/, '').toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name;
}

/** The account's domain of that name, or undefined. */
export async function findDomain(client: ApiClient, name: string): Promise<Domain | undefined> {
  const wanted = zoneName(name);
  for await (const domain of domains(client, wanted)) if (domain.domain === wanted) return domain;
  return undefined;
}

export function domainPath(domain: Domain, rest = ''): string {
  return `/api/v1/domains/${encodeURIComponent(domain.id)}${rest}`;
}
