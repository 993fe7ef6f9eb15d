/**
 * Names of fields by their bytes: the few that all clients send need no new string and no
 * judgement. One cache for a thread, of fixed size; names are no secret of a client, values are not
 * kept here.
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

/** The name that the first `length` bytes are; `classes`: of its characters. */
export function fieldName(bytes: Buffer, length: number, classes: number): FieldName {
  if (length === 0 || length > LONGEST) return made(bytes, length, classes);
  const slot = slotOf(bytes, length);
  const kept = slots[slot];
  if (isSame(kept.text, bytes, length)) return kept;
  const name = made(bytes, length, classes);
  slots[slot] = name;
  return name;
}

function made(bytes: Buffer, length: number, classes: number): FieldName {
  const text = bytes.toString('latin1', 0, length);
  return new FieldName(text, nameFlags(text, classes));
}

function slotOf(bytes: Buffer, length: number): number {
  const mixed = (bytes[0] * 31 + bytes[length >> 1]) * 31 + bytes[length - 1] * 7 + bytes[length >> 2] + length * 131;
  return mixed & (SLOTS - 1);
}

function isSame(text: string, bytes: Buffer, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== bytes[i]) return false;
  return true;
}
