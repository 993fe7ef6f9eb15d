/**
 * The rdata of entries. A, AAAA, CNAME, NS and PTR are read from the bytes of the file; all else
 * goes through the rdata table.
 */
import type { Name } from '../name.ts';
import { readIPv4, readIPv6 } from '../rdata/address.ts';
import { GENERIC_MARK } from '../rdata/data.ts';
import type { Field } from '../rdata/fields.ts';
import { parseRdataFields } from '../rdata/rdata.ts';
import { TYPE } from '../types.ts';
import { malformedContent } from '../zone-content.ts';
import type { CurrentEntry } from './entry.ts';
import { ADJACENT, ESCAPED, QUOTED } from './lexer.ts';
import { readPlainName, type Slab } from './owner-reader.ts';

/** Maximum bytes of a <character-string> (RFC 1035 3.3). */
const MAX_STRING = 255;

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
    return parseRdataFields(type, TEXTS.has(type) ? this.#split(fields) : fields, origin, this.#warnOfFault);
  }

  readonly #warnOfFault = (fault: string): void => {
    const { code, message } = malformedContent(fault);
    this.#entry.warn(code, message);
  };

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
    if (fields.length > 1 && /^v=/i.test(fields[0].text) && fields.every(({ quoted }) => !quoted))
      this.#entry.warn('unquoted_text', 'The text has no quotes, so its words are strings without spaces in between.');
    const split = fields.flatMap(splitLongText);
    if (split.length > fields.length)
      this.#entry.warn('long_text', 'A text of more than 255 bytes was split into several strings.');
    return split;
  }
}

/**
 * Texts of TXT records that are too long for one string.
 *
 * The field, or fields of at most 255 bytes each. Wrong escapes stay as they are.
 */
function splitLongText(field: Field): Field | Field[] {
  const { text, quoted, adjacent } = field;
  if (text.length <= MAX_STRING) return field;
  const parts: Field[] = [];
  if (!text.includes('\\')) {
    for (let i = 0; i < text.length; i += MAX_STRING)
      parts.push({ text: text.slice(i, i + MAX_STRING), quoted, adjacent: adjacent && i === 0 });
    return parts;
  }
  let from = 0;
  let bytes = 0;
  for (let i = 0; i < text.length; bytes++) {
    if (bytes === MAX_STRING) {
      parts.push({ text: text.slice(from, i), quoted, adjacent: adjacent && from === 0 });
      from = i;
      bytes = 0;
    }
    if (text[i] !== '\\') i++;
    else i += /^\d{3}$/.test(text.slice(i + 1, i + 4)) ? 4 : 2;
  }
  parts.push({ text: text.slice(from), quoted, adjacent: adjacent && from === 0 });
  return parts;
}
