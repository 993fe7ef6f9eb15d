/** A response as the cache keeps it: what edge/cache/rules judges and edge/cache/store holds. */
import type { FieldList } from '../http/exchange/field-list.ts';

export interface StoredResponse {
  readonly domainId: string;
  /** The target URI: `https://www.example.com/a?b`; one key for GET and HEAD. */
  readonly key: string;
  /**
   * What Vary selected (RFC 9111 section 4.1): name and value of the request that it was stored for, flat, values normalised; empty
   * without Vary.
   */
  readonly selecting: FieldList;
  readonly status: number;
  /**
   * As it came, names in lower case, without what a cache must not keep (RFC 9111 section 3.1) and `content-length`; always with `date`. `age`
   * stays as it came, since the age now follows from it (rules/facts.ts); what is sent has the age of that moment in its place (section 4).
   */
  readonly headers: FieldList;
  /** Milliseconds since 1970 when the request was sent and when its response came. */
  readonly requestTime: number;
  readonly responseTime: number;
  /** Of `Cache-Tag`. */
  readonly tags: readonly string[];
  readonly body: StoredBody;
}

export interface StoredBody {
  readonly length: number;
  /** All of it when it is in memory, else undefined. */
  readonly whole: Uint8Array | undefined;
  /** The bytes [from, to), in one or, where they lie on disk, in several reads. */
  slice(from: number, to: number): Uint8Array | Promise<Uint8Array>;
}
