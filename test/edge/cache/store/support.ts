/** Responses, caches and stores for the tests of the cache's store. */
import type { Cache, CacheStore, StoredVariant } from '../../../../edge/cache/store/cache-store.ts';
import { type CacheOptions, openCache } from '../../../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../../../edge/cache/store/store.ts';
import type { StoredBody, StoredResponse } from '../../../../edge/cache/stored-response.ts';

export const KB = 1024;
export const MB = 1024 * KB;
export const DOMAIN = '00000000000000a1';

export function bodyOf(whole: Uint8Array): StoredBody {
  return { length: whole.length, whole, slice: (from, to) => whole.subarray(from, to) };
}

/** Bytes that differ at each position and for each seed. */
export function filler(length: number, seed: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let x = seed * 2654435761 + 1;
  for (let i = 0; i < length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) | 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
}

let time = 1_800_000_000_000;

export function response(key: string, body: Uint8Array | string, more: Partial<StoredResponse> = {}): StoredResponse {
  time += 1000;
  return {
    domainId: DOMAIN,
    key,
    selecting: [],
    status: 200,
    headers: ['content-type', 'text/plain', 'etag', `"${time}"`, 'x-latin', 'caf\u00e9'],
    requestTime: time,
    responseTime: time + 5,
    tags: [],
    body: bodyOf(typeof body === 'string' ? Buffer.from(body) : body),
    ...more,
  };
}

/** Opens the cache of a node. `disk`: bytes; 0: none. */
export function cache(folder: string, more: Partial<CacheOptions> = {}): Promise<Cache> {
  return openCache({
    folder,
    memory: 4 * MB,
    threads: 1,
    disk: 64 * MB,
    memoryObject: 256 * KB,
    largestObject: 16 * MB,
    ...more,
  });
}

export const store = (from: Cache): CacheStore => openCacheStore(from.handle);

/** All bytes of a body; undefined: unreadable. */
export async function bytesOf(body: StoredBody): Promise<Buffer | undefined> {
  if (body.whole !== undefined) return Buffer.from(body.whole);
  const parts: Uint8Array[] = [];
  try {
    for (let at = 0; at < body.length; at += 256 * KB)
      parts.push(await body.slice(at, Math.min(body.length, at + 256 * KB)));
  } catch {
    return undefined;
  }
  return Buffer.concat(parts);
}

/** The comparable parts of a variant. */
export async function shown({ response: stored }: StoredVariant): Promise<unknown> {
  const { body, ...head } = stored;
  return { ...head, body: (await bytesOf(body))?.toString('latin1') };
}

export async function found(
  from: CacheStore,
  key: string,
  domainId: string = DOMAIN,
): Promise<readonly StoredVariant[]> {
  return await from.lookup(domainId, key);
}
