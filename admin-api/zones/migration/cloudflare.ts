/** Zones in the exports of Cloudflare: its zone file, and the JSON of its API. */
import { basename } from 'node:path';
import { type JsonObject, numberOf, objectOf, objectsOf, parseJson, textOf } from './json.ts';
import { type ConfigFile, type Finding, invalidConfig, type Source, zoneNameOf } from './source.ts';
import { AUTOMATIC_TTL, absolute, Comments, quoted, relativeTo, ZoneLines } from './zone-lines.ts';

const WEB_TYPES = new Set(['A', 'AAAA', 'CNAME']);
const HOST_TYPES = new Set(['CNAME', 'NS', 'PTR', 'DNAME']);

export const isCloudflareFile = (text: string): boolean =>
  /^;; Domain:\s+\S+/m.test(text.slice(0, 2000)) || /\bcf_tags=/.test(text);

/** An entry of the zone file: owner, TTL, class, type, content. */
const ENTRY = /^([^\s;"]+)\s+(\d+)\s+IN\s+([A-Z0-9]+)\s+(.*)$/;
/** The content up to the comment, which has the tags at its end. */
const COMMENTED = /^((?:[^;"\\]|\\.|"(?:[^"\\]|\\.)*")*);(.*)$/;
const TAGS = /\bcf_tags=(\S+)\s*$/;

/** `zone`: the name, if the file does not contain it. Keeps the line numbers. */
export function parseCloudflareFile({ file, text }: ConfigFile, zone?: string): Source {
  const written = /^;; Domain:\s+(\S+)/m.exec(text)?.[1] ?? /^(\S+)\s+\d+\s+IN\s+SOA\s/m.exec(text)?.[1];
  const name = zoneNameOf(zone ?? written ?? nameOfFile(file));
  if (name === '') throw unnamed(file);
  const proxied = new Map<string, boolean>();
  const comments = new Comments();
  const findings: Finding[] = [];
  const lines = text.split('\n').map((whole, i) => {
    const line = whole.replace(/\r$/, '');
    const entry = ENTRY.exec(line);
    if (entry === null) return line;
    const [, owner, ttl, type, content] = entry;
    // Its owner may lack the last dot.
    const isApex = zoneNameOf(owner) === name;
    const note = COMMENTED.exec(content)?.[2] ?? '';
    const tags = TAGS.exec(note)?.[1] ?? '';
    if (WEB_TYPES.has(type)) proxied.set(relativeTo(name, owner), /\bcf-proxied:true\b/.test(tags));
    const isAlias = type === 'CNAME' && isApex;
    if (isAlias) findings.push(apexCname(name, { file, line: i + 1 }));
    comments.add(relativeTo(name, owner), isAlias ? 'ALIAS' : type, note.replace(TAGS, ''));
    const seconds = ttl === '1' ? AUTOMATIC_TTL : ttl;
    return `${isApex ? absolute(name) : owner} ${seconds} IN ${isAlias ? 'ALIAS' : type} ${content}`;
  });
  return sourceOf({ name, file, text: lines.join('\n'), proxied, comments, findings });
}

/** Pages of `GET /zones/ID/dns_records`, or the records alone. */
export function parseCloudflareJson({ file, text }: ConfigFile, zone?: string): Source {
  const body = parseJson(file, text);
  const pages = Array.isArray(body) && !objectsOf(body).some(isRecord) ? objectsOf(body) : undefined;
  const records = pages === undefined ? recordsOf(body) : pages.flatMap(recordsOf);
  const total = numberOf(objectOf((pages?.[0] ?? objectOf(body))?.result_info)?.total_count);
  if (total !== undefined && records.length < total)
    throw invalidConfig({ file, line: 1 }, `the export has ${records.length} of ${total} records; export all pages`);
  const name = zoneNameOf(zone ?? textOf(records[0]?.zone_name) ?? nameOfFile(file));
  if (name === '') throw unnamed(file);
  const proxied = new Map<string, boolean>();
  const comments = new Comments();
  const lines = new ZoneLines(name, basename(file));
  for (const record of records) {
    const owner = textOf(record.name) ?? '';
    const type = (textOf(record.type) ?? '').toUpperCase();
    const ttl = numberOf(record.ttl);
    if (WEB_TYPES.has(type)) proxied.set(relativeTo(name, owner), record.proxied === true);
    const isAlias = type === 'CNAME' && zoneNameOf(owner) === name;
    if (isAlias) lines.findings.push(apexCname(name));
    comments.add(relativeTo(name, owner), isAlias ? 'ALIAS' : type, textOf(record.comment) ?? '');
    const seconds = ttl === undefined || ttl <= 1 ? AUTOMATIC_TTL : ttl;
    lines.add(owner, seconds, isAlias ? 'ALIAS' : type, contentOf(type, record));
  }
  return sourceOf({ name, file, text: lines.text, proxied, comments, findings: lines.findings });
}

export const isCloudflareJson = (body: unknown): boolean =>
  recordsOf(body).some(isRecord) || objectsOf(body).some((page) => recordsOf(page).some(isRecord));

const isRecord = (row: JsonObject): boolean =>
  textOf(row.name) !== undefined &&
  textOf(row.type) !== undefined &&
  (row.content !== undefined || row.data !== undefined);

const recordsOf = (body: unknown): JsonObject[] => objectsOf(objectOf(body)?.result ?? body);

/** The content as in a master file. Cloudflare separates priorities and omits the last dot. */
function contentOf(type: string, record: JsonObject): string {
  const data = objectOf(record.data) ?? {};
  const content = textOf(record.content) ?? '';
  const field = (name: string): string => String(data[name] ?? record[name] ?? '0');
  const host = (name: string): string => absolute(textOf(data[name]) ?? textOf(record[name]) ?? content);
  if (HOST_TYPES.has(type)) return absolute(content);
  if (type === 'MX') return `${field('priority')} ${absolute(content)}`;
  if (type === 'SRV') {
    const [weight, port, target] = content.split(/\s+/).slice(-3);
    const isFields = data.target !== undefined;
    return isFields
      ? `${field('priority')} ${field('weight')} ${field('port')} ${host('target')}`
      : `${field('priority')} ${weight} ${port} ${absolute(target ?? '')}`;
  }
  if (type === 'URI' && data.target !== undefined)
    return `${field('priority')} ${field('weight')} ${quoted(String(data.target))}`;
  if ((type === 'TXT' || type === 'SPF') && !content.startsWith('"')) return quoted(content);
  return content;
}

const nameOfFile = (file: string): string => {
  const name = basename(file).replace(/\.(txt|json|zone|bind|db)$/i, '');
  return name.includes('.') ? name : '';
};

const unnamed = (file: string) =>
  invalidConfig({ file, line: 1 }, 'the file does not name its zone; pass --zone NAME, or name the file NAME.json');

const apexCname = (zone: string, at?: Finding['at']): Finding => ({
  severity: 'warning',
  code: 'apex_cname',
  zone,
  at,
  message: 'The CNAME at the apex, which Cloudflare flattens, becomes an ALIAS.',
});

function sourceOf(zone: {
  name: string;
  file: string;
  text: string;
  proxied: ReadonlyMap<string, boolean>;
  comments: Comments;
  findings: readonly Finding[];
}): Source {
  const { name, file, text, proxied, comments } = zone;
  const findings = [...zone.findings];
  const count = [...proxied.values()].filter((isProxied) => isProxied).length;
  if (count > 0)
    findings.push({
      severity: 'decision',
      code: 'proxied',
      zone: name,
      message: `Cloudflare proxies ${count} names of the zone. They are marked as proxied, and their addresses are those of the origins.`,
      next: `Set the origin with "waypost proxy set ${name} HOST", then run "waypost proxy on ${name}". Rules, workers and pages are not part of the export.`,
    });
  return {
    kind: 'cloudflare',
    zones: [
      {
        name,
        role: 'primary',
        content: { kind: 'text', file, text },
        primaries: [],
        proxied,
        comments: comments.texts,
      },
    ],
    keys: [],
    findings,
  };
}
