/**
 * Resolves host names in zones of the service from their records, without queries. A resolver may
 * have cached that the name did not exist. Its answer also does not show a loop: with the proxy on,
 * the name would resolve to the cluster.
 */

import { InvalidError } from '../../../core/base/errors.ts';
import {
  formatHost,
  joinNames,
  MAX_NAME,
  type Name,
  nameAt,
  parentName,
  parseName,
} from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { MAX_SOURCES, TYPE } from '../../../core/dns/wire/types.ts';
import { type Exemptions, readHost } from '../../../core/net/address/index.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { isWebName, WEB_TYPES } from '../../../core/zone/compile/proxied.ts';
import { findType } from '../../../core/zone/compile/view.ts';
import { walk } from '../../../core/zone/compile/walk.ts';
import type { Services } from '../../change/services.ts';
import type { Resolve } from './bounded.ts';
import { OwnZone } from './own-zone.ts';

type OwnAnswer =
  /** Addresses in presentation format. */
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The name, or a target of its aliases, goes through the proxy. */
  | { readonly kind: 'proxied'; readonly name: Name }
  /** The records of the service do not have the answer. `name`: the name to query. */
  | { readonly kind: 'elsewhere'; readonly name: Name }
  | { readonly kind: 'missing' };

/**
 * Resolves a name from the domains of the account of `domain`, as if the proxy of `domain` were on.
 * Domains of other accounts are ignored, because anyone can add a domain that they do not own.
 * `direct`: as if no proxy were on.
 */
export function resolveFromRecords(services: Services, domain: Domain, name: Name, direct = false): OwnAnswer {
  const isProxied = ({ id }: Domain): boolean => id === domain.id || services.reader.proxy(id)?.enabled === true;
  let at = name;
  for (let steps = 0; steps <= MAX_SOURCES; steps++) {
    const holder = findDomainOf(services, at);
    if (holder?.accountId !== domain.accountId) return { kind: 'elsewhere', name: at };
    const zone = new OwnZone(services, holder);
    const outcome = walk(zone, at);
    switch (outcome.kind) {
      case 'outside':
      case 'delegation':
        return { kind: 'elsewhere', name: at };
      case 'missing':
        return outcome;
      case 'dname': {
        const labels = at.subarray(0, at.length - outcome.owner.length);
        const target = nameAt(outcome.set.rdatas[0], 0);
        if (labels.length + target.length > MAX_NAME) return { kind: 'missing' };
        at = joinNames(labels, target);
        break;
      }
      case 'found':
      case 'wildcard': {
        const { sets } = outcome;
        const source = outcome.kind === 'wildcard' ? outcome.source : at;
        const isWeb = sets.some(({ type }) => WEB_TYPES.has(type)) && isWebName(zone, source);
        if (isWeb && !direct && isProxied(holder)) return { kind: 'proxied', name: at };
        const alias = findType(sets, TYPE.CNAME) ?? findType(sets, TYPE.ALIAS);
        if (alias === undefined) {
          const addresses = sets.filter(({ type }) => type === TYPE.A || type === TYPE.AAAA);
          if (addresses.length === 0) return { kind: 'missing' };
          return {
            kind: 'addresses',
            addresses: addresses.flatMap(({ type, rdatas }) => rdatas.map((rdata) => formatRdata(type, rdata))),
          };
        }
        at = nameAt(alias.rdatas[0], 0);
        break;
      }
      default:
        outcome satisfies never;
    }
  }
  return { kind: 'missing' };
}

/** The closest domain of the service that contains a name. */
function findDomainOf({ reader }: Services, name: Name): Domain | undefined {
  for (let above = name; above.length > 1; above = parentName(above)) {
    const domain = reader.domainByApex(above);
    if (domain !== undefined) return domain;
  }
  return undefined;
}

/** Undefined if the text is not a valid name. */
export function hostName(host: string): Name | undefined {
  try {
    return parseName(host);
  } catch (error) {
    if (error instanceof InvalidError) return undefined;
    throw error;
  }
}

/**
 * Wraps `resolve`: names in the account's domains are read from their records. Rejects with
 * InvalidError `origin_loop` for a proxied name.
 */
export function resolveOwnFirst(
  services: Services,
  domain: Domain,
  resolve: Resolve,
  exemptions: Exemptions | undefined,
): Resolve {
  return async (host, signal) => {
    const name = hostName(host);
    const own = name === undefined ? undefined : resolveFromRecords(services, domain, name);
    switch (own?.kind) {
      case undefined:
        return resolve(host, signal);
      case 'addresses':
        return own.addresses;
      case 'missing':
        throw Object.assign(new Error('no addresses in a zone of ours'), { code: 'ENODATA' });
      case 'proxied':
        return rejectProxied(host, own.name);
      case 'elsewhere': {
        const targetHost = formatHost(own.name);
        if (targetHost === host) return resolve(host, signal);
        // The target of the records must follow the same rules as the customer's input.
        const target = readHost(targetHost, exemptions);
        if (target.kind !== 'name') throw Object.assign(new Error('leads to no name'), { code: 'ENODATA' });
        return resolve(target.name, signal);
      }
      default:
        return own satisfies never;
    }
  };
}

/** Throws InvalidError `origin_loop` if the host is a proxied name. Sends no queries. */
export function rejectLoop(services: Services, domain: Domain, host: string): void {
  const name = hostName(host);
  const own = name === undefined ? undefined : resolveFromRecords(services, domain, name);
  if (own?.kind === 'proxied') rejectProxied(host, own.name);
}

function rejectProxied(host: string, name: Name): never {
  const target = formatHost(name);
  const subject = target === host ? `"${host}"` : `"${host}" leads to "${target}", which`;
  throw new InvalidError(
    'origin_loop',
    `${subject} goes through the proxy while it is on, so requests would loop. Set "proxied" to false on the records of that name, ` +
      'or give the address of the server behind the proxy.',
    { pointer: '/origin' },
  );
}
