/**
 * Ids of zones: the name with its last dot, where bytes other than letters, digits, `.` and `-` are
 * written as `=2F`, as PowerDNS does.
 */
import { formatHost, type Name, parseName } from '../../../core/dns/wire/name.ts';

/** The name of a zone as PowerDNS writes it, with the last dot. */
export const dotted = (name: Name): string => (name.length === 1 ? '.' : `${formatHost(name)}.`);

export const zoneIdOf = (apex: Name): string =>
  dotted(apex).replace(
    /[^A-Za-z0-9.-]/g,
    (byte) => `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/** Path of a zone, such as `/api/v1/servers/localhost/zones/example.org.`. */
export const zoneUrl = (id: string): string => `/api/v1/servers/localhost/zones/${id}`;

/** The name of a zone id, with or without its last dot; undefined if it is not a name. */
export const parseZoneId = (id: string): Name | undefined =>
  tryParseName(id.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));

/** Undefined if the text is not a name. */
export function tryParseName(text: string): Name | undefined {
  try {
    return parseName(text.toLowerCase());
  } catch {
    return undefined;
  }
}
