/**
 * The name of an entry: bytes, flag 11 and a field that says it again, of which readers take one or
 * another.
 */
import { crc32 } from 'node:zlib';
import { type Findings, wholeFile } from '../findings.ts';
import type { Entry } from './central-directory.ts';
import { EXTRA, type ExtraFields } from './extra-fields.ts';
import { shown } from './shown.ts';

const UTF8 = 1 << 11;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface EntryName {
  /** Undefined: readers don't agree on it, which is a finding. */
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
 * Whether Info-ZIP's Unicode path (version 1, CRC of the name that it stands for, the name in
 * UTF-8) says another name. Who finds another CRC ignores it, or not.
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
