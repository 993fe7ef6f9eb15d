/** Policies of keys for common uses, as forms and commands offer them. */
import type { ApiBody } from './routes.ts';

export const KEY_USES = ['acme', 'ddns', 'read'] as const;
export type KeyUse = (typeof KEY_USES)[number];

type Policy = NonNullable<NonNullable<ApiBody<'createToken'>['policies']>[number]>;

/** `host`: a host name in a domain of the account, or the domain itself. */
export function policyFor(use: KeyUse, host: string): Policy {
  const name = bareName(host);
  // Absolute, since a key may be for hosts in several domains.
  if (use === 'acme') return { names: [`_acme-challenge.${name}.`], types: ['TXT'] };
  if (use === 'ddns') return { names: [`${name}.`], types: ['A', 'AAAA'] };
  return { names: [`${name}.`, `*.${name}.`], actions: ['read'] };
}

/** The names of domains that a host may belong to, the longest first. */
export function domainCandidates(host: string): string[] {
  const labels = bareName(host).split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}

/** Certificates for `*.example.com` are validated at the name of example.com. */
const bareName = (host: string): string => host.trim().replace(/^\*\./, '').replace(/\.$/, '');
