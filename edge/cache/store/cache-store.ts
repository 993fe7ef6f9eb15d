/**
 * Where the cache keeps responses, as the flow of the cache sees it. The main thread opens the cache of the node (node-cache.ts: `openCache`), and purges it; each thread of the edge opens
 * its store from the handle that main gives it (store.ts: `openCacheStore`). A thread has its own memory; the disk and the purges are one for all.
 *
 *     lookup ─► memory (at once) ─► disk (a promise)          mark ─► request to the origin ─► put / write, with that mark
 *
 * What was purged or removed is never given again, from the moment that the call has returned, in any thread. What was requested from the origin before a purge (its
 * mark is older) is not kept after it. Nothing here throws for what lies on the disk or for a disk that fails: that is a miss.
 */
import type { ClientMemory } from '../../http/exchange/client-memory.ts';
import type { StoredResponse } from '../stored-response.ts';

/** Codings that the edge makes by itself. */
export type StoredCoding = 'br' | 'gzip' | 'zstd';

/** A response that is kept, as a lookup gives it. Good for the exchange at hand; ask again for the next one. */
export interface StoredVariant {
  readonly response: StoredResponse;
  /** What `attach` left here: gone when the response leaves the memory or is freshened. */
  readonly attached: unknown;
  /** Asked for often enough to be held as an object: what is attached is there the next time. With others it is lost, so don't make it for them. */
  readonly isHot: boolean;
  /** The body in a coding that `attachEncoding` brought. */
  encoding(coding: StoredCoding): Uint8Array | undefined;
}

/** All of a StoredResponse but its body. */
export type StoredHead = Omit<StoredResponse, 'body'>;

/** What is to be forgotten; all three lists empty: all of the domain. In the forms of core/store/rows/proxies.ts. */
export interface CachePurge {
  readonly domainId: string;
  /** `https://www.example.com/a?b` */
  readonly urls: readonly string[];
  /** `www.example.com/news/`, of both schemes. */
  readonly prefixes: readonly string[];
  readonly tags: readonly string[];
}

/** Of one thread, but for what lies on the disk, which is the node's. */
export interface CacheStats {
  readonly memoryObjects: number;
  /** With all that goes with the objects. */
  readonly memoryBytes: number;
  readonly memoryLimit: number;
  /** Entries that the index of the disk knows. */
  readonly diskObjects: number;
  readonly diskBytes: number;
  readonly diskLimit: number;
  readonly hits: { readonly memory: number; readonly disk: number };
  readonly misses: number;
  readonly stored: number;
  /** Left the memory for want of room. */
  readonly evicted: number;
  /** Dropped since a purge or a removal forbade it. */
  readonly purged: number;
  /** On the disk: failed its checksum, or could not be read. */
  readonly damaged: number;
  /** Not written to the disk, since it failed or was too slow. */
  readonly unwritten: number;
}

export interface CacheStore {
  /**
   * All that is kept of a URL (`StoredResponse.key`) and not purged, the newest first, fresh or not: an array when it is in memory or nowhere, else a promise, which
   * never rejects. At most 32. `memory`: the account of the client who waits; nothing is read from the disk for a client whose network holds its share.
   */
  lookup(
    domainId: string,
    key: string,
    memory?: ClientMemory,
  ): readonly StoredVariant[] | Promise<readonly StoredVariant[]>;

  /** Whether a variant that was looked up earlier has been purged or removed since. */
  isVoid(variant: StoredVariant): boolean;

  /** To be taken before a request is sent to the origin, and given with its response. */
  mark(): number;

  /**
   * Keeps a whole response in place of the one with the same `selecting`. Undefined: it is not kept, or not in memory. `body.whole` must be there, or come by `slice`
   * soon.
   */
  put(response: StoredResponse, mark: number): StoredVariant | undefined;

  /** Keeps a response whose body comes in parts; `length`: what content-length said. Undefined: it would be too large. */
  write(head: StoredHead, length: number | undefined, mark: number): CacheWriter | undefined;

  /** After a 304: `updated` has the new fields and times and the body of `old`. Codings of the body stay; what was attached goes. */
  freshen(old: StoredVariant, updated: StoredResponse, mark: number): StoredVariant | undefined;

  /** Invalidation (RFC 9111 section 4.4): all variants of a URL, in all threads, and what is under way for it. */
  remove(domainId: string, key: string): void;

  /** Leaves something with a response that is in memory, such as a ReadyAnswer; `bytes`: what it takes, which is counted. */
  attach(variant: StoredVariant, value: unknown, data: number): void;

  /** Keeps the body in another coding. The bytes are the store's. */
  attachEncoding(variant: StoredVariant, coding: StoredCoding, bytes: Uint8Array): void;

  stats(): CacheStats;

  /** All that was put is on its way to the system: for tests. */
  flush(): Promise<void>;

  close(): Promise<void>;
}

/** A body on its way into the cache. */
export interface CacheWriter {
  /** The bytes may be kept, so they must not change any more. False: it is not kept any more (too large, or the disk is too slow); don't bring more. */
  push(part: Uint8Array): boolean;
  /** All has come. Undefined: not kept, or not in memory. A length that was announced and does not hold: not kept. */
  end(): StoredVariant | undefined;
  /** It broke off: nothing is kept. */
  abort(): void;
}

/** The cache of the node, held by main. */
export interface Cache {
  /** For the threads; survives a structured clone. */
  readonly handle: CacheHandle;
  /**
   * Once it has returned, no thread gives what was purged: no message to threads is needed. Resolves when a loss of power does not undo it. `id`: of a purge that
   * may be told twice; the second time it does nothing.
   */
  purge(purge: CachePurge, id?: string): Promise<void>;
}

/** What threads share. */
export interface CacheHandle {
  /** Of the hash of URLs. */
  readonly seeds: readonly [number, number];
  /** Counters, purges and removals on their way to all threads (signals.ts). */
  readonly signals: SharedArrayBuffer;
  /** Null: there is no disk. */
  readonly disk: DiskHandle | null;
  /** Bytes of memory of one thread. */
  readonly memory: number;
  /** Objects with more bytes are kept on disk only. */
  readonly memoryObject: number;
  /** Objects with more bytes are not kept. */
  readonly largestObject: number;
}

export interface DiskHandle {
  readonly folder: string;
  /** Bytes in all. */
  readonly limit: number;
  /** Of the checksums (entry.ts, `saltOf`). */
  readonly secret: number;
  /** The index and the table of segments (disk-index.ts, segment-table.ts). */
  readonly index: SharedArrayBuffer;
  readonly segments: SharedArrayBuffer;
}
