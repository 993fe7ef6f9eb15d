/** Reads the RRSIG records of a name from its node, which has them next to its answers. */
import type { ResourceRecord } from '../wire/types.ts';
import { TYPE } from '../wire/types.ts';
import {
  ANSWER_FLAGS_AT,
  ANSWER_SIGNED,
  answerOffset,
  NODE_CNAME,
  NODE_FLAGS_AT,
  NODE_HEADER,
  NODE_SIGNED,
  OTHERWISE,
  TYPE_COUNT_AT,
  TYPE_ENTRY,
} from './answers.ts';
import { expandSigned } from './expand-answer.ts';

/**
 * The signatures over the RRsets of `name`, whose node it is. Nothing for an unsigned zone. Those
 * over the DS at the apex are the parent zone's, and not among them.
 */
export function signaturesOf(node: Buffer, name: Uint8Array, isApex: boolean): ResourceRecord[] {
  const flags = node[NODE_FLAGS_AT];
  const found: ResourceRecord[] = [];
  if ((flags & NODE_SIGNED) === 0) return found;
  for (let i = 0; i < node[TYPE_COUNT_AT]; i++) {
    const type = node.readUInt16BE(NODE_HEADER + i * TYPE_ENTRY);
    // The other types of an alias are those of its target.
    if (type === OTHERWISE || ((flags & NODE_CNAME) !== 0 && type !== TYPE.CNAME)) continue;
    const at = answerOffset(node, 0, type);
    if (at === 0 || (isApex && type === TYPE.DS) || (node[at + ANSWER_FLAGS_AT] & ANSWER_SIGNED) === 0) continue;
    for (const record of expandSigned(node, at, name, name).answer) if (record.type === TYPE.RRSIG) found.push(record);
  }
  return found;
}
