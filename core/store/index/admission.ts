/** Which nodes the arena lets in when it gets full. */
import { NODE_APEX, NODE_CNAME, NODE_DELEGATION, NODE_DNAME, NODE_FLAGS_AT, NODE_HAS_BELOW } from '../answers.ts';

/** Share of the arena beyond which leaves stay in the store. */
export const LEAF_SHARE = 0.9;

const STRUCTURAL = NODE_APEX | NODE_DELEGATION | NODE_DNAME | NODE_CNAME | NODE_HAS_BELOW;

/**
 * Only its own name's answers need it. Every other node is met on the way to names that don't
 * exist, too, so it is let in to the end.
 */
export function isLeaf(node: Uint8Array): boolean {
  return (node[NODE_FLAGS_AT] & STRUCTURAL) === 0;
}
