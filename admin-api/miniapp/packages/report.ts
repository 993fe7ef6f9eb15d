/**
 * Packs the findings of an audit for its row: compressed JSON of limited size, because the journal
 * sends it to every node.
 */
import { promisify } from 'node:util';
import { deflateSync, inflate } from 'node:zlib';
import type { Finding } from '../audit/finding.ts';

/** Maximum bytes in a row, far below the limit of a request to etcd. */
const MAX_BYTES = 256 * 1024;
/** Maximum bytes of the JSON, which has at most a thousand findings. */
const MAX_JSON_BYTES = 64 << 20;

/**
 * Packs the first findings that fit; `omitted`: the number of the others. Slow, so only for audit
 * threads.
 */
export function packFindings(findings: readonly Finding[]): { readonly packed: Buffer; readonly omitted: number } {
  let count = findings.length;
  for (;;) {
    const packed = deflateSync(JSON.stringify(findings.slice(0, count)));
    if (packed.length <= MAX_BYTES) return { packed, omitted: findings.length - count };
    count = Math.floor(count / 2);
  }
}

const inflated = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);

export async function unpackFindings(packed: Buffer): Promise<readonly Finding[]> {
  const json = await inflated(packed, { maxOutputLength: MAX_JSON_BYTES });
  return JSON.parse(json.toString()) as Finding[];
}
