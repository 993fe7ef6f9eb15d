/** Records to a master file that parseMaster reads back as the same records. */
import { formatName, formatRelative, type Name } from '../name.ts';
import { formatPortable } from '../rdata/rdata.ts';
import type { ResourceRecord } from '../types.ts';

/** Minimum characters of a chunk: few writes, without the whole zone in memory. */
const CHUNK = 16 * 1024;

/** $TTL of a file without records. */
const EMPTY_TTL = 300;

/**
 * Chunks of text, all but the last at least 16 KB long: $ORIGIN, $TTL (the first record's), then
 * one line a record in the order given, the owner relative, every TTL written out, names in the
 * rdata absolute.
 */
export function* formatMaster(origin: Name, records: Iterable<ResourceRecord>): Generator<string, void, undefined> {
  let text = `$ORIGIN ${formatName(origin)}\n`;
  let first = true;
  let lastName: Name | undefined;
  let owner = '';
  for (const record of records) {
    if (first) text += `$TTL ${record.ttl}\n`;
    first = false;
    if (record.name !== lastName) {
      owner = formatRelative(record.name, origin);
      lastName = record.name;
    }
    text += `${owner}\t${record.ttl}\tIN\t${formatPortable(record.type, record.rdata)}\n`;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  if (first) text += `$TTL ${EMPTY_TTL}\n`;
  if (text !== '') yield text;
}
