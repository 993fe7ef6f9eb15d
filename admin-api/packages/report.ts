/** What an audit found, as a row keeps it: JSON, compressed, and bounded, since it goes through the journal to every node. */
import { promisify } from 'node:util';
import { deflateSync, inflate } from 'node:zlib';
import type { Finding } from '../../core/miniapp/finding.ts';

/** Bytes of a row, far below what a request to etcd takes. */
const MOST = 256 * 1024;
/** Bytes of the JSON, which has a thousand findings at most. */
const MOST_JSON = 64 << 20;

/** The findings, or as many of the first as fit; `omitted`: how many did not. For the thread of an audit: it takes its time. */
export function packFindings(findings: readonly Finding[]): { readonly packed: Buffer; readonly omitted: number } {
  let count = findings.length;
  for (;;) {
    const packed = deflateSync(JSON.stringify(findings.slice(0, count)));
    if (packed.length <= MOST) return { packed, omitted: findings.length - count };
    count = Math.floor(count / 2);
  }
}

const inflated = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate);

export async function unpackFindings(packed: Buffer): Promise<readonly Finding[]> {
  const json = await inflated(packed, { maxOutputLength: MOST_JSON });
  return JSON.parse(json.toString()) as Finding[];
}
