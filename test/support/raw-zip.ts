/** Writes valid and invalid ZIP archives: any field of any record can be overridden. */
import { crc32, deflateRawSync } from 'node:zlib';

type Bytes = string | Uint8Array;

/** Fields of a local header or a central directory header. */
interface Fields {
  readonly signature?: number;
  readonly madeBy?: number;
  readonly version?: number;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly compressedSize?: number;
  readonly size?: number;
  readonly name?: Bytes;
  readonly extra?: Uint8Array;
  readonly disk?: number;
  readonly attributes?: number;
  readonly offset?: number;
  readonly comment?: Bytes;
}

export interface RawEntry extends Fields {
  readonly name: Bytes;
  readonly content?: Bytes;
  /** Packed bytes. Default: the content, packed by its method (8 if not empty). */
  readonly data?: Uint8Array;
  /** Overrides for one of the two headers. */
  readonly local?: Fields;
  readonly central?: Fields;
  /** Data descriptor. `true`: a valid one, with zero CRC and sizes in the local header. */
  readonly descriptor?: true | Uint8Array;
  /** Bytes in front of the local header. */
  readonly before?: Bytes;
  /** No local header and no data. */
  readonly noLocal?: true;
}

export interface RawEnd {
  readonly prefix?: Bytes;
  readonly suffix?: Bytes;
  /**
   * Bytes between the last file and the directory, and between the directory and the end records.
   */
  readonly beforeDirectory?: Bytes;
  readonly afterDirectory?: Bytes;
  readonly comment?: Bytes;
  readonly disk?: number;
  readonly directoryDisk?: number;
  readonly countOnDisk?: number;
  readonly count?: number;
  readonly size?: number;
  readonly start?: number;
  readonly commentLength?: number;
  /** Adds a ZIP64 end record and locator, with these overrides. */
  readonly zip64?: {
    readonly disk?: number;
    readonly count?: number;
    readonly size?: number;
    readonly start?: number;
    readonly length?: number;
    readonly record?: number;
  };
}

const bytes = (value: Bytes): Buffer => Buffer.from(value as string);
const u16 = (value: number): Buffer => Buffer.from([value & 255, (value >>> 8) & 255]);
const u32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value >>> 0);
  return out;
};
export const u64 = (value: number): Buffer => {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(BigInt(value));
  return out;
};
/** Encodes an extra field. */
export const extra = (id: number, data: Uint8Array): Buffer => Buffer.concat([u16(id), u16(data.length), data]);
/** Encodes Info-ZIP's Unicode path field. `of`: the name in the header. */
export const unicodePath = (name: string, of: Bytes): Buffer =>
  extra(0x7075, Buffer.concat([Buffer.from([1]), u32(crc32(bytes(of))), bytes(name)]));
/** Converts a Unix mode to external attributes. */
export const mode = (bits: number): number => (bits << 16) >>> 0;

const DATE = 0x21;

export function rawZip(entries: readonly RawEntry[], end: RawEnd = {}): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  const put = (...more: readonly Buffer[]): void => {
    for (const part of more) {
      parts.push(part);
      length += part.length;
    }
  };
  const directory: Buffer[] = [];
  put(bytes(end.prefix ?? ''));
  for (const entry of entries) {
    put(bytes(entry.before ?? ''));
    const content = bytes(entry.content ?? '');
    const method = entry.method ?? (content.length > 0 ? 8 : 0);
    const data = entry.data ? bytes(entry.data) : method === 8 ? deflateRawSync(content) : content;
    const all = {
      version: 20,
      madeBy: 0x31e,
      flags: 0x800 | (entry.descriptor === undefined ? 0 : 8),
      crc: crc32(content),
      compressedSize: data.length,
      size: content.length,
      extra: Buffer.alloc(0),
      disk: 0,
      attributes: 0,
      offset: length,
      comment: '',
      ...entry,
      method,
    };
    const central = { signature: 0x02014b50, ...all, ...entry.central };
    if (entry.noLocal === undefined) {
      const none = entry.descriptor === undefined ? {} : { crc: 0, compressedSize: 0, size: 0 };
      const local = { signature: 0x04034b50, ...all, ...none, ...entry.local };
      const name = bytes(local.name);
      put(u32(local.signature), u16(local.version), u16(local.flags), u16(local.method), u16(0), u16(DATE));
      put(u32(local.crc), u32(local.compressedSize), u32(local.size), u16(name.length), u16(local.extra.length));
      put(name, bytes(local.extra), data);
      if (entry.descriptor === true) put(u32(0x08074b50), u32(all.crc), u32(all.compressedSize), u32(all.size));
      else if (entry.descriptor !== undefined) put(bytes(entry.descriptor));
    }
    const name = bytes(central.name);
    const comment = bytes(central.comment);
    directory.push(
      ...[u32(central.signature), u16(central.madeBy), u16(central.version), u16(central.flags), u16(central.method)],
      ...[u16(0), u16(DATE), u32(central.crc), u32(central.compressedSize), u32(central.size), u16(name.length)],
      ...[u16(central.extra.length), u16(comment.length), u16(central.disk), u16(0), u32(central.attributes)],
      ...[u32(central.offset), name, bytes(central.extra), comment],
    );
  }
  put(bytes(end.beforeDirectory ?? ''));
  const start = length;
  put(Buffer.concat(directory));
  const size = length - start;
  put(bytes(end.afterDirectory ?? ''));
  const count = entries.length;
  if (end.zip64 !== undefined) {
    const record = length;
    const { zip64 } = end;
    put(u32(0x06064b50), u64(zip64.length ?? 44), u16(45), u16(45), u32(zip64.disk ?? 0), u32(0));
    put(u64(zip64.count ?? count), u64(zip64.count ?? count), u64(zip64.size ?? size), u64(zip64.start ?? start));
    put(u32(0x07064b50), u32(0), u64(zip64.record ?? record), u32(1));
  }
  const comment = bytes(end.comment ?? '');
  put(u32(0x06054b50), u16(end.disk ?? 0), u16(end.directoryDisk ?? 0), u16(end.countOnDisk ?? end.count ?? count));
  put(
    u16(end.count ?? count),
    u32(end.size ?? size),
    u32(end.start ?? start),
    u16(end.commentLength ?? comment.length),
  );
  put(comment, bytes(end.suffix ?? ''));
  return Buffer.concat(parts);
}
