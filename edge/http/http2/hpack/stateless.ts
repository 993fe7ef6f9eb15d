/**
 * Encodes blocks that neither use nor change the dynamic table. A block is encoded once and copied
 * into the blocks of any connection, after the output of `HpackEncoder.begin`. Blocks may be
 * concatenated: a part that changes (the date, once a second) follows a part that does not.
 */
import type { FieldList } from '../../exchange/field-list.ts';
import { blockBound } from './encoder.ts';
import { NEVER_INDEX, NO_INDEX, planOf, staticLine } from './indexing.ts';
import { writeInteger, writeLiteral } from './write.ts';

/** `status` 0: none, for trailers and for parts after the first. */
export function encodeStateless(status: number, fields: FieldList): Uint8Array {
  const target = new Uint8Array(blockBound(fields));
  let at = status === 0 ? 0 : writeLine(target, 0, ':status', String(status));
  for (let i = 0; i + 1 < fields.length; i += 2) at = writeLine(target, at, fields[i], fields[i + 1]);
  return target.slice(0, at);
}

function writeLine(target: Uint8Array, at: number, name: string, value: string): number {
  const plan = planOf(name);
  const line = staticLine(plan, value);
  if (line > 0) return writeInteger(target, at, 0x80, 0x7f, line);
  return writeLiteral(target, at, plan.mode === NEVER_INDEX ? NEVER_INDEX : NO_INDEX, plan.firstStatic, name, value);
}
