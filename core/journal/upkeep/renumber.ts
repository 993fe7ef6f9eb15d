/**
 * Raises the serials of zones whose served records depend on settings, after these settings
 * changed. Secondaries compare serials: without this, they would keep the old SOA, NS or cluster
 * addresses forever.
 *
 * The serials are raised by journal entries, so that all nodes have the same. Every node whose
 * settings change raises them. A secondary may have transferred from a node with the old settings;
 * it transfers again after the last node has changed. A start with unchanged settings raises
 * nothing, so nodes with different settings do not raise serials in turn. Revisions do not change,
 * since no account has written to the zone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import type { Tasks } from '../../base/tasks.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import { type Domain, renumberings } from '../../store/rows.ts';
import { transact } from '../../store/transact.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { readRRsets } from '../../zone/compile/stored.ts';
import { findType } from '../../zone/compile/view.ts';
import { write } from '../draft/draft.ts';
import type { Journal } from '../journal.ts';

/** The settings for which this node has raised the serials. */
const SETTINGS_KEY = Buffer.from('served with');
/** Zones per page and per entry: about 20 ms. */
const PAGE = 500;
/** Milliseconds between two pages. */
const PAUSE_MS = 10;
const RETRY = { first: 2000, longest: 60_000 };
const BY = 'settings';

/** Stored settings of another version may lack some fields; a missing field counts as a change. */
type StoredSettings = Partial<ZoneSettings>;

/**
 * Inside a write transaction, before anything is served with `settings`. `before`: the settings
 * that answers were made with until now; null (unknown) counts as unchanged.
 */
export function storeSettings(environment: Environment, settings: ZoneSettings, before: StoredSettings | null): void {
  if (!environment.meta.doesExist(SETTINGS_KEY)) environment.meta.put(SETTINGS_KEY, asBytes(before ?? settings));
}

interface RenumberOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly settings: ZoneSettings;
  readonly tasks: Tasks;
  readonly log: Logger;
}

interface Renumber {
  /** Resolves when the serials match the settings, or after `stop`. Never rejects. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs in the background, and waits while etcd has no majority. After an interruption the next
 * start begins from the first zone, which raises some serials once more.
 */
export function startRenumbering(options: RenumberOptions): Renumber {
  let end: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const task = options.tasks.add({
    name: 'serial-numbers',
    owner: 'node',
    first: 0,
    due: () => Number.POSITIVE_INFINITY,
    log: options.log,
    retry: RETRY,
    messages: ['serials cannot be raised for the changed settings', 'serials are raised again'],
    async run({ signal }) {
      await renumberZones(options, signal);
      end();
    },
  });
  task.start();
  return {
    done,
    async stop() {
      await task.stop();
      end();
    },
  };
}

async function renumberZones({ environment, journal, settings }: RenumberOptions, signal: AbortSignal): Promise<void> {
  const stored = environment.meta.get(SETTINGS_KEY);
  const now = asBytes(settings);
  if (stored?.equals(now)) return;
  const before = stored === undefined ? settings : (JSON.parse(stored.toString()) as StoredSettings);
  const reader = new Reader(rawReader(environment));
  const isAffected = findAffected(environment, reader, before, settings);
  let last: Domain | undefined;
  while (isAffected !== null) {
    const page = reader.allDomains(last?.apex ?? null, PAGE);
    last = page.at(-1);
    if (last === undefined) break;
    const domainIds = page.filter(isAffected).map(({ id }) => id);
    if (domainIds.length > 0) await write(environment, journal, BY, (draft) => draft.put(renumberings, { domainIds }));
    await sleep(PAUSE_MS, undefined, { signal });
  }
  await transact(environment.root, () => environment.meta.put(SETTINGS_KEY, now));
}

const asBytes = (settings: StoredSettings): Buffer => Buffer.from(JSON.stringify(settings));

/** Returns whether a zone is served differently with the new settings; null: no zone is. */
function findAffected(
  environment: Environment,
  reader: Reader,
  before: StoredSettings,
  settings: ZoneSettings,
): ((domain: Domain) => boolean) | null {
  const differs = (part: (settings: StoredSettings) => unknown): boolean =>
    JSON.stringify(part(before)) !== JSON.stringify(part(settings));
  const ns = differs(({ nameservers, nsTtl }) => [nameservers && [...nameservers].sort(), nsTtl]);
  const soa = differs(({ nameservers, hostmaster, refresh, retry, expire, minimum, soaTtl }) => [
    [nameservers?.[0], hostmaster, refresh, retry, expire, minimum, soaTtl],
  ]);
  const cluster = differs((values) => [values.cluster]);
  if (!ns && !soa && !cluster) return null;
  const hasOwnNs = ({ id, apex }: Domain): boolean =>
    findType(readRRsets(environment, id, apex), TYPE.NS) !== undefined;
  return (domain) => {
    if (cluster && reader.proxy(domain.id)?.enabled === true) return true;
    return domain.kept === null ? ns || soa : ns && !hasOwnNs(domain);
  };
}
