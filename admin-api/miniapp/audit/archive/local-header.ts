/**
 * Compares the local file header and the data descriptor of an entry (APPNOTE.TXT 4.3.7, 4.3.9)
 * with the central directory. Streaming readers use the former, others the latter; if they differ,
 * two programs see different files. `readLocalHeader` runs for each entry. `descriptorFits` runs
 * later, when the layout has the gap after the data.
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
/** Flag bit: a data descriptor with CRC and sizes follows the data. */
const HAS_DESCRIPTOR = 1 << 3;

/** Where an entry is in the archive: offsets in bytes. */
export interface Extent {
  readonly dataStart: number;
  readonly dataEnd: number;
}

/**
 * Returns where the data of the entry is. `displayName`: the name that findings show. Returns
 * undefined and adds a finding if the header is missing or differs from the directory.
 */
export function readLocalHeader(
  bytes: Buffer,
  entry: Entry,
  directoryStart: number,
  displayName: string,
  findings: Findings,
): Extent | undefined {
  const location = wholeFile(displayName);
  const mismatch = (message: string): undefined => {
    findings.add('archive_header_mismatch', location, message);
  };
  const at = entry.offset;
  if (at + FIXED > directoryStart || bytes.readUInt32LE(at) !== SIGNATURE)
    return mismatch(`There is no local header at ${at}, its offset in the directory.`);
  const nameEnd = at + FIXED + bytes.readUInt16LE(at + 26);
  const dataStart = nameEnd + bytes.readUInt16LE(at + 28);
  const dataEnd = dataStart + entry.compressedSize;
  if (dataEnd > directoryStart) return mismatch('Its data overlaps the directory of the archive.');
  if (!bytes.subarray(at + FIXED, nameEnd).equals(entry.name))
    return mismatch('Its local header has another name than the directory.');
  const flags = bytes.readUInt16LE(at + 6);
  if (flags !== entry.flags) return mismatch('Its local header has other flags than the directory.');
  if (bytes.readUInt16LE(at + 8) !== entry.method)
    return mismatch('Its local header has another compression method than the directory.');

  const extra = readExtraFields(bytes.subarray(nameEnd, dataStart));
  if (typeof extra === 'string') {
    findings.add('archive_extra_field', location, `The extra field of its local header ${extra}.`);
    return;
  }
  for (const id of [EXTRA.unicodePath, EXTRA.asiUnix, EXTRA.pkwareUnix]) {
    const field = extra.get(id);
    const central = entry.extra.get(id);
    if (field !== undefined && central !== undefined && !field.equals(central))
      return mismatch(`Its local header has another extra field 0x${id.toString(16)} than the directory.`);
  }
  // Fields of the local header that the directory does not have: readers of streams use them.
  if (isOtherName(entry.name, extra) && !entry.extra.has(EXTRA.unicodePath))
    return mismatch('The Unicode path field (0x7075) of its local header has another name than the directory.');
  const kind = kindOfExtra(extra);
  if (kind !== undefined && kind !== kindOfName(entry.name) && kindOfExtra(entry.extra) === undefined)
    return mismatch('An extra field of its local header gives it another type than the directory.');
  const sizes = withZip64([bytes.readUInt32LE(at + 22), bytes.readUInt32LE(at + 18)], extra);
  if (sizes === undefined) {
    findings.add('archive_zip64_mismatch', location, 'Its local header and the ZIP64 field there do not agree.');
    return;
  }
  const local = [bytes.readUInt32LE(at + 14), ...sizes];
  const central = [entry.crc, entry.size, entry.compressedSize];
  const hasDescriptor = (flags & HAS_DESCRIPTOR) !== 0;
  // With a descriptor the header may leave any of them 0.
  const same = local.every((value, n) => value === central[n] || (hasDescriptor && value === 0));
  if (!same) return mismatch('Its local header has another CRC or other sizes than the directory.');
  return { dataStart, dataEnd };
}

/**
 * Whether `gap`, the bytes from the end of the data to the next header, is exactly the descriptor
 * that the flags announce, or empty if they announce none.
 */
export function descriptorFits(gap: Buffer, entry: Entry): boolean {
  if ((entry.flags & HAS_DESCRIPTOR) === 0) return gap.length === 0;
  // The signature is optional (4.3.9.3), and sizes have 8 bytes in a ZIP64 entry. Only the length
  // reveals the form: 12 or 20 bytes, 4 more with a signature.
  const hasSignature = gap.length === 16 || gap.length === 24;
  const isZip64 = gap.length === 20 || gap.length === 24;
  if (!hasSignature && gap.length !== 12 && gap.length !== 20) return false;
  if (hasSignature && gap.readUInt32LE(0) !== DESCRIPTOR) return false;
  const at = hasSignature ? 4 : 0;
  const compressedSize = isZip64 ? uint64(gap, at + 4) : gap.readUInt32LE(at + 4);
  const size = isZip64 ? uint64(gap, at + 12) : gap.readUInt32LE(at + 8);
  return gap.readUInt32LE(at) === entry.crc && compressedSize === entry.compressedSize && size === entry.size;
}
