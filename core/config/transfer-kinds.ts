/** Kinds of settings of zone transfers: clients that may transfer, and targets of NOTIFY. */

import { InvalidError } from '../base/errors.ts';
import { formatName, parseName } from '../dns/wire/name.ts';
import { formatAddress, parseAddress, parsePrefix } from '../net/address/index.ts';
import { type Kind, list } from './kinds.ts';
import { formatListen, parseListen } from './listen.ts';

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
