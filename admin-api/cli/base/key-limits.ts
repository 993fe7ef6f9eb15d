/** Options that limit a new token or TSIG key to records, networks and a time. */
import { domainCandidates, KEY_USES, type KeyUse, policyFor } from '../../routes/key-presets.ts';
import type { ApiBody, ApiResponse } from '../../routes/routes.ts';
import type { ApiClient } from './client.ts';
import { findDomain, requireDomain } from './domains.ts';
import { CliError } from './errors.ts';
import { option } from './verb.ts';

export interface LimitOptions {
  readonly for?: KeyUse;
  readonly names?: string[];
  readonly types?: string[];
  readonly actions?: Policy['actions'];
  readonly network?: string[];
  readonly expires?: string;
}

type Body = ApiBody<'createToken'>;
type Policy = NonNullable<Body['policies']>[number];

export const LIMIT_OPTIONS = [
  option(
    '--for <use>',
    'only what a program needs for the hosts that follow: "acme" (certificates), "ddns" (its addresses), "read"',
  ).choices(KEY_USES),
  option('--names <name...>', 'only records with these names, relative to the domain, or "*.NAME" for all below NAME'),
  option('--types <type...>', 'only records of these types'),
  option('--actions <action...>', 'only these actions on records: create, update, delete, read'),
  option('--network <prefix...>', 'only requests from these networks, such as 192.0.2.0/24'),
  option('--expires <time>', 'the expiry time, as "YYYY-MM-DD HH:MM:SS" in UTC'),
];

interface Limits {
  readonly policies?: Policy[];
  readonly networks?: string[];
  readonly expires_at?: string;
  /** Ids of the domains of the hosts. */
  readonly domains?: number[];
}

/** `hosts`: the arguments after the options. Throws CliError. */
export async function limitsOf(api: ApiClient, options: LimitOptions, hosts: readonly string[]): Promise<Limits> {
  const { for: use, names, types, actions, network: networks, expires: expires_at } = options;
  const hasOwn = (names ?? types ?? actions) !== undefined;
  if ((use !== undefined && (hasOwn || hosts.length === 0)) || (use === undefined && hosts.length > 0))
    throw new CliError(
      'usage',
      '--for needs hosts, as in "--for acme www.example.com", and no --names, --types or --actions.',
    );
  const own = { networks, expires_at, ...(hasOwn && { policies: [{ names, types, actions }] }) };
  if (use === undefined) return own;
  const domains: number[] = [];
  for (const host of hosts) domains.push((await domainOfHost(api, host)).id);
  return { ...own, domains: [...new Set(domains)], policies: hosts.map((host) => policyFor(use, host)) };
}

async function domainOfHost(api: ApiClient, host: string) {
  for (const name of domainCandidates(host)) {
    const domain = await findDomain(api, name);
    if (domain !== undefined) return domain;
  }
  return requireDomain(api, host);
}

type Limited = Pick<ApiResponse<'listTokens'>['tokens'][number], 'policies' | 'networks'>;

/** The limits of a key in one line of a list. */
export function limitText({ policies, networks }: Limited): string {
  const records = (policies ?? []).map(({ names, types, actions }) =>
    [actions?.join('+') ?? 'all', types?.join('+') ?? 'any', names?.join('+') ?? '*'].join(' '),
  );
  return [...records, ...(networks ?? [])].join(', ') || '-';
}
