/**
 * Signs and unsigns zones piece by piece, following the progress in their rows. Any node may do so:
 * a node continues its own zones, and takes over zones that another node has abandoned. If two
 * nodes write the same piece, one of them conflicts and finds no work left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import type { Task, Tasks } from '../../base/tasks.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { dnssec, type SigningProgress } from '../../store/rows.ts';
import { decodeReadable, type OnDamaged } from '../../store/scan.ts';
import { write } from '../draft/draft.ts';
import type { Journal } from '../journal.ts';
import { nextPiece } from './progress.ts';

/** Maximum names of a piece, which takes 10 to 25 ms of the main thread. */
const SIZES = { listed: 1000, signed: 200 };
/**
 * A node takes over a zone after this time without a piece from another node, or up to twice that.
 */
const TAKEOVER_MS = 5000;
/** Maximum random delay before a node starts a zone, so that one node starts first. */
const START_MS = 500;
const BY = 'dnssec';

interface PiecesOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  /** There are no other nodes. */
  readonly isAlone: boolean;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Called for each row of a zone that cannot be decoded. */
  readonly onDamaged?: OnDamaged;
  /** Pause after each piece, as a share of its duration. */
  readonly pause?: number;
}

interface Zone {
  /** A time of performance.now() from which this node writes pieces. */
  from: number;
}

export class Pieces {
  /** Pieces that this node has written. */
  written = 0;
  readonly #zones = new Map<Id, Zone>();
  readonly #task: Task;
  readonly #fault: FaultLog;

  constructor(private readonly options: PiecesOptions) {
    const { tasks, log } = options;
    const name = 'zone-signing';
    this.#fault = new FaultLog(log, 'zones cannot be signed', 'zones are signed again', { task: name });
    this.#task = tasks.add({ name, owner: 'claim', due: () => this.#untilFirst(), log, run: () => this.#run() });
  }

  get isIdle(): boolean {
    return this.#zones.size === 0 && !this.#task.isRunning;
  }

  /** Continues all zones with progress, and follows changes of their rows. */
  start(): void {
    const { environment, journal, onDamaged } = this.options;
    journal.onSigning((domainIds) => {
      for (const id of domainIds) this.#note(id);
      this.#task.reschedule();
    });
    const table = environment.rows.get(dnssec.number)!;
    for (const { key, value } of table.getRange({}))
      if (decodeReadable(dnssec, key as Buffer, value, onDamaged)?.progress !== undefined)
        this.#note(idAt(key as Buffer));
    this.#task.start();
  }

  /** Resolves when the current piece is written. */
  async stop(): Promise<void> {
    await this.#task.stop();
  }

  #note(id: Id): void {
    const zone = this.#zones.get(id);
    if (this.#progressOf(id) === undefined) {
      this.#zones.delete(id);
      return;
    }
    const { isAlone } = this.options;
    if (zone === undefined) this.#zones.set(id, { from: performance.now() + (isAlone ? 0 : Math.random() * START_MS) });
    else if (!isAlone) zone.from = performance.now() + TAKEOVER_MS * (1 + Math.random());
  }

  #progressOf(id: Id): SigningProgress | undefined {
    const key = idKey(id);
    const value = this.options.environment.rows.get(dnssec.number)!.get(key);
    return value && decodeReadable(dnssec, key, value, this.options.onDamaged)?.progress;
  }

  #untilFirst(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { from } of this.#zones.values()) first = Math.min(first, from);
    return first - performance.now();
  }

  /** Writes a piece of each zone. */
  async #run(): Promise<void> {
    const { signal } = this.#task;
    const { pause = 0.25 } = this.options;
    for (const [id, zone] of [...this.#zones]) {
      const now = performance.now();
      if (zone.from > now) continue;
      try {
        const isWritten = await this.#write(id);
        // The listener has delayed the zone, as after a piece of another node.
        if (isWritten) zone.from = 0;
        this.#fault.report(null);
      } catch (error) {
        if (signal.aborted) return;
        this.#fault.report(error);
        zone.from = performance.now() + TAKEOVER_MS;
        continue;
      }
      // Pending requests are handled between two pieces.
      await sleep(Math.max(1, (performance.now() - now) * pause), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  /** Returns whether a piece was written. */
  async #write(id: Id): Promise<boolean> {
    const { environment, journal } = this.options;
    const expected = JSON.stringify(this.#progressOf(id));
    let isDeleted = false;
    const { result } = await write(environment, journal, BY, (draft) => {
      const row = draft.row(dnssec, idKey(id));
      const domain = draft.domain(id);
      isDeleted = domain === undefined;
      // Another node may have written the piece.
      if (row?.progress === undefined || domain === undefined || JSON.stringify(row.progress) !== expected)
        return false;
      const next = nextPiece(environment, domain.apex, row, SIZES);
      if (next === null) draft.delete(dnssec, row);
      else draft.put(dnssec, next);
      return true;
    });
    if (result) this.written++;
    else if (this.#progressOf(id) === undefined || isDeleted) this.#zones.delete(id);
    return result;
  }
}
