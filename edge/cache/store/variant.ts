/** What a lookup gives: an entry as objects. */
import type { StoredBody, StoredResponse } from '../stored-response.ts';
import type { StoredCoding, StoredHead, StoredVariant } from './cache-store.ts';
import type { EncodedCoding } from './entry.ts';

export class Variant implements StoredVariant {
  attached: unknown = undefined;
  /** Bytes that the owner of `attached` said. */
  attachedBytes = 0;
  /** Whether it is held by the hot set, which counts what is attached. */
  isHot = false;
  constructor(
    readonly response: StoredResponse,
    readonly mark: number,
    readonly codings: readonly EncodedCoding[],
  ) {}

  encoding(coding: StoredCoding): Uint8Array | undefined {
    for (const one of this.codings) if (one.coding === coding) return one.bytes;
    return undefined;
  }

  /** What it takes as objects, roughly: strings, arrays and the bytes that are its own. */
  get bytes(): number {
    const { headers, selecting, body, key } = this.response;
    let bytes = 400 + key.length + (headers.length + selecting.length) * 24;
    for (const text of headers) bytes += text.length;
    bytes += body.whole?.length ?? 0;
    for (const one of this.codings) bytes += one.bytes.length;
    return bytes;
  }
}

/** A body that is in memory. */
export class WholeBody implements StoredBody {
  constructor(readonly whole: Uint8Array) {}

  get length(): number {
    return this.whole.length;
  }

  slice(from: number, to: number): Uint8Array {
    return this.whole.subarray(from, to);
  }
}

export function responseOf(head: StoredHead, body: StoredBody): StoredResponse {
  const { domainId, key, selecting, status, headers, requestTime, responseTime, tags } = head;
  return { domainId, key, selecting, status, headers, requestTime, responseTime, tags, body };
}

/** Sorts. */
export function newestFirst(variants: Variant[]): Variant[] {
  return variants.sort((x, y) => y.response.responseTime - x.response.responseTime);
}
