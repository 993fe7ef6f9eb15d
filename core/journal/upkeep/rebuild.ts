/**
 * Rebuilds all answers and other derived data from the rows: on demand, and when the compiler or
 * the settings have changed.
 */
import { proxyKeys, stateKeys } from '../../store/domain-orders.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { accountShare, rowOwner, rowSize } from '../../store/row-owner.ts';
import { type Domain, decodeDomain, deletedDomains, domains, imports, proxies } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { transact } from '../../store/transact.ts';
import {
  decodeZoneState,
  encodeUsage,
  encodeZoneState,
  NO_USAGE,
  type Usage,
  type ZoneState,
} from '../../store/zone-state.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { updateSite } from '../apply/notices.ts';
import type { Signers } from '../apply/signers.ts';
import { ZoneUpdates } from '../apply/zone-updates.ts';
import { writeHiddenAliases, writeTargets } from '../record-targets.ts';
import { storeSettings } from './renumber.ts';

/**
 * Increased when the compiler, core/store/sites.ts, core/store/domain-orders.ts or the counting of
 * usage produces other bytes for the same rows.
 */
const COMPILER_VERSION = 16;
const FINGERPRINT = Buffer.from('compiled with');
/** Names per transaction. */
const BATCH = 20_000;

/** Whether this compiler made the answers with these settings. */
export function answersAreCurrent(environment: Environment, defaults: ZoneSettings): boolean {
  return environment.meta.get(FINGERPRINT)?.toString() === fingerprint(defaults);
}

/**
 * The settings with which this compiler version made the answers. Null: another version made them,
 * or a rebuild was interrupted.
 */
export function settingsOfAnswers(environment: Environment): ZoneSettings | null {
  const stored = environment.meta.get(FINGERPRINT);
  const [version, settings] = stored === undefined ? [] : (JSON.parse(stored.toString()) as [number, ZoneSettings]);
  return version === COMPILER_VERSION && settings !== undefined ? settings : null;
}

/**
 * Returns the maximum bytes that a rebuild needs. Pages of the old answers become free as it
 * proceeds.
 */
export function spaceForRebuild({ answers, nsec3 }: Environment): number {
  const pages = [answers, nsec3].map((table) => {
    const { treeLeafPageCount = 0, treeBranchPageCount = 0, overflowPages = 0 } = table.getStats() as PageCounts;
    return treeLeafPageCount + treeBranchPageCount + overflowPages;
  });
  return Math.min(MAX_SPACE, PAGE_BYTES * (pages[0] + pages[1]));
}

interface PageCounts {
  readonly treeLeafPageCount?: number;
  readonly treeBranchPageCount?: number;
  readonly overflowPages?: number;
}

const PAGE_BYTES = 4096;
/** Upper bound in bytes: a few batches of the largest answers. */
const MAX_SPACE = 64 << 20;

function fingerprint(defaults: ZoneSettings): string {
  return JSON.stringify([COMPILER_VERSION, defaults]);
}

/**
 * The settings that the answers were made with; null: unknown, because the last rebuild was
 * interrupted or there was none.
 */
function readPreviousSettings(environment: Environment): Partial<ZoneSettings> | null {
  const stored = environment.meta.get(FINGERPRINT);
  return stored === undefined ? null : (JSON.parse(stored.toString()) as [number, Partial<ZoneSettings>])[1];
}

/**
 * Compiles every zone. After an interruption the next start repeats it, since the fingerprint is
 * written last. `progress` is called with the number of finished zones. Serials do not change: see
 * renumber.ts.
 */
export async function rebuildAnswers(
  environment: Environment,
  defaults: ZoneSettings,
  progress: (zones: number) => void = () => {},
  signers: Signers | null = null,
): Promise<{ zones: number; answers: number }> {
  const reader = new StoreReader(environment);
  await transact(environment.root, () => {
    storeSettings(environment, defaults, readPreviousSettings(environment));
    environment.meta.remove(FINGERPRINT);
    environment.answers.clearSync();
    environment.usage.clearSync();
    environment.orders.clearSync();
    environment.aliases.clearSync();
    environment.targets.clearSync();
    environment.sites.clearSync();
    environment.nsec3.clearSync();
  });
  environment.root.resetReadTxn();
  let zones = 0;
  let answers = 0;
  let after: Domain | undefined;
  for (;;) {
    const page = reader.allDomains(after?.apex ?? null, 1000);
    if (page.length === 0) break;
    after = page[page.length - 1];
    for (let i = 0; i < page.length; ) {
      await transact(environment.root, () => {
        const updates = new ZoneUpdates(environment, defaults, () => false, undefined, undefined, signers?.group());
        for (; i < page.length && updates.nodes.length < BATCH; i++, zones++) {
          writeTargets(environment, page[i]);
          updates.compileAll(page[i]);
          updateSite(environment, page[i].id);
          writeOrders(environment, page[i]);
        }
        answers += updates.nodes.length;
      });
      progress(zones);
    }
    environment.root.resetReadTxn();
  }
  await transact(environment.root, () => {
    rebuildHidden(environment, reader);
    writeUsage(environment);
    environment.meta.put(FINGERPRINT, Buffer.from(fingerprint(defaults)));
  });
  return { zones, answers };
}

/** Writes what is derived from the hidden records of imports in progress. */
function rebuildHidden(environment: Environment, reader: StoreReader): void {
  for (const range of environment.hidden.read()) {
    const row = reader.row(imports, idKey(range.domainId));
    if (row === undefined) continue;
    writeHiddenAliases(environment, range);
    // The targets of a domain that exists were written with it.
    if (reader.domain(row.domainId) === undefined)
      writeTargets(environment, { id: row.domainId, apex: Buffer.from(row.apex, 'hex') });
  }
}

function writeOrders({ orders, rows, zones }: Environment, domain: Domain): void {
  const key = idKey(domain.id);
  const row = rows.get(proxies.number)!.get(key);
  const proxied = row === undefined ? [] : proxyKeys(domain, proxies.decode(key, row));
  for (const order of [...stateKeys(domain, decodeZoneState(zones.get(key))), ...proxied]) orders.put(order, key);
}

/**
 * Recounts the usage of accounts and zones from the rows. Called inside a write transaction, with
 * an empty table of usage. The states of zones must be stored.
 */
function writeUsage(environment: Environment): void {
  const { rows, usage, zones: states } = environment;
  const zoneBytes = new Map<Id, number>();
  const accounts = new Map<Id, Usage>();
  const add = (accountId: Id, more: Usage): void => {
    const { domains: count, records, bytes, audit } = accounts.get(accountId) ?? NO_USAGE;
    accounts.set(accountId, {
      domains: count + more.domains,
      records: records + more.records,
      bytes: bytes + more.bytes,
      audit: audit + more.audit,
    });
  };
  for (const [table, stored] of rows) {
    const owner = rowOwner(table);
    if (owner === 'none') continue;
    for (const { key, value } of stored.getRange({})) {
      if (owner === 'zone') {
        const domainId = idAt(key);
        zoneBytes.set(domainId, (zoneBytes.get(domainId) ?? 0) + rowSize(table, key, value, true));
      } else if (owner === 'audit') add(idAt(key), { ...NO_USAGE, audit: rowSize(table, key, value, true) });
      else {
        const { accountId, bytes } = accountShare(table, key, value, true);
        add(accountId, { ...NO_USAGE, bytes });
      }
    }
  }
  const putBytes = (domainId: Id): ZoneState => {
    const state = { ...decodeZoneState(states.get(idKey(domainId))), bytes: zoneBytes.get(domainId) ?? 0 };
    states.put(idKey(domainId), encodeZoneState(state));
    return state;
  };
  for (const key of rows.get(deletedDomains.number)!.getKeys({})) if (states.doesExist(key)) putBytes(idAt(key));
  for (const { key, value } of rows.get(domains.number)!.getRange({})) {
    const { recordCount, bytes } = putBytes(idAt(key));
    add(decodeDomain(value).accountId, { ...NO_USAGE, domains: 1, records: recordCount, bytes });
  }
  for (const [accountId, used] of accounts) usage.put(idKey(accountId), encodeUsage(used));
}
