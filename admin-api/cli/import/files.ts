/** Reads the source of `waypost import`: a configuration, folder or export. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { InvalidError } from '../../../core/base/errors.ts';
import {
  type ConfigFile,
  type ConfigFiles,
  detectKind,
  type Finding,
  finding,
  isDnscontrol,
  isKnotcList,
  isMaster,
  isSplitFolder,
  parseCloudflareFile,
  parseCloudflareJson,
  parseDnscontrol,
  parseGcloud,
  parseKnot,
  parseKnotcList,
  parseNamed,
  parseNsd,
  parseOctodns,
  parseRoute53,
  type Source,
  type SourceKind,
  zoneOfFolder,
  zoneOfMaster,
  zoneOfOctodns,
} from '../../zones/migration/index.ts';
import { CliError } from '../base/errors.ts';
import { headOf, textOfBytes } from '../base/text-file.ts';

interface SourceOptions {
  /** The kind of source; undefined: it is detected. */
  readonly from?: SourceKind;
  /** The zone of an export that does not name it. */
  readonly zone?: string;
  /** Folder that absolute paths of a configuration start from. */
  readonly root?: string;
}

/** Main files of configurations, which may be next to zone files. */
const CONFIGURATIONS = ['named.conf', 'knot.conf', 'nsd.conf'];
/** Files next to zone files that are not zone files. */
const NO_ZONES = /^\.|~$|\.(jnl|jbk|mkeys|key|private|state|md|conf|sh|bak|orig|pid|log|gz)$/;

/** Throws InvalidError `invalid_config`, CliError `unreadable`, `unknown_source` and `no_zones`. */
export function readSource(path: string, options: SourceOptions): Source {
  const found = statOf(path);
  if (!found.isDirectory()) return readFile(path, options);
  const main = CONFIGURATIONS.map((name) => join(path, name)).filter((file) => existsSync(file));
  if (main.length === 1 && (options.from === undefined || options.from !== 'zones')) return readFile(main[0], options);
  return readFolder(path, options);
}

function readFile(path: string, options: SourceOptions): Source {
  const { from, zone } = options;
  const file = { file: path, text: from === 'zones' ? headOfFile(path) : textOf(path) };
  const kind = from ?? detectKind(file);
  const files = new DiskFiles(options.root);
  switch (kind) {
    case 'bind':
      return parseNamed(file, files);
    case 'knot':
      return parseKnot(file, files);
    case 'nsd':
      return parseNsd(file, files);
    case 'route53':
      return parseRoute53([file], zone);
    case 'zones':
      return readMaster(path, file.text, zone);
    case 'powerdns':
    case undefined:
      throw new CliError('unknown_source', `${path} is not a source that can be recognized.`, {
        next: 'Pass --from bind, knot, nsd, cloudflare, route53, gcloud, octodns or zones.',
      });
    default:
      return EXPORTS[kind](file, zone);
  }
}

/** Exports of a single zone. */
const EXPORTS = {
  cloudflare: (file: ConfigFile, zone?: string): Source =>
    /^\ufeff?\s*[[{]/.test(file.text) ? parseCloudflareJson(file, zone) : parseCloudflareFile(file, zone),
  gcloud: parseGcloud,
  octodns: (file: ConfigFile, zone?: string): Source => parseOctodns([file], zone),
};

/** The YAML files of a folder that is one zone of octoDNS; empty: it is another folder. */
function splitFilesOf(path: string): ConfigFile[] {
  const names = readdirSync(path).filter((name) => /\.ya?ml$/i.test(name) && statOf(join(path, name)).isFile());
  const files = names.sort().map((name) => ({ file: join(path, name), text: textOf(join(path, name)) }));
  return isSplitFolder(resolve(path), files) ? files : [];
}

/** A folder of master files and exports. Of its folders, those of octoDNS are read. */
function readFolder(path: string, { from, zone }: SourceOptions): Source {
  const split = splitFilesOf(path);
  if (split.length > 0) return parseOctodns(split, zone ?? zoneOfFolder(resolve(path), split));
  const sources: Source[] = [];
  /** Files of octoDNS by zone. */
  const octodns = new Map<string, ConfigFile[]>();
  const addOctodns = (name: string, files: readonly ConfigFile[]): void =>
    void octodns.set(name, [...(octodns.get(name) ?? []), ...files]);
  const route53: ConfigFile[] = [];
  const unknown: string[] = [];
  const findings: Finding[] = [];
  for (const name of readdirSync(path).sort()) {
    const file = join(path, name);
    if (NO_ZONES.test(name)) continue;
    try {
      const found = statOf(file);
      const files = found.isDirectory() ? splitFilesOf(file) : [];
      if (files.length > 0) addOctodns(zoneOfFolder(file, files), files);
      if (!found.isFile()) continue;
      const head = headOfFile(file);
      const isZone = from === 'zones' || (name.endsWith('.zone') && !/cf_tags=|^;; Domain:/m.test(head));
      const isWhole = /\.(json|ya?ml)$/i.test(name);
      const kind = isZone ? 'zones' : detectKind({ file, text: isWhole ? textOf(file) : head });
      if (kind === 'route53') route53.push({ file, text: textOf(file) });
      else if (kind === 'octodns') addOctodns(zoneOfOctodns(file), [{ file, text: textOf(file) }]);
      else if (kind === 'cloudflare' || kind === 'gcloud') sources.push(EXPORTS[kind]({ file, text: textOf(file) }));
      else if (kind === 'zones' && (name.endsWith('.zone') || isKnotcList(head) || isMaster(head)))
        sources.push(readMaster(file, head));
      else unknown.push(name);
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      findings.push(finding.notUnderstood(error.message));
    }
  }
  const groups = [...octodns].map(
    ([name, files]) =>
      () =>
        parseOctodns(files, name),
  );
  for (const parse of [...groups, ...(route53.length > 0 ? [() => parseRoute53(route53)] : [])])
    try {
      sources.push(parse());
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      findings.push(finding.notUnderstood(error.message));
    }
  if (unknown.length > 0)
    findings.push(finding.notUnderstood(`No zone files and no exports: ${shortList(unknown)}. They are left out.`));
  const zones = sources
    .flatMap((source) => source.zones)
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
  findings.unshift(...sources.flatMap((source) => source.findings));
  if (zone !== undefined && zones.length !== 1)
    throw new CliError('usage', `--zone is for a single file, but ${path} has ${zones.length} zones.`);
  if (zones.length === 0 && findings.every(({ code }) => code === 'not_understood'))
    throw new CliError('no_zones', `${path} has no zone files and no exports.`, {
      next: 'Name the file of the configuration, or name each zone file NAME.zone.',
    });
  const kinds = new Set(sources.map(({ kind }) => kind));
  return { kind: kinds.size === 1 ? [...kinds][0] : 'zones', zones, keys: [], findings };
}

/** Maximum number of names of files in a message. */
const MAX_NAMES = 10;

const shortList = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '');

function readMaster(path: string, head: string, zone?: string): Source {
  const name = zone ?? zoneOfMaster(path, head);
  if (isKnotcList(head)) return parseKnotcList({ file: path, text: textOf(path) });
  if (isDnscontrol(head)) return parseDnscontrol({ file: path, text: textOf(path) }, name);
  const at = { file: path, line: 1 };
  const found = { kind: 'zones', zones: [], keys: [], findings: [] } as const;
  if (name !== undefined)
    return { ...found, zones: [{ name, role: 'primary', content: { kind: 'file', path }, primaries: [], at }] };
  const message = 'The name of the zone cannot be derived from the file.';
  const next = `Import it with "waypost import ${path} --zone NAME", or name it NAME.zone.`;
  return { ...found, findings: [{ severity: 'error', code: 'zone_name_needed', at, message, next }] };
}

/** Finds the files of a configuration on this machine. */
export class DiskFiles implements ConfigFiles {
  constructor(private readonly root: string | undefined) {}

  /** Converts a path of the configuration to a path on this machine. */
  path(path: string): string {
    const root = this.root;
    if (root === undefined || !isAbsolute(path)) return path;
    const isInside = path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
    return isInside ? path : join(root, path);
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  /** Expands patterns in the names of files and folders. */
  glob(pattern: string): string[] {
    return expand(this.path(pattern)).sort();
  }
}

function expand(pattern: string): string[] {
  const folder = dirname(pattern);
  const name = basename(pattern);
  const folders = /[*?[]/.test(folder) && folder !== pattern ? expand(folder) : [folder];
  if (!/[*?[]/.test(name)) return folders.map((parent) => join(parent, name)).filter((path) => existsSync(path));
  const expression = expressionOf(name);
  return folders.flatMap((parent) => {
    if (!existsSync(parent) || !statSync(parent).isDirectory()) return [];
    const names = readdirSync(parent).filter((entry) => !entry.startsWith('.') && expression.test(entry));
    return names.map((entry) => join(parent, entry));
  });
}

/** An invalid pattern matches no file. */
function expressionOf(pattern: string): RegExp {
  const escaped = pattern
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.')
    .replace(/\[!/g, '[^');
  try {
    return new RegExp(`^${escaped}$`, 's');
  } catch {
    return /(?!)/;
  }
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function textOf(path: string): string {
  try {
    return textOfBytes(readFileSync(path));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function headOfFile(path: string): string {
  try {
    return headOf(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, error: unknown): CliError =>
  new CliError('unreadable', `${path} cannot be read: ${error instanceof Error ? error.message : error}`);
