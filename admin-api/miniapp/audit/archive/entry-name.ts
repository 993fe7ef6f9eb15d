/**
 * Reads the name of an entry. Readers differ in their use of the name bytes, flag 11 (UTF-8) and
 * the Unicode path field, so all of them must agree.
 */
import { crc32 } from 'node:zlib';
import { type Findings, wholeFile } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import { EXTRA, type ExtraFields } from './extra-fields.ts';
import { shown } from './shown.ts';

const UTF8 = 1 << 11;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface EntryName {
  /** Undefined: readers would disagree; a finding is added. */
  readonly path: string | undefined;
  readonly shown: string;
}

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
export function isOtherName(name: Buffer, extra: ExtraFields): boolean {
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
