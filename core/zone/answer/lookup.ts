/**
 * Finds what a name is in the zones of the index: steps 2 and 3 of RFC 1034 section 4.3.2, with
 * DNAME (RFC 6672 section 3.2) and wildcards (RFC 4592). Queries and the targets of chains take
 * this one walk. Hot: allocates nothing.
 */
import { NODE_DELEGATION, NODE_DNAME, NODE_FLAGS_AT, NODE_HAS_WILDCARD } from '../../store/answers.ts';
import type { IndexReader } from './index-reader.ts';

export const FOUND = {
  /** No zone here has the name. */
  NO_ZONE: 0,
  /** The name exists: it may be a zone cut or an empty non-terminal. */
  NAME: 1,
  /** The name is below a zone cut. */
  CUT: 2,
  /** The name is below a DNAME. */
  DNAME: 3,
  /** The name does not exist, and a wildcard matches it. */
  WILDCARD: 4,
  /** The name does not exist, and no wildcard matches it. */
  MISSING: 5,
} as const;
export type Found = (typeof FOUND)[keyof typeof FOUND];

export class Lookup {
  /** Offset of the node that answers: of the name, the zone cut, the DNAME or the wildcard. */
  node = 0;
  /** Offset of the node of the longest existing suffix, and the label at which it starts. */
  encloser = 0;
  label = 0;
  readonly #index: IndexReader;

  constructor(index: IndexReader) {
    this.#index = index;
  }

  /**
   * Looks up the name that ends at bytes[end), whose `labels` suffixes are hashed
   * (IndexReader.hashSuffixes).
   */
  find(bytes: Uint8Array, end: number, labels: number): Found {
    const index = this.#index;
    const { starts, sums } = index;
    const node = labels > index.maxLabels ? 0 : index.find(bytes, starts[0], end, sums[0]);
    if (node === 0) return this.findEncloser(bytes, end, labels);
    this.node = node;
    this.encloser = node;
    this.label = 0;
    return FOUND.NAME;
  }

  /** The same for a name that does not exist, or not in the zone in question. */
  findEncloser(bytes: Uint8Array, end: number, labels: number): Found {
    const index = this.#index;
    const { starts, sums } = index;
    // No name in the index has more than `maxLabels`.
    for (let label = Math.max(1, labels - index.maxLabels); label <= labels; label++) {
      const node = index.find(bytes, starts[label], end, sums[label]);
      if (node === 0) continue;
      this.node = node;
      this.encloser = node;
      this.label = label;
      const flags = index.bytes[node + NODE_FLAGS_AT];
      if ((flags & NODE_DELEGATION) !== 0) return FOUND.CUT;
      if ((flags & NODE_DNAME) !== 0) return FOUND.DNAME;
      if ((flags & NODE_HAS_WILDCARD) === 0) return FOUND.MISSING;
      const wildcard = index.findWildcard(bytes, starts[label], end, sums[label]);
      if (wildcard === 0) return FOUND.MISSING;
      this.node = wildcard;
      return FOUND.WILDCARD;
    }
    return FOUND.NO_ZONE;
  }
}
