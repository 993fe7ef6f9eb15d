/** Detects what kind of source a file is, and the name of the zone in a master file. */
import { basename } from 'node:path';
import { isCloudflareFile, isCloudflareJson } from './cloudflare.ts';
import { parseJson } from './json.ts';
import { isRoute53 } from './route53.ts';
import { type ConfigFile, type SourceKind, zoneNameOf } from './source.ts';

/** Characters that are examined. */
const HEAD = 256 * 1024;

/** Undefined: none of them. Throws InvalidError `invalid_config` for JSON with an error. */
export function detectKind({ file, text }: ConfigFile): SourceKind | undefined {
  const head = text.slice(0, HEAD);
  if (/^\ufeff?\s*[[{]/.test(head)) {
    const body = parseJson(file, text);
    return isRoute53(body) ? 'route53' : isCloudflareJson(body) ? 'cloudflare' : undefined;
  }
  if (isCloudflareFile(head)) return 'cloudflare';
  // The words of a master file could start a statement, but have no brace after them.
  if (
    /^\s*(options|zone|view|include|key|acl|logging|controls|masters|primaries|template|tls)\b[^;:]*[{;]/m.test(head) &&
    /\{|^\s*include\s+"/m.test(head) &&
    !hasSoa(head)
  )
    return 'bind';
  if (/^(zone|template|server|include|remote|database):/m.test(head) && /^\s*-\s+(domain|id)\s*:/m.test(head))
    return 'knot';
  if (/^\s*(server|zone|pattern|include)\s*:/m.test(head) && !/^\s*-\s/m.test(head)) {
    return /^\s*(name|zonefile|include-pattern|zonesdir|request-xfr|ip-address|server-count)\s*:/m.test(head) ||
      basename(file) === 'nsd.conf'
      ? 'nsd'
      : 'knot';
  }
  return hasSoa(head) ? 'zones' : undefined;
}

/** Whether a text has an SOA record. */
export const hasSoa = (text: string): boolean => /^[^;]*\sSOA\s/im.test(text);

/** The zone of a master file, from the file name NAME.zone, the SOA, $ORIGIN, or the file name. */
export function zoneOfMaster(file: string, text: string): string | undefined {
  const name = basename(file);
  if (name.endsWith('.zone') && name.length > 5) return zoneNameOf(name.slice(0, -5));
  const head = text.slice(0, HEAD);
  const owner = /^([^\s;$()@"]+\.)\s[^;\n]*\bSOA\b/im.exec(head)?.[1];
  if (owner !== undefined) return zoneNameOf(owner);
  const origin = /^\$ORIGIN\s+(\S+\.)(?:\s|$)/im.exec(head);
  const soa = /^\S*\s[^;\n]*\bSOA\b/im.exec(head);
  if (origin !== null && origin[1] !== '.' && (soa === null || origin.index < soa.index)) return zoneNameOf(origin[1]);
  const stem = name.replace(/^(db|pri|master|named)\./, '').replace(/\.(db|hosts|zone|dns|txt|signed|bind)$/, '');
  return stem.includes('.') ? zoneNameOf(stem) : undefined;
}
