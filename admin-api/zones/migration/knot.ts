/** Zones of a Knot DNS configuration. */
import { isAbsolute, join } from 'node:path';
import { type Item, readKnot } from './knot-syntax.ts';
import {
  type ConfigFile,
  type ConfigFiles,
  type Finding,
  finding,
  type Primary,
  type Source,
  type SourceKey,
  type SourceZone,
  zoneNameOf,
} from './source.ts';

/** Where Debian's and the usual builds store zones. */
const DEFAULT_STORAGE = '/var/lib/knot';
const DEFAULT_FILE = '%s.zone';

/** Throws InvalidError `invalid_config`. */
export function parseKnot(main: ConfigFile, files: ConfigFiles): Source {
  const findings: Finding[] = [];
  const items = readKnot(main, files, findings);
  const byId = (section: string): Map<string, Item> =>
    new Map(items.filter((item) => item.section === section).flatMap((item) => idsOf(item).map((id) => [id, item])));
  const templates = byId('template');
  const remotes = byId('remote');
  const groups = byId('remotes');
  const acls = byId('acl');
  const zones: SourceZone[] = [];
  for (const item of items) {
    if (item.section !== 'zone') continue;
    const name = zoneNameOf(first(item, 'domain') ?? '');
    if (!item.settings.has('domain')) continue;
    const { at } = item;
    const template = templates.get(first(item, 'template') ?? 'default');
    const setting = (key: string): readonly string[] => item.settings.get(key) ?? template?.settings.get(key) ?? [];
    const value = (key: string): string | undefined => setting(key)[0];
    const masters = setting('master');
    const isSecondary = masters.length > 0;
    if (value('catalog-role') !== undefined && value('catalog-role') !== 'none' && value('catalog-role') !== 'member') {
      findings.push(finding.catalog(name, at));
      continue;
    }
    if (!isSecondary && setting('acl').some((id) => isUpdate(acls.get(id)))) findings.push(finding.dynamic(name, at));
    if (isOn(value('dnssec-signing'))) findings.push(finding.signed(name, at));
    const load = value('zonefile-load');
    if (!isSecondary && (load === 'none' || load === 'difference-no-serial'))
      findings.push({
        severity: 'decision',
        code: 'journal_content',
        zone: name,
        at,
        message: `With "zonefile-load: ${load}", Knot may serve content of its journal that the file does not have.`,
        next: `Run "knotc zone-flush ${name}" before the import, or transfer the zone to a file.`,
      });
    const file = formatted(value('file') ?? DEFAULT_FILE, name);
    const path = isAbsolute(file) ? file : join(value('storage') ?? DEFAULT_STORAGE, file);
    zones.push({
      name,
      role: isSecondary ? 'secondary' : 'primary',
      content: { kind: 'file', path },
      primaries: masters.flatMap((id) => primariesOf(id, remotes, groups)),
      at,
    });
  }
  return { kind: 'knot', zones, keys: items.filter(({ section }) => section === 'key').flatMap(keyOf), findings };
}

const first = (item: Item, key: string): string | undefined => item.settings.get(key)?.[0];

const idsOf = (item: Item): readonly string[] => item.settings.get('id') ?? [];

const isOn = (value: string | undefined): boolean => value === 'on' || value === 'true';

const isUpdate = (acl: Item | undefined): boolean =>
  acl !== undefined && (acl.settings.get('action') ?? []).includes('update') && !isOn(first(acl, 'deny'));

function keyOf(item: Item): SourceKey[] {
  const id = first(item, 'id');
  if (id === undefined) return [];
  const algorithm = first(item, 'algorithm')?.toLowerCase() ?? '';
  return [{ name: zoneNameOf(id), algorithm, secret: first(item, 'secret'), at: item.at }];
}

function primariesOf(id: string, remotes: ReadonlyMap<string, Item>, groups: ReadonlyMap<string, Item>): Primary[] {
  const group = groups.get(id);
  if (group !== undefined)
    return (group.settings.get('remote') ?? []).flatMap((member) => primariesOf(member, remotes, new Map()));
  const remote = remotes.get(id);
  if (remote === undefined) return [];
  const key = first(remote, 'key');
  const isTls = isOn(first(remote, 'tls')) || isOn(first(remote, 'quic'));
  return (remote.settings.get('address') ?? []).map((text) => {
    const [address, port] = text.split('@');
    return {
      address,
      port: port === undefined ? undefined : Number(port),
      key: key === undefined ? undefined : zoneNameOf(key),
      tls: isTls ? true : undefined,
    };
  });
}

/** Replaces the formatters of `file` (Knot DNS, "file" of a zone). */
function formatted(pattern: string, name: string): string {
  const labels = name.split('.').reverse();
  return pattern.replace(
    /%(?:(%)|(s)|c\[(\d+)(?:-(\d+))?\]|l\[(\d+)\])/g,
    (_, percent?: string, whole?: string, from?: string, to?: string, label?: string) => {
      if (percent !== undefined) return '%';
      if (whole !== undefined) return name.replace(/\//g, '_');
      if (label !== undefined) return labels[Number(label)] ?? '';
      return `${name}.`.slice(Number(from), Number(to ?? from) + 1);
    },
  );
}
