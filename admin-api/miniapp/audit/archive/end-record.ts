/**
 * Finds the central directory by the end record of a ZIP archive (APPNOTE.TXT 4.3.14 to 4.3.16).
 * Some readers search for the record from the back, others from the front, and not all check its
 * comment length. So all methods must find the same record.
 */
import { type Findings, PACKAGE } from '../findings.ts';
import { uint64 } from './extra-fields.ts';

const END = Buffer.from('PK\x05\x06', 'latin1');
const END_LENGTH = 22;
const LONGEST_COMMENT = 0xffff;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_LENGTH = 20;
const ZIP64_END = 0x06064b50;
const ZIP64_END_LENGTH = 56;
const CENTRAL_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;

/** Offsets and lengths in bytes. */
export interface Directory {
  readonly start: number;
  readonly end: number;
  /** Number of file headers that the record declares. */
  readonly count: number;
  /** End of the archive, before any trailing data. */
  readonly archiveEnd: number;
}

interface Counts {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly countOnDisk: number;
  readonly count: number;
  readonly size: number;
  readonly start: number;
}

/**
 * Undefined: the end record is missing or ambiguous, or the directory is not at its declared
 * offset; a finding is added.
 */
export function findDirectory(bytes: Buffer, findings: Findings): Directory | undefined {
  const at = lastEnd(bytes);
  if (at === undefined) {
    const cut = bytes.length >= 4 && bytes.readUInt32LE(0) === LOCAL_HEADER;
    findings.add(
      'archive_unreadable',
      PACKAGE,
      cut
        ? 'The archive is cut off: it begins as a ZIP archive, and has no end of central directory record.'
        : 'This is not a ZIP archive: it has no end of central directory record.',
    );
    return;
  }
  const archiveEnd = at + END_LENGTH + bytes.readUInt16LE(at + 20);
  if (archiveEnd > bytes.length) {
    findings.add(
      'archive_unreadable',
      PACKAGE,
      `The archive is cut off within its comment: ${archiveEnd - bytes.length} bytes of it are missing.`,
    );
    return;
  }
  if (archiveEnd < bytes.length)
    findings.add('archive_trailing_data', PACKAGE, `${bytes.length - archiveEnd} bytes follow the end of the archive.`);
  if (archiveEnd > at + END_LENGTH)
    findings.add('archive_comment', PACKAGE, `The archive has a comment of ${archiveEnd - at - END_LENGTH} bytes.`);

  const plain: Counts = {
    disk: bytes.readUInt16LE(at + 4),
    directoryDisk: bytes.readUInt16LE(at + 6),
    countOnDisk: bytes.readUInt16LE(at + 8),
    count: bytes.readUInt16LE(at + 10),
    size: bytes.readUInt32LE(at + 12),
    start: bytes.readUInt32LE(at + 16),
  };
  const zip64 = zip64Counts(bytes, at, plain);
  if (typeof zip64 === 'string') {
    findings.add('archive_zip64_mismatch', PACKAGE, zip64);
    return;
  }
  const counts = zip64?.counts ?? plain;
  if (counts.disk !== 0 || counts.directoryDisk !== 0 || counts.countOnDisk !== counts.count) {
    findings.add('archive_multi_disk', PACKAGE, 'The archive is one of several parts.');
    return;
  }
  return locate(bytes, at, zip64?.at ?? at, archiveEnd, counts, findings);
}

/** The last end record that fits in the file. */
function lastEnd(bytes: Buffer): number | undefined {
  const last = bytes.length - END_LENGTH;
  const at = last < 0 ? -1 : bytes.lastIndexOf(END, last);
  return at < 0 || at < last - LONGEST_COMMENT ? undefined : at;
}

/** `end`: required end of the directory, where the end records start. */
function locate(
  bytes: Buffer,
  at: number,
  end: number,
  archiveEnd: number,
  { start, size, count }: Counts,
  findings: Findings,
): Directory | undefined {
  for (let other = previousEnd(bytes, at); other !== undefined; other = previousEnd(bytes, other)) {
    const endsWithArchive = other + END_LENGTH + bytes.readUInt16LE(other + 20) === bytes.length;
    // An end record inside the data of a file belongs to a nested archive. No reader uses it for
    // this archive.
    if (other < start && !endsWithArchive) continue;
    findings.add(
      'archive_ambiguous_end',
      PACKAGE,
      `Two end records can be taken for the archive's: at ${other} and at ${at}.`,
    );
    return;
  }
  const expected = end - size;
  if (start !== expected) {
    const shifted = expected > start && (size === 0 || bytes.readUInt32LE(expected) === CENTRAL_HEADER);
    if (shifted)
      findings.add(
        'archive_prepended_data',
        PACKAGE,
        `${expected - start} bytes precede the archive, so that its directory is behind its declared position.`,
      );
    else
      findings.add(
        'archive_directory_mismatch',
        PACKAGE,
        `The directory has ${size} bytes from ${start} on, but the end record is at ${end}.`,
      );
    return;
  }
  return { start, end, count, archiveEnd };
}

/** The previous end record that a reader may still find. */
function previousEnd(bytes: Buffer, at: number): number | undefined {
  const before = at === 0 ? -1 : bytes.lastIndexOf(END, at - 1);
  return before < 0 || before < bytes.length - END_LENGTH - LONGEST_COMMENT ? undefined : before;
}

/**
 * The ZIP64 values, which replace those of the end record. Undefined: no ZIP64 records. A string:
 * the fault.
 */
function zip64Counts(
  bytes: Buffer,
  at: number,
  plain: Counts,
): { readonly at: number; readonly counts: Counts } | string | undefined {
  const locator = at - ZIP64_LOCATOR_LENGTH;
  if (locator < 0 || bytes.readUInt32LE(locator) !== ZIP64_LOCATOR) {
    if (plain.count === 0xffff || plain.size === 0xffffffff || plain.start === 0xffffffff)
      return 'The end record refers to ZIP64 records, and there are none.';
    return;
  }
  const record = uint64(bytes, locator + 8);
  if (record + ZIP64_END_LENGTH !== locator || bytes.readUInt32LE(record) !== ZIP64_END)
    return 'The ZIP64 end record is not right before its locator.';
  if (uint64(bytes, record + 4) !== ZIP64_END_LENGTH - 12)
    return 'The ZIP64 end record has a length that it cannot have.';
  const counts: Counts = {
    disk: bytes.readUInt32LE(record + 16),
    directoryDisk: bytes.readUInt32LE(record + 20),
    countOnDisk: uint64(bytes, record + 24),
    count: uint64(bytes, record + 32),
    size: uint64(bytes, record + 40),
    start: uint64(bytes, record + 48),
  };
  const agrees = (key: keyof Counts, none: number): boolean => plain[key] === none || plain[key] === counts[key];
  const same =
    agrees('disk', 0xffff) &&
    agrees('directoryDisk', 0xffff) &&
    agrees('countOnDisk', 0xffff) &&
    agrees('count', 0xffff) &&
    agrees('size', 0xffffffff) &&
    agrees('start', 0xffffffff);
  if (!same) return 'The end record and the ZIP64 end record differ.';
  // Total number of disks (4.3.15); some writers write 0.
  if (bytes.readUInt32LE(locator + 4) !== 0 || bytes.readUInt32LE(locator + 16) > 1)
    return 'The ZIP64 locator leads to another disk.';
  return { at: record, counts };
}
