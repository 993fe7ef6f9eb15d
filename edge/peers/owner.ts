/**
 * Finds the node that owns a cache key, by rendezvous hashing. Each node has a score for each key,
 * and the highest score wins. So nodes with the same list agree without messages. A node that joins
 * or leaves moves only its own share of the keys.
 */

/** Must never change: nodes of different versions must agree. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A node with the hash of its name. */
export interface HashedNode {
  readonly name: string;
  readonly hash: number;
}

/** FNV-1a, over UTF-16 code units. */
export function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return mix(hash);
}

/** Undefined: there are no nodes. */
export function ownerOf<Node extends HashedNode>(key: string, nodes: readonly Node[]): Node | undefined {
  const keyHash = hashOf(key);
  let owner: Node | undefined;
  let best = -1;
  for (const node of nodes) {
    const score = mix(Math.imul(keyHash, FNV_PRIME) ^ node.hash);
    if (score < best || (score === best && owner !== undefined && owner.name < node.name)) continue;
    owner = node;
    best = score;
  }
  return owner;
}

/** The last step of MurmurHash3: every bit of the input changes half of the bits. */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
