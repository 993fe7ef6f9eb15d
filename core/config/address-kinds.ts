/**
 * Kinds of settings with addresses: resolvers, and exemptions from the rule of public addresses.
 */

import { InvalidError } from '../base/errors.ts';
import { formatAddress, parseAddress, parsePrefix } from '../net/address/index.ts';
import { type Kind, list } from './kinds.ts';
import { formatListen, parseListen } from './listen.ts';

const serverList = list(
  'a list of resolver addresses, without duplicates, with a port if it is not 53, such as "192.0.2.53" or "[2001:db8::53]:5353"; empty for the resolvers of the system',
  (value) => {
    const bytes = parseAddress(value);
    if (bytes !== undefined) return [formatAddress(bytes)];
    // "*:53" is only valid for a listener: a resolver has one address.
    const found = parseListen(value);
    return found?.length === 1 && found[0].port > 0 ? [formatListen(found[0])] : undefined;
  },
  String,
);

/** In the format of node:dns; may be empty. */
export const resolvers: Kind<readonly string[]> = {
  ...serverList,
  fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : serverList.fromToml(value)),
};

const prefixList = list(
  '',
  (value) => {
    try {
      return [parsePrefix(value).text];
    } catch (error) {
      if (error instanceof InvalidError) return undefined;
      throw error;
    }
  },
  String,
);

/** For parseExemptions (core/net/address): false for none, true for all, or canonical prefixes. */
export const exemptions: Kind<boolean | readonly string[]> = {
  expected:
    'true, false, or a list of address prefixes, without duplicates and without bits after the prefix length, such as "10.0.0.0/8" or "fd00::/8"',
  fromToml: (value) => (typeof value === 'boolean' ? value : prefixList.fromToml(value)),
  fromText: (value) => (/^(true|false)$/.test(value.trim()) ? value.trim() === 'true' : prefixList.fromText(value)),
  toToml: (value) => (typeof value === 'boolean' ? String(value) : prefixList.toToml(value)),
};
