/** Writes the records of exports as lines of a master file. */
import { parseMaster } from '../../../core/dns/wire/master/index.ts';
import { isDataType, parseType } from '../../../core/dns/wire/mnemonics.ts';
import { type Name, parseName } from '../../../core/dns/wire/name.ts';
import { DROPPED_TYPES } from '../records/rules/dnssec.ts';
import { type Finding, zoneNameOf } from './source.ts';

/** TTL in seconds of records with an automatic TTL. */
export const AUTOMATIC_TTL = 300;

/** A name with its last dot. */
export const absolute = (name: string): string => (name.endsWith('.') ? name : `${name}.`);

/** "@" for the apex; names outside of the zone stay absolute. */
export function relativeTo(zone: string, name: string): string {
  const lower = zoneNameOf(name);
  if (lower === zone) return '@';
  return lower.endsWith(`.${zone}`) ? lower.slice(0, -zone.length - 1) : `${lower}.`;
}

export const isWithin = (zone: string, name: string): boolean => {
  const lower = zoneNameOf(name);
  return lower === zone || lower.endsWith(`.${zone}`);
};

/** A text as the strings of a TXT record, of at most 255 bytes each (RFC 1035 3.3.14). */
export function quoted(text: string): string {
  const pieces = Buffer.from(text)
    .toString('latin1')
    .match(/[\s\S]{1,255}/g) ?? [''];
  const escaped = (piece: string): string =>
    piece
      .replace(/["\\]/g, '\\$&')
      .replace(/[^\x20-\x7e]/g, (char) => `\\${String(char.charCodeAt(0)).padStart(3, '0')}`);
  return pieces.map((piece) => `"${escaped(piece)}"`).join(' ');
}

export class ZoneLines {
  readonly #lines: string[] = [];
  readonly findings: Finding[] = [];
  readonly #apex: Name;

  constructor(
    private readonly zone: string,
    private readonly file: string,
  ) {
    this.#apex = parseName(zone);
    this.#lines.push(`$ORIGIN ${absolute(zone)}`);
  }

  /** Skips a record that a master file cannot have, and reports it. */
  add(name: string, ttl: number, type: string, content: string): void {
    // A line feed would start another record.
    const line = `${absolute(name)} ${ttl} IN ${type.toUpperCase()} ${content.replace(/[\r\n]+/g, ' ')}`;
    const fault = isDataType(parseType(type) ?? 0) ? this.#faultOf(line) : 'The type is not supported.';
    if (fault === undefined) this.#lines.push(line);
    else this.leaveOut(name, type, fault);
  }

  #faultOf(line: string): string | undefined {
    return parseMaster(Buffer.from(line), { origin: this.#apex, drops: DROPPED_TYPES }).errors[0]?.message;
  }

  leaveOut(name: string, type: string, reason: string, next?: string): void {
    this.decide('left_out', name, type, `of ${this.file} is left out. ${reason}`, next);
  }

  /** `predicate`: the end of a sentence about the record. */
  decide(code: string, name: string, type: string, predicate: string, next?: string): void {
    const message = `${relativeTo(this.zone, name)} ${type} ${predicate}`;
    this.findings.push({ severity: 'decision', code, zone: this.zone, message, next });
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

/** Comments of RRsets. The different comments of the records of one are lines. */
export class Comments {
  readonly texts = new Map<string, string>();

  /** `name`: relative to the zone. */
  add(name: string, type: string, comment: string): void {
    const text = comment.trim();
    const key = `${name} ${type}`;
    const before = this.texts.get(key);
    if (text === '' || before?.split('\n').includes(text)) return;
    this.texts.set(key, before === undefined ? text : `${before}\n${text}`);
  }
}
