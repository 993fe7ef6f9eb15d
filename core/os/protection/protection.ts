/**
 * Watches memory, descriptors and disk space, and reduces the work of the service before they run
 * out. A higher level applies immediately, a lower level after HOLD.
 */

import { diskFull } from '../../base/disk-full.ts';
import type { UnavailableError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import { formatBytes } from '../../config/index.ts';
import { type DiskSpace, reserveOf } from '../disk-space.ts';
import { releaseMemory } from '../memory.ts';
import {
  DISK,
  DISK_ENTER,
  DISK_LEAVE,
  DISK_NAMES,
  HOLD,
  LOAD,
  LOAD_ENTER,
  LOAD_LEAVE,
  LOAD_NAMES,
  SharedLoad,
  shareLoad,
} from './levels.ts';

/**
 * Authors whose commits can wait like those of accounts: their work is large, and is retried later.
 */
const PATIENT: ReadonlySet<string> = new Set(['secondary', 'catalog', 'settings', 'rotation']);

/** Milliseconds between two readings. */
const INTERVAL = 1000;
/** Milliseconds between two collections of all threads while memory is short. */
const RECLAIM_INTERVAL = 10_000;

/** Bytes that a node uses at rest, at least. */
const AT_REST = 70 * 1024 ** 2;

/** Usage as the kernel reports it; null: unknown. */
interface Usage {
  memory(): number | null;
  descriptors(): number | null;
  disk(): DiskSpace | null;
}

interface Budgets {
  /** Bytes; 0: not watched. */
  readonly memory: number;
  /** 0: not watched. */
  readonly descriptors: number;
  /** Bytes that stay free; 0: not watched; undefined: the default. */
  readonly diskReserve: number | undefined;
}

/** The sizes of the cache while the load or the disk requires less than its settings. */
export interface CacheBounds {
  /** Part of the memory that the cache may use. */
  readonly memoryShare: number;
  /** Bytes that the disk cache must give up now. */
  readonly diskExcess: number;
  /** The disk cache stores no new responses. */
  readonly isDiskPaused: boolean;
}

interface Reading {
  readonly memory: number;
  readonly descriptors: number;
  readonly diskFree: number;
  readonly diskReserve: number;
}

interface ProtectionParts {
  readonly budgets: Budgets;
  readonly usage: Usage;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Returns unused memory of this thread to the system before it returns. */
  readonly release?: () => void;
  /** Returns that of all threads within seconds. */
  readonly reclaim?: () => void;
}

export class Protection {
  /** For the threads of the edge (SharedLoad). */
  readonly shared: SharedArrayBuffer = shareLoad();
  readonly storage = new Storage();
  /** One word: 1 while the store is read-only, for the thread of the statistics. */
  readonly readOnly = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly budgets: Budgets;
  /** The last reading; NaN: not known. */
  reading: Reading = { memory: Number.NaN, descriptors: Number.NaN, diskFree: Number.NaN, diskReserve: Number.NaN };
  readonly #usage: Usage;
  readonly #log: Logger;
  readonly #sharedLoad = new SharedLoad(this.shared);
  readonly #load = new Ladder({ enter: LOAD_ENTER, leave: LOAD_LEAVE, hold: HOLD });
  readonly #disk = new Ladder({
    enter: DISK_ENTER.map((part) => -part),
    leave: DISK_LEAVE.map((part) => -part),
    hold: HOLD,
  });
  readonly #task: Task;
  #boundCache: ((bounds: CacheBounds) => void) | null = null;
  #wasBound = false;

  readonly #release: () => void;
  readonly #reclaim: () => void;
  #reclaimedAt = Number.NEGATIVE_INFINITY;

  constructor({ budgets, usage, tasks, log, release = releaseMemory, reclaim = () => {} }: ProtectionParts) {
    this.budgets = budgets;
    this.#release = release;
    this.#reclaim = reclaim;
    this.#usage = usage;
    this.#log = log;
    this.#task = tasks.add({ name: 'protection', owner: 'node', due: INTERVAL, log, run: () => this.look() });
  }

  /** One of LOAD. */
  get load(): number {
    return this.#load.level;
  }

  /** `bound` is called after each reading while the cache must be smaller than its settings. */
  followCache(bound: (bounds: CacheBounds) => void): void {
    this.#boundCache = bound;
  }

  /** The edge and the peer port refuse connections. */
  get refusesConnections(): boolean {
    return this.load >= LOAD.refuseConnections;
  }

  /** The API refuses requests with large bodies. */
  get refusesLargeBodies(): boolean {
    return this.load >= LOAD.refuseRequests;
  }

  /**
   * How much more memory may be used before connections are refused, in bytes. Collects garbage
   * first if that is less than `wanted`. Infinity: memory is not watched.
   */
  room(wanted: number): number {
    const left = this.#memoryLeft();
    if (left >= wanted) return left;
    this.#release();
    return this.#memoryLeft();
  }

  /** The `room` of a process at rest, at most. */
  get wholeRoom(): number {
    return Math.max(0, this.#usableMemory - AT_REST);
  }

  /** Bytes that the process may use before connections are refused. */
  get #usableMemory(): number {
    const { memory } = this.budgets;
    return memory === 0 ? Number.POSITIVE_INFINITY : memory * LOAD_ENTER[LOAD.refuseConnections - 1];
  }

  #memoryLeft(): number {
    return Math.max(0, this.#usableMemory - (this.#usage.memory() ?? 0));
  }

  start(): void {
    this.look();
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
  }

  /** Reads the usage and updates the levels. `now`: milliseconds of a steady clock. */
  look(now = performance.now()): void {
    const { memory: memoryBudget, descriptors: descriptorBudget } = this.budgets;
    const memory = this.#usage.memory() ?? Number.NaN;
    const descriptors = this.#usage.descriptors() ?? Number.NaN;
    const disk = this.#usage.disk();
    const diskFree = disk?.free ?? Number.NaN;
    const reserve = disk === null ? 0 : reserveOf(disk, this.budgets.diskReserve);
    this.reading = { memory, descriptors, diskFree, diskReserve: reserve };
    this.#lookAtLoad(Math.max(share(memory, memoryBudget), share(descriptors, descriptorBudget)), now);
    this.#reclaimMemory(share(memory, memoryBudget), now);
    this.#lookAtDisk(reserve > 0 ? diskFree / reserve : Number.POSITIVE_INFINITY, now);
    this.#boundCacheTo({ diskFree, diskReserve: reserve });
  }

  /** The active reductions and their reasons, for /readyz. */
  warnings(): string[] {
    const { diskFree, diskReserve, memory, descriptors } = this.reading;
    const warnings: string[] = [];
    if (this.load > LOAD.normal)
      warnings.push(
        `overloaded (${LOAD_NAMES[this.load]}): ${round(memory)} of memory, ${descriptors} open descriptors`,
      );
    if (this.storage.isReadOnly)
      warnings.push(
        `the disk is almost full, so ${this.storage.isFull ? 'nothing is written' : 'writes are refused'}: ${round(diskFree)} are free, the reserve is ${round(diskReserve)}`,
      );
    return warnings;
  }

  #lookAtLoad(used: number, now: number): void {
    const before = this.#load.level;
    const level = this.#load.update(used, now);
    if (level === before) return;
    this.#sharedLoad.set(level);
    const { memory, descriptors } = this.reading;
    const fields = { level: LOAD_NAMES[level], memory: round(memory), descriptors };
    if (level > before) this.#log.warn('overloaded; reducing work', fields);
    else this.#log.info('less load; resuming work', fields);
  }

  /**
   * Threads that refuse work allocate nothing, so V8 would not collect what earlier work left, and
   * the level would never end.
   */
  #reclaimMemory(used: number, now: number): void {
    if (used < LOAD_LEAVE[0] || this.load === LOAD.normal || now - this.#reclaimedAt < RECLAIM_INTERVAL) return;
    this.#reclaimedAt = now;
    this.#reclaim();
  }

  #lookAtDisk(freeParts: number, now: number): void {
    const before = this.#disk.level;
    const level = this.#disk.update(-freeParts, now);
    if (level === before) return;
    this.storage.level = level;
    Atomics.store(new Int32Array(this.readOnly), 0, this.storage.isReadOnly ? 1 : 0);
    const { diskFree, diskReserve } = this.reading;
    const fields = { level: DISK_NAMES[level], free: round(diskFree), reserve: round(diskReserve) };
    if (level > before) this.#log.warn('disk almost full', fields);
    else this.#log.info('disk has more free space', fields);
  }

  #boundCacheTo({ diskFree, diskReserve }: Pick<Reading, 'diskFree' | 'diskReserve'>): void {
    const isBound = this.load > LOAD.normal || this.#disk.level > DISK.normal;
    if (!isBound && !this.#wasBound) return;
    this.#wasBound = isBound;
    const wanted = DISK_ENTER[0] * diskReserve;
    this.#boundCache?.({
      memoryShare: this.load > LOAD.normal ? SMALL_CACHE : 1,
      diskExcess: this.#disk.level > DISK.normal ? Math.max(0, wanted - diskFree) : 0,
      isDiskPaused: this.#disk.level > DISK.normal,
    });
  }
}

/** Share of its memory that the cache keeps under load. */
const SMALL_CACHE = 0.25;

/** The used share of a budget; 0: a value is unknown, or the budget is 0. */
const share = (used: number, budget: number): number => (budget > 0 && used > 0 ? used / budget : 0);

/** Whole megabytes, for people. */
const round = (value: number): string =>
  Number.isNaN(value) ? 'unknown' : formatBytes(Math.floor(value / 1024 ** 2) * 1024 ** 2);

const isPatient = (author: string): boolean => PATIENT.has(author) || /^\d+$/.test(author);

/**
 * Decides which commits a node accepts while its disk is almost full. Below the reserve: only those
 * that keep the service running, such as certificates, signatures and sign-ins. Below a quarter of
 * it: none, since LMDB would fail during a commit.
 *
 * The StorageGuard of the journal.
 */
export class Storage {
  level: number = DISK.normal;

  get isFull(): boolean {
    return this.level >= DISK.full;
  }

  get isReadOnly(): boolean {
    return this.level >= DISK.readOnly;
  }

  /** `author`: CommitRequest.by. Null: the commit is accepted. */
  refusalOf(author: string): UnavailableError | null {
    if (!this.isReadOnly || (!this.isFull && !isPatient(author))) return null;
    return diskFull();
  }
}

interface LadderOptions {
  /** The value at which each level from 1 on is entered, ascending. */
  readonly enter: readonly number[];
  /** The value below which each of these levels is left. */
  readonly leave: readonly number[];
  /** Milliseconds for which the value must stay below it. */
  readonly hold: number;
}

/**
 * Levels of a load with hysteresis: a level is entered at once, and left when the value has stayed
 * below another, lower bound for a while. So a value near a bound does not change the level with
 * every reading.
 */
export class Ladder {
  #level = 0;
  /** The highest level that the value has justified since `#since`. */
  #candidate = 0;
  #since = 0;

  constructor(private readonly options: LadderOptions) {}

  get level(): number {
    return this.#level;
  }

  /** `now`: milliseconds of a clock that never goes back. Returns the level. */
  update(value: number, now: number): number {
    const { enter, leave, hold } = this.options;
    const entered = enter.findLastIndex((bound) => value >= bound) + 1;
    const kept = leave.findLastIndex((bound, i) => i < this.#level && value >= bound) + 1;
    const justified = Math.max(entered, kept);
    if (justified >= this.#level) {
      this.#level = justified;
      this.#candidate = justified;
      this.#since = now;
      return this.#level;
    }
    if (this.#candidate >= this.#level) {
      this.#candidate = justified;
      this.#since = now;
    }
    this.#candidate = Math.max(this.#candidate, justified);
    if (now - this.#since < hold) return this.#level;
    this.#level = this.#candidate;
    this.#candidate = justified;
    this.#since = now;
    return this.#level;
  }
}
