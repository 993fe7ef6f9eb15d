/** Extra fields of file headers (APPNOTE.TXT 4.5; Info-ZIP's extrafld.txt). */
import { uint64 } from './uint64.ts';

export const EXTRA = {
  zip64: 0x0001,
  pkwareUnix: 0x000d,
  strongEncryption: 0x0017,
  unicodePath: 0x7075,
  asiUnix: 0x756e,
  aes: 0x9901,
  /** libarchive's, for streams: attributes of a file, which it may make a link by. */
  streamedAttributes: 0x6c78,
} as const;

export type ExtraFields = ReadonlyMap<number, Buffer>;

/**
 * The fields by their ids. A text: what is wrong with them; readers differ on what they make of
 * fields with a wrong length, or come twice.
 */
export function readExtraFields(bytes: Buffer): ExtraFields | string {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return 'ends within the head of a field';
    const id = bytes.readUInt16LE(at);
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    if (end > bytes.length) return `has a field 0x${id.toString(16)} that is longer than the room for it`;
    if (id === EXTRA.streamedAttributes)
      return 'has the field 0x6c78, by which one reader learns of links and others do not';
    if (fields.has(id)) return `has the field 0x${id.toString(16)} twice`;
    fields.set(id, bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/**
 * Values of a header that may stand in its ZIP64 field (4.5.3), in the order in which they do.
 * Undefined: it lacks one, or has one too many.
 */
export function withZip64(values: readonly number[], fields: ExtraFields): number[] | undefined {
  const field = fields.get(EXTRA.zip64);
  const refers = values.some((value) => value === 0xffffffff);
  if (field === undefined) return refers ? undefined : [...values];
  let at = 0;
  const full = values.map((value) => {
    if (value !== 0xffffffff) return value;
    at += 8;
    return at <= field.length ? uint64(field, at - 8) : Number.NaN;
  });
  return at === field.length ? full : undefined;
}

/** Types of a Unix mode. */
const TYPE = 0o170000;
const LINK = 0o120000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

export type FileKind = 'file' | 'folder' | 'link' | 'special';

/** What a Unix mode says of a file's kind; undefined: nothing. */
export function kindOfMode(mode: number): FileKind | undefined {
  const type = mode & TYPE;
  if (type === 0) return;
  return type === REGULAR ? 'file' : type === FOLDER ? 'folder' : type === LINK ? 'link' : 'special';
}

/** What extra fields say of a file's kind: a mode, the target of a link, numbers of a device. */
export function kindOfExtra(fields: ExtraFields): FileKind | undefined {
  // Behind times, user and group: the target of a link, or the numbers of a device.
  if ((fields.get(EXTRA.pkwareUnix)?.length ?? 0) > 12) return 'link';
  const asi = fields.get(EXTRA.asiUnix);
  if (asi === undefined || asi.length < 6) return;
  return asi.length > 14 ? 'link' : kindOfMode(asi.readUInt16LE(4));
}
