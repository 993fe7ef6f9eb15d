/** Resolves hosts that customers configure. */

import { parseName } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { formatAddress } from '../address/index.ts';
import type { Resolve } from '../dial/checked-connector.ts';
import { recursiveLookup } from '../resolver/resolver.ts';

/** Uses DNS queries, so the hosts file of this machine is ignored. */
export function resolveBy(servers: readonly string[], signal: AbortSignal): Resolve {
  const lookup = recursiveLookup(servers, signal);
  return async (host) => {
    const name = parseName(`${host.replace(/\.$/, '')}.`);
    const outcomes = await Promise.all([lookup(name, TYPE.A), lookup(name, TYPE.AAAA)]);
    const found = outcomes.flatMap((outcome) => (outcome.kind === 'addresses' ? outcome.addresses : []));
    const [failed] = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.error] : []));
    if (found.length === 0 && failed !== undefined) throw new Error(`cannot resolve ${host}: ${failed}`);
    return found.map(formatAddress);
  };
}
