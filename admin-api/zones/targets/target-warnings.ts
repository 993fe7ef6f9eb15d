/**
 * Warns of ALIAS records, and of CNAME records at proxied names, whose target has no address that
 * may be served. Finding warnings sends no query: `settle` waits for the lookups of new records.
 */

import { RecentMap } from '../../../core/base/recent-map.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, formatRelative, type Name, nameAt } from '../../../core/dns/wire/name.ts';
import { LEADING_TYPES, TYPE } from '../../../core/dns/wire/types.ts';
import type { Exemptions } from '../../../core/net/address/index.ts';
import { nameOfKey, recordKeyParts } from '../../../core/store/keys.ts';
import { type Domain, type ProxyConfig, proxiedOf, RECORD_RDATA, type RecordRow } from '../../../core/store/rows.ts';
import { type NameOrigin, NameOrigins } from '../../../core/zone/compile/name-origins.ts';
import type { Services } from '../../change/services.ts';
import type { OriginRules } from '../../sites/proxy/origin-rules.ts';
import { OwnZone } from '../../sites/proxy/own-zone.ts';
import { scanRecords } from '../../sites/proxy/scan.ts';
import { type Fault, findZones } from '../../sites/proxy/survey.ts';
import { noProxy } from '../../sites/proxy/view.ts';
import { HostChecks } from './host-checks.ts';

export interface TargetWarning {
  readonly code: 'no_served_address';
  /** A text for users. */
  readonly message: string;
}

type TargetRecord = Pick<RecordRow, 'name' | 'type' | 'rdata' | 'proxied'>;

/** A warning in the state of a zone. */
interface ZoneWarning extends TargetWarning {
  readonly name: string;
  readonly type: string;
}

/** Milliseconds for which a write waits for the first lookups of its targets. */
const SETTLE_MS = 1_000;
/** Maximum warnings in the state of a zone. */
const MAX_LISTED = 20;
/** Maximum records that are read for the state of a zone, and targets that are checked. */
const MAX_SCANNED = 50_000;
const MAX_CHECKED = 200;
/** Maximum zones whose ALIAS and CNAME records are cached until they change. */
const MAX_ZONES = 1_000;

interface CheckedRecords {
  /** Revision of the domain, which changes with its records and its proxy settings. */
  readonly revision: number;
  readonly records: readonly TargetRecord[];
}

export class TargetWarnings {
  readonly #hosts: HostChecks;
  /** By domain. */
  readonly #checked = new RecentMap<CheckedRecords, Domain['id']>(MAX_ZONES);

  constructor(
    private readonly services: Services,
    private readonly rules: OriginRules,
  ) {
    this.#hosts = new HostChecks(rules);
  }

  /** For the records of one domain in one response. */
  of(domain: Domain): DomainTargets {
    return new DomainTargets(this.services, this.rules, this.#hosts, domain);
  }

  /** Waits for the target lookups of new records, at most a second. */
  async settle(domain: Domain, written: readonly TargetRecord[]): Promise<void> {
    const records = written.filter(({ type }) => LEADING_TYPES.includes(type));
    if (records.length === 0) return;
    const targets = this.of(domain);
    const end = AbortSignal.timeout(SETTLE_MS);
    const late = new Promise<void>((done) => end.addEventListener('abort', () => done(), { once: true }));
    await Promise.race([late, Promise.all(records.map((record) => targets.settle(record, end)))]);
  }

  /**
   * The first warnings of a zone. Yields to other requests in large zones. `isNew`: waits as
   * `settle` does.
   */
  async list(domain: Domain, isNew = false): Promise<ZoneWarning[]> {
    const targets = this.of(domain);
    const found: ZoneWarning[] = [];
    const checked = await this.#findChecked(domain, targets);
    if (isNew) await this.settle(domain, checked);
    for (const record of checked) {
      const warning = targets.find(record);
      if (warning === null) continue;
      found.push({ name: formatRelative(record.name, domain.apex), type: typeName(record.type), ...warning });
      if (found.length === MAX_LISTED) break;
    }
    return found;
  }

  async #findChecked(domain: Domain, targets: DomainTargets): Promise<readonly TargetRecord[]> {
    const { environment, reader } = this.services;
    const { revision } = reader.zoneState(domain.id);
    const before = this.#checked.get(domain.id);
    if (before?.revision === revision) return before.records;
    const records: TargetRecord[] = [];
    let scanned = 0;
    await scanRecords(environment, domain.id, (at, value) => {
      if (targets.mayWarn(recordKeyParts(at).type)) records.push(recordOf(at, value));
      return records.length === MAX_CHECKED || ++scanned === MAX_SCANNED;
    });
    this.#checked.set(domain.id, { revision, records });
    return records;
  }
}

/** Checks the targets of records of one domain. */
export class DomainTargets {
  readonly #proxy: ProxyConfig;
  readonly #exemptions: Exemptions;
  /** Created for the first record when the proxy is enabled, which most domains do not use. */
  #proxied: { readonly zone: OwnZone; readonly origins: NameOrigins } | null = null;

  constructor(
    private readonly services: Services,
    rules: OriginRules,
    private readonly hosts: HostChecks,
    private readonly domain: Domain,
  ) {
    this.#proxy = services.reader.proxy(domain.id) ?? noProxy(domain.id);
    this.#exemptions = rules.allowPrivate;
  }

  /** Whether records of the type can have a warning. It can change without a new revision. */
  mayWarn(type: number): boolean {
    return type === TYPE.ALIAS || (type === TYPE.CNAME && this.#proxy.enabled);
  }

  find(record: TargetRecord): TargetWarning | null {
    if (!this.mayWarn(record.type)) return null;
    const origin = this.#originOf(record);
    if (origin === null) return record.type === TYPE.ALIAS ? this.#checkAlias(record, '') : null;
    switch (origin.kind) {
      case 'configured':
      case 'addresses':
        return null;
      case 'host': {
        if (record.type === TYPE.ALIAS) return this.#checkAlias(record, VISITORS);
        const fault = this.hosts.peek(origin.host, this.domain.accountId);
        return fault === null ? null : this.#warn(record, fault, VISITORS);
      }
      case 'none':
        return this.#warn(record, FAULTS[origin.why], VISITORS);
      default:
        return origin satisfies never;
    }
  }

  /** Resolves when the target is looked up, or the signal aborts. */
  async settle(record: TargetRecord, end: AbortSignal): Promise<void> {
    const { accountId } = this.domain;
    if (record.type === TYPE.ALIAS) return this.services.aliases.settled(targetOf(record), accountId, end);
    const origin = this.mayWarn(record.type) ? this.#originOf(record) : null;
    if (origin?.kind === 'host') await this.hosts.look(origin.host, accountId);
  }

  /** Null: the name does not go through the proxy. */
  #originOf({ name, proxied }: TargetRecord): NameOrigin | null {
    if (!this.#proxy.enabled) return null;
    this.#proxied ??= this.#openProxied();
    return this.#proxied.zone.isWeb(name, proxied) ? this.#proxied.origins.originOf(name) : null;
  }

  #openProxied() {
    const zones = findZones(this.services, this.domain, this.#proxy);
    const origins = new NameOrigins(zones, this.domain, this.#proxy, this.#exemptions);
    return { zone: new OwnZone(this.services, this.domain), origins };
  }

  #checkAlias(record: TargetRecord, effect: string): TargetWarning | null {
    const { status, addresses, error } = this.services.aliases.of(targetOf(record), this.domain.accountId);
    if (addresses.length > 0 || status === 'pending') return null;
    const answer = ' Queries get no addresses.';
    return this.#warn(record, error ?? 'it has no A or AAAA records', effect === '' ? answer : effect);
  }

  #warn(record: TargetRecord, reason: string, effect: string): TargetWarning {
    const name = formatRelative(record.name, this.domain.apex);
    const target = formatName(targetOf(record));
    const message = `The target ${target} of the ${typeName(record.type)} "${name}" has no address that may be served: ${reason}.${effect} Give it a public address, or change the target.`;
    return { code: 'no_served_address', message };
  }
}

const VISITORS = ' The proxy answers visitors with an error.';

/** The rest of a sentence about a target in a zone of the account. */
const FAULTS: Readonly<Record<Fault, string>> = {
  private: 'its addresses are not public',
  'no-address': 'it leads to no address',
  loop: 'it leads back to itself',
};

const targetOf = ({ rdata }: TargetRecord): Name => Uint8Array.from(nameAt(rdata, 0));

/** A stored record, copied from buffers of the store. */
export function recordOf(key: Buffer, value: Buffer): TargetRecord {
  const { nameEnd, type } = recordKeyParts(key);
  return {
    name: nameOfKey(key, 8, nameEnd),
    type,
    rdata: Uint8Array.from(value.subarray(RECORD_RDATA)),
    proxied: proxiedOf(value),
  };
}
