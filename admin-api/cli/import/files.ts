/** Reads the source of `waypost import`: a configuration, folder or export. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import {
  type ConfigFile,
  type ConfigFiles,
  detectKind,
  type Finding,
  hasSoa,
  parseCloudflareFile,
  parseCloudflareJson,
  parseKnot,
  parseNamed,
  parseNsd,
  parseRoute53,
  type Source,
  type SourceKind,
  type SourceZone,
  zoneOfMaster,
} from '../../zones/migration/index.ts';
import { CliError } from '../base/errors.ts';

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
/** Bytes of a file that are read to detect its kind. */
const HEAD = 256 * 1024;

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
  const isZone = from === 'zones';
  const file = { file: path, text: isZone ? headOf(path) : textOf(path) };
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
    case 'cloudflare':
      return parseCloudflare(file, zone);
    case 'zones': {
      const master = masterFile(path, file.text, zone);
      return { kind, zones: [master].filter((entry) => 'role' in entry), keys: [], findings: findingsOf([master]) };
    }
  }
  throw new CliError('unknown_source', `${path} is not a source that can be recognized.`, {
    next: 'Pass --from bind, knot, nsd, cloudflare, route53 or zones.',
  });
}

/** A folder of master files and exports. Other files and folders in it are ignored. */
function readFolder(path: string, { from, zone }: SourceOptions): Source {
  const masters: (SourceZone | Finding)[] = [];
  const sources: Source[] = [];
  const route53: ConfigFile[] = [];
  for (const name of readdirSync(path).sort()) {
    const file = join(path, name);
    if (NO_ZONES.test(name) || !statOf(file).isFile()) continue;
    const head = headOf(file);
    const isZone = from === 'zones' || (name.endsWith('.zone') && !/cf_tags=|^;; Domain:/m.test(head));
    const kind = isZone
      ? 'zones'
      : detectKind(name.endsWith('.json') ? { file, text: textOf(file) } : { file, text: head });
    if (kind === 'route53') route53.push({ file, text: textOf(file) });
    else if (kind === 'cloudflare') sources.push(parseCloudflare({ file, text: textOf(file) }));
    else if (kind === 'zones' && (name.endsWith('.zone') || hasSoa(head))) masters.push(masterFile(file, head));
  }
  if (route53.length > 0) sources.push(parseRoute53(route53));
  const zones = [...masters.filter((entry) => 'role' in entry), ...sources.flatMap((source) => source.zones)];
  const findings = [...findingsOf(masters), ...sources.flatMap((source) => source.findings)];
  if (zone !== undefined && zones.length !== 1)
    throw new CliError('usage', `--zone is for a single file, but ${path} has ${zones.length} zones.`);
  if (zones.length === 0 && findings.length === 0)
    throw new CliError('no_zones', `${path} has no zone files and no exports.`, {
      next: 'Name the file of the configuration, or name each zone file NAME.zone.',
    });
  const kinds = new Set<SourceKind>([
    ...(masters.length > 0 ? ['zones' as const] : []),
    ...sources.map(({ kind }) => kind),
  ]);
  return { kind: kinds.size === 1 ? [...kinds][0] : 'zones', zones, keys: [], findings };
}

const parseCloudflare = (file: ConfigFile, zone?: string): Source =>
  /^\ufeff?\s*[[{]/.test(file.text) ? parseCloudflareJson(file, zone) : parseCloudflareFile(file, zone);

function masterFile(path: string, head: string, zone?: string): SourceZone | Finding {
  const name = zone ?? zoneOfMaster(path, head);
  const at = { file: path, line: 1 };
  if (name !== undefined) return { name, role: 'primary', content: { kind: 'file', path }, primaries: [], at };
  const message = 'The name of the zone cannot be derived from the file.';
  const next = `Import it with "waypost import ${path} --zone NAME", or name it NAME.zone.`;
  return { severity: 'error', code: 'zone_name_needed', at, message, next };
}

const findingsOf = (entries: readonly (SourceZone | Finding)[]): Finding[] =>
  entries.filter((entry) => 'severity' in entry);

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
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function headOf(path: string): string {
  const buffer = Buffer.alloc(HEAD);
  try {
    const descriptor = openSync(path, 'r');
    try {
      return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, HEAD, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, error: unknown): CliError =>
  new CliError('unreadable', `${path} cannot be read: ${error instanceof Error ? error.message : error}`);
