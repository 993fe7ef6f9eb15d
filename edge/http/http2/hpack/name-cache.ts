/**
 * Names of fields by their octets: the few that all clients send need no new string and no judgement. One cache for a thread, of
 * fixed size; names are no secret of a client, values are not kept here.
 */
import { nameFlags } from '../../exchange/fields.ts';

export class FieldName {
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

/** The name that the first `length` octets are; `classes`: of its characters. */
export function fieldName(octets: Buffer, length: number, classes: number): FieldName {
  if (length === 0 || length > LONGEST) return made(octets, length, classes);
  const slot = slotOf(octets, length);
  const kept = slots[slot];
  if (isSame(kept.text, octets, length)) return kept;
  const name = made(octets, length, classes);
  slots[slot] = name;
  return name;
}

function made(octets: Buffer, length: number, classes: number): FieldName {
  const text = octets.toString('latin1', 0, length);
  return new FieldName(text, nameFlags(text, classes));
}

function slotOf(octets: Buffer, length: number): number {
  const mixed =
    (octets[0] * 31 + octets[length >> 1]) * 31 + octets[length - 1] * 7 + octets[length >> 2] + length * 131;
  return mixed & (SLOTS - 1);
}

function isSame(text: string, octets: Buffer, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== octets[i]) return false;
  return true;
}
