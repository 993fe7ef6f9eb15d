/** Zones of Amazon Route 53: JSON with hosted zones or record sets, and files of cli53. */
import { basename } from 'node:path';
import { isCli53, readCli53 } from './cli53.ts';
import { type JsonObject, numberOf, objectOf, objectsOf, parseJson, textOf } from './json.ts';
import { type ConfigFile, type Finding, invalidConfig, type Source, type SourceZone, zoneNameOf } from './source.ts';
import { AUTOMATIC_TTL, isWithin, relativeTo, ZoneLines } from './zone-lines.ts';

/** Route 53 answers aliases with 60 seconds, if their target has no TTL. */
const ALIAS_TTL = 60;
const ADDRESS_TYPES = new Set(['A', 'AAAA']);

/** Fields that select one of several record sets with the same name and type. */
const POLICIES: Readonly<Record<string, string>> = {
  Weight: 'weighted',
  Region: 'latency',
  Failover: 'failover',
  GeoLocation: 'geolocation',
  GeoProximityLocation: 'geoproximity',
  CidrRoutingConfig: 'IP-based',
  MultiValueAnswer: 'multivalue',
};

export const isRoute53 = (body: unknown): boolean =>
  Array.isArray(objectOf(body)?.ResourceRecordSets) || Array.isArray(objectOf(body)?.HostedZones);

/** Reads files of record sets. Lists of hosted zones show which files are missing. */
export function parseRoute53(files: readonly ConfigFile[], zone?: string): Source {
  const zones: SourceZone[] = [];
  const findings: Finding[] = [];
  const lists: { readonly file: string; readonly hosted: readonly JsonObject[] }[] = [];
  const counts = new Map<string, number>();
  for (const { file, text } of files) {
    const given = files.length === 1 ? zone : undefined;
    const exported = isCli53(text) ? readCli53({ file, text }, given, findings) : undefined;
    const body: JsonObject =
      exported === undefined ? (objectOf(parseJson(file, text)) ?? {}) : { ResourceRecordSets: exported.sets };
    if (Array.isArray(body.HostedZones)) lists.push({ file, hosted: objectsOf(body.HostedZones) });
    if (!Array.isArray(body.ResourceRecordSets)) continue;
    if (body.IsTruncated === true || textOf(body.NextToken) !== undefined)
      throw invalidConfig({ file, line: 1 }, 'the list is not complete; export it without --max-items');
    const sets = objectsOf(body.ResourceRecordSets);
    const read = zoneOf(file, sets, exported?.zone ?? given);
    zones.push(read.zone);
    findings.push(...read.findings);
    counts.set(read.zone.name, sets.length);
  }
  for (const { file, hosted } of lists) for (const row of hosted) findings.push(...checkHosted(row, file, counts));
  return { kind: 'route53', zones, keys: [], findings };
}

function checkHosted(row: JsonObject, file: string, counts: ReadonlyMap<string, number>): Finding[] {
  const name = zoneNameOf(unescaped(textOf(row.Name) ?? ''));
  const at = { file, line: 1 };
  const found: Finding[] = [];
  if (objectOf(row.Config)?.PrivateZone === true)
    found.push({
      severity: 'decision',
      code: 'private_zone',
      zone: name,
      at,
      message: 'The hosted zone is private to networks at AWS. Waypost would publish it.',
      next: `Import it only if everyone may read it; "waypost domain rm ${name}" removes it.`,
    });
  const count = counts.get(name);
  const expected = numberOf(row.ResourceRecordSetCount);
  if (count === undefined)
    found.push({
      severity: 'error',
      code: 'no_records',
      zone: name,
      at,
      message: 'There is no export of the record sets of this hosted zone.',
      next: `Run "aws route53 list-resource-record-sets --hosted-zone-id ${textOf(row.Id)?.replace(/^\/hostedzone\//, '') ?? 'ID'}", and put its output into the same folder.`,
    });
  else if (expected !== undefined && expected !== count)
    found.push({
      severity: 'warning',
      code: 'other_count',
      zone: name,
      at,
      message: `The hosted zone has ${expected} record sets, but the export has ${count}; one of the files is older.`,
    });
  return found;
}

/** The record sets of one name and type. */
interface Group {
  readonly name: string;
  readonly type: string;
  readonly sets: JsonObject[];
}

function zoneOf(
  file: string,
  sets: readonly JsonObject[],
  given: string | undefined,
): { zone: SourceZone; findings: Finding[] } {
  const soa = sets.find((set) => set.Type === 'SOA');
  const zone = zoneNameOf(given ?? unescaped(textOf(soa?.Name) ?? ''));
  if (zone === '') throw invalidConfig({ file, line: 1 }, 'the record sets have no SOA; pass --zone NAME');
  const groups = new Map<string, Group>();
  for (const set of sets) {
    const name = zoneNameOf(unescaped(textOf(set.Name) ?? ''));
    const type = textOf(set.Type) ?? '';
    const key = `${name} ${type}`;
    const group = groups.get(key) ?? { name, type, sets: [] };
    group.sets.push(set);
    groups.set(key, group);
  }
  const lines = new ZoneLines(zone, basename(file));
  const writer = new Writer(zone, groups, lines);
  for (const group of groups.values()) writer.add(group);
  const content = { kind: 'text', file, text: lines.text } as const;
  return { zone: { name: zone, role: 'primary', content, primaries: [] }, findings: lines.findings };
}

class Writer {
  /** Targets of names that have an ALIAS. */
  readonly #aliases = new Map<string, string>();

  constructor(
    private readonly zone: string,
    private readonly groups: ReadonlyMap<string, Group>,
    private readonly lines: ZoneLines,
  ) {}

  add(group: Group): void {
    const { name, type } = group;
    const chosen = this.#choose(group);
    for (const set of chosen) {
      const alias = objectOf(set.AliasTarget);
      if (alias === undefined) {
        const isHidden = ADDRESS_TYPES.has(type) && this.#hasAlias(name);
        if (isHidden) this.lines.leaveOut(name, type, 'The name has an ALIAS, which answers addresses.');
        else this.#addValues(name, type, set);
      } else this.#addAlias(name, type, alias);
    }
  }

  #addValues(name: string, type: string, set: JsonObject): void {
    for (const record of objectsOf(set.ResourceRecords)) {
      const value = textOf(record.Value) ?? '';
      this.lines.add(name, numberOf(set.TTL) ?? AUTOMATIC_TTL, type, unescaped(value));
    }
  }

  /** Aliases of addresses become ALIAS. Those of other types in the zone become copies. */
  #addAlias(name: string, type: string, alias: JsonObject): void {
    const target = zoneNameOf(unescaped(textOf(alias.DNSName) ?? ''));
    if (ADDRESS_TYPES.has(type)) {
      const before = this.#aliases.get(name);
      this.#aliases.set(name, before ?? target);
      if (before === undefined) {
        this.lines.add(name, ALIAS_TTL, 'ALIAS', `${target}.`);
        if (!isWithin(this.zone, target)) this.#report(name, target);
      } else if (before !== target)
        this.lines.leaveOut(name, type, `It is an alias of ${target}, but the name is an ALIAS of ${before}.`);
      return;
    }
    const copied = this.groups.get(`${target} ${type}`)?.sets[0];
    if (copied?.ResourceRecords === undefined)
      this.lines.leaveOut(name, type, `It is an alias of ${target}, which has no ${type} record in the zone.`);
    else this.#addValues(name, type, copied);
  }

  #hasAlias(name: string): boolean {
    return [...ADDRESS_TYPES].some((type) =>
      this.groups.get(`${name} ${type}`)?.sets.some((set) => set.AliasTarget !== undefined),
    );
  }

  /** Reports an ALIAS to a target at AWS, whose addresses change. */
  #report(name: string, target: string): void {
    this.lines.findings.push({
      severity: 'decision',
      code: 'aws_alias',
      zone: this.zone,
      message: `${relativeTo(this.zone, name)} is an alias of the AWS resource ${target}. It becomes an ALIAS.`,
      next: 'Check that the resource accepts requests by its own name, or replace the ALIAS.',
    });
  }

  /** All sets of the policy "multivalue", otherwise one set of several. Reports the policy. */
  #choose({ name, type, sets }: Group): readonly JsonObject[] {
    const [first] = sets;
    const policy = Object.keys(POLICIES).find((field) => first[field] !== undefined && first[field] !== false);
    if (policy === undefined) return sets.slice(0, 1);
    const isMulti = policy === 'MultiValueAnswer';
    const best = isMulti ? sets : [preferred(policy, sets)];
    this.lines.findings.push({
      severity: isMulti ? 'warning' : 'decision',
      code: 'routing_policy',
      zone: this.zone,
      message: isMulti
        ? `${relativeTo(this.zone, name)} ${type} has the policy "multivalue": all ${sets.length} values are imported, without health checks.`
        : `${relativeTo(this.zone, name)} ${type} has ${sets.length} record sets with the policy "${POLICIES[policy]}". Only "${textOf(best[0].SetIdentifier) ?? '-'}" is imported.`,
      next: isMulti
        ? undefined
        : 'Proxy the name with a pool of origins, or keep one set; see "Migration" in the manual.',
    });
    return best;
  }
}

/** The set that most clients get, or the default of a policy. */
function preferred(policy: string, sets: readonly JsonObject[]): JsonObject {
  const isDefault = (set: JsonObject): boolean =>
    (policy === 'Failover' && set.Failover === 'PRIMARY') ||
    (policy === 'GeoLocation' && objectOf(set.GeoLocation)?.CountryCode === '*') ||
    (policy === 'CidrRoutingConfig' && objectOf(set.CidrRoutingConfig)?.LocationName === '*');
  if (policy === 'Weight')
    return sets.reduce((best, set) => ((numberOf(set.Weight) ?? 0) > (numberOf(best.Weight) ?? 0) ? set : best));
  return sets.find(isDefault) ?? sets[0];
}

/** Plain in a master file, outside of quotes too. */
const PLAIN = /[A-Za-z0-9_*/+=!?&%~#$'^`|{}[\]<>,:-]/;

/** Route 53 escapes bytes with octal digits, master files with decimal ones (RFC 1035 5.1). */
function unescaped(text: string): string {
  return text.replace(/\\(?:([0-3][0-7]{2})|.)/g, (whole, octal?: string) => {
    if (octal === undefined) return whole;
    const code = Number.parseInt(octal, 8);
    const char = String.fromCharCode(code);
    return code === 0x20 ? '\\032' : PLAIN.test(char) ? char : `\\${String(code).padStart(3, '0')}`;
  });
}
