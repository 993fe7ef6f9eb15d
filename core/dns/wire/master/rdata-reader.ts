/**
 * The rdata of entries. A, AAAA, CNAME, NS and PTR are read from the bytes of the file; all else
 * goes through the rdata table.
 */
import type { Name } from '../name.ts';
import { readIPv4, readIPv6 } from '../rdata/address.ts';
import type { Field } from '../rdata/fields.ts';
import { GENERIC_MARK } from '../rdata/generic.ts';
import { parseRdataFields } from '../rdata/rdata.ts';
import { TYPE } from '../types.ts';
import type { CurrentEntry } from './entry.ts';
import { ADJACENT, ESCAPED, QUOTED } from './lexer.ts';
import { splitLongText } from './long-text.ts';
import { readPlainName } from './plain-name.ts';
import type { Slab } from './slab.ts';

/** TXT, and SPF (RFC 4408 3.1.1), which has the same content. */
const TEXTS: ReadonlySet<number> = new Set([TYPE.TXT, 99]);
/** Types without a text, whose fields NSD accepts in quotes. */
const UNQUOTED: ReadonlySet<number> = new Set([
  TYPE.A,
  TYPE.AAAA,
  TYPE.NS,
  TYPE.CNAME,
  TYPE.PTR,
  TYPE.DNAME,
  TYPE.MX,
  TYPE.SRV,
]);

export class RdataReader {
  readonly #entry: CurrentEntry;
  readonly #slab: Slab;
  readonly #scratch = new Uint8Array(512);

  constructor(entry: CurrentEntry, slab: Slab) {
    this.#entry = entry;
    this.#slab = slab;
  }

  /** The rdata in the fields from `from` on. Throws InvalidError. */
  read(type: number, from: number, origin: Name): Uint8Array {
    const { bytes, lexer } = this.#entry;
    if (from + 1 === lexer.count && (lexer.flags[from] & (QUOTED | ESCAPED)) === 0) {
      const start = lexer.start[from];
      const end = lexer.end[from];
      const scratch = this.#scratch;
      let length = 0;
      switch (type) {
        case TYPE.A:
          length = readIPv4(bytes, start, end, scratch) ? 4 : 0;
          break;
        case TYPE.AAAA:
          length = readIPv6(bytes, start, end, scratch) ? 16 : 0;
          break;
        case TYPE.NS:
        case TYPE.CNAME:
        case TYPE.PTR:
          length = Math.abs(readPlainName(bytes, start, end, origin, scratch));
          break;
      }
      if (length > 0) return this.#slab.copy(scratch, length);
    }
    const fields = this.#fields(type, from);
    return parseRdataFields(type, TEXTS.has(type) ? this.#split(fields) : fields, origin);
  }

  #fields(type: number, from: number): Field[] {
    const entry = this.#entry;
    const { lexer } = entry;
    const fields: Field[] = [];
    for (let i = from; i < lexer.count; i++) {
      const flags = lexer.flags[i];
      const quoted = (flags & QUOTED) !== 0 && !UNQUOTED.has(type);
      fields.push({ text: entry.text(i), quoted, adjacent: (flags & ADJACENT) !== 0 });
    }
    return fields;
  }

  /** Knot and PowerDNS split a text of more than 255 bytes; BIND and NSD reject it. */
  #split(fields: readonly Field[]): readonly Field[] {
    // Without a length after it, the mark of RFC 3597 is a text, as for BIND and NSD.
    if (fields[0]?.text === GENERIC_MARK && !/^\d+$/.test(fields[1]?.text ?? '0'))
      return [{ ...fields[0], quoted: true }, ...fields.slice(1)];
    const split = fields.flatMap(splitLongText);
    if (split.length > fields.length)
      this.#entry.warn('long_text', 'A text of more than 255 bytes was split into several strings.');
    return split;
  }
}
