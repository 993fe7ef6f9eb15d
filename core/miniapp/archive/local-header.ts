/**
 * Local file headers and data descriptors (APPNOTE.TXT 4.3.7, 4.3.9). Readers that stream an archive believe these, others the central directory: both must
 * say the same.
 */
import { type Findings, wholeFile } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import { isOtherName } from './entry-name.ts';
import { EXTRA, kindOfExtra, readExtraFields, withZip64 } from './extra-fields.ts';
import { kindOfName } from './kind.ts';
import { uint64 } from './uint64.ts';

const SIGNATURE = 0x04034b50;
const FIXED = 30;
const DESCRIPTOR = 0x08074b50;
/** Sizes and CRC follow the data. */
const FOLLOWS = 1 << 3;

/** Where an entry is in the archive: offsets in bytes. */
export interface Extent {
  readonly dataStart: number;
  readonly dataEnd: number;
}

/** `shown`: the entry's name as findings tell it. Undefined: the data cannot be found, or not be relied on, which is a finding then. */
export function readLocalHeader(
  bytes: Buffer,
  entry: Entry,
  directoryStart: number,
  shown: string,
  findings: Findings,
): Extent | undefined {
  const place = wholeFile(shown);
  const mismatch = (message: string): undefined => {
    findings.add('archive_header_mismatch', place, message);
  };
  const at = entry.offset;
  if (at + FIXED > directoryStart || bytes.readUInt32LE(at) !== SIGNATURE)
    return mismatch(`At ${at}, where the directory says it is, there is no local header.`);
  const nameEnd = at + FIXED + bytes.readUInt16LE(at + 26);
  const dataStart = nameEnd + bytes.readUInt16LE(at + 28);
  const dataEnd = dataStart + entry.compressedSize;
  if (dataEnd > directoryStart) return mismatch('Its data goes on into the directory of the archive.');
  if (!bytes.subarray(at + FIXED, nameEnd).equals(entry.name))
    return mismatch('Its local header has another name than the directory.');
  const flags = bytes.readUInt16LE(at + 6);
  if (flags !== entry.flags) return mismatch('Its local header has other flags than the directory.');
  if (bytes.readUInt16LE(at + 8) !== entry.method)
    return mismatch('Its local header has another compression method than the directory.');

  const extra = readExtraFields(bytes.subarray(nameEnd, dataStart));
  if (typeof extra === 'string') {
    findings.add('archive_extra_field', place, `The extra field of its local header ${extra}.`);
    return;
  }
  for (const id of [EXTRA.unicodePath, EXTRA.asiUnix, EXTRA.pkwareUnix]) {
    const field = extra.get(id);
    const central = entry.extra.get(id);
    if (field !== undefined && central !== undefined && !field.equals(central))
      return mismatch(`Its local header has another extra field 0x${id.toString(16)} than the directory.`);
  }
  // Fields that stand here alone: readers of streams go by them.
  if (isOtherName(entry.name, extra) && !entry.extra.has(EXTRA.unicodePath))
    return mismatch('The Unicode path field (0x7075) of its local header says another name than the directory.');
  const kind = kindOfExtra(extra);
  if (kind !== undefined && kind !== kindOfName(entry.name) && kindOfExtra(entry.extra) === undefined)
    return mismatch('By an extra field of its local header it is something else than by the directory.');
  const sizes = withZip64([bytes.readUInt32LE(at + 22), bytes.readUInt32LE(at + 18)], extra);
  if (sizes === undefined) {
    findings.add('archive_zip64_mismatch', place, 'Its local header and the ZIP64 field there do not agree.');
    return;
  }
  const told = [bytes.readUInt32LE(at + 14), ...sizes];
  const real = [entry.crc, entry.size, entry.compressedSize];
  const follows = (flags & FOLLOWS) !== 0;
  const same = told.every((value, n) => value === real[n] || (follows && value === 0));
  if (!same) return mismatch('Its local header has another CRC or other sizes than the directory.');
  return { dataStart, dataEnd };
}

/** Whether the bytes between the data of an entry and what follows it are the descriptor that its flags announce, or rightly nothing. */
export function descriptorFits(gap: Buffer, entry: Entry): boolean {
  if ((entry.flags & FOLLOWS) === 0) return gap.length === 0;
  // The signature is optional (4.3.9.3); sizes have 8 bytes where the entry is ZIP64, which writers tell only by writing so.
  const signed = gap.length === 16 || gap.length === 24;
  const wide = gap.length === 20 || gap.length === 24;
  if (!signed && gap.length !== 12 && gap.length !== 20) return false;
  if (signed && gap.readUInt32LE(0) !== DESCRIPTOR) return false;
  const at = signed ? 4 : 0;
  const compressedSize = wide ? uint64(gap, at + 4) : gap.readUInt32LE(at + 4);
  const size = wide ? uint64(gap, at + 12) : gap.readUInt32LE(at + 8);
  return gap.readUInt32LE(at) === entry.crc && compressedSize === entry.compressedSize && size === entry.size;
}
