/**
 * How long a message is when every name that may be compressed is (RFC 1035 4.1.4, RFC 3597 section 4), by pointers to names that
 * may be compressed themselves. A server that sets TC for a response which would fit in this size gives up too early.
 */
import { LOWER, nameId } from '../../core/wire/name.ts';
import { COMPRESSIBLE, type ResourceRecord } from '../../core/wire/types.ts';

/** Header, question and these records in this order, in bytes; an OPT record is not counted. */
export function compressedSize(questionName: Uint8Array, records: readonly ResourceRecord[]): number {
  const known = new Set<string>();
  let size = 12;
  const addName = (name: Uint8Array): void => {
    for (let p = 0; name[p] !== 0; p += name[p] + 1) {
      const suffix = nameId(name.subarray(p).map((byte) => LOWER[byte]));
      if (known.has(suffix)) {
        size += 2;
        return;
      }
      if (size < 0x4000) known.add(suffix);
      size += name[p] + 1;
    }
    size += 1;
  };
  addName(questionName);
  size += 4;
  for (const { name, type, rdata } of records) {
    addName(name);
    size += 10;
    const layout = COMPRESSIBLE.get(type);
    let at = layout?.skip ?? rdata.length;
    size += at;
    for (let i = 0; i < (layout?.names ?? 0); i++) {
      let end = at;
      while (rdata[end] !== 0) end += rdata[end] + 1;
      addName(rdata.subarray(at, end + 1));
      at = end + 1;
    }
    size += rdata.length - at;
  }
  return size;
}
