/** Reads the file headers of the central directory (APPNOTE.TXT 4.3.12). */
import { type Findings, PACKAGE } from '../findings.ts';
import type { Directory } from './end-record.ts';
import { type ExtraFields, readExtraFields, withZip64 } from './extra-fields.ts';
import type { PackageLimits } from './limits.ts';

const SIGNATURE = 0x02014b50;
const FIXED = 46;

/**
 * A file or folder of the archive, from its header in the central directory. Lengths and offsets in
 * bytes; ZIP64 values replace the 32-bit fields.
 */
export interface Entry {
  readonly name: Buffer;
  /** Version of the format that a reader needs, times ten (4.4.3). */
  readonly version: number;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly disk: number;
  /**
   * DOS attributes in the low 16 bits, a Unix mode in the high bits. Both are read for any host
   * system, since some readers ignore that field.
   */
  readonly attributes: number;
  /** Offset of the local header. */
  readonly offset: number;
  readonly extra: ExtraFields;
  readonly commentLength: number;
}

/** Undefined: malformed or too large; a finding is added. */
export function readCentralDirectory(
  bytes: Buffer,
  { start, end, count }: Directory,
  limits: PackageLimits,
  findings: Findings,
): Entry[] | undefined {
  const wrong = (message: string): undefined => {
    findings.add('archive_directory_mismatch', PACKAGE, message);
  };
  const entries: Entry[] = [];
  for (let at = start; at < end; ) {
    if (at + FIXED > end || bytes.readUInt32LE(at) !== SIGNATURE)
      return wrong(`At ${at} there is no file header, but the directory ends at ${end}.`);
    const nameEnd = at + FIXED + bytes.readUInt16LE(at + 28);
    const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
    const next = extraEnd + bytes.readUInt16LE(at + 32);
    if (next > end) return wrong(`The file header at ${at} extends past the end of the directory.`);
    if (entries.length === limits.entries) {
      findings.add(
        'archive_too_many_entries',
        PACKAGE,
        `The archive has more than ${limits.entries} files and folders (declared: ${count}).`,
      );
      return;
    }
    const extra = readExtraFields(bytes.subarray(nameEnd, extraEnd));
    if (typeof extra === 'string') {
      findings.add('archive_extra_field', PACKAGE, `The extra field of the file header at ${at} ${extra}.`);
      return;
    }
    const sizes = [bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)];
    const full = withZip64(sizes, extra);
    if (full === undefined) {
      findings.add(
        'archive_zip64_mismatch',
        PACKAGE,
        `The file header at ${at} and its ZIP64 field disagree about its values.`,
      );
      return;
    }
    entries.push({
      name: bytes.subarray(at + FIXED, nameEnd),
      version: bytes[at + 6],
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      size: full[0],
      compressedSize: full[1],
      disk: bytes.readUInt16LE(at + 34),
      attributes: bytes.readUInt32LE(at + 38),
      offset: full[2],
      extra,
      commentLength: next - extraEnd,
    });
    at = next;
  }
  if (entries.length !== count)
    return wrong(`The directory has ${entries.length} file headers; the end record has ${count}.`);
  return entries;
}
