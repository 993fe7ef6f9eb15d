/**
 * Counts on disk. The counts of a period are in one or more parts, each written once and never
 * changed: sorted blocks (blocks.ts). A reader adds up the parts. A longer period is merged from
 * the parts of the shorter ones in it.
 */

import { type Block, BlockWriter, blockKey, decodeBlock, findInBlock, isSameRun } from './blocks.ts';
import { type CountEntry, compareSubjects, mergeEntries } from './counts.ts';
import { MARGIN, periodStart, type StatisticsFile, TIERS } from './tiers.ts';

/** Blocks that a merge reads from a part at a time. */
const READ_AHEAD = 64;
/** Bytes of blocks that a merge keeps in memory until they are written. */
const MAX_PENDING = 8 << 20;
/** Milliseconds of merging before other work of the thread runs. */
const MAX_BUSY = 5;
const MAX_PARTS = 0xffff;
/** Disk space of a block relative to its bytes: its node in a page, and the unused end of pages. */
const OVERHEAD = 1.1;

interface Part {
  readonly number: number;
  readonly bytes: number;
  readonly isComplete: boolean;
}

/** Yields to the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class StatisticsStore {
  /** Of each tier: time of a period ─► its parts. */
  readonly #parts: readonly Map<number, Part[]>[];
  #bytes = 0;

  constructor(private readonly file: StatisticsFile) {
    this.#parts = TIERS.map(() => new Map<number, Part[]>());
    for (const { key, value } of file.parts.getRange({})) {
      const [tier, time] = [(key as Buffer)[0], (key as Buffer).readUInt32BE(1)];
      const part = {
        number: (key as Buffer).readUInt16BE(5),
        bytes: value.readUIntBE(0, 6),
        isComplete: value[6] === 1,
      };
      this.#remember(tier, time, part);
    }
    // Deletes the parts of interrupted merges.
    this.#parts.forEach((periods, tier) => {
      for (const [time, parts] of periods) if (parts.some((part) => !part.isComplete)) this.#delete(tier, time);
    });
  }

  /** Approximate disk space of all counts. */
  get bytes(): number {
    return Math.round(this.#bytes * OVERHEAD);
  }

  /** The last minute that has counts; 0: there are none. */
  get lastMinute(): number {
    return Math.max(0, ...this.#parts[0].keys());
  }

  /** The first period of a tier that has counts; undefined: there is none. */
  firstPeriod(tier: number): number | undefined {
    return this.#parts[tier].size === 0 ? undefined : Math.min(...this.#parts[tier].keys());
  }

  has(tier: number, time: number): boolean {
    return this.#parts[tier].get(time)?.every(({ isComplete }) => isComplete) ?? false;
  }

  /** Adds counts of a minute. `entries` are in order. */
  writeMinute(time: number, entries: readonly CountEntry[]): void {
    if (entries.length === 0) return;
    const writer = new BlockWriter(time, this.#nextPart(0, time));
    for (const entry of entries) writer.add(entry);
    writer.finish();
    this.file.root.transactionSync(() => this.#write(0, time, writer, true));
  }

  /** Passes the entries of a subject in one period of a tier to `receive`. */
  read(tier: number, time: number, kind: number, id: number, receive: (entry: CountEntry) => void): void {
    for (const { number } of this.#parts[tier].get(time) ?? []) {
      const start = blockKey(time, number, kind, id);
      for (const { key, value } of this.file.tiers[tier].getRange({ start, reverse: true, limit: 1 })) {
        if (!isSameRun(key as Buffer, start)) break;
        const entry = findInBlock({ key: key as Buffer, value }, id);
        if (entry !== null) receive(entry);
      }
    }
  }

  /** Merges every period that ended before `minute` and is not merged yet. */
  async mergeFinished(minute: number, isStopping: () => boolean): Promise<void> {
    for (let tier = 1; tier < TIERS.length; tier++) {
      const { period, kept } = TIERS[tier];
      const due = new Set<number>();
      for (const time of this.#parts[tier - 1].keys()) {
        const start = periodStart(time, period);
        if (start + period <= minute && start > minute - kept && !this.has(tier, start)) due.add(start);
      }
      for (const start of [...due].sort((a, b) => a - b)) {
        if (isStopping()) return;
        await this.#merge(tier, start, isStopping);
      }
    }
  }

  /** Deletes expired counts, and the oldest counts while the total exceeds `maxBytes`. */
  async expire(minute: number, maxBytes: number): Promise<void> {
    for (const [tier, { period, kept }] of TIERS.entries())
      for (const time of [...this.#parts[tier].keys()].sort((a, b) => a - b)) {
        if (time + period > minute - kept - MARGIN) break;
        this.#delete(tier, time);
        await turn();
      }
    while (this.bytes > maxBytes) {
      const [oldest] = this.#parts
        .flatMap((_, tier) => ({ tier, time: this.firstPeriod(tier) ?? Number.POSITIVE_INFINITY }))
        .sort((a, b) => a.time - b.time || b.tier - a.tier);
      if (oldest.time === Number.POSITIVE_INFINITY) return;
      this.#delete(oldest.tier, oldest.time);
      await turn();
    }
  }

  async close(): Promise<void> {
    await this.file.root.close();
  }

  async #merge(tier: number, start: number, isStopping: () => boolean): Promise<void> {
    const { root } = this.file;
    this.#delete(tier, start);
    const sources: PartReader[] = [];
    for (let time = start; time < start + TIERS[tier].period; time += TIERS[tier - 1].period)
      for (const { number } of this.#parts[tier - 1].get(time) ?? [])
        sources.push(new PartReader(this.file, tier - 1, time, number));
    let writer = new BlockWriter(start, 0);
    let since = performance.now();
    for (let merged = nextMerged(sources); merged !== null; merged = nextMerged(sources)) {
      writer.add(merged);
      if (writer.bytes > MAX_PENDING) {
        writer.finish();
        const full = writer;
        root.transactionSync(() => this.#write(tier, start, full, false));
        writer = new BlockWriter(start, this.#nextPart(tier, start));
      }
      if (performance.now() - since < MAX_BUSY) continue;
      await turn();
      // The parts of an unfinished merge are deleted at the next start.
      if (isStopping()) return;
      since = performance.now();
    }
    writer.finish();
    root.transactionSync(() => {
      this.#write(tier, start, writer, true);
      const parts = (this.#parts[tier].get(start) ?? []).map((part) => ({ ...part, isComplete: true }));
      for (const part of parts) this.#putPart(tier, start, part);
      this.#parts[tier].set(start, parts);
    });
  }

  /** In a transaction. */
  #write(tier: number, time: number, { blocks, bytes }: BlockWriter, isComplete: boolean): void {
    // Appending fills pages completely.
    const options = { append: [...this.#parts[tier].keys()].every((other) => other <= time) };
    for (const { key, value } of blocks) this.file.tiers[tier].putSync(key, value, options);
    const part = { number: blocks[0]?.key.readUInt16BE(4) ?? 0, bytes, isComplete };
    this.#putPart(tier, time, part);
    this.#remember(tier, time, part);
  }

  #putPart(tier: number, time: number, { number, bytes, isComplete }: Part): void {
    const value = Buffer.alloc(7);
    value.writeUIntBE(bytes, 0, 6);
    value[6] = isComplete ? 1 : 0;
    this.file.parts.put(partKey(tier, time, number), value);
  }

  #remember(tier: number, time: number, part: Part): void {
    const parts = this.#parts[tier].get(time);
    if (parts === undefined) this.#parts[tier].set(time, [part]);
    else parts.push(part);
    this.#bytes += part.bytes;
  }

  #nextPart(tier: number, time: number): number {
    const number = this.#parts[tier].get(time)?.length ?? 0;
    if (number > MAX_PARTS) throw new RangeError('too many parts of statistics in one period');
    return number;
  }

  #delete(tier: number, time: number): void {
    const parts = this.#parts[tier].get(time);
    if (parts === undefined) return;
    const { root, tiers, parts: partTable } = this.file;
    root.transactionSync(() => {
      const [start, end] = [blockKey(time, 0, 0, 0), blockKey(time + 1, 0, 0, 0)];
      for (const key of [...tiers[tier].getKeys({ start, end })]) tiers[tier].remove(key as Buffer);
      for (const { number } of parts) partTable.remove(partKey(tier, time, number));
    });
    this.#parts[tier].delete(time);
    for (const { bytes } of parts) this.#bytes -= bytes;
  }
}

function partKey(tier: number, time: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(7);
  key[0] = tier;
  key.writeUInt32BE(time, 1);
  key.writeUInt16BE(number, 5);
  return key;
}

/** The entries of all sources with the lowest subject, merged; null: all have ended. */
function nextMerged(sources: readonly PartReader[]): CountEntry | null {
  let lowest: CountEntry | null = null;
  for (const { current } of sources)
    if (current !== null && (lowest === null || compareSubjects(current, lowest) < 0)) lowest = current;
  if (lowest === null) return null;
  const equal: CountEntry[] = [];
  for (const source of sources) {
    const { current } = source;
    if (current === null || compareSubjects(current, lowest) !== 0) continue;
    equal.push(current);
    source.advance();
  }
  return mergeEntries(equal);
}

/** The entries of a part in order, read some blocks at a time. */
class PartReader {
  current: CountEntry | null = null;
  readonly #end: Buffer;
  #next: Buffer;
  #blocks: Block[] = [];
  #entries: CountEntry[] = [];
  #position = 0;

  constructor(
    private readonly file: StatisticsFile,
    private readonly tier: number,
    time: number,
    number: number,
  ) {
    this.#next = blockKey(time, number, 0, 0);
    this.#end = blockKey(time, number, 255, 0);
    this.advance();
  }

  advance(): void {
    while (this.#position === this.#entries.length) {
      const block = this.#blocks.shift() ?? this.#readBlocks();
      if (block === undefined) {
        this.current = null;
        return;
      }
      this.#entries = decodeBlock(block);
      this.#position = 0;
    }
    this.current = this.#entries[this.#position++];
  }

  #readBlocks(): Block | undefined {
    const range = { start: this.#next, end: this.#end, limit: READ_AHEAD };
    for (const { key, value } of this.file.tiers[this.tier].getRange(range))
      this.#blocks.push({ key: key as Buffer, value });
    const last = this.#blocks.at(-1);
    if (last !== undefined) this.#next = Buffer.concat([last.key, Uint8Array.of(0)]);
    return this.#blocks.shift();
  }
}
