/**
 * The interface of the cache's store. The main thread opens the cache of the node (`openCache` in
 * node-cache.ts) and purges it. Each edge thread opens its store with the main thread's handle
 * (`openCacheStore` in store.ts). A thread has its own memory; all threads share disk and purges.
 *
 *     lookup ─► memory (at once) ─► disk (a promise)
 *     mark ─► request to the origin ─► put or write, with that mark
 *
 * When a purge or removal has returned, no thread serves the removed responses again. A response is
 * not stored if a matching purge has a newer sequence than its mark. Damaged data or a failing disk
 * never throws an error: both count as a miss.
 */
import type { ClientMemory } from '../../http/exchange/client-memory.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { StoredResponse } from '../stored-response.ts';

/** Codings in which the edge compresses bodies. */
export type StoredCoding = 'br' | 'gzip' | 'zstd';

/** A stored response, as found by a lookup. Valid for the current exchange only. */
export interface StoredVariant {
  readonly response: StoredResponse;
  /** The value from `attach`. Lost when the response leaves the memory or is freshened. */
  readonly attached: unknown;
  /**
   * Hot variants are held as objects, and keep their attached value. Other variants lose it, so do
   * not create a value for them.
   */
  readonly isHot: boolean;
  /** The body in a coding that `attachEncoding` stored. */
  encoding(coding: StoredCoding): Uint8Array | undefined;
}

/** A StoredResponse without its body. */
export type StoredHead = Omit<StoredResponse, 'body'>;

/**
 * The responses to purge, in the forms of core/store/rows/proxies.ts. Three empty lists: the whole
 * domain.
 */
export interface CachePurge {
  readonly domainId: string;
  /** `https://www.example.com/a?b` */
  readonly urls: readonly string[];
  /** `www.example.com/news/`, for both schemes. */
  readonly prefixes: readonly string[];
  readonly tags: readonly string[];
  /** Whether `OnPurged` of each thread is called. */
  readonly prefetch?: boolean;
}

/** A response that was requested often before it was purged. */
export interface PurgedResponse {
  readonly key: string;
  /** As in StoredResponse. */
  readonly selecting: FieldList;
}

/**
 * Called in each thread when it has executed a purge with `prefetch`. `sequence`: of the purge, the
 * same in all threads. `responses`: the most requested ones first, at most MAX_PURGED. Must not use
 * the store.
 */
export type OnPurged = (purge: CachePurge, sequence: number, responses: readonly PurgedResponse[]) => void;

/** Statistics of a thread, except those of the disk, which are of the node. */
export interface CacheStats {
  readonly memoryObjects: number;
  /** Includes all overhead. */
  readonly memoryBytes: number;
  readonly memoryLimit: number;
  /** Entries in the index of the disk. */
  readonly diskObjects: number;
  readonly diskBytes: number;
  readonly diskLimit: number;
  readonly hits: { readonly memory: number; readonly disk: number };
  readonly misses: number;
  readonly stored: number;
  /** Evicted from memory to make room. */
  readonly evicted: number;
  /** Dropped because of a purge or removal. */
  readonly purged: number;
  /** Entries on disk with a wrong checksum, or unreadable. */
  readonly damaged: number;
  /** Not written because the disk failed or was too slow. */
  readonly unwritten: number;
}

/**
 * Called once: when the next lookup can find the response (unless it was purged meanwhile), or when
 * the response will not be stored. The call may precede the return of the function that received
 * the callback.
 */
export type OnStored = (isStored: boolean) => void;

export interface CacheStore {
  /**
   * All stored variants of a URL (`StoredResponse.key`) that are not purged, fresh or stale, the
   * newest first; at most 32. Returns a promise if the disk must be read, else an array. The
   * promise never rejects. `memory`: the memory account of the client. The disk is not read while
   * the share of the client's network is exhausted.
   */
  lookup(
    domainId: string,
    key: string,
    memory?: ClientMemory,
  ): readonly StoredVariant[] | Promise<readonly StoredVariant[]>;

  /** Whether a variant was purged or removed since its lookup. */
  isVoid(variant: StoredVariant): boolean;

  /** Whether other threads can find responses that are stored now. */
  readonly sharesResponses: boolean;

  /** Call before a request to the origin; pass the result with the response. */
  mark(): number;

  /**
   * Stores a whole response, and replaces the response with the same `selecting`. Undefined: it is
   * not stored, or not in memory. `body.whole` must be set, or `slice` must deliver the body soon.
   */
  put(response: StoredResponse, mark: number): StoredVariant | undefined;

  /**
   * Stores a response whose body arrives in parts. `length`: from content-length. Undefined: too
   * large. `onShared`: like the callback of `end`, for lookups of other threads; not called if the
   * body does not end.
   */
  write(head: StoredHead, length: number | undefined, mark: number, onShared?: OnStored): CacheWriter | undefined;

  /**
   * After a 304: stores `updated`, which has the body of `old` with new fields and times. Encoded
   * bodies are kept; the attached value is lost. `onShared`: as for `write`. Undefined: it is not
   * stored, or not in memory.
   */
  freshen(
    old: StoredVariant,
    updated: StoredResponse,
    mark: number,
    onStored?: OnStored,
    onShared?: OnStored,
  ): StoredVariant | undefined;

  /**
   * Invalidation (RFC 9111 section 4.4): removes all variants of a URL in all threads, including
   * those being stored.
   */
  remove(domainId: string, key: string): void;

  /**
   * Attaches a value, such as a HotEntry, to a response in memory. `data`: its size in bytes, which
   * counts towards the limit.
   */
  attach(variant: StoredVariant, value: unknown, data: number): void;

  /** Stores the body in another coding. The store takes over the bytes. */
  attachEncoding(variant: StoredVariant, coding: StoredCoding, bytes: Uint8Array): void;

  stats(): CacheStats;

  /** Resolves when all data has been written to files; for tests. */
  flush(): Promise<void>;

  close(): Promise<void>;
}

/** Stores a body that arrives in parts. */
export interface CacheWriter {
  /**
   * The store may keep the bytes: never change them. False: the body is not stored, because it is
   * too large or the disk is too slow; stop pushing.
   */
  push(part: Uint8Array): boolean;
  /**
   * Completes the body. Lookups find a response in memory at once, a response on disk when it is
   * written. A body that differs from its announced length is not stored.
   */
  end(onStored?: OnStored): void;
  /** Discards an incomplete body. */
  abort(): void;
}

/** Reduces the limits of the cache below its settings. */
export interface CacheBounds {
  /** Usable share of the memory, from 0 to 1. */
  readonly memoryShare: number;
  /** Bytes by which the disk cache must shrink. */
  readonly diskExcess: number;
  /** Whether writes to the disk are paused. */
  readonly isDiskPaused: boolean;
}

/** The cache of the node, held by the main thread. */
export interface Cache {
  /** For the edge threads; survives a structured clone. */
  readonly handle: CacheHandle;
  /**
   * When the call returns, no thread serves the purged responses. Resolves when the purge survives
   * a power failure. `id`: a purge that arrives again with the same id does nothing.
   */
  purge(purge: CachePurge, id?: string): Promise<void>;
  /** Shrinks the cache, or lets it grow to its settings again. */
  bound(bounds: CacheBounds): void;
}

/** The data that all threads share. */
export interface CacheHandle {
  /** Seeds of the URL hash. */
  readonly seeds: readonly [number, number];
  /**
   * Fetches that threads share (edge/cache/store/node-flights.ts). Null: there is no disk or one
   * thread.
   */
  readonly flights: SharedArrayBuffer | null;
  /** Counters, and purges and removals for all threads (signals.ts). */
  readonly signals: SharedArrayBuffer;
  /** Null: there is no disk. */
  readonly disk: DiskHandle | null;
  /** Memory of one thread in bytes. */
  readonly memory: number;
  /** Objects with more bytes are stored on disk only. */
  readonly memoryObject: number;
  /** Objects with more bytes are not stored. */
  readonly largestObject: number;
}

export interface DiskHandle {
  readonly folder: string;
  /** Total bytes. */
  readonly limit: number;
  /** The key of the checksums (`saltOf` in entry.ts). */
  readonly secret: number;
  /** The index and the table of segments (disk-index.ts, segment-table.ts). */
  readonly index: SharedArrayBuffer;
  readonly segments: SharedArrayBuffer;
}
