/**
 * Compares the local file header and the data descriptor of an entry (APPNOTE.TXT 4.3.7, 4.3.9)
 * with the central directory. Streaming readers use the former, others the latter; if they differ,
 * two programs see different files. `readLocalHeader` runs for each entry. `descriptorFits` runs
 * later, when the layout has the gap after the data.
 */

import { crc32 } from 'node:zlib';
import { type Findings, wholeFile } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import {
  EXTRA,
  type ExtraFields,
  type FileKind,
  kindOfExtra,
  kindOfMode,
  readExtraFields,
  uint64,
  withZip64,
} from './extra-fields.ts';
import { shown } from './shown.ts';

const UTF8 = 1 << 11;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const DOS_VOLUME = 0x08;
const DOS_FOLDER = 0x10;
const SLASH = 0x2f;

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

const kindOfName = (name: Buffer): 'file' | 'folder' => (name.at(-1) === SLASH ? 'folder' : 'file');

/**
 * Determines whether an entry is a file or a folder. The trailing slash of its name, DOS
 * attributes, Unix mode and extra fields must agree. Undefined: neither a file nor a folder, or the
 * sources disagree; a finding is added.
 */
export function kindOf(entry: Entry, path: string, findings: Findings): 'file' | 'folder' | undefined {
  const kind = kindOfName(entry.name);
  const dos = (entry.attributes & DOS_VOLUME) !== 0 ? 'special' : (entry.attributes & DOS_FOLDER) !== 0 && 'folder';
  const kinds = [kindOfMode(entry.attributes >>> 16), kindOfExtra(entry.extra), dos || undefined];
  const other = kinds.find((stated): stated is FileKind => stated !== undefined && stated !== kind);
  const at = wholeFile(path);
  if (other === 'link') findings.add('archive_symlink', at, 'It is a link to another file.');
  else if (other === 'special')
    findings.add('archive_special_file', at, 'It is neither a file nor a folder, but a device or the like.');
  else if (other !== undefined)
    findings.add('archive_special_file', at, `By its name it is a ${kind}, by its attributes a ${other}.`);
  else if (kind === 'folder' && entry.size > 0)
    findings.add('archive_special_file', at, 'It is a folder, and has content.');
  else return kind;
  return;
}

interface EntryName {
  /** Undefined: readers would disagree; a finding is added. */
  readonly path: string | undefined;
  readonly shown: string;
}

/**
 * Reads the name of an entry. Readers differ in their use of the name bytes, flag 11 (UTF-8) and
 * the Unicode path field, so all of them must agree.
 */
export function readName(entry: Entry, findings: Findings): EntryName {
  const path = decode(entry.name);
  const name = shown(path ?? entry.name.toString('latin1'));
  if (path === undefined) {
    findings.add('archive_name_encoding', wholeFile(name), 'Its name is not UTF-8.');
    return { path: undefined, shown: name };
  }
  if ((entry.flags & UTF8) === 0 && path.length !== Buffer.byteLength(path)) {
    findings.add(
      'archive_name_encoding',
      wholeFile(name),
      'Its name is not marked as UTF-8 (bit 11 of its flags), so that others read it in a code page of DOS.',
    );
    return { path: undefined, shown: name };
  }
  if (isOtherName(entry.name, entry.extra)) {
    findings.add('archive_name_ambiguous', wholeFile(name), 'Its Unicode path field (0x7075) has another name.');
    return { path: undefined, shown: name };
  }
  return { path, shown: name };
}

/**
 * Whether Info-ZIP's Unicode path field (version 1, CRC of the header's name, name in UTF-8) has
 * another name. Some readers ignore a field with a wrong CRC, others use it.
 */
function isOtherName(name: Buffer, extra: ExtraFields): boolean {
  const field = extra.get(EXTRA.unicodePath);
  if (field === undefined) return false;
  return field.length < 5 || field[0] !== 1 || field.readUInt32LE(1) !== crc32(name) || !field.subarray(5).equals(name);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
