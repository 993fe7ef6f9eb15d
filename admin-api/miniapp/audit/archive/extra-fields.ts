/** Extra fields of file headers (APPNOTE.TXT 4.5; Info-ZIP's extrafld.txt). */
export const EXTRA = {
  zip64: 0x0001,
  pkwareUnix: 0x000d,
  strongEncryption: 0x0017,
  unicodePath: 0x7075,
  asiUnix: 0x756e,
  aes: 0x9901,
  /**
   * libarchive's field for streamed archives: file attributes, which can turn a file into a link.
   */
  streamedAttributes: 0x6c78,
} as const;

export type ExtraFields = ReadonlyMap<number, Buffer>;

/**
 * The fields by id. A string: the fault. Readers differ in how they treat duplicate fields and
 * wrong lengths.
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
 * Replaces header values of 0xffffffff by those of the ZIP64 field (4.5.3), in the field's order.
 * Undefined: the field has too few or too many values.
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

/** File type bits of a Unix mode. */
const TYPE = 0o170000;
const LINK = 0o120000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

export type FileKind = 'file' | 'folder' | 'link' | 'special';

/** File kind from a Unix mode; undefined: the mode has none. */
export function kindOfMode(mode: number): FileKind | undefined {
  const type = mode & TYPE;
  if (type === 0) return;
  return type === REGULAR ? 'file' : type === FOLDER ? 'folder' : type === LINK ? 'link' : 'special';
}

/** File kind from extra fields: a Unix mode, a link target or device numbers. */
export function kindOfExtra(fields: ExtraFields): FileKind | undefined {
  // 12 bytes of times, user and group; then a link target or device numbers.
  if ((fields.get(EXTRA.pkwareUnix)?.length ?? 0) > 12) return 'link';
  const asi = fields.get(EXTRA.asiUnix);
  if (asi === undefined || asi.length < 6) return;
  return asi.length > 14 ? 'link' : kindOfMode(asi.readUInt16LE(4));
}

/**
 * Reads a 64-bit number of a ZIP64 record. Values above 2^53 are inexact, but exceed every limit
 * anyway.
 */
export const uint64 = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
