/** An entry as objects: the result of a lookup. */
import type { StoredBody, StoredResponse } from '../stored-response.ts';
import type { StoredCoding, StoredHead, StoredVariant } from './cache-store.ts';
import type { EncodedCoding } from './entry.ts';

export class Variant implements StoredVariant {
  attached: unknown = undefined;
  /** Size of `attached`, as given by its owner. */
  attachedBytes = 0;
  /** Whether the hot set holds this variant, and counts its attached value. */
  isHot = false;
  constructor(
    readonly response: StoredResponse,
    readonly mark: number,
    readonly codings: readonly EncodedCoding[],
  ) {}

  encoding(coding: StoredCoding): Uint8Array | undefined {
    for (const encoded of this.codings) if (encoded.coding === coding) return encoded.bytes;
    return undefined;
  }

  /** Approximate size as objects: strings, arrays and its own bytes. */
  get bytes(): number {
    const { headers, selecting, body, key } = this.response;
    let bytes = 400 + key.length + (headers.length + selecting.length) * 24;
    for (const text of headers) bytes += text.length;
    bytes += body.whole?.length ?? 0;
    for (const encoded of this.codings) bytes += encoded.bytes.length;
    return bytes;
  }
}

/** A body in memory. */
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

/** Sorts in place. */
export function newestFirst(variants: Variant[]): Variant[] {
  return variants.sort((x, y) => y.response.responseTime - x.response.responseTime);
}
