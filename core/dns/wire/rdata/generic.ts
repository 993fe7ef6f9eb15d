/** RFC 3597 section 5: rdata of any type as `\# length hexadecimal`. */
import type { FieldReader } from './field-reader.ts';
import { shown } from './fields.ts';
import { formatHex, parseHex } from './kinds.ts';
import { MAX_RDATA } from './rdata-writer.ts';

export const GENERIC_MARK = '\\#';

/** The bytes after the mark, which the caller has taken. */
export function parseGeneric(input: FieldReader): Uint8Array {
  const length = input.integer('length after \\#', MAX_RDATA);
  const text = input.left > 0 ? input.joinedWords('hexadecimal data') : '';
  const bytes = parseHex(text);
  if (bytes === undefined)
    return input.fail('hexadecimal data', `must be pairs of digits 0-9 and a-f, not ${shown(text)}`);
  if (bytes.length !== length) input.fail('length after \\#', `says ${length} bytes, but ${bytes.length} follow`);
  return Uint8Array.from(bytes);
}

export function formatGeneric(rdata: Uint8Array): string {
  return rdata.length === 0 ? '\\# 0' : `\\# ${rdata.length} ${formatHex(rdata)}`;
}
