/**
 * Serials of zones whose served records follow from the configuration, raised when that of this node has changed: secondaries compare serials, and would keep the old SOA, NS or
 * addresses of the cluster for ever. They are raised by entries of the journal, so that all nodes have the same, and by each node whose settings become others: what a secondary got
 * from one that still had the old ones is taken anew once the last has changed. A start with the same settings raises nothing, so nodes that differ do not raise against one another.
 * Revisions stay, since nobody has written to the zone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../store/environment.ts';
import { Reader, rawReader } from '../../store/reader.ts';
import { type Domain, renumberings } from '../../store/rows.ts';
import { TYPE } from '../../wire/types.ts';
import type { ZoneSettings } from '../../zone/settings.ts';
import { readRRsets } from '../../zone/stored.ts';
import { findType } from '../../zone/view.ts';
import { write } from '../draft/draft.ts';
import type { Journal } from '../journal.ts';

/** The settings that serials stand for, as far as this node has seen to it. */
const SERVED = Buffer.from('served with');
/** Zones looked at in a turn, and raised in an entry: some 20 ms. */
const PAGE = 500;
/** Milliseconds between two turns, and until what failed is tried again. */
const REST_MS = 10;
const RETRY_MS = 2000;
const BY = 'settings';

/** What another version wrote may lack some of them: that counts as a change. */
type KnownSettings = Partial<ZoneSettings>;

/** Inside a write transaction, before anything is served by `settings`. `before`: what answers were made with until now, as far as known; what is not is taken as unchanged. */
export function noteServed(environment: Environment, settings: ZoneSettings, before: KnownSettings | null): void {
  if (!environment.meta.doesExist(SERVED)) environment.meta.put(SERVED, asBytes(before ?? settings));
}

export interface RenumberOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly settings: ZoneSettings;
  /** Once for each failure that is tried again; null when it goes on. */
  readonly onTrouble: (error: unknown) => void;
}

export interface Renumber {
  /** Resolves when the serials stand for the settings, or it was stopped. Never rejects. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/** In the background: without a majority of etcd it goes on when there is one. Interrupted, the next start begins anew, which raises some serials once more. */
export function startRenumbering(options: RenumberOptions): Renumber {
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = async (): Promise<void> => {
    while (!signal.aborted)
      try {
        await renumberZones(options, signal);
        options.onTrouble(null);
        return;
      } catch (error) {
        if (signal.aborted) return;
        options.onTrouble(error);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      }
  };
  const done = work();
  return {
    done,
    stop() {
      stopping.abort();
      return done;
    },
  };
}

async function renumberZones({ environment, journal, settings }: RenumberOptions, signal: AbortSignal): Promise<void> {
  const stored = environment.meta.get(SERVED);
  const now = asBytes(settings);
  if (stored?.equals(now)) return;
  const before = stored === undefined ? settings : (JSON.parse(stored.toString()) as KnownSettings);
  const reader = new Reader(rawReader(environment));
  const isConcerned = concern(environment, reader, before, settings);
  let last: Domain | undefined;
  while (isConcerned !== null) {
    const page = reader.allDomains(last?.apex ?? null, PAGE);
    last = page.at(-1);
    if (last === undefined) break;
    const domainIds = page.filter(isConcerned).map(({ id }) => id);
    if (domainIds.length > 0) await write(environment, journal, BY, (draft) => draft.put(renumberings, { domainIds }));
    await sleep(REST_MS, undefined, { signal });
  }
  await environment.root.transaction(() => environment.meta.put(SERVED, now));
}

const asBytes = (settings: KnownSettings): Buffer => Buffer.from(JSON.stringify(settings));

/** Whether a zone serves something else by the new settings; null: none does. */
function concern(
  environment: Environment,
  reader: Reader,
  before: KnownSettings,
  settings: ZoneSettings,
): ((domain: Domain) => boolean) | null {
  const differs = (part: (settings: KnownSettings) => unknown): boolean =>
    JSON.stringify(part(before)) !== JSON.stringify(part(settings));
  const ns = differs(({ nameservers, nsTtl }) => [nameservers && [...nameservers].sort(), nsTtl]);
  const soa = differs(({ nameservers, hostmaster, refresh, retry, expire, minimum, soaTtl }) => [
    [nameservers?.[0], hostmaster, refresh, retry, expire, minimum, soaTtl],
  ]);
  const cluster = differs((all) => [all.cluster]);
  if (!ns && !soa && !cluster) return null;
  const hasOwnNs = ({ id, apex }: Domain): boolean =>
    findType(readRRsets(environment, id, apex), TYPE.NS) !== undefined;
  return (domain) => {
    if (cluster && reader.proxy(domain.id)?.enabled === true) return true;
    return domain.kept === null ? ns || soa : ns && !hasOwnNs(domain);
  };
}
