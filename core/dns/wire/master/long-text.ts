/** Texts of TXT records that are too long for one string. */
import type { Field } from '../rdata/fields.ts';

/** Maximum bytes of a <character-string> (RFC 1035 3.3). */
const MAX_STRING = 255;

/** The field, or fields of at most 255 bytes each. Wrong escapes stay as they are. */
export function splitLongText(field: Field): Field | Field[] {
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
