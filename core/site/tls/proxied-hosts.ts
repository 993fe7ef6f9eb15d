/** Scans the proxied names of a domain as host names: the names that need a certificate. */

import { Steps } from '../../base/steps.ts';
import { formatHost, type Name } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, idKey, nameOfKey, recordKeyParts } from '../../store/keys.ts';
import type { Domain } from '../../store/rows.ts';
import { WEB_TYPES } from '../../zone/compile/proxied.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { WebNames } from '../../zone/compile/web-names.ts';

/** Keys of records that are read at a time. */
const BATCH = 64;
/** Host names that browsers can request; a wildcard starts with `*.`. */
const HOST = /^(?:\*\.)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,31}$/;

/** The parts of a service that a scan needs. */
export interface HostSource {
  readonly environment: Environment;
  readonly zoneSettings: ZoneSettings;
}

interface Visitor {
  /** Whether the host matters. Called first, because it costs less than a lookup in the zone. */
  isWanted(host: string): boolean;
  /** Called with each wanted host that is proxied: the apex first, then in canonical order. */
  visit(host: string): void;
}

/**
 * `host` is in lower case, in A-labels, without the last dot. Owners of wildcard records are hosts
 * that start with `*.`. The scan yields to the event loop; concurrent writes may be visible or not.
 * `signal`: stops the scan; its reason is thrown.
 */
export async function scanProxiedHosts(
  { environment, zoneSettings }: HostSource,
  domain: Domain,
  { isWanted, visit }: Visitor,
  signal?: AbortSignal,
): Promise<void> {
  const web = new WebNames(environment, domain, zoneSettings);
  const consider = (name: Name): void => {
    const host = formatHost(name).toLowerCase();
    if (host.length <= 253 && HOST.test(host) && isWanted(host) && web.has(name)) visit(host);
  };
  consider(domain.apex);
  const steps = new Steps();
  const prefix = idKey(domain.id);
  const end = afterPrefix(prefix);
  let start = prefix;
  let last = '';
  for (;;) {
    const keys = [...environment.records.getKeys({ start, end, limit: BATCH })] as Buffer[];
    for (const key of keys) {
      const { nameEnd, type } = recordKeyParts(key);
      if (!WEB_TYPES.has(type)) continue;
      const id = key.toString('latin1', 8, nameEnd);
      if (id === last) continue;
      last = id;
      const name = nameOfKey(key, 8, nameEnd);
      if (name.length !== domain.apex.length) consider(name);
    }
    if (keys.length < BATCH) return;
    start = Buffer.concat([keys[BATCH - 1], Uint8Array.of(0)]);
    await steps.next();
    signal?.throwIfAborted();
  }
}
