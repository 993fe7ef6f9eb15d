/** The contents of a source of zones, and findings for the user. */
import { InvalidError } from '../../../core/base/errors.ts';

export const SOURCE_KINDS = [
  'bind',
  'knot',
  'nsd',
  'powerdns',
  'cloudflare',
  'route53',
  'gcloud',
  'octodns',
  'zones',
] as const;

export type SourceKind = (typeof SOURCE_KINDS)[number];

export interface Position {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** `decision`: the user must decide. `error`: the zone cannot be imported unchanged. */
export type Severity = 'decision' | 'warning' | 'error';

export interface Finding {
  readonly severity: Severity;
  /** Stable, in snake case. */
  readonly code: string;
  readonly message: string;
  /** What to do next. */
  readonly next?: string;
  /** Name of the zone; undefined: of the source. */
  readonly zone?: string;
  readonly at?: Position;
}

export interface Primary {
  readonly address: string;
  readonly port?: number;
  /** Name of the TSIG key of its transfers. */
  readonly key?: string;
  readonly tls?: boolean;
}

export type Content =
  /** `base`: folder that relative includes start from; undefined: that of the file. */
  | { readonly kind: 'file'; readonly path: string; readonly base?: string }
  | { readonly kind: 'text'; readonly file: string; readonly text: string }
  | { readonly kind: 'none' };

export interface SourceZone {
  /** In lower case, without the last dot. */
  readonly name: string;
  readonly role: 'primary' | 'secondary';
  readonly content: Content;
  /** Of a secondary zone. */
  readonly primaries: readonly Primary[];
  /** Names that the old provider proxied (true) or not (false), relative to the zone. */
  readonly proxied?: ReadonlyMap<string, boolean>;
  /** Comments of RRsets, by `name TYPE`, the name relative to the zone. */
  readonly comments?: ReadonlyMap<string, string>;
  /** The view that contains the zone. */
  readonly view?: string;
  readonly at?: Position;
}

export interface SourceKey {
  /** Without the last dot. */
  readonly name: string;
  readonly algorithm: string;
  /** In base64. */
  readonly secret?: string;
  readonly at?: Position;
}

export interface Source {
  readonly kind: SourceKind;
  readonly zones: readonly SourceZone[];
  readonly keys: readonly SourceKey[];
  readonly findings: readonly Finding[];
}

export interface ConfigFile {
  readonly file: string;
  readonly text: string;
}

/** The files of a configuration. */
export interface ConfigFiles {
  /** Throws an error whose message names the reason. */
  read(path: string): string;
  /** Paths that match a pattern with `*`, `?` and `[…]`, sorted. */
  glob(pattern: string): readonly string[];
}

/** Findings that `--strict` makes errors: a part of the source is not imported. */
export const LOSSES: ReadonlySet<string> = new Set(['left_out', 'not_understood', 'unreadable_include']);

export const zoneNameOf = (text: string): string => text.replace(/\.$/, '').toLowerCase();

/** An error in a configuration that its own server would also reject. */
export function invalidConfig({ file, line }: Position, message: string): InvalidError {
  return new InvalidError('invalid_config', `${file}:${line}: ${message}`);
}

/** The common part of several kinds of configurations. */
export const finding = {
  signed: (zone: string, at?: Position): Finding => ({
    severity: 'decision',
    code: 'dnssec_signed',
    zone,
    at,
    message: 'The old server signs the zone. Its keys are not imported, so its DS records will not match.',
    next: `Remove the DS records at the parent before you change the delegation, then run "waypost dnssec enable ${zone}"; or exchange keys first (RFC 8901).`,
  }),
  dynamic: (zone: string, at?: Position): Finding => ({
    severity: 'decision',
    code: 'dynamic_updates',
    zone,
    at,
    message: 'Clients update the zone (RFC 2136). The file may be older than what is served.',
    next: 'Write the zone file before the import ("rndc sync" of BIND, "knotc zone-flush" of Knot), and give the clients a key of "waypost tsig add NAME --scope dns".',
  }),
  catalog: (zone: string | undefined, at?: Position): Finding => ({
    severity: 'decision',
    code: 'catalog_zone',
    zone,
    at,
    message: 'The members of a catalog zone are not part of the configuration and are not imported.',
    next: 'Import their zone files as a folder, or set up the catalog zone as the page "Catalog zones" of the manual describes.',
  }),
  /** `message`: with the file, and its line if it is known. */
  notUnderstood: (message: string): Finding => ({ severity: 'warning', code: 'not_understood', message }),
  noFile: (zone: string, at?: Position): Finding => ({
    severity: 'error',
    code: 'no_file',
    zone,
    at,
    message: 'The configuration names no file for the zone.',
    next: 'Write the zone to a file, for example with "dig @SERVER ZONE AXFR", and import that file.',
  }),
  key: ({ name, at }: SourceKey): Finding => ({
    severity: 'decision',
    code: 'tsig_key',
    at,
    message: `The TSIG key "${name}" is not imported.`,
    next: `Create a key with "waypost tsig add ${name}", and give its secret to the other server.`,
  }),
} as const;

/** Keeps one zone of each name: the first, or that of `view`. Reports others that differ. */
export function oneOfEachName(
  zones: readonly SourceZone[],
  view: string | undefined,
): { readonly zones: SourceZone[]; readonly findings: Finding[] } {
  const wanted = view === undefined ? zones : zones.filter((zone) => zone.view === undefined || zone.view === view);
  const first = new Map<string, SourceZone>();
  const others = new Map<string, SourceZone[]>();
  for (const zone of wanted) {
    if (!first.has(zone.name)) first.set(zone.name, zone);
    else others.set(zone.name, [...(others.get(zone.name) ?? []), zone]);
  }
  const differing = [...others].filter(([name, left]) => left.some((zone) => !isSame(zone, first.get(name)!)));
  const findings = differing.map(([name, left]): Finding => {
    const kept = first.get(name)!;
    const views = [kept, ...left].map((zone) => zone.view).filter((title) => title !== undefined);
    const at = left[0].at;
    if (views.length > 1)
      return {
        severity: 'decision',
        code: 'views',
        zone: name,
        at,
        message: `The views ${views.join(', ')} have different content of the zone. That of "${kept.view}" is imported.`,
        next: 'Choose another view with --view NAME. Every client gets the same answers.',
      };
    const message = 'The source has the zone twice. The first is imported.';
    return { severity: 'warning', code: 'duplicate_zone', zone: name, at, message };
  });
  return { zones: [...first.values()], findings };
}

/** Whether zones of two views have the same content and primaries. */
function isSame(a: SourceZone, b: SourceZone): boolean {
  const contentOf = ({ role, content, primaries }: SourceZone) => JSON.stringify({ role, content, primaries });
  return a.content.kind !== 'none' && contentOf(a) === contentOf(b);
}
