/**
 * Detects the format of a file, the zone of a master file, and its properties that a person must
 * know about.
 */
import { basename } from 'node:path';
import { isCloudflareFile, isCloudflareJson } from './cloudflare.ts';
import { parseJson } from './json.ts';
import { isRoute53 } from './route53.ts';
import { type ConfigFile, type Finding, finding, type Position, type SourceKind, zoneNameOf } from './source.ts';

/** Characters that are examined. */
const HEAD = 256 * 1024;

/** Bytes at the start of the binary formats of BIND: version 2 or 3 of "raw" and "map". */
const isBinary = (bytes: Uint8Array): boolean =>
  bytes.length >= 8 && bytes[0] === 0 && bytes[1] === 0 && bytes[2] === 0 && (bytes[3] === 2 || bytes[3] === 3);

/** Findings of one zone. The position is that of the file. */
export function examineMaster(zone: string, file: string, bytes: Uint8Array): Finding[] {
  const at: Position = { file, line: 1 };
  if (isBinary(bytes))
    return [
      {
        severity: 'error',
        code: 'binary_file',
        zone,
        at,
        message: 'The file has a binary format of BIND.',
        next: `Write it as text: named-compilezone -f raw -F text -o ${zone}.zone ${zone} ${file}`,
      },
    ];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: Finding[] = [];
  // A search for bytes is much faster than one for a pattern.
  if (['RRSIG', 'rrsig'].some((word) => buffer.includes(word)) && /^[^;"]*\sRRSIG\s/im.test(buffer.toString('latin1')))
    found.push(finding.signed(zone, at));
  if (buffer.includes('$') && /^\$GENERATE\s/im.test(buffer.toString('latin1')))
    found.push({
      severity: 'warning',
      code: 'generate',
      zone,
      at,
      message: 'The records of $GENERATE are imported one by one; an export does not have the directive.',
    });
  return found;
}

/** Undefined: none of the formats. Throws InvalidError `invalid_config` for JSON with an error. */
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
