/** A stored response: edge/cache/rules judges it, and edge/cache/store stores it. */
import type { FieldList } from '../http/exchange/field-list.ts';

export interface StoredResponse {
  readonly domainId: string;
  /** The target URI: `https://www.example.com/a?b`; one key for GET and HEAD. */
  readonly key: string;
  /**
   * The request fields that Vary named (RFC 9111 section 4.1): names and normalised values of the
   * request that the response was stored for. Empty without Vary.
   */
  readonly selecting: FieldList;
  readonly status: number;
  /**
   * The fields as received, with names in lower case. `content-length` is missing, and so are
   * fields that a cache must not store (RFC 9111 section 3.1). `date` is always present. `age`
   * keeps the received value, which enters the calculation of the age (rules/facts.ts); a served
   * response carries the current age instead (section 4).
   */
  readonly headers: FieldList;
  /** Milliseconds since 1970 at which the request was sent. */
  readonly requestTime: number;
  /** Milliseconds since 1970 at which the response arrived. */
  readonly responseTime: number;
  /** The tags of `Cache-Tag`. */
  readonly tags: readonly string[];
  readonly body: StoredBody;
}

export interface StoredBody {
  readonly length: number;
  /** The whole body if it is in memory, else undefined. */
  readonly whole: Uint8Array | undefined;
  /** The bytes [from, to). A body on disk may need several reads. */
  slice(from: number, to: number): Uint8Array | Promise<Uint8Array>;
}
