/** Zones in the YAML files of octoDNS: a file a zone, or a folder a zone with a file a name. */
import { basename } from 'node:path';
import { InvalidError } from '../../../core/base/errors.ts';
import { type JsonObject, numberOf, objectOf, objectsOf } from './json.ts';
import { type ConfigFile, finding, invalidConfig, type Source, zoneNameOf } from './source.ts';
import { parseYaml } from './yaml.ts';
import { Comments, quoted, relativeTo, ZoneLines } from './zone-lines.ts';

/** TTL in seconds of a record without one, unless a configuration of octoDNS sets another. */
const DEFAULT_TTL = 3600;

/** Fields of the values of a type, in the order of a master file; `|` separates older names. */
const FIELDS: Readonly<Record<string, string>> = {
  CAA: 'flags tag "value',
  DS: 'key_tag algorithm digest_type digest',
  HTTPS: 'svcpriority targetname svcparams',
  MX: 'preference|priority exchange|value',
  NAPTR: 'order preference "flags "service "regexp replacement',
  SRV: 'priority weight port target',
  SSHFP: 'algorithm fingerprint_type fingerprint',
  SVCB: 'svcpriority targetname svcparams',
  TLSA: 'certificate_usage selector matching_type certificate_association_data',
  URI: 'priority weight "target',
};
/** The older names of the fields of DS. */
const OLD_DS = 'flags protocol algorithm public_key';
const TEXTS = new Set(['TXT', 'SPF']);

/** Whether a document is a mapping of names to records. */
export const isOctodns = (body: unknown): boolean => {
  const records = Object.values(objectOf(body) ?? {}).flatMap(recordsOf);
  return records.length > 0 && records.every((record) => typeof record.type === 'string');
};

const recordsOf = (value: unknown): JsonObject[] => objectsOf(Array.isArray(value) ? value : [value]);

const stemOf = (file: string): string => basename(file).replace(/\.ya?ml$/i, '');

/** The zone of `example.com.yaml`, or of `$example.com.yaml` in its folder. */
export const zoneOfOctodns = (file: string): string => zoneNameOf(stemOf(file).replace(/^\$/, ''));

/**
 * Whether the YAML files of a folder are one zone (`split_extension`): the folder is
 * `example.com.`, or has a file `$example.com.yaml`, or each file has the records of its name.
 */
export function isSplitFolder(folder: string, files: readonly ConfigFile[]): boolean {
  if (files.length === 0) return false;
  if (basename(folder).endsWith('.') || files.some(({ file }) => basename(file).startsWith('$'))) return true;
  return files.every((file) => {
    try {
      const [document] = parseYaml(file);
      return isOctodns(document) && Object.keys(objectOf(document) ?? {}).join() === stemOf(file.file);
    } catch {
      return false;
    }
  });
}

/** The zone of a split folder. Its name may have another extension than the last dot. */
export const zoneOfFolder = (folder: string, files: readonly ConfigFile[]): string =>
  zoneOfOctodns(files.find(({ file }) => basename(file).startsWith('$'))?.file ?? basename(folder));

/**
 * The zone of one file, or of several, of which those that are not understood are findings. Throws
 * InvalidError `invalid_config` for a single file.
 */
export function parseOctodns(files: readonly ConfigFile[], zone?: string): Source {
  const [{ file: first }] = files;
  const name = zoneNameOf(zone ?? zoneOfOctodns(first));
  const lines = new ZoneLines(name, basename(first));
  const comments = new Comments();
  const proxied = new Map<string, boolean>();
  const add = (file: ConfigFile): void => {
    for (const document of parseYaml(file)) {
      if (!isOctodns(document)) throw invalidConfig({ ...file, line: 1 }, 'the file has no records of octoDNS');
      for (const [label, value] of Object.entries(objectOf(document) ?? {}))
        for (const record of recordsOf(value)) {
          const owner = label === '' ? name : `${label}.${name}`;
          addRecord(lines, owner, record);
          const cloudflare = objectOf(objectOf(record.octodns)?.cloudflare) ?? {};
          if (cloudflare.proxied === true) proxied.set(relativeTo(name, owner), true);
          comments.add(relativeTo(name, owner), String(record.type), String(cloudflare.comment ?? ''));
        }
    }
  };
  for (const file of files)
    try {
      add(file);
    } catch (error) {
      if (!(error instanceof InvalidError) || files.length === 1) throw error;
      lines.findings.push({ ...finding.notUnderstood(error.message), zone: name });
    }
  return {
    kind: 'octodns',
    zones: [
      {
        name,
        role: 'primary',
        content: { kind: 'text', file: first, text: lines.text },
        primaries: [],
        proxied,
        comments: comments.texts,
      },
    ],
    keys: [],
    findings: lines.findings,
  };
}

function addRecord(lines: ZoneLines, owner: string, record: JsonObject): void {
  const type = String(record.type);
  const settings = objectOf(record.octodns) ?? {};
  const values = Array.isArray(record.values) ? record.values : record.value === undefined ? [] : [record.value];
  if (settings.ignored === true) {
    lines.leaveOut(owner, type, 'octoDNS ignores it.');
    return;
  }
  if (record.dynamic !== undefined || record.geo !== undefined)
    lines.decide(
      'routing_policy',
      owner,
      type,
      'has answers for regions or by health. Only its plain values are imported.',
      'Proxy the name with a pool of origins; see "Migration" in the manual.',
    );
  for (const value of values) lines.add(owner, numberOf(record.ttl) ?? DEFAULT_TTL, type, contentOf(type, value));
}

function contentOf(type: string, value: unknown): string {
  const fields = objectOf(value);
  // octoDNS escapes semicolons.
  if (fields === undefined) {
    const text = String(value);
    return TEXTS.has(type) ? quoted(text.replaceAll('\\;', ';')) : text;
  }
  if (type === 'LOC') return locationOf(fields);
  const template = type === 'DS' && fields.public_key !== undefined ? OLD_DS : FIELDS[type];
  if (template === undefined) return Object.values(fields).map(String).join(' ');
  return template
    .split(' ')
    .map((field) => {
      const names = field.replace(/^"/, '').split('|');
      const found = names.map((name) => fields[name]).find((entry) => entry !== undefined);
      if (names[0] === 'svcparams') return paramsOf(objectOf(found) ?? {});
      const text = found === undefined ? '' : String(found);
      return field.startsWith('"') ? quoted(text) : text;
    })
    .join(' ')
    .trim();
}

/** Parameters of SVCB and HTTPS; a value may be a list, and keys without a value are null. */
const paramsOf = (params: JsonObject): string =>
  Object.entries(params)
    .map(([key, value]) =>
      value === null ? key : `${key}=${quoted(Array.isArray(value) ? value.map(String).join(',') : String(value))}`,
    )
    .join(' ');

function locationOf(fields: JsonObject): string {
  const text = (name: string, otherwise = '0'): string => String(fields[name] ?? otherwise);
  const angle = (axis: string): string =>
    `${text(`${axis}_degrees`)} ${text(`${axis}_minutes`)} ${text(`${axis}_seconds`)} ${text(`${axis}_direction`)}`;
  return `${angle('lat')} ${angle('long')} ${text('altitude')}m ${text('size', '1')}m ${text('precision_horz', '10000')}m ${text('precision_vert', '10')}m`;
}
