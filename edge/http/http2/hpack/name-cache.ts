/**
 * Cache of field names by their bytes, so common names need no new string and no validation. It has
 * a fixed size, and all clients of a thread share it. Only names are cached, since values may be
 * secret.
 */
import { nameFlags } from '../../exchange/fields.ts';

class FieldName {
  constructor(
    readonly text: string,
    /** edge/http/exchange/fields.ts */
    readonly flags: number,
  ) {}
}

/** A power of two: names of the static table and some hundreds more. */
const SLOTS = 1024;
const LONGEST = 48;

const slots = new Array<FieldName>(SLOTS).fill(new FieldName('', nameFlags('')));

/** The name in the first `length` bytes. `classes`: the classes of its characters. */
export function fieldName(bytes: Buffer, length: number, classes: number): FieldName {
  if (length === 0 || length > LONGEST) return createName(bytes, length, classes);
  const slot = slotOf(bytes, length);
  const cached = slots[slot];
  if (isSame(cached.text, bytes, length)) return cached;
  const name = createName(bytes, length, classes);
  slots[slot] = name;
  return name;
}

function createName(bytes: Buffer, length: number, classes: number): FieldName {
  const text = bytes.toString('latin1', 0, length);
  return new FieldName(text, nameFlags(text, classes));
}

function slotOf(bytes: Buffer, length: number): number {
  const hash = (bytes[0] * 31 + bytes[length >> 1]) * 31 + bytes[length - 1] * 7 + bytes[length >> 2] + length * 131;
  return hash & (SLOTS - 1);
}

function isSame(text: string, bytes: Buffer, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== bytes[i]) return false;
  return true;
}
