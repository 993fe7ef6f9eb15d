/** Zones of an NSD configuration. */
import { dirname, isAbsolute, join } from 'node:path';
import { Includes } from './include.ts';
import {
  type ConfigFile,
  type ConfigFiles,
  type Finding,
  finding,
  invalidConfig,
  type Position,
  type Primary,
  type Source,
  type SourceKey,
  type SourceZone,
  zoneNameOf,
} from './source.ts';

interface Setting {
  readonly key: string;
  readonly values: readonly string[];
  readonly at: Position;
}

interface Section {
  readonly kind: string;
  readonly at: Position;
  readonly settings: Setting[];
}

const SECTIONS = new Set(['server', 'zone', 'pattern', 'key', 'remote-control', 'tls-auth', 'dnstap', 'xdp', 'verify']);

/** Throws InvalidError `invalid_config`. */
export function parseNsd(main: ConfigFile, files: ConfigFiles): Source {
  const sections: Section[] = [];
  const findings: Finding[] = [];
  readFile(main, new Includes(files, findings), sections, 0);
  const server = sections.filter(({ kind }) => kind === 'server').flatMap(({ settings }) => settings);
  const directory = lastOf(server, 'zonesdir') ?? dirname(main.file);
  const base = isAbsolute(directory) ? directory : join(dirname(main.file), directory);
  const patterns = new Map<string, Setting[]>();
  const zones: SourceZone[] = [];
  const add = (name: string, settings: readonly Setting[], at: Position): void => {
    const zone = zoneOf(zoneNameOf(name), settings, base, at, findings);
    if (zone !== undefined) zones.push(zone);
  };
  for (const { kind, settings, at } of sections) {
    const name = lastOf(settings, 'name');
    if ((kind !== 'zone' && kind !== 'pattern') || name === undefined) continue;
    const all = expanded(settings, patterns);
    if (kind === 'pattern') patterns.set(name, all);
    else add(name, all, at);
  }
  const listFile = lastOf(server, 'zonelistfile');
  if (listFile !== undefined && listFile !== '')
    for (const { name, pattern, at } of listedZones(isAbsolute(listFile) ? listFile : join(base, listFile), files))
      add(name, patterns.get(pattern) ?? [], at);
  return { kind: 'nsd', zones, keys: sections.filter(({ kind }) => kind === 'key').flatMap(keyOf), findings };
}

function zoneOf(
  name: string,
  settings: readonly Setting[],
  base: string,
  at: Position,
  findings: Finding[],
): SourceZone | undefined {
  const role = lastOf(settings, 'catalog');
  if (role === 'consumer' || role === 'producer') {
    findings.push(finding.catalog(name, at));
    return undefined;
  }
  const primaries = settings.filter(({ key }) => key === 'request-xfr').flatMap(({ values }) => primaryOf(values));
  const file = lastOf(settings, 'zonefile');
  if (primaries.length === 0 && (file === undefined || file === '')) findings.push(finding.noFile(name, at));
  const path = file === undefined ? '' : formatted(file, name);
  return {
    name,
    role: primaries.length > 0 ? 'secondary' : 'primary',
    content: path === '' ? { kind: 'none' } : { kind: 'file', path: isAbsolute(path) ? path : join(base, path), base },
    primaries,
    at,
  };
}

function keyOf({ settings, at }: Section): SourceKey[] {
  const name = lastOf(settings, 'name');
  if (name === undefined) return [];
  const algorithm = lastOf(settings, 'algorithm')?.toLowerCase() ?? '';
  return [{ name: zoneNameOf(name), algorithm, secret: lastOf(settings, 'secret'), at }];
}

/** `request-xfr: [AXFR|UDP] ADDRESS[@PORT] KEY|NOKEY|BLOCKED [TLS-AUTH]`. */
function primaryOf(values: readonly string[]): Primary[] {
  const [target, key, tls] = /^(axfr|udp)$/i.test(values[0] ?? '') ? values.slice(1) : values;
  if (target === undefined || key === undefined || key === 'BLOCKED') return [];
  const [address, port] = target.split('@');
  return [
    {
      address,
      port: port === undefined ? undefined : Number(port),
      key: key === 'NOKEY' ? undefined : zoneNameOf(key),
      tls: tls === undefined ? undefined : true,
    },
  ];
}

/** Inserts the settings of patterns where they are included. */
function expanded(settings: readonly Setting[], patterns: ReadonlyMap<string, Setting[]>): Setting[] {
  return settings.flatMap((setting) => {
    if (setting.key !== 'include-pattern') return [setting];
    const pattern = patterns.get(setting.values[0] ?? '');
    if (pattern !== undefined) return pattern.filter(({ key }) => key !== 'name');
    throw invalidConfig(setting.at, `there is no pattern "${setting.values[0] ?? ''}" above this line`);
  });
}

const lastOf = (settings: readonly Setting[], key: string): string | undefined =>
  settings.findLast((setting) => setting.key === key)?.values[0];

/** Zones that `nsd-control addzone` has added. The file may be missing. */
function* listedZones(
  file: string,
  files: ConfigFiles,
): Generator<{ name: string; pattern: string; at: Position }, void, undefined> {
  let text: string;
  try {
    text = files.read(file);
  } catch {
    return;
  }
  for (const [i, line] of text.split('\n').entries()) {
    const [verb, name, pattern] = line.trim().split(/\s+/);
    if (verb === 'add' && name !== undefined) yield { name, pattern: pattern ?? '', at: { file, line: i + 1 } };
  }
}

/** Replaces the variables of `zonefile` (nsd.conf). */
function formatted(pattern: string, name: string): string {
  const labels = name.split('.').reverse();
  return pattern.replace(/%([s123zyx])/g, (_, variable: string) => {
    if (variable === 's') return name;
    if (/\d/.test(variable)) return name[Number(variable) - 1] ?? '.';
    return labels['zyx'.indexOf(variable)] ?? '.';
  });
}

function readFile({ file, text }: ConfigFile, includes: Includes, sections: Section[], depth: number): void {
  let setting: { key: string; values: string[]; at: Position } | undefined;
  const finish = (): void => {
    if (setting === undefined) return;
    const { key, values, at } = setting;
    setting = undefined;
    if (key === 'include') {
      for (const path of values)
        for (const included of includes.open(path, at, depth)) readFile(included, includes, sections, depth + 1);
      return;
    }
    if (SECTIONS.has(key) && values.length === 0) {
      sections.push({ kind: key, at, settings: [] });
      return;
    }
    const section = sections.at(-1);
    if (section === undefined) throw invalidConfig(at, `the setting "${key}" is in no section`);
    section.settings.push({ key, values, at });
  };
  for (const [i, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    const at: Position = { file, line: i + 1 };
    let isFirst = true;
    for (const { word, isQuoted } of wordsOf(line, at)) {
      const keyword = isQuoted ? null : /^([A-Za-z][A-Za-z0-9-]*):(.*)$/.exec(word);
      // An IPv6 address also has colons, but never starts a line.
      if (keyword !== null && (isFirst || keyword[2] === '')) {
        finish();
        setting = { key: keyword[1].toLowerCase(), values: keyword[2] === '' ? [] : [keyword[2]], at };
      } else if (setting !== undefined) setting.values.push(word);
      else throw invalidConfig(at, `"${word.slice(0, 80)}" is not understood; write "NAME: VALUE"`);
      isFirst = false;
    }
  }
  finish();
}

function* wordsOf(line: string, at: Position): Generator<{ word: string; isQuoted: boolean }, void, undefined> {
  // A quote may follow a keyword without a space.
  const pattern = /\s+|#.*$|"([^"]*)"|'([^']*)'|([^\s"'#][^\s"']*)|(["'])/gy;
  for (const [, double, single, bare, open] of line.matchAll(pattern)) {
    if (open !== undefined) throw invalidConfig(at, `the string has no end; write ${open} after it`);
    if (bare !== undefined) yield { word: bare, isQuoted: false };
    else if (double !== undefined || single !== undefined) yield { word: double ?? single, isQuoted: true };
  }
}
