/**
 * A world as rows of the store, and what has to change for the rows to be those of another world.
 */

import { formatName, nameId } from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import {
  type AliasTarget,
  aliasTargets,
  type Domain,
  domains,
  PRIMARY,
  type ProxyConfig,
  proxies,
  type RecordRow,
  records,
} from '../../core/store/rows.ts';
import { newProxy } from '../core/journal/fixture.ts';
import { newId } from '../support/ids.ts';
import type { AliasState } from './alias.ts';
import { recordKey } from './compare.ts';
import type { World } from './generate.ts';
import { isWeb } from './proxy.ts';

export interface RowChanges {
  goneRecords: RecordRow[];
  goneDomains: Domain[];
  goneProxies: ProxyConfig[];
  newDomains: Domain[];
  newRecords: RecordRow[];
  newProxies: ProxyConfig[];
  newTargets: AliasTarget[];
}

const rowKey = (apex: string, record: ResourceRecord): string => `${apex}/${recordKey(record)}`;

/**
 * The rows as they stand: a domain and a proxy for each apex, a row for each record but the SOA.
 */
export class WorldRows {
  readonly domains = new Map<string, Domain>();
  readonly records = new Map<string, RecordRow>();
  readonly #proxies = new Map<string, ProxyConfig>();
  readonly #targets = new Map<string, string>();
  readonly #accountId: () => number;
  readonly #kept: () => Domain['kept'];

  constructor(kept: () => Domain['kept'], accountId = () => 0) {
    this.#kept = kept;
    this.#accountId = accountId;
  }

  /**
   * What has to go and to come for the rows to be those of `world`, as if it were done. `anew`:
   * apex of a zone whose records all go and come.
   */
  changeTo(world: World, anew?: string): RowChanges {
    const out: RowChanges = {
      goneRecords: [],
      goneDomains: [],
      goneProxies: [],
      newDomains: [],
      newRecords: [],
      newProxies: [],
      newTargets: [],
    };
    this.#changeDomains(world, out);
    this.#changeProxies(world, out);
    this.#changeTargets(world, out);
    const wanted = new Map<string, { apex: string; record: ResourceRecord; proxied: boolean | null }>();
    for (const [apex, zone] of world.zones)
      for (const record of zone) {
        if (record.type === TYPE.SOA) continue;
        const flag = world.proxies?.get(apex)?.flags.get(nameId(record.name));
        wanted.set(rowKey(apex, record), { apex, record, proxied: isWeb(record) ? (flag ?? null) : null });
      }
    for (const [key, row] of [...this.records]) {
      const now = wanted.get(key);
      if (now !== undefined && now.apex !== anew) continue;
      out.goneRecords.push(row);
      this.records.delete(key);
    }
    for (const [key, { apex, record, proxied }] of wanted) {
      const old = this.records.get(key);
      if (old?.proxied === proxied) continue;
      const row: RecordRow = {
        ...record,
        id: old?.id ?? newId(),
        domainId: this.domains.get(apex)!.id,
        proxied,
        createdAt: 1,
        updatedAt: 1,
      };
      out.newRecords.push(row);
      this.records.set(key, row);
    }
    return out;
  }

  #changeDomains(world: World, out: RowChanges): void {
    for (const [apex, domain] of [...this.domains]) {
      if (world.zones.has(apex)) continue;
      out.goneDomains.push(domain);
      this.domains.delete(apex);
    }
    for (const [apex, zone] of world.zones) {
      if (this.domains.has(apex)) continue;
      const domain = {
        id: newId(),
        accountId: this.#accountId(),
        apex: zone[0].name,
        createdAt: 1,
        kept: this.#kept(),
        ...PRIMARY,
      };
      out.newDomains.push(domain);
      this.domains.set(apex, domain);
    }
  }

  /** What becomes unknown has a row that says so. */
  #changeTargets({ aliases = new Map() }: World, out: RowChanges): void {
    for (const id of new Set([...this.#targets.keys(), ...aliases.keys()])) {
      const row = targetRow(Buffer.from(id, 'latin1'), aliases.get(id));
      const text = JSON.stringify(row);
      if (this.#targets.get(id) === text) continue;
      out.newTargets.push(row);
      this.#targets.set(id, text);
    }
  }

  /** Without a row as long as it was never on, and had no origin. */
  #changeProxies(world: World, out: RowChanges): void {
    for (const [apex, proxy] of [...this.#proxies]) {
      if (world.zones.has(apex)) continue;
      out.goneProxies.push(proxy);
      this.#proxies.delete(apex);
    }
    for (const [apex, { enabled, origin }] of world.proxies ?? []) {
      const old = this.#proxies.get(apex);
      const originHost = origin ?? null;
      if ((old?.enabled ?? false) === enabled && (old?.originHost ?? null) === originHost) continue;
      const proxy = { ...(old ?? newProxy(this.domains.get(apex)!)), enabled, originHost };
      out.newProxies.push(proxy);
      this.#proxies.set(apex, proxy);
    }
  }
}

function targetRow(name: Uint8Array, state: AliasState | undefined): AliasTarget {
  const family = (rdatas: readonly Uint8Array[] | null | undefined): AliasTarget['a'] =>
    rdatas == null
      ? null
      : {
          addresses: rdatas.map((rdata) => Buffer.from(rdata).toString('hex')),
          ttl: state!.ttl,
          stale: false,
          goodAt: 1,
        };
  const spread = { from: '', to: null };
  return { name, a: family(state?.a), aaaa: family(state?.aaaa), error: null, checkedAt: 1, spread };
}

/** Puts the changes into a draft, what goes first. */
export function putChanges(draft: Draft, changes: RowChanges): void {
  for (const row of changes.goneRecords) draft.delete(records, row);
  for (const proxy of changes.goneProxies) draft.delete(proxies, proxy);
  for (const domain of changes.goneDomains) draft.delete(domains, domain);
  for (const domain of changes.newDomains) draft.put(domains, domain);
  for (const proxy of changes.newProxies) draft.put(proxies, proxy);
  for (const row of changes.newTargets) draft.put(aliasTargets, row);
  for (const row of changes.newRecords) draft.put(records, row);
}

export function describeChanges(changes: RowChanges): string {
  const flag = ({ proxied }: RecordRow): string => (proxied === null ? '' : ` proxied: ${proxied}`);
  return [
    ...changes.goneDomains.map(({ apex }) => `- zone ${formatName(apex)}`),
    ...changes.newDomains.map(({ apex }) => `+ zone ${formatName(apex)}`),
    ...changes.newProxies.map(
      ({ domainId, enabled, originHost }) => `proxy of ${domainId} ${enabled ? 'on' : 'off'} ${originHost}`,
    ),
    ...changes.newTargets.map(({ name, a, aaaa }) => `target ${formatName(name)} ${JSON.stringify([a, aaaa])}`),
    ...changes.goneRecords.map((row) => `- ${recordKey(row)}`),
    ...changes.newRecords.map((row) => `+ ${recordKey(row)}${flag(row)}`),
  ].join('\n');
}
