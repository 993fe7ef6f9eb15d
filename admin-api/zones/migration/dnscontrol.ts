/** Zone files that dnscontrol writes: several zones in a file, and types of its own as comments. */
import { isDataType, parseType } from '../../../core/dns/wire/mnemonics.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import {
  type ConfigFile,
  type Finding,
  invalidConfig,
  type Position,
  type Source,
  type SourceZone,
  zoneNameOf,
} from './source.ts';
import { isWithin } from './zone-lines.ts';

/** `get-zones` starts each zone with its origin and TTL, and its files have no SOA as a rule. */
const START = /^\$ORIGIN[ \t]+(\S+)\.[ \t]*\r?\n\$TTL\s/gm;
/** A record of a type that servers do not know. */
const COMMENTED = /^;(\S+)\s+(?:(\d+)\s+)?IN\s+([A-Z][A-Z0-9_]+v?\d*)\s+(\S.*)$/;
const ALIASES = new Set(['ALIAS', 'ANAME']);

export const isDnscontrol = (text: string): boolean =>
  /^;.*\bDNSControl\b/im.test(text.slice(0, 2000)) || startsOf(text).length > 1 || hasCommented(text);

const hasCommented = (text: string): boolean =>
  startsOf(text)[0]?.index === 0 && text.split('\n').some((line) => isOwnType(COMMENTED.exec(line)?.[3]));

/** Whether a word is a type of dnscontrol that zones cannot have. */
function isOwnType(word: string | undefined): boolean {
  const type = word === undefined ? undefined : parseType(word);
  return word !== undefined && (type === undefined || type === TYPE.ALIAS || !isDataType(type));
}

/** Where zones start; not the origins inside of the first. */
function startsOf(text: string): { readonly name: string; readonly index: number }[] {
  const found = [...text.matchAll(START)].map(({ 1: name, index }) => ({ name: zoneNameOf(name), index }));
  return found.filter(({ name }, i) => !found.slice(0, i).some((earlier) => isWithin(earlier.name, name)));
}

/** `zone`: the name of the only zone, if the file does not have it. */
export function parseDnscontrol({ file, text }: ConfigFile, zone: string | undefined): Source {
  const starts = startsOf(text);
  const parts = starts.length < 2 ? [{ name: zone ?? starts[0]?.name ?? '', index: 0 }] : starts;
  if (parts[0].name === '') throw invalidConfig({ file, line: 1 }, 'the file does not name its zone; pass --zone NAME');
  const findings: Finding[] = [];
  const zones = parts.map(({ name, index }, i): SourceZone => {
    // Keeps the line numbers.
    const before = text.slice(0, index).replace(/[^\n]+/g, '');
    const lines = (before + text.slice(index, parts[i + 1]?.index)).split('\n');
    const content = lines.map((line, at) => uncommented(line, name, { file, line: at + 1 }, findings)).join('\n');
    return { name, role: 'primary', content: { kind: 'text', file, text: content }, primaries: [] };
  });
  return { kind: 'zones', zones, keys: [], findings };
}

/** The line with an ALIAS that was a comment. Reports other types. */
function uncommented(line: string, zone: string, at: Position, findings: Finding[]): string {
  const [, owner, ttl = '', type, target] = COMMENTED.exec(line.replace(/\r$/, '')) ?? [];
  if (!isOwnType(type)) return line;
  if (ALIASES.has(type)) return `${owner} ${ttl} IN ALIAS ${target}`;
  const message = `${owner} ${type} is left out. Only a provider or dnscontrol knows the type.`;
  findings.push({ severity: 'decision', code: 'left_out', zone, at, message });
  return line;
}
