/** Zones in the record sets of Google Cloud DNS, as YAML or JSON of gcloud. */
import { basename } from 'node:path';
import { type JsonObject, numberOf, objectOf, objectsOf, parseJson, textOf } from './json.ts';
import { type ConfigFile, invalidConfig, type Source, zoneNameOf } from './source.ts';
import { parseYaml } from './yaml.ts';
import { AUTOMATIC_TTL, ZoneLines } from './zone-lines.ts';

/** Policies of record sets, with the list of their items. */
const POLICIES: Readonly<Record<string, string>> = {
  wrr: 'weighted',
  geo: 'geolocation',
  primaryBackup: 'failover',
};

export const isGcloud = (body: unknown): boolean => recordSetsOf(body).some(isRecordSet);

const isRecordSet = (row: JsonObject): boolean =>
  row.kind === 'dns#resourceRecordSet' || (textOf(row.name) !== undefined && Array.isArray(row.rrdatas));

/** A list of record sets, or the response of the API. */
const recordSetsOf = (body: unknown): JsonObject[] =>
  objectsOf(Array.isArray(body) ? body : (objectOf(body)?.rrsets ?? [body]));

/**
 * `gcloud dns record-sets export` or `list --format=json`. `zone`: the name, if there is no SOA.
 */
export function parseGcloud({ file, text }: ConfigFile, zone?: string): Source {
  const documents = /^\ufeff?\s*[[{]/.test(text) ? [parseJson(file, text)] : parseYaml({ file, text });
  const sets = documents.flatMap(recordSetsOf).filter(isRecordSet);
  const soa = sets.find(({ type }) => type === 'SOA');
  const name = zoneNameOf(zone ?? textOf(soa?.name) ?? '');
  if (name === '') throw invalidConfig({ file, line: 1 }, 'the record sets have no SOA; pass --zone NAME');
  const lines = new ZoneLines(name, basename(file));
  for (const set of sets) {
    const owner = textOf(set.name) ?? '';
    const type = textOf(set.type) ?? '';
    for (const data of valuesOf(set, lines)) lines.add(owner, numberOf(set.ttl) ?? AUTOMATIC_TTL, type, data);
  }
  return {
    kind: 'gcloud',
    zones: [{ name, role: 'primary', content: { kind: 'text', file, text: lines.text }, primaries: [] }],
    keys: [],
    findings: lines.findings,
  };
}

/** The values of a set: those of its largest weight, or the first, if it has a policy. */
function valuesOf(set: JsonObject, lines: ZoneLines): string[] {
  const policy = objectOf(set.routingPolicy);
  if (policy === undefined) return textsOf(set.rrdatas);
  const kind = Object.keys(POLICIES).find((key) => policy[key] !== undefined) ?? '';
  const items = objectsOf(objectOf(policy[kind])?.items);
  const best = items.reduce<JsonObject | undefined>(
    (first, item) => (first !== undefined && weightOf(first) >= weightOf(item) ? first : item),
    undefined,
  );
  const values = textsOf(best?.rrdatas);
  const owner = textOf(set.name) ?? '';
  const type = textOf(set.type) ?? '';
  if (values.length === 0) lines.leaveOut(owner, type, 'Load balancers answer it.');
  else
    lines.decide(
      'routing_policy',
      owner,
      type,
      `has the policy "${POLICIES[kind] ?? 'unknown'}" with ${items.length} items. Only ${values.join(', ')} is imported.`,
      'Proxy the name with a pool of origins, or keep one set; see "Migration" in the manual.',
    );
  return values;
}

const weightOf = ({ weight }: JsonObject): number => Number(weight ?? 0);

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
