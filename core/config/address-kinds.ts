/**
 * Kinds of settings with addresses: resolvers, exemptions from the rule of public addresses,
 * clients that may transfer zones, and targets of NOTIFY.
 */
import { InvalidError } from '../base/errors.ts';
import { formatName, parseName } from '../dns/wire/name.ts';
import { addressAdvice, formatAddress, parseAddress, parsePrefix } from '../net/address/index.ts';
import { isSameFamily } from '../net/local-source.ts';
import { type Kind, list, optionalList } from './kinds.ts';
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
    'true, false, or a list of address prefixes, which may be empty, without duplicates and without bits after the prefix length, such as "10.0.0.0/8" or "fd00::/8"',
  fromToml(value) {
    if (typeof value === 'boolean') return value;
    return Array.isArray(value) && value.length === 0 ? [] : prefixList.fromToml(value);
  },
  fromText: (value) => (/^(true|false)$/.test(value.trim()) ? value.trim() === 'true' : prefixList.fromText(value)),
  toToml: (value) => (typeof value === 'boolean' ? String(value) : prefixList.toToml(value)),
};

/** Addresses of this machine, of which connections use the first of their family. */
export const sources: Kind<readonly string[]> = optionalList(
  'a list of IPv4 and IPv6 addresses of this machine, without duplicates, such as "192.0.2.1"',
  (value) => {
    const bytes = parseAddress(value);
    return bytes === undefined || addressAdvice(value) !== undefined ? undefined : [formatAddress(bytes)];
  },
  String,
);

/** The source of a connection to an address; undefined: the system chooses it. */
export const sourceFor = (addresses: readonly string[], to: string): string | undefined =>
  addresses.find((address) => isSameFamily(address, to));

/** A secondary that gets NOTIFY messages. */
export interface NotifyTarget {
  /** As text (RFC 5952), without brackets. */
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
  /** Name of the TSIG key for signatures: lower case, without the final dot. Null: unsigned. */
  readonly key: string | null;
}

function orInvalid<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidError) return undefined;
    throw error;
  }
}

function orEmpty<T>(kind: Kind<readonly T[]>): Kind<readonly T[]> {
  return {
    ...kind,
    fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : kind.fromToml(value)),
    fromText: (value) => (value.trim() === '' ? [] : kind.fromText(value)),
  };
}

/** Prefixes in canonical form; may be empty. */
export const prefixes: Kind<readonly string[]> = orEmpty(
  list(
    'a list of address prefixes, without duplicates and without bits after the prefix length, such as "192.0.2.0/24" or "2001:db8::53"; may be empty',
    (value) => {
      const prefix = orInvalid(() => parsePrefix(value));
      return prefix && [prefix.text];
    },
    String,
  ),
);

const formatTarget = ({ key, ...listen }: NotifyTarget): string =>
  key === null ? formatListen(listen) : `${formatListen(listen)} ${key}`;

function parseTarget(text: string): NotifyTarget[] | undefined {
  const [address, name, ...more] = text.split(/\s+/);
  const key = name === undefined ? null : orInvalid(() => formatName(parseName(name)).slice(0, -1));
  if (more.length > 0 || key === undefined || key === '') return undefined;
  // Two addresses without the comma between them.
  if (name !== undefined && (parseAddress(name) ?? parseListen(name)) !== undefined) return undefined;
  const bytes = parseAddress(address);
  if (bytes !== undefined)
    return [{ address: formatAddress(bytes), port: 53, family: bytes.length === 4 ? 4 : 6, key }];
  const found = parseListen(address);
  const [listen] = found ?? [];
  if (found?.length !== 1 || listen.port === 0) return undefined;
  // In the format of a datagram's source address.
  const canonical = parseAddress(listen.address);
  return canonical && [{ ...listen, address: formatAddress(canonical), key }];
}

/** An address, with a port if it is not 53; undefined if the text is invalid. */
export function parseNotifyTarget(text: string): NotifyTarget | undefined {
  return /\s/.test(text) ? undefined : parseTarget(text)?.[0];
}

export const notifyTargets: Kind<readonly NotifyTarget[]> = orEmpty(
  list(
    'a list of addresses, each with a port if it is not 53 and, after a space, the name of a TSIG key if the message is signed, such as "192.0.2.53", "[2001:db8::53]:5353 transfer.example.net"; may be empty',
    parseTarget,
    formatTarget,
  ),
);
