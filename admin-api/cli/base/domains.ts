/** Finds domains of the account through the API. */
import { domainToASCII } from 'node:url';
import { InvalidError } from '../../../core/base/errors.ts';
import { formatHost, parseName } from '../../../core/dns/wire/name.ts';
import type { ApiResponse } from '../../routes/routes.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { rows } from './pages.ts';

export type Domain = ApiResponse<'listDomains'>['domains'][number];

/**
 * The name of a zone as in the API: A-labels, lower case, canonical escapes, without the trailing
 * dot. A text that is not a name is returned as it is: the API reports it.
 */
export function zoneName(text: string): string {
  try {
    if (text.includes('\\')) return formatHost(parseName(text));
  } catch (error) {
    if (error instanceof InvalidError) return text;
    throw error;
  }
  if (text === '.') return text;
  const name = text.replace(/\.$/, '').toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  return /^[\x00-\x7f]*$/.test(name) ? name : domainToASCII(name) || name;
}

/** The domain of the account with this name, or undefined. */
export async function findDomain(api: ApiClient, name: string): Promise<Domain | undefined> {
  const q = zoneName(name);
  for await (const row of rows(api, '/api/v1/domains', 'domains', { query: { q, account: api.account } })) {
    if (row.domain === q) return row;
  }
  return undefined;
}

/** Nameservers that cannot read ALIAS. */
export const OTHER_SERVERS = ['bind', 'knot', 'nsd'] as const;

/** The zone file of a domain, unread. `reader`: the server that reads it. */
export const exportZone = (api: ApiClient, { id }: Domain, reader?: (typeof OTHER_SERVERS)[number]) =>
  api.GET('/api/v1/domains/{domain_id}/zonefile', {
    params: { path: { domain_id: id }, query: { for: reader } },
    headers: { accept: 'text/dns' },
    parseAs: 'stream',
  });

/** Like `findDomain`, but throws CliError `no_such_domain`. */
export async function requireDomain(api: ApiClient, name: string): Promise<Domain> {
  const domain = await findDomain(api, name);
  if (domain !== undefined) return domain;
  throw new CliError('no_such_domain', `This account has no domain "${name}".`, {
    next: 'List the domains with "waypost domain list", or create it with "waypost domain add".',
  });
}
