/**
 * The records served at the apex of a domain that has an origin but no address there: the address
 * of the origin, or its host name as an ALIAS. These records are not stored.
 */

import { InvalidError } from '../../base/errors.ts';
import { type Name, parseName } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { parseAddress } from '../../net/address/index.ts';
import { recordKey } from '../../store/keys.ts';
import type { Domain } from '../../store/rows.ts';
import { WEB_TYPES } from './proxied.ts';
import { NO_RRSETS } from './view.ts';

/** Seconds. */
const TTL = 300;
/** No record has this id. */
const NO_RECORD = 0;

/** `stored`: the records at the apex. `originHost`: the host of the origin; null: there is none. */
export function originSets(stored: readonly RRset[], originHost: string | null): readonly RRset[] {
  if (originHost === null || stored.some(({ type }) => WEB_TYPES.has(type))) return NO_RRSETS;
  const address = parseAddress(originHost);
  if (address !== undefined) return [{ type: address.length === 4 ? TYPE.A : TYPE.AAAA, ttl: TTL, rdatas: [address] }];
  const target = targetOf(originHost);
  return target === null ? NO_RRSETS : [{ type: TYPE.ALIAS, ttl: TTL, rdatas: [target] }];
}

/** The host as a name. Null: it is not a valid name. */
function targetOf(host: string): Name | null {
  try {
    return parseName(host);
  } catch (error) {
    if (error instanceof InvalidError) return null;
    throw error;
  }
}

/**
 * The key of the served ALIAS in the index of ALIAS targets. All other keys there are keys of
 * records.
 */
export const originAliasKey = ({ id, apex }: Pick<Domain, 'id' | 'apex'>): Buffer =>
  recordKey(id, apex, TYPE.ALIAS, NO_RECORD);
