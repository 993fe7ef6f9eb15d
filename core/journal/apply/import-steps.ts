/**
 * What each node does for a large import in steps of some milliseconds between groups of commits.
 * Before its last entry, it reads the records of before for the history. After it:
 *
 *   1. The answers are written: imported-zone.ts.
 *   2. The index gets the new answers.
 *   3. The records of before are deleted; or those of an import that was withdrawn.
 *
 * For a large zone that is moved to the bin or restored, it does the first two after the entry.
 *
 * Rows of `meta` tell the next start what a crash has left (upkeep/unfinished-import.ts).
 */
import { setImmediate } from 'node:timers/promises';
import { isWithin } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import type { HiddenRange } from '../../store/hidden-rows.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { type Id, idAt } from '../../store/keys.ts';
import { records } from '../../store/rows.ts';
import { transact } from '../../store/transact.ts';
import { readFirstChanges } from '../entry-codec.ts';
import type { AnswerChanges } from '../journal.ts';
import { encodeReplaced } from './apply-entries.ts';
import { deleteHidden } from './import-entries.ts';
import { type CompiledNodes, type ImportCompiler, ImportedZone } from './imported-zone.ts';
import type { NodeChange } from './node-writer.ts';
import { ReplacedRecords } from './replaced-records.ts';
import type { UnservedZone } from './zone-compiler.ts';
import type { ZoneObserver } from './zone-difference.ts';
import type { ZoneUpdates } from './zone-updates.ts';

/** Milliseconds per step. */
const STEP_MS = 5;
/** Milliseconds that a write waits for the steps. */
const PATIENCE_MS = 60_000;

interface ImportStepsOptions {
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly compiler: ImportCompiler;
  /** Throws UnavailableError if nothing may be written. */
  requireSpace(): void;
  onAnswers(changes: AnswerChanges): void;
  readonly zones?: Pick<ZoneObserver, 'hold' | 'release'>;
}

export class ImportSteps {
  /** Imports of this node, by the id of their first record. */
  readonly #compiled = new Map<Id, CompiledNodes>();
  /** Imports that are applied and not served, by domain. */
  readonly #unserved = new Map<Id, ImportedZone>();
  /** The sequences of their last entries. */
  readonly #sequences = new Map<Id, number>();
  #writing: { readonly zone: ImportedZone; readonly work: Generator<void> } | null = null;
  #deletion: { readonly range: HiddenRange; readonly work: Generator<void> } | null = null;
  #hasDeletions = false;
  #isStopped = false;
  /** Records that imports in progress will replace, by domain. */
  readonly #replaced = new Map<Id, ReplacedRecords>();
  #waiting: { readonly isOver: () => boolean; readonly resolve: () => void }[] = [];

  constructor(private readonly options: ImportStepsOptions) {
    this.noteHidden();
  }

  get hasWork(): boolean {
    return this.#unserved.size > 0 || this.#hasDeletions || this.#unread !== undefined;
  }

  get #unread(): ReplacedRecords | undefined {
    for (const replaced of this.#replaced.values()) if (!replaced.isRead) return replaced;
    return undefined;
  }

  /** The records that an import replaces. Most are read already. */
  readonly readReplaced = (environment: Environment, domainId: Id): readonly Buffer[] =>
    this.#replaced.get(domainId)?.current ?? encodeReplaced(environment, domainId);

  /** Sets the nodes of an import of this node, before its last entry; null: forgets them. */
  setCompiled(firstId: Id, nodes: CompiledNodes | null): void {
    if (nodes === null) this.#compiled.delete(firstId);
    else this.#compiled.set(firstId, nodes);
  }

  /** The sequence up to which all imports are served; infinite: all are. */
  get servedTo(): number {
    return Math.min(...this.#sequences.values()) - 1;
  }

  /** Whether all answers of the domain are served. */
  isServed(domainId: Id): boolean {
    return !this.#unserved.has(domainId);
  }

  /** Resolves when the answers of a domain are served and no records of it are to be deleted. */
  async whenDone(domainId: Id): Promise<void> {
    const { hidden } = this.options.environment;
    await this.#waitUntil(() => {
      const hasDeletions = hidden.read().some((range) => range.domainId === domainId && range.state !== 'imported');
      return this.isServed(domainId) && !hasDeletions;
    });
  }

  /** Resolves when the zones that these changes write to are served. */
  async whenServed(changes: Buffer): Promise<void> {
    if (this.#unserved.size === 0) return;
    const ids = new Set<Id>();
    for (const { key } of readFirstChanges(changes, records.number))
      if (key.length >= 8 && !this.isServed(idAt(key))) ids.add(idAt(key));
    if (ids.size > 0) await this.#waitUntil(() => [...ids].every((id) => this.isServed(id)));
  }

  /** Waits also no longer than some time, so that a full disk delays no reply for ever. */
  async #waitUntil(isOver: () => boolean): Promise<void> {
    if (isOver() || this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.#waiting.push({
        isOver,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      });
    });
  }

  /** The journal closes, so the next start does the rest. */
  stopWaiting(): void {
    this.#isStopped = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** Called after each transaction: whether there are hidden records, and which are deleted. */
  noteHidden(): void {
    const { hidden } = this.options.environment;
    hidden.mayExist = true;
    const ranges = hidden.read();
    // From here on, only transactions of readers can be older than an import.
    hidden.mayExist = ranges.length > 0;
    this.#hasDeletions = ranges.some(({ state }) => state !== 'imported');
    const open = ranges.filter(({ state }) => state === 'imported');
    for (const domainId of this.#replaced.keys())
      if (!open.some((range) => range.domainId === domainId)) this.#replaced.delete(domainId);
    for (const range of open)
      if (this.#replaced.get(range.domainId)?.range.firstId !== range.firstId)
        this.#replaced.set(range.domainId, new ReplacedRecords(this.options.environment, range));
    this.#resolveWaiting();
  }

  /** Whether a group changes answers of a zone that is not served. */
  areConcernedBy(updates: ZoneUpdates): boolean {
    for (const { domain } of this.#unserved.values()) if (updates.concern(domain) !== 'none') return true;
    return false;
  }

  /** The imports whose zones a group compiles as a whole, or deletes. */
  replacedBy(updates: ZoneUpdates): readonly ImportedZone[] {
    if (this.#unserved.size === 0) return NONE;
    return [...this.#unserved.values()].filter(({ domain }) => updates.concern(domain) === 'whole');
  }

  /** Inside the transaction of such a group. */
  writeNow(zone: ImportedZone): void {
    if (zone.isWritten) return;
    if (this.#writing?.zone === zone) this.#writing = null;
    for (const _ of zone.writeAnswers(this.options.compiler));
  }

  /**
   * Whether the node of a group is of a zone that is not served yet. Then it is published with the
   * zone, which would have old and new answers otherwise.
   */
  withholds(change: NodeChange): boolean {
    for (const zone of this.#unserved.values())
      if (isWithin(change.name, zone.domain.apex)) {
        if (zone.withhold(change) && this.#writing?.zone === zone) this.#writing = null;
        return true;
      }
    return false;
  }

  /** Adds the zone of a group whose answers are not written. */
  add({ domain, cause, firstId }: UnservedZone, sequence: number): void {
    const compiled = firstId === null ? null : (this.#compiled.get(firstId) ?? null);
    const { environment, index, zones } = this.options;
    const zone = new ImportedZone(environment, domain, compiled, cause);
    this.#unserved.set(domain.id, zone);
    this.#sequences.set(domain.id, sequence);
    if (cause === 'deleted') index.unavailable.set(domain.apex, true);
    else zones?.hold?.(zone, domain.id);
  }

  /** Serves all of an import whose answers are written. */
  finish(zone: ImportedZone): void {
    const { index, onAnswers, zones } = this.options;
    const { id: domainId, apex } = zone.domain;
    for (const _ of zone.publish(index));
    index.publish();
    this.#unserved.delete(domainId);
    this.#sequences.delete(domainId);
    const aliasTargets = [...zone.aliasTargets.values()].map((target) => ({ target, domainIds: new Set([domainId]) }));
    zone.beginCleanup();
    zones?.release?.(zone);
    onAnswers({ names: [], apexes: [apex], aliasTargets });
    this.#resolveWaiting();
  }

  /** Does some milliseconds of work. Rejects if the disk is full; then it can be called again. */
  async step(): Promise<void> {
    const [zone] = this.#unserved.values();
    if (zone === undefined && this.#hasDeletions) await this.#delete();
    else if (zone === undefined) {
      await setImmediate();
      const unread = this.#unread;
      if (unread !== undefined) runUntil(unread.read(), performance.now() + STEP_MS);
    } else if (!zone.isWritten) await this.#write(zone);
    else {
      await setImmediate();
      if (runUntil(zone.publish(this.options.index), performance.now() + STEP_MS)) this.finish(zone);
      else this.options.index.publish();
    }
  }

  async #write(zone: ImportedZone): Promise<void> {
    if (this.#writing?.zone !== zone) this.#writing = { zone, work: zone.writeAnswers(this.options.compiler) };
    const { work } = this.#writing;
    // After an error, what was written is written again.
    this.#writing = null;
    if (await this.#inTransaction(work)) zone.isWritten = true;
    else this.#writing = { zone, work };
  }

  async #delete(): Promise<void> {
    const { environment } = this.options;
    const range = environment.hidden.read().find(({ state }) => state !== 'imported');
    if (range !== undefined) {
      const { domainId, firstId, state } = this.#deletion?.range ?? {};
      const isSame = domainId === range.domainId && firstId === range.firstId && state === range.state;
      const work = isSame && this.#deletion !== null ? this.#deletion.work : deleteHidden(environment, range);
      this.#deletion = null;
      if (!(await this.#inTransaction(work))) {
        this.#deletion = { range, work };
        return;
      }
    }
    this.noteHidden();
  }

  /** Whether all is done. */
  async #inTransaction(work: Generator<void>): Promise<boolean> {
    const { environment, requireSpace } = this.options;
    requireSpace();
    const isDone = await transact(environment.root, () => runUntil(work, performance.now() + STEP_MS));
    environment.root.resetReadTxn();
    return isDone;
  }

  #resolveWaiting(): void {
    if (this.#waiting.length === 0) return;
    const over = this.#waiting.filter(({ isOver }) => isOver());
    this.#waiting = this.#waiting.filter((waiter) => !over.includes(waiter));
    for (const { resolve } of over) resolve();
  }
}

const NONE: readonly ImportedZone[] = [];

/** Whether all is done. */
function runUntil(work: Generator<void>, time: number): boolean {
  for (;;) {
    if (work.next().done) return true;
    if (performance.now() >= time) return false;
  }
}
