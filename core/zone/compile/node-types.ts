/** The types of a name in a signed zone, as its NSEC3 record lists them (RFC 5155 section 7.1). */

import { TYPE } from '../../dns/wire/types.ts';
import {
  answerOffset,
  NODE_APEX,
  NODE_CNAME,
  NODE_DELEGATION,
  NODE_FLAGS_AT,
  NODE_HEADER,
  OTHERWISE,
  TYPE_COUNT_AT,
  TYPE_ENTRY,
} from '../../store/answers.ts';

/**
 * The types come from the node, since it is what the server answers. Addresses of ALIAS targets are
 * listed even if they are unknown, since caches deny a type that is missing here (RFC 8198).
 */
export function typesOfNode(node: Buffer): number[] {
  const flags = node[NODE_FLAGS_AT];
  // Other types in the node are those of the target.
  if ((flags & NODE_CNAME) !== 0) return [TYPE.CNAME, TYPE.RRSIG];
  if ((flags & NODE_DELEGATION) !== 0)
    return answerOffset(node, 0, TYPE.DS) === 0 ? [TYPE.NS] : [TYPE.NS, TYPE.DS, TYPE.RRSIG];
  const isApex = (flags & NODE_APEX) !== 0;
  const types: number[] = [];
  for (let i = 0; i < node[TYPE_COUNT_AT]; i++) {
    const type = node.readUInt16BE(NODE_HEADER + i * TYPE_ENTRY);
    // The DS of an apex belongs to the parent zone.
    if (type !== OTHERWISE && !(isApex && type === TYPE.DS)) types.push(type);
  }
  // An empty non-terminal has nothing to sign.
  if (types.length > 0) types.push(TYPE.RRSIG);
  return types;
}
