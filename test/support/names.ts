/** Converts labels to names in wire form, and zones to master files. */
import { formatName, type Name } from '../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../core/dns/wire/types.ts';

/**
 * `labels`: latin1 text in reading order, case kept, in front of `origin`. The result may exceed
 * 255 bytes.
 */
export function nameOf(labels: readonly string[], origin: Name): Name {
  const parts = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return new Uint8Array(Buffer.concat([...parts, origin]));
}

/**
 * One line of a master file. Rdata is written as RFC 3597 `\# length hex`, which every server
 * accepts for any type.
 */
export function formatRecord(record: ResourceRecord): string {
  const hex = Buffer.from(record.rdata).toString('hex');
  return `${formatName(record.name)} ${record.ttl} IN TYPE${record.type} \\# ${record.rdata.length} ${hex}`;
}

/** A master file with the SOA first, as some parsers require. */
export function formatZone(records: readonly ResourceRecord[]): string {
  const soaFirst = [...records].sort((a, b) => Number(b.type === 6) - Number(a.type === 6));
  return `${soaFirst.map(formatRecord).join('\n')}\n`;
}
