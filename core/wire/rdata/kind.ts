/**
 * What a row of the rdata table is made of. A type is a list of field kinds; each kind knows its presentation form and its wire
 * form, so that one description parses, prints and checks a type.
 */
import type { FieldReader } from './field-reader.ts';
import type { RdataWriter } from './rdata-writer.ts';
import type { WireReader } from './wire-reader.ts';

export interface FieldKind {
  /** The field's name in its RFC, for messages. */
  readonly what: string;
  /** Takes one field (a last one may take all that are left) and writes its wire form. Throws InvalidError. */
  parse(input: FieldReader, out: RdataWriter): void;
  /** Reads its wire form and gives the canonical presentation form. Throws InvalidError when the bytes are no such field. */
  format(input: WireReader): string;
}

export interface RdataRow {
  readonly type: number;
  /** A right content, shown in messages. */
  readonly example: string;
  /** In wire order, which is the order of the presentation form too. */
  readonly fields: readonly FieldKind[];
  /** For API content without any quotes: takes the whole text as a byte string. Only where the fields would be cut wrongly. */
  readonly parseBare?: (text: string, input: FieldReader, out: RdataWriter) => void;
}
