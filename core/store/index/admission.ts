/** Decides which nodes the arena still admits when it is nearly full. */
import { NODE_APEX, NODE_CNAME, NODE_DELEGATION, NODE_DNAME, NODE_FLAGS_AT, NODE_HAS_BELOW } from '../answers.ts';

/** Share of the arena beyond which leaves are read from the store. */
export const LEAF_SHARE = 0.9;

const STRUCTURAL = NODE_APEX | NODE_DELEGATION | NODE_DNAME | NODE_CNAME | NODE_HAS_BELOW;

/**
 * Whether only queries for its own name need the node. Queries for missing names also read the
 * other nodes, so these are admitted until the arena is full.
 */
export function isLeaf(node: Uint8Array): boolean {
  return (node[NODE_FLAGS_AT] & STRUCTURAL) === 0;
}
