/**
 * Size of a message with full compression: each name that may be compressed (RFC 1035 4.1.4, RFC
 * 3597 section 4) uses pointers. A server that sets TC although a response fits into this size
 * truncates too early.
 */
import { equalNames, LOWER, nameId } from '../../core/dns/wire/name.ts';
import { COMPRESSIBLE, type ResourceRecord } from '../../core/dns/wire/types.ts';

/**
 * Size in bytes of the header, the question and these records in order, without OPT. Owners point
 * to the whole question name. `isShared`: whether other names may point to a suffix (lower case) of
 * it. A server that compiles answers in advance cannot use labels that match a wildcard.
 */
export function compressedSize(
  questionName: Uint8Array,
  records: readonly ResourceRecord[],
  isShared: (suffix: Uint8Array) => boolean,
): number {
  const question = questionName.map((byte) => LOWER[byte]);
  const seen = new Set<string>();
  for (let p = 0; question[p] !== 0; p += question[p] + 1) {
    if (isShared(question.subarray(p))) seen.add(nameId(question.subarray(p)));
  }
  let size = 12 + question.length + 4;
  const addName = (name: Uint8Array): void => {
    for (let p = 0; name[p] !== 0; p += name[p] + 1) {
      const suffix = nameId(name.subarray(p).map((byte) => LOWER[byte]));
      if (seen.has(suffix)) {
        size += 2;
        return;
      }
      if (size < 0x4000) seen.add(suffix);
      size += name[p] + 1;
    }
    size += 1;
  };
  for (const { name, type, rdata } of records) {
    if (
      equalNames(
        name.map((byte) => LOWER[byte]),
        question,
      )
    )
      size += 2;
    else addName(name);
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
