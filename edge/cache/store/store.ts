/** The store of a thread: its memory, the node's disk, and what other threads say, put together. */
import type { ClientMemory } from '../../http/exchange/client-memory.ts';
import type { StoredResponse } from '../stored-response.ts';
import type {
  CacheHandle,
  CacheStats,
  CacheStore,
  CacheWriter,
  DiskHandle,
  StoredCoding,
  StoredHead,
  StoredVariant,
} from './cache-store.ts';
import { Disk } from './disk.ts';
import type { DiskPlace } from './entry.ts';
import { KeyHash } from './key-hash.ts';
import { isSame, Memory } from './memory.ts';
import { readPurgeLog } from './purge-log.ts';
import { Purges } from './purges.ts';
import { type Listener, Signals } from './signals.ts';
import { newestFirst, Variant } from './variant.ts';
import { BodyWriter, type Room } from './writer.ts';

const NONE: readonly StoredVariant[] = [];
/** Milliseconds between slices of a sweep, and between looks at what others say when nobody asks for anything. */
const SWEEP_MS = 10;
const LISTEN_MS = 500;
/** Greater than all marks. */
const ALL = Number.POSITIVE_INFINITY;

/** For one thread. What was purged before is read from the log of purges, so that nothing that it finds on the disk was. */
export function openCacheStore(handle: CacheHandle): CacheStore {
  return new ThreadStore(handle);
}

class ThreadStore implements CacheStore {
  readonly #handle: CacheHandle;
  readonly #signals: Signals;
  readonly #purges = new Purges();
  readonly #hash: KeyHash;
  readonly #memory: Memory;
  readonly #disk: Disk | undefined;
  readonly #listener: Listener;
  /** Reads of the disk that are under way, by URL and domain. */
  readonly #reading = new Map<string, Promise<readonly StoredVariant[]>>();
  readonly #room: Room = { bytes: 0 };
  readonly #timer: NodeJS.Timeout;
  #sweep: NodeJS.Timeout | undefined;
  #memoryHits = 0;
  #diskHits = 0;
  #misses = 0;
  #stored = 0;
  #refused = 0;

  constructor(handle: CacheHandle) {
    this.#handle = handle;
    // Listens first: what is purged from here on is heard, and what was before is in the log.
    this.#signals = new Signals(handle.signals);
    if (handle.disk !== null && readPurgeLog(handle.disk.folder, this.#purges) === undefined)
      this.#purges.raiseFloor(this.#signals.mark());
    this.#hash = new KeyHash(...handle.seeds);
    this.#memory = new Memory(handle.memory, this.#hash, this.#purges);
    this.#disk = handle.disk === null ? undefined : this.#openDisk(handle.disk, handle.memoryObject);
    this.#listener = {
      onPurge: (purge, sequence) => {
        this.#purges.add(purge, sequence);
        this.#startSweep();
      },
      onRemoval: (a, b, sequence) => this.#memory.remove(a, b, sequence),
      onReplaced: (a, b) => this.#memory.remove(a, b, ALL),
      onLost: (sequence) => {
        this.#purges.raiseFloor(sequence);
        this.#memory.clear();
      },
    };
    this.#timer = setInterval(() => this.#signals.poll(this.#listener), LISTEN_MS).unref();
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
    const place = this.#disk?.find(domainId, key);
    if (place !== undefined) return this.#read(domainId, key, place, memoryOfClient);
    if (found === undefined) this.#misses++;
    else this.#memoryHits++;
    return found ?? NONE;
  }

  isVoid(variant: StoredVariant): boolean {
    this.#signals.poll(this.#listener);
    const { response, mark } = variant as Variant;
    return this.#isGone(response, mark);
  }

  mark(): number {
    return this.#signals.mark();
  }

  put(response: StoredResponse, mark: number): Variant | undefined {
    return this.#put(new Variant(response, mark, []));
  }

  write(head: StoredHead, length: number | undefined, mark: number): CacheWriter | undefined {
    const { largestObject, memoryObject } = this.#handle;
    const disk = this.#disk;
    const largest = disk === undefined ? memoryObject : largestObject;
    if (length !== undefined && length > largest) return undefined;
    return new BodyWriter({
      ...{ largest, length, disk, room: this.#room },
      put: (body) => this.put({ ...head, body }, mark),
      finish: (file) => {
        this.#signals.poll(this.#listener);
        if (this.#isGone(head, mark)) {
          this.#refused++;
          file.abort();
          return;
        }
        // What memory has of it is older.
        const { a, b } = this.#hash.of(head.domainId, head.key);
        this.#memory.remove(a, b, ALL);
        this.#stored++;
        disk?.finish(file, head, mark);
      },
    });
  }

  freshen(old: StoredVariant, updated: StoredResponse, mark: number): Variant | undefined {
    this.#signals.poll(this.#listener);
    const { response, mark: before, codings } = old as Variant;
    // It was found, and purged before the request was sent that confirmed it.
    if (this.#isGone(response, before)) {
      this.#refused++;
      return undefined;
    }
    return this.#put(new Variant(updated, mark, codings));
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
    // Only if it is still what is kept: it may have been replaced while it was compressed.
    const kept = this.#memory
      .lookup(domainId, key)
      ?.find((one) => isSame(one.response.selecting, selecting) && one.response.responseTime === response.responseTime);
    if (kept === undefined || kept.mark !== mark || kept.response.body.length !== response.body.length) return;
    this.#put(new Variant(response, mark, [...codings, { coding, bytes }]));
  }

  stats(): CacheStats {
    const memory = this.#memory;
    const disk = this.#disk;
    return {
      ...{ memoryObjects: memory.count, memoryBytes: memory.bytes, memoryLimit: memory.limit },
      ...{ diskObjects: disk?.count ?? 0, diskBytes: disk?.bytes ?? 0, diskLimit: disk?.limit ?? 0 },
      hits: { memory: this.#memoryHits, disk: this.#diskHits },
      ...{ misses: this.#misses, stored: this.#stored },
      ...{ evicted: memory.evicted, purged: memory.purged + this.#refused },
      ...{ damaged: disk?.damaged ?? 0, unwritten: disk?.unwritten ?? 0 },
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
    return new Disk(handle, this.#hash, this.#signals, memoryObject, (a, b) => this.#memory.remove(a, b, ALL));
  }

  #put(variant: Variant): Variant | undefined {
    this.#signals.poll(this.#listener);
    const { response, mark, codings } = variant;
    const { memoryObject, largestObject } = this.#handle;
    if (this.#isGone(response, mark)) {
      this.#refused++;
      return undefined;
    }
    if (response.body.length > largestObject) return undefined;
    this.#stored++;
    const { domainId, key, body, selecting } = response;
    // Memory alone does not know all variants of a URL of which it had none, or only some.
    const isPartial =
      this.#disk !== undefined &&
      this.#memory.isPartial(domainId, key) &&
      this.#disk.find(domainId, key) !== undefined &&
      (selecting.length > 0 || !this.#disk.isAlone(domainId, key));
    const isSmall = body.whole !== undefined && body.length <= memoryObject;
    const kept = isSmall ? this.#memory.put(response, mark, codings) : undefined;
    if (kept === undefined) this.#memory.drop(response);
    if (isPartial || (kept === undefined && this.#disk !== undefined)) this.#memory.setPartial(domainId, key, true);
    this.#disk?.put(response, mark, codings);
    return kept;
  }

  #isGone({ domainId, key, tags }: StoredHead, mark: number): boolean {
    const { a } = this.#hash.of(domainId, key);
    return this.#signals.removedAt(a) > mark || this.#purges.covers(domainId, key, tags, mark);
  }

  /** Once for all who ask for it meanwhile. Who is the first pays for it until it is here. */
  #read(
    domainId: string,
    key: string,
    place: DiskPlace,
    client: ClientMemory | undefined,
  ): Promise<readonly StoredVariant[]> {
    const name = `${domainId} ${key}`;
    const known = this.#reading.get(name);
    if (known !== undefined) return known;
    const bytes = Math.min(this.#handle.memoryObject, client?.most ?? 0);
    if (client !== undefined && !client.take(bytes)) return this.#readLater(domainId, key, client);
    const reading = this.#readOnce(domainId, key, place).finally(() => {
      this.#reading.delete(name);
      client?.release(bytes);
    });
    this.#reading.set(name, reading);
    return reading;
  }

  /** When the client's network has room. */
  async #readLater(domainId: string, key: string, client: ClientMemory): Promise<readonly StoredVariant[]> {
    await new Promise<void>((onMemory) => client.waitFor({ onMemory }));
    return this.lookup(domainId, key, client);
  }

  async #readOnce(domainId: string, key: string, place: DiskPlace): Promise<readonly StoredVariant[]> {
    const before = this.#signals.mark();
    const read = await this.#disk!.read(domainId, key, place);
    this.#signals.poll(this.#listener);
    const { a } = this.#hash.of(domainId, key);
    // Removed while it was read.
    const isRemoved = this.#signals.removedAt(a) > before;
    const good = isRemoved ? [] : read.filter((one) => !this.#isPurged(one));
    const here = this.#memory.lookup(domainId, key) ?? [];
    const more = good.filter((one) => !here.some((other) => isSame(other.response.selecting, one.response.selecting)));
    if (more.length > 0) this.#diskHits++;
    else if (here.length > 0) this.#memoryHits++;
    else this.#misses++;
    const { response, mark, codings } = more[0] ?? {};
    // What would be given up soon is asked for: it is written again. A file of its own is not.
    if (more.length === 1 && response.body.whole !== undefined && this.#disk!.isOld(place))
      this.#disk!.put(response, mark, codings);
    if (good.length === read.length && !isRemoved) this.#remember(domainId, key, more, here);
    return newestFirst([...here, ...more]);
  }

  /** Into memory, the oldest first; what lies there already is newer. */
  #remember(domainId: string, key: string, more: readonly Variant[], here: readonly Variant[]): void {
    const { memoryObject } = this.#handle;
    let isPartial = false;
    for (const one of [...here, ...more].reverse()) {
      const isSmall = one.response.body.whole !== undefined && one.response.body.length <= memoryObject;
      if (!isSmall || this.#memory.put(one.response, one.mark, one.codings) === undefined) isPartial = true;
    }
    this.#memory.setPartial(domainId, key, isPartial);
  }

  #isPurged({ response, mark }: Variant): boolean {
    return this.#purges.covers(response.domainId, response.key, response.tags, mark);
  }

  /** What purges left in memory is freed, a slice at a time, one round. */
  #startSweep(): void {
    this.#memory.startSweep();
    this.#sweep ??= setInterval(() => {
      if (this.#memory.sweep()) return;
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    }, SWEEP_MS).unref();
  }
}
