/**
 * Names and zones for tests: labels in, wire form out, and back into text that a person or a
 * nameserver reads.
 */
import { formatName, type Name } from '../../core/dns/wire/name.ts';
import type { ResourceRecord } from '../../core/dns/wire/types.ts';

/**
 * Labels as latin1 text in reading order, case kept, in front of `origin`. May come out longer than
 * 255 bytes.
 */
export function nameOf(labels: readonly string[], origin: Name): Name {
  const parts = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return new Uint8Array(Buffer.concat([...parts, origin]));
}

/**
 * One line of a master file. All rdata is written as RFC 3597 `\# length hex`, which every server
 * takes for any type.
 */
export function formatRecord(record: ResourceRecord): string {
  const hex = Buffer.from(record.rdata).toString('hex');
  return `${formatName(record.name)} ${record.ttl} IN TYPE${record.type} \\# ${record.rdata.length} ${hex}`;
}

/** A master file. The SOA comes first, as some readers want it. */
export function formatZone(records: readonly ResourceRecord[]): string {
  const soaFirst = [...records].sort((a, b) => Number(b.type === 6) - Number(a.type === 6));
  return `${soaFirst.map(formatRecord).join('\n')}\n`;
}
