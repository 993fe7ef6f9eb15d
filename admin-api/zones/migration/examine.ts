/**
 * Detects the format of a file, the zone of a master file, and its properties that a person must
 * know about.
 */
import { basename } from 'node:path';
import { EntryLexer } from '../../../core/dns/wire/master/index.ts';
import { isCli53 } from './cli53.ts';
import { isCloudflareFile, isCloudflareJson } from './cloudflare.ts';
import { isGcloud } from './gcloud.ts';
import { parseJson } from './json.ts';
import { isKnotcList } from './knotc.ts';
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
  // Not a list of knotc, which has the zone in brackets before each record.
  if (/^\ufeff?\s*([{]|\[(?![^\s"'{}]+\] ))/.test(head)) {
    const body = parseJson(file, text);
    if (isRoute53(body)) return 'route53';
    return isGcloud(body) ? 'gcloud' : isCloudflareJson(body) ? 'cloudflare' : undefined;
  }
  if (/^(-? *)kind: *['"]?dns#resourceRecordSet/m.test(head)) return 'gcloud';
  if (isYaml(file, head) && /^[\s:-]*type: *['"]?[A-Z0-9]+['"]? *$/m.test(head)) return 'octodns';
  if (isCloudflareFile(head)) return 'cloudflare';
  if (isCli53(head)) return 'route53';
  if (isKnotcList(head)) return 'zones';
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
  return isMaster(head) ? 'zones' : undefined;
}

const isYaml = (file: string, text: string): boolean => /\.ya?ml$/i.test(file) || /^---\s*$/m.test(text.slice(0, 2000));

/** Whether a text has an SOA record. */
const hasSoa = (text: string): boolean => /^[^;]*\sSOA\s/im.test(text);

/** Whether a text has an SOA record, or others of class IN, as exports of providers. */
export const isMaster = (text: string): boolean =>
  hasSoa(text) || /^[^\s;]*\s+(\d+\s+)?IN\s+(A|AAAA|NS|MX|TXT|SRV|CAA|CNAME|PTR)\s+\S/m.test(text);

/**
 * The zone of a master file: the owner of its SOA, if that is absolute; otherwise from the name of
 * the file, `$ORIGIN`, or the comment of an export.
 */
export function zoneOfMaster(file: string, text: string): string | undefined {
  const head = text.slice(0, HEAD);
  const { owner, origin } = readApex(head);
  const name = basename(file);
  const stem = name
    .replace(/^(db|pri|master|named)\./, '')
    .replace(/(\.(db|hosts|zone|dns|txt|signed|bind|zonefile))+$/i, '');
  // Digits are a part of an address, in either order.
  const ofFile = stem.includes('.') && !/^[\d.]+$/.test(stem) ? stem : undefined;
  const noted = NOTES.exec(head);
  const bare = name.endsWith('.zone') && name.length > 5 ? name.slice(0, -5) : undefined;
  const found = owner ?? ofFile ?? origin ?? noted?.[1] ?? noted?.[2] ?? bare;
  return found === undefined ? undefined : zoneNameOf(found);
}

/** Comments of Windows, GoDaddy and others. */
const NOTES =
  /^;+\s*(?:Database file .*? (?:for|in zone) (\S+?)(?: zone)?\.\s*$|(?:Domain:|Zone:|Zone name:|Zone file for)\s+(\S+\.\S+?)\.?\s*$)/im;

/** The owner of the SOA, and the first `$ORIGIN`, if they are absolute and not the root. */
function readApex(head: string): { readonly owner?: string; readonly origin?: string } {
  const bytes = Buffer.from(head, 'latin1');
  const lexer = new EntryLexer(bytes);
  const word = (i: number): string => head.slice(lexer.start[i], lexer.end[i]);
  let first: string | undefined;
  let origin: string | undefined;
  let owner: string | undefined;
  const whole = (name: string): string | undefined => {
    if (name.endsWith('.')) return name;
    // The last dot is often forgotten.
    if (origin === undefined) return lexer.blankOwner || !/^\$ORIGIN$/i.test(word(0)) ? undefined : `${name}.`;
    return name === '@' ? origin : `${name}.${origin === '.' ? '' : origin}`;
  };
  const named = (name: string | undefined): string | undefined => (name === '.' ? undefined : name);
  while (lexer.next()) {
    if (lexer.count === 0) continue;
    if (!lexer.blankOwner && /^\$ORIGIN$/i.test(word(0))) {
      origin = lexer.count > 1 ? whole(word(1)) : undefined;
      first ??= named(origin);
      continue;
    }
    if (!lexer.blankOwner) owner = whole(word(0));
    for (let i = lexer.blankOwner ? 0 : 1; i < Math.min(lexer.count, 5); i++)
      if (/^SOA$/i.test(word(i))) return { owner: named(owner), origin: first };
  }
  return { origin: first };
}
