/**
 * The rows of the rdata table. A type is a list of field kinds. Each kind implements its
 * presentation form, wire form and structured form, so a single description parses, checks and
 * formats a type.
 */
import type { FieldReader } from './field-reader.ts';
import type { RdataWriter } from './rdata-writer.ts';
import type { WireReader } from './wire-reader.ts';

/**
 * A record's content as an object of JSON values: keys in snake case, bytes that are no text in
 * hexadecimal.
 */
export type RdataObject = Record<string, unknown>;

export interface FieldKind {
  /**
   * Takes its fields of the presentation form (one as a rule) and writes their wire form. Throws
   * InvalidError.
   */
  parse(input: FieldReader, out: RdataWriter): void;
  /**
   * Reads its wire form and gives the canonical presentation form; empty: none, as of a list
   * without members. Throws InvalidError when the bytes are no such field.
   */
  format(input: WireReader): string;
  /**
   * Reads its wire form and puts it into `into`. Throws InvalidError when the bytes are too few.
   */
  take(input: WireReader, into: RdataObject): void;
}

/**
 * Compression and canonical form of the names in the rdata. `compressed`: a sender may compress
 * them (RFC 3597 section 4: the types of RFC 1035 alone), and canonical form has them in lower
 * case. `lowered`: not compressed, and canonical form has them in lower case (RFC 4034 6.2, RFC
 * 6840 5.1). `kept`: neither.
 */
type NameRule = 'compressed' | 'lowered' | 'kept';

export interface RdataRow {
  readonly type: number;
  /** Required where the rdata has names. */
  readonly names?: NameRule;
  /** A right content, shown in messages. */
  readonly example: string;
  /** In wire order, which is the order of the presentation form too. */
  readonly fields: readonly FieldKind[];
  /**
   * The fault in well-formed rdata that other servers load, as part of a sentence; undefined: none.
   * The API rejects such rdata; an import warns about it.
   */
  readonly doubt?: (rdata: Uint8Array) => string | undefined;
  /** Whether the fields are those of a version that is not known: any bytes are well-formed. */
  readonly isOpaque?: (rdata: Uint8Array) => boolean;
  /**
   * For API content without any quotes: takes the whole text as a byte string. Only where the
   * fields would be cut wrongly.
   */
  readonly parseBare?: (text: string, input: FieldReader, out: RdataWriter) => void;
}
