/**
 * Serials of zones whose served records follow from the configuration, raised when that has changed: secondaries compare serials, and would keep the old SOA, NS or
 * addresses of the cluster for ever. By exactly one and not to the clock: every node that is given the same settings makes the same of the same rows, whenever that is.
 * Revisions stay, since nobody has written to the zone.
 */
import type { Environment } from '../store/environment.ts';
import { idKey } from '../store/keys.ts';
import { decodeZoneState, encodeZoneState, type StoreReader } from '../store/reader.ts';
import type { Domain } from '../store/rows.ts';
import { TYPE } from '../wire/types.ts';
import { nextSerial } from '../zone/serial.ts';
import type { ZoneSettings } from '../zone/settings.ts';
import { readRRsets } from '../zone/stored.ts';
import { findType } from '../zone/view.ts';

/** The settings that serials stand for. */
const SERVED = Buffer.from('served with');
const PAGE = 1000;

/** What another version wrote may lack some of them: that counts as a change. */
type KnownSettings = Partial<ZoneSettings>;

/**
 * To be called in a transaction. `fingerprint`: settings that answers were made with, as far as known, for a store that does not say yet what its serials stand for.
 * What is known of neither is taken as unchanged.
 */
export function renumberZones(
  environment: Environment,
  reader: StoreReader,
  settings: ZoneSettings,
  fingerprint: KnownSettings | null,
): void {
  const stored = environment.meta.get(SERVED);
  const before = stored === undefined ? fingerprint : (JSON.parse(stored.toString()) as KnownSettings);
  environment.meta.put(SERVED, Buffer.from(JSON.stringify(settings)));
  if (before === null) return;
  const isConcerned = concern(environment, reader, before, settings);
  if (isConcerned === null) return;
  for (let page = reader.allDomains(null, PAGE); page.length > 0; page = reader.allDomains(page.at(-1)!.apex, PAGE)) {
    for (const domain of page) {
      const key = idKey(domain.id);
      const state = decodeZoneState(environment.zones.get(key));
      if (state.serial === 0 || !isConcerned(domain)) continue;
      environment.zones.put(key, encodeZoneState({ ...state, serial: nextSerial(state.serial, 0, 0) }));
    }
  }
}

/** Whether a zone serves something else by the new settings; null: none does. */
function concern(
  environment: Environment,
  reader: StoreReader,
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
