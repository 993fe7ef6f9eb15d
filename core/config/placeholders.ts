/**
 * Finds values that only suit a trial, such as the defaults: names that do not exist on the
 * internet, and addresses that other machines cannot reach.
 */
import { isLoopback } from '../net/address/index.ts';
import type { Config } from './schema.ts';

export interface Placeholder {
  /** Such as `nameservers`. */
  readonly key: string;
  /** The values that were found; empty: the setting is an empty list. */
  readonly values: readonly string[];
  /** What does not work, and the next step, as sentences. */
  readonly problem: string;
  readonly next: string;
}

/** Names that never have a delegation (RFC 2606 section 2, RFC 6761 section 6). */
export const isReservedName = (name: string): boolean => /(^|\.)(test|example|invalid|localhost)$/.test(name);

export type PlaceholderSettings = Pick<Config, 'nameservers' | 'soa' | 'cluster' | 'admin'>;

export function placeholdersOf({ nameservers, soa, cluster, admin }: PlaceholderSettings): Placeholder[] {
  const found: Placeholder[] = [];
  const addNames = (key: string, names: readonly string[], use: string): void => {
    const values = names.filter(isReservedName);
    if (values.length > 0)
      found.push({
        key,
        values,
        problem: `${use} cannot exist on the internet.`,
        next: 'Use names of your own domain.',
      });
  };
  addNames('nameservers', nameservers, 'These nameservers');
  if (soa.hostmaster !== undefined) addNames('soa.hostmaster', [soa.hostmaster], 'This mailbox');
  addNames('admin.hostname', admin.hostname ?? [], 'These names');
  for (const family of ['ipv4', 'ipv6'] as const) {
    const values = cluster[family].filter(isLoopback);
    if (values.length > 0)
      found.push({
        key: `cluster.${family}`,
        values,
        problem: 'Proxied names resolve to this loopback address, which no visitor reaches.',
        next: 'Use the public addresses of the nodes, or [] if there are none.',
      });
  }
  if (cluster.ipv4.length + cluster.ipv6.length === 0)
    found.push({
      key: 'cluster.ipv4',
      values: [],
      problem: 'Proxied names have no addresses, since cluster.ipv6 is empty, too.',
      next: 'Use the public addresses of the nodes.',
    });
  return found;
}
