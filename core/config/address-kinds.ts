/** Kinds of settings of the edge: who resolves names for it, and which addresses it may use though they are not public. */
import { formatAddress, parseAddress, parsePrefix } from '../address/index.ts';
import { InvalidError } from '../base/errors.ts';
import { type Kind, list } from './kinds.ts';
import { formatListen, parseListen } from './listen.ts';

const serverList = list(
  'a list of addresses of resolvers, each once, with a port if it is not 53, such as "192.0.2.53" or "[2001:db8::53]:5353"; empty for those of the system',
  (value) => {
    const bytes = parseAddress(value);
    if (bytes !== undefined) return [formatAddress(bytes)];
    // A port of its own needs one address: "*:53" is a place to listen on.
    const found = parseListen(value);
    return found?.length === 1 && found[0].port > 0 ? [formatListen(found[0])] : undefined;
  },
  String,
);

/** As node:dns takes them; may be empty. */
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

/** As parseExemptions (core/address) takes them: false for none, true for every address, or prefixes in canonical form. */
export const exemptions: Kind<boolean | readonly string[]> = {
  expected:
    'true, false, or a list of address prefixes, each once and without bits past its length, such as "10.0.0.0/8" or "fd00::/8"',
  fromToml: (value) => (typeof value === 'boolean' ? value : prefixList.fromToml(value)),
  fromText: (value) => (/^(true|false)$/.test(value.trim()) ? value.trim() === 'true' : prefixList.fromText(value)),
  toToml: (value) => (typeof value === 'boolean' ? String(value) : prefixList.toToml(value)),
};
