/** Writes the records of exports as lines of a master file. */
import { isDataType, parseType } from '../../../core/dns/wire/mnemonics.ts';
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

export class ZoneLines {
  readonly #lines: string[] = [];
  readonly findings: Finding[] = [];

  constructor(
    private readonly zone: string,
    private readonly file: string,
  ) {
    this.#lines.push(`$ORIGIN ${absolute(zone)}`);
  }

  /** Skips a record of an unknown type, and reports it. */
  add(name: string, ttl: number, type: string, content: string): void {
    // A line feed would start another record.
    const line = content.replace(/[\r\n]+/g, ' ');
    if (isDataType(parseType(type) ?? 0)) this.#lines.push(`${absolute(name)} ${ttl} IN ${type.toUpperCase()} ${line}`);
    else this.leaveOut(name, type, 'The type is not supported.');
  }

  leaveOut(name: string, type: string, reason: string, next?: string): void {
    this.findings.push({
      severity: 'decision',
      code: 'left_out',
      zone: this.zone,
      message: `${relativeTo(this.zone, name)} ${type} of ${this.file} is left out. ${reason}`,
      next,
    });
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}
