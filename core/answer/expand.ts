/**
 * Decodes the records of a compiled answer, for the few responses that are composed per query.
 * Allocates.
 */

import { ANCOUNT_AT, ARCOUNT_AT, bodyOffset, NSCOUNT_AT } from '../store/answers.ts';
import { AFTER_NAME, HEADER_LENGTH } from '../wire/header.ts';
import type { ResourceRecord } from '../wire/types.ts';
import { COMPRESSIBLE } from '../wire/types.ts';

export interface Sections {
  readonly answer: ResourceRecord[];
  readonly authority: ResourceRecord[];
  readonly additional: ResourceRecord[];
}

/**
 * Returns the records of the answer at `a`, which was compiled for the name `compiledFor`. A
 * pointer to the whole question becomes `queryName`; other pointers refer to `compiledFor`
 * (store/answers.ts, RFC 1035 section 4.1.4).
 */
export function expandAnswer(nodes: Uint8Array, a: number, compiledFor: Uint8Array, queryName: Uint8Array): Sections {
  const u16 = (at: number): number => (nodes[at] << 8) | nodes[at + 1];
  const body = bodyOffset(nodes, a);
  const origin = HEADER_LENGTH + compiledFor.length + AFTER_NAME;
  let p = body;

  /** Reads the name at `p` and moves `p` after it. */
  const name = (): Uint8Array => {
    const labels: Uint8Array[] = [];
    for (; nodes[p] < 0xc0; p += nodes[p] + 1) {
      labels.push(nodes.slice(p, p + nodes[p] + 1));
      if (nodes[p] === 0) {
        p++;
        return Buffer.concat(labels);
      }
    }
    const target = u16(p) & 0x3fff;
    p += 2;
    if (target === HEADER_LENGTH) return Buffer.concat([...labels, queryName]);
    if (target < origin) return Buffer.concat([...labels, compiledFor.subarray(target - HEADER_LENGTH)]);
    const next = p;
    p = body + target - origin;
    labels.push(name());
    p = next;
    return Buffer.concat(labels);
  };

  const record = (): ResourceRecord => {
    const owner = name();
    const type = u16(p);
    const ttl = ((u16(p + 4) << 16) | u16(p + 6)) >>> 0;
    const end = p + 10 + u16(p + 8);
    p += 10;
    const layout = COMPRESSIBLE.get(type);
    const parts: Uint8Array[] = [];
    if (layout !== undefined) {
      parts.push(nodes.slice(p, p + layout.skip));
      p += layout.skip;
      for (let i = 0; i < layout.names; i++) parts.push(name());
    }
    parts.push(nodes.slice(p, end));
    p = end;
    return { name: owner, type, ttl, rdata: Buffer.concat(parts) };
  };

  const records = (count: number): ResourceRecord[] => Array.from({ length: count }, record);
  return {
    answer: records(u16(a + ANCOUNT_AT)),
    authority: records(u16(a + NSCOUNT_AT)),
    additional: records(u16(a + ARCOUNT_AT)),
  };
}
