/**
 * The store of a thread. It combines the thread's memory, the node's disk, and the signals of other
 * threads.
 */
import type { ClientMemory } from '../../http/exchange/client-memory.ts';
import type { StoredResponse } from '../stored-response.ts';
import type {
  CacheHandle,
  CacheStats,
  CacheStore,
  CacheWriter,
  DiskHandle,
  OnPurged,
  OnStored,
  StoredCoding,
  StoredHead,
  StoredVariant,
} from './cache-store.ts';
import { Disk } from './disk.ts';
import type { DiskLocation } from './entry.ts';
import { KeyHash } from './key-hash.ts';
import { isSameSelecting, Memory } from './memory.ts';
import { readPurgeLog } from './purge-log.ts';
import { Purges } from './purges.ts';
import { type Listener, Signals } from './signals.ts';
import { newestFirst, Variant } from './variant.ts';
import { BodyWriter, type CollectBudget } from './writer.ts';

const NONE: readonly StoredVariant[] = [];
/** Milliseconds between slices of a sweep, and between polls of the signals of an idle thread. */
const SWEEP_MS = 10;
const LISTEN_MS = 500;
/** Greater than all marks. */
const ANY_MARK = Number.POSITIVE_INFINITY;

/**
 * Opens the store of a thread. Earlier purges come from the purge log, so that they also apply to
 * entries on disk.
 */
export function openCacheStore(handle: CacheHandle, onPurged?: OnPurged): CacheStore {
  return new ThreadStore(handle, onPurged);
}

class ThreadStore implements CacheStore {
  readonly #handle: CacheHandle;
  readonly #signals: Signals;
  readonly #purges = new Purges();
  readonly #hash: KeyHash;
  readonly #memory: Memory;
  readonly #disk: Disk | undefined;
  readonly #listener: Listener;
  /** Disk reads in progress, by domain and URL. */
  readonly #reading = new Map<string, Promise<readonly StoredVariant[]>>();
  readonly #collectBudget: CollectBudget = { bytes: 0 };
  readonly #timer: NodeJS.Timeout;
  #sweep: NodeJS.Timeout | undefined;
  #memoryHits = 0;
  #diskHits = 0;
  #misses = 0;
  #stored = 0;
  #rejected = 0;

  constructor(handle: CacheHandle, onPurged?: OnPurged) {
    this.#handle = handle;
    // Created before the log is read: later purges arrive as signals, earlier ones are in the log.
    this.#signals = new Signals(handle.signals);
    if (handle.disk !== null && readPurgeLog(handle.disk.folder, this.#purges) === undefined)
      this.#purges.raiseFloor(this.#signals.mark());
    this.#hash = new KeyHash(...handle.seeds);
    this.#memory = new Memory(handle.memory, this.#hash, this.#purges);
    this.#disk = handle.disk === null ? undefined : this.#openDisk(handle.disk, handle.memoryObject);
    this.#listener = {
      onPurge: (purge, sequence) => {
        this.#purges.add(purge, sequence);
        if (purge.prefetch === true) onPurged?.(purge, sequence, this.#memory.mostRequested(purge, sequence));
        this.#startSweep();
      },
      onRemoval: (a, b, sequence) => this.#memory.remove(a, b, sequence),
      onReplaced: (a, b) => this.#memory.remove(a, b, ANY_MARK),
      onLost: (sequence) => {
        this.#purges.raiseFloor(sequence);
        this.#memory.clear();
      },
    };
    this.#timer = setInterval(() => {
      this.#signals.poll(this.#listener);
      this.#memory.limitTo(this.#signals.memoryShare);
    }, LISTEN_MS).unref();
  }

  lookup(
    domainId: string,
    key: string,
    memoryOfClient?: ClientMemory,
  ): readonly StoredVariant[] | Promise<readonly StoredVariant[]> {
    this.#signals.poll(this.#listener);
    const memory = this.#memory;
    const found = memory.lookup(domainId, key);
    if (found !== undefined && (this.#disk === undefined || !memory.wasPartial)) {
      this.#memoryHits++;
      return found;
    }
    const location = this.#disk?.find(domainId, key);
    if (location !== undefined) return this.#readFromDisk(domainId, key, location, memoryOfClient);
    if (found === undefined) this.#misses++;
    else this.#memoryHits++;
    return found ?? NONE;
  }

  isVoid(variant: StoredVariant): boolean {
    this.#signals.poll(this.#listener);
    const { response, mark } = variant as Variant;
    return this.#isVoid(response, mark);
  }

  get sharesResponses(): boolean {
    return this.#disk?.acceptsEntries === true;
  }

  mark(): number {
    return this.#signals.mark();
  }

  put(response: StoredResponse, mark: number): Variant | undefined {
    return this.#put(new Variant(response, mark, []));
  }

  write(head: StoredHead, length: number | undefined, mark: number, onShared?: OnStored): CacheWriter | undefined {
    const { largestObject, memoryObject } = this.#handle;
    const disk = this.#disk?.isPaused ? undefined : this.#disk;
    const maxBytes = disk === undefined ? memoryObject : largestObject;
    if (length !== undefined && length > maxBytes) return undefined;
    return new BodyWriter({
      maxBytes,
      length,
      disk,
      budget: this.#collectBudget,
      put: (body, onStored) => this.#put(new Variant({ body, ...head }, mark, []), onStored, onShared),
      finish: (file, onStored) => {
        this.#signals.poll(this.#listener);
        if (disk === undefined || this.#isVoid(head, mark)) {
          this.#rejected++;
          file.abort();
          onStored?.(false);
          onShared?.(false);
          return;
        }
        // The copy in memory is older.
        const { a, b } = this.#hash.of(head.domainId, head.key);
        this.#memory.remove(a, b, ANY_MARK);
        this.#stored++;
        disk.finish(file, head, mark, bothOf(onStored, onShared));
      },
    });
  }

  freshen(
    old: StoredVariant,
    updated: StoredResponse,
    mark: number,
    onStored?: OnStored,
    onShared?: OnStored,
  ): Variant | undefined {
    this.#signals.poll(this.#listener);
    const { response, mark: before, codings } = old as Variant;
    // The stored response was purged before the request that confirmed it.
    if (this.#isVoid(response, before)) {
      this.#rejected++;
      onStored?.(false);
      onShared?.(false);
      return undefined;
    }
    return this.#put(new Variant(updated, mark, codings), onStored, onShared);
  }

  remove(domainId: string, key: string): void {
    const { a, b } = this.#hash.of(domainId, key);
    const sequence = this.#signals.remove(a, b);
    this.#signals.poll(this.#listener);
    const head = { domainId, key, selecting: [], status: 0, headers: [], requestTime: 0, responseTime: 0, tags: [] };
    this.#disk?.remove(head, sequence);
  }

  attach(variant: StoredVariant, value: unknown, data: number): void {
    this.#memory.attach(variant as Variant, value, data);
  }

  attachEncoding(variant: StoredVariant, coding: StoredCoding, bytes: Uint8Array): void {
    const { response, mark, codings } = variant as Variant;
    const { domainId, key, selecting } = response;
    if (response.body.whole === undefined || variant.encoding(coding) !== undefined) return;
    // The response may have been replaced while it was compressed.
    const current = this.#memory
      .lookup(domainId, key)
      ?.find(
        (sibling) =>
          isSameSelecting(sibling.response.selecting, selecting) &&
          sibling.response.responseTime === response.responseTime,
      );
    if (current === undefined || current.mark !== mark || current.response.body.length !== response.body.length) return;
    this.#put(new Variant(response, mark, [...codings, { coding, bytes }]));
  }

  stats(): CacheStats {
    const memory = this.#memory;
    const disk = this.#disk;
    return {
      memoryObjects: memory.count,
      memoryBytes: memory.bytes,
      memoryLimit: memory.limit,
      diskObjects: disk?.count ?? 0,
      diskBytes: disk?.bytes ?? 0,
      diskLimit: disk?.limit ?? 0,
      hits: { memory: this.#memoryHits, disk: this.#diskHits },
      misses: this.#misses,
      stored: this.#stored,
      evicted: memory.evicted,
      purged: memory.purged + this.#rejected,
      damaged: disk?.damaged ?? 0,
      unwritten: disk?.unwritten ?? 0,
    };
  }

  async flush(): Promise<void> {
    await this.#disk?.flush();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#sweep);
    await this.#disk?.close();
  }

  #openDisk(handle: DiskHandle, memoryObject: number): Disk {
    return new Disk(handle, this.#hash, this.#signals, memoryObject, (a, b) => this.#memory.remove(a, b, ANY_MARK));
  }

  #put(variant: Variant, onStored?: OnStored, onShared?: OnStored): Variant | undefined {
    this.#signals.poll(this.#listener);
    const { response, mark, codings } = variant;
    const { memoryObject, largestObject } = this.#handle;
    const isVoid = this.#isVoid(response, mark);
    if (isVoid) this.#rejected++;
    if (isVoid || response.body.length > largestObject) {
      onStored?.(false);
      onShared?.(false);
      return undefined;
    }
    this.#stored++;
    const { domainId, key, body, selecting } = response;
    // The memory may lack some variants of the URL that the disk has.
    const isPartial =
      this.#disk !== undefined &&
      this.#memory.isPartial(domainId, key) &&
      this.#disk.find(domainId, key) !== undefined &&
      (selecting.length > 0 || !this.#disk.hasSingleEntry(domainId, key));
    const isSmall = body.whole !== undefined && body.length <= memoryObject;
    const inMemory = isSmall ? this.#memory.put(response, mark, codings) : undefined;
    if (inMemory === undefined) this.#memory.drop(response);
    if (isPartial || (inMemory === undefined && this.#disk !== undefined)) this.#memory.setPartial(domainId, key, true);
    if (inMemory === undefined && this.#disk !== undefined)
      this.#disk.put(response, mark, codings, bothOf(onStored, onShared));
    else {
      if (this.#disk === undefined) onShared?.(false);
      else this.#disk.put(response, mark, codings, onShared);
      onStored?.(inMemory !== undefined);
    }
    return inMemory;
  }

  #isVoid({ domainId, key, tags }: StoredHead, mark: number): boolean {
    const { a } = this.#hash.of(domainId, key);
    return this.#signals.removedAt(a) > mark || this.#purges.covers(domainId, key, tags, mark);
  }

  /**
   * Reads once for all concurrent lookups of a URL. The first client's account is charged until the
   * end of the read.
   */
  #readFromDisk(
    domainId: string,
    key: string,
    location: DiskLocation,
    client: ClientMemory | undefined,
  ): Promise<readonly StoredVariant[]> {
    const readKey = `${domainId} ${key}`;
    const pending = this.#reading.get(readKey);
    if (pending !== undefined) return pending;
    const bytes = Math.min(this.#handle.memoryObject, client?.most ?? 0);
    if (client !== undefined && !client.take(bytes)) return this.#readWhenAllowed(domainId, key, client);
    const reading = this.#readOnce(domainId, key, location).finally(() => {
      this.#reading.delete(readKey);
      client?.release(bytes);
    });
    this.#reading.set(readKey, reading);
    return reading;
  }

  /** Looks up again when the client's network has memory left. */
  async #readWhenAllowed(domainId: string, key: string, client: ClientMemory): Promise<readonly StoredVariant[]> {
    await new Promise<void>((onMemory) => client.waitFor({ onMemory }));
    return this.lookup(domainId, key, client);
  }

  async #readOnce(domainId: string, key: string, location: DiskLocation): Promise<readonly StoredVariant[]> {
    const markBefore = this.#signals.mark();
    const read = await this.#disk!.read(domainId, key, location);
    this.#signals.poll(this.#listener);
    const current = this.#disk!.find(domainId, key);
    // The entry was replaced during the read, so its old version must not be copied to memory.
    if (current !== undefined && !isSameEntry(current, location)) return this.#readOnce(domainId, key, current);
    const { a } = this.#hash.of(domainId, key);
    // The URL was removed during the read.
    const isRemoved = this.#signals.removedAt(a) > markBefore;
    const valid = isRemoved ? [] : read.filter((variant) => !this.#isPurged(variant));
    const inMemory = this.#memory.lookup(domainId, key) ?? [];
    const onDisk = valid.filter(
      (variant) => !inMemory.some((present) => isSameSelecting(present.response.selecting, variant.response.selecting)),
    );
    if (onDisk.length > 0) this.#diskHits++;
    else if (inMemory.length > 0) this.#memoryHits++;
    else this.#misses++;
    const { response, mark, codings } = onDisk[0] ?? {};
    // A requested entry in an old segment is written again, unless it has a separate file.
    if (onDisk.length === 1 && response.body.whole !== undefined && this.#disk!.isOld(location))
      this.#disk!.put(response, mark, codings);
    if (valid.length === read.length && !isRemoved) this.#copyToMemory(domainId, key, onDisk, inMemory);
    return newestFirst([...inMemory, ...onDisk]);
  }

  /** Copies variants to memory, the oldest first. Variants already in memory are newer. */
  #copyToMemory(domainId: string, key: string, onDisk: readonly Variant[], inMemory: readonly Variant[]): void {
    const { memoryObject } = this.#handle;
    let isPartial = false;
    for (const variant of [...inMemory, ...onDisk].reverse()) {
      const isSmall = variant.response.body.whole !== undefined && variant.response.body.length <= memoryObject;
      if (!isSmall || this.#memory.put(variant.response, variant.mark, variant.codings) === undefined) isPartial = true;
    }
    this.#memory.setPartial(domainId, key, isPartial);
  }

  #isPurged({ response, mark }: Variant): boolean {
    return this.#purges.covers(response.domainId, response.key, response.tags, mark);
  }

  /** Frees purged entries in memory, a slice at a time, in one pass over all entries. */
  #startSweep(): void {
    this.#memory.startSweep();
    this.#sweep ??= setInterval(() => {
      if (this.#memory.sweep()) return;
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    }, SWEEP_MS).unref();
  }
}

function bothOf(onStored: OnStored | undefined, onShared: OnStored | undefined): OnStored | undefined {
  if (onShared === undefined) return onStored;
  return (isStored) => {
    onStored?.(isStored);
    onShared(isStored);
  };
}

const isSameEntry = (left: DiskLocation, right: DiskLocation): boolean =>
  left.segment === right.segment && left.offset === right.offset;
