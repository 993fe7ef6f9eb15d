/**
 * The zones that all servers are measured with, as master files (RFC 1035 section 5), one
 * `NAME.zone` each. A set is made once and kept: a file `complete` next to the zones says which one
 * it is.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ZoneSet {
  /** Folder name, and what `complete` holds. */
  readonly id: string;
  readonly zones: number;
  /** All zones are signed with one P-256 key and NSEC3. */
  readonly signed?: true;
  /** The A records of the mix's hosts are steered. */
  readonly steered?: true;
  /** Records of one zone, SOA and NS included. */
  readonly records: number;
  /** Names of the zones, without the last dot, in order. */
  zoneName(index: number): string;
  /** The zone's records in master file form; owners relative to the zone. */
  zoneText(index: number): string;
  /** A name that the zone holds an A record for: asking it tells whether the zone is served. */
  probeName(index: number): string;
}

const digits = (value: number, width: number) => String(value).padStart(width, '0');

function head(zone: string, nameservers: number): string {
  let text = `$ORIGIN ${zone}.\n$TTL 300\n@ 3600 IN SOA ns1 hostmaster 1 7200 900 1209600 300\n`;
  for (let i = 1; i <= nameservers; i++) text += `@ 3600 IN NS ns${i}\nns${i} 3600 IN A 192.0.2.${i}\n`;
  return text;
}

/** How many owners of each kind a zone of the mix has. `queries.ts` asks for each of them once. */
export const MIX = { hosts: 100, dualStack: 40, mail: 10, aliases: 10, delegations: 9, texts: 18 } as const;

/**
 * 204 records a zone: 5 at the head, 100 A, 40 AAAA, 10 MX + 2 addresses, 10 CNAME, 1 wildcard, 9
 * delegations with glue, 18 TXT.
 */
export function mixZones(zones = 1000): ZoneSet {
  const zoneName = (index: number) => `zone${digits(index, 4)}.example`;
  return {
    id: `mix-${zones}`,
    zones,
    records: 204,
    zoneName,
    probeName: (index) => `host000.${zoneName(index)}`,
    zoneText(index) {
      const net = `198.51.${index & 255}`;
      let text = head(zoneName(index), 2);
      for (let i = 0; i < MIX.hosts; i++) text += `host${digits(i, 3)} IN A ${net}.${i + 1}\n`;
      for (let i = 0; i < MIX.dualStack; i++)
        text += `host${digits(i, 3)} IN AAAA 2001:db8:${index.toString(16)}::${i + 1}\n`;
      text += `mail IN A ${net}.250\nmail IN AAAA 2001:db8:${index.toString(16)}::fa\n`;
      for (let i = 0; i < MIX.mail; i++) text += `dept${i} IN MX 10 mail\n`;
      for (let i = 0; i < MIX.aliases; i++) text += `www${i} IN CNAME host${digits(i, 3)}\n`;
      text += `*.wild IN A ${net}.251\n`;
      for (let i = 0; i < MIX.delegations; i++)
        text += `sub${i} IN NS ns.sub${i}\nns.sub${i} IN A 203.0.113.${i + 1}\n`;
      for (let i = 0; i < MIX.texts; i++)
        text += `host${digits(i + 40, 3)} IN TXT "v=spf1 include:zone${index}.example -all"\n`;
      return text;
    },
  };
}

/** The same zones, signed. */
export const signedSet = (set: ZoneSet): ZoneSet => ({ ...set, id: `signed-${set.id}`, signed: true });

/** The same zones, with steered hosts. */
export const steeredSet = (set: ZoneSet): ZoneSet => ({ ...set, id: `steered-${set.id}`, steered: true });

/** Host `index` of a zone of the mix. */
export const hostName = (index: number): string => `host${digits(index, 3)}`;

/**
 * n0000 to n0999, one A each, under big00000.example and so on: 5,000,000 names at the full size.
 */
export function bigZones(zones = 5000, names = 1000): ZoneSet {
  const zoneName = (index: number) => `big${digits(index, 5)}.example`;
  return {
    id: `big-${zones}x${names}`,
    zones,
    records: names + 3,
    zoneName,
    probeName: (index) => `n0000.${zoneName(index)}`,
    zoneText(index) {
      let text = head(zoneName(index), 1);
      for (let i = 0; i < names; i++) {
        text += `n${digits(i, 4)} IN A 198.${18 + (index & 1)}.${Math.floor(i / 250)}.${(i % 250) + 1}\n`;
      }
      return text;
    },
  };
}

/**
 * Writes the set into `folder`/`id`, one file at a time, unless it is there already. Returns that
 * folder.
 */
export function writeZones(set: ZoneSet, folder: string): string {
  const target = join(folder, set.id);
  const stamp = join(folder, `${set.id}.complete`);
  const expected = `${set.zoneText(0)}${set.zones}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return target;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (let i = 0; i < set.zones; i++) writeFileSync(join(target, `${set.zoneName(i)}.zone`), set.zoneText(i));
  writeFileSync(stamp, expected);
  return target;
}
