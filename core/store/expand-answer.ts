/**
 * Decodes the records of a compiled answer, for the few responses that are composed per query.
 * Allocates.
 */

import { AFTER_NAME, HEADER_LENGTH } from '../wire/header.ts';
import type { ResourceRecord } from '../wire/types.ts';
import { COMPRESSIBLE } from '../wire/types.ts';
import {
  ANCOUNT_AT,
  ARCOUNT_AT,
  bodyOffset,
  NSCOUNT_AT,
  SIGNATURES_LENGTH_AT,
  SIGNED_ANCOUNT_AT,
  SIGNED_ARCOUNT_AT,
  SIGNED_NSCOUNT_AT,
  signaturesOffset,
  signedOffset,
  TAIL_LENGTH_AT,
  uint16,
} from './answers.ts';

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
  const read = recordReader(nodes, bodyOffset(nodes, a), compiledFor, queryName);
  return {
    answer: read(uint16(nodes, a + ANCOUNT_AT)),
    authority: read(uint16(nodes, a + NSCOUNT_AT)),
    additional: read(uint16(nodes, a + ARCOUNT_AT)),
  };
}

/** The same with signatures, for an answer that has them; the additional section is glue. */
export function expandSigned(nodes: Uint8Array, a: number, compiledFor: Uint8Array, queryName: Uint8Array): Sections {
  const part = signedOffset(nodes, a);
  const body = bodyOffset(nodes, a);
  const kept = uint16(nodes, part);
  const signaturesAt = signaturesOffset(nodes, part);
  const length = uint16(nodes, part + SIGNATURES_LENGTH_AT) + uint16(nodes, part + TAIL_LENGTH_AT);
  const message = Buffer.concat([
    nodes.subarray(body, body + kept),
    nodes.subarray(signaturesAt, signaturesAt + length),
  ]);
  const read = recordReader(message, 0, compiledFor, queryName);
  return {
    answer: read(uint16(nodes, part + SIGNED_ANCOUNT_AT)),
    authority: read(uint16(nodes, part + SIGNED_NSCOUNT_AT)),
    additional: read(uint16(nodes, part + SIGNED_ARCOUNT_AT)),
  };
}

/** Reads records one after the other, from `body` on, which follows the question. */
function recordReader(
  nodes: Uint8Array,
  body: number,
  compiledFor: Uint8Array,
  queryName: Uint8Array,
): (count: number) => ResourceRecord[] {
  const u16 = (at: number): number => uint16(nodes, at);
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

  return (count) => Array.from({ length: count }, record);
}
