/**
 * The applied state of this node, for all journals. Applying entries produces rows, answers and
 * index nodes, then calls the listeners.
 */
import { setImmediate } from 'node:timers/promises';
import { diskFull } from '../../base/disk-full.ts';
import type { Environment } from '../../store/environment.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { type Id, sequenceKey } from '../../store/keys.ts';
import { entryOf, isListedOnly } from '../../store/nsec3-entries.ts';
import { dnssec } from '../../store/rows.ts';
import { transact } from '../../store/transact.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { type Head, readHead, writeHead } from '../applied-head.ts';
import type { AnswerChanges, DomainListener, EdgeChanges, StorageGuard } from '../journal.ts';
import { type OverlaidStore, withOverlay } from '../overlay.ts';
import { moveOwner } from '../record-targets.ts';
import { type Applied, applyRows } from './apply-entries.ts';
import { discardBrokenHistories, noteHistoryWritten } from './domain-history.ts';
import { importOf, isImportEnd, restoresDomain } from './import-entries.ts';
import { ImportSteps } from './import-steps.ts';
import { type ImportCompiler, type ImportedZone, setUnserved } from './imported-zone.ts';
import type { NodeChange } from './node-writer.ts';
import type { Nsec3Change } from './nsec3-chain.ts';
import { Retention } from './retention.ts';
import type { GroupSigning, Signers } from './signers.ts';
import type { ZoneObserver } from './zone-difference.ts';
import { ZoneFacts } from './zone-facts.ts';
import { ZoneUpdates } from './zone-updates.ts';

export interface ApplierOptions {
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly zoneSettings: ZoneSettings;
  /** The number of entries that are kept for nodes that are behind. */
  readonly history: number;
  /** Bytes of entries above which fewer are kept; omitted: no limit. */
  readonly historyBytes?: number;
  readonly zones?: ZoneObserver;
  /** Null: no zone is signed. */
  readonly signers?: Signers | null;
  /** Omitted: the disk is not watched. */
  readonly storage?: StorageGuard;
}

/** An entry and its bytes. It follows the previous link. */
export interface Link {
  readonly applied: Applied;
  readonly bytes: Buffer;
}

/** Milliseconds per step of a long rehearsal. */
const STEP_MS = 10;

/** Entries that were compiled on the store or on an earlier rehearsal. The store is unchanged. */
interface Rehearsal {
  readonly links: readonly Link[];
  readonly store: OverlaidStore;
  readonly facts: ZoneFacts;
  readonly updates: ZoneUpdates;
  isComplete: boolean;
}

export class Applier {
  readonly domainListeners: DomainListener[] = [];
  readonly credentialListeners: (() => void)[] = [];
  readonly answerListeners: ((changes: AnswerChanges) => void)[] = [];
  readonly edgeListeners: ((changes: EdgeChanges) => void)[] = [];
  readonly signingListeners: ((domainIds: ReadonlySet<Id>) => void)[] = [];
  readonly secondaryListeners: ((domainIds: ReadonlySet<Id>) => void)[] = [];
  readonly appListeners: ((appIds: ReadonlySet<string>) => void)[] = [];
  readonly appliedListeners: (() => void)[] = [];
  readonly #facts: ZoneFacts;
  #current: Head;
  readonly #retention: Retention;
  /** The last rehearsal, which may be in progress. Null: entries have been applied since. */
  #rehearsal: Rehearsal | null = null;
  /** The rehearsal of the entries that are being written. */
  #writing: Rehearsal | null = null;
  /** What is left to do of large imports. */
  readonly imports: ImportSteps;

  constructor(private readonly options: ApplierOptions) {
    const { environment } = options;
    this.#facts = new ZoneFacts(environment);
    this.#current = readHead(environment);
    this.imports = new ImportSteps({
      environment,
      index: options.index,
      compiler: this.#importCompiler(),
      requireSpace: () => this.#requireSpace(),
      onAnswers: (changes) => {
        for (const listener of this.answerListeners) listener(changes);
        for (const listener of this.appliedListeners) listener();
      },
      zones: options.zones,
    });
    discardBrokenHistories(environment, this.#current.sequence);
    const { history, historyBytes = Number.POSITIVE_INFINITY } = options;
    this.#retention = new Retention(environment, { history, historyBytes }, this.#current.sequence);
  }

  /** The oldest entry that is still in the journal table. */
  get oldest(): number {
    return this.#retention.oldest;
  }

  get head(): Head {
    return this.#current;
  }

  /**
   * Writes `links`, the next entries, in one transaction; `hash` is the hash of the last entry.
   * Resolves when they are on disk, with the updates for `publish`. Rejects if an entry cannot be
   * applied; then nothing has changed.
   */
  async apply(links: readonly Link[], hash: Buffer): Promise<ZoneUpdates> {
    const { index } = this.options;
    this.#requireSpace();
    try {
      if (this.#rehearsed(links) === null && this.isRehearsed(links)) await this.#rehearseInSteps(links);
      while (index.held !== null) await index.held;
      index.beginCommit();
      return await this.#write(links, hash);
    } catch (error) {
      index.cancelCommit();
      this.#facts.clear();
      throw error;
    }
  }

  /**
   * Rejects with the error that `apply` would reject with; writes nothing. If the same links are
   * applied next, the compiled answers are reused. If rehearsed entries are being written, the
   * links follow those entries; if that write fails, the links must not be applied.
   */
  async rehearse(links: readonly Link[]): Promise<void> {
    if (this.isRehearsed(links)) return this.#rehearseInSteps(links);
    const rehearsal = this.#openRehearsal(links, this.options.signers?.group());
    const { store, updates } = rehearsal;
    applyRows(store.environment, updates, appliedOf(links), { isRehearsal: true });
    updates.compile();
    // Steps of the import may change answers before `apply`.
    rehearsal.isComplete = !this.imports.areConcernedBy(updates);
  }

  /**
   * Threads sign in the meantime. A group that signs a large zone takes seconds, so other tasks run
   * between steps.
   */
  async #rehearseInSteps(links: readonly Link[]): Promise<void> {
    const rehearsal = this.#openRehearsal(links, this.options.signers?.groupInThreads());
    const { store, updates } = rehearsal;
    applyRows(store.environment, updates, appliedOf(links), { isRehearsal: true });
    // Steps of the import may change answers before `apply`.
    if (this.imports.areConcernedBy(updates)) return;
    let end = performance.now() + STEP_MS;
    for (const pending of updates.compileSteps()) {
      if (pending !== undefined) await pending;
      else if (performance.now() < end) continue;
      else await setImmediate();
      end = performance.now() + STEP_MS;
    }
    rehearsal.isComplete = true;
  }

  /** Before LMDB would run out of space in the middle of a transaction. */
  #requireSpace(): void {
    const { storage } = this.options;
    if (storage?.isFull) throw storage.refusalOf('') ?? diskFull();
  }

  /**
   * Whether `apply` rehearses the entries in steps: they may sign, or compile a restored zone. The
   * end of an import is never rehearsed.
   */
  isRehearsed(links: readonly Link[]): boolean {
    const isLong = this.hasSignedZones || links.some(({ applied }) => restoresDomain(applied.entry.changes));
    return isLong && !links.some(({ applied }) => isImportEnd(applied.entry.changes));
  }

  /**
   * False while the index is being filled: its snapshot of the store would have answers that are
   * published later (core/store/index/filling.ts).
   */
  get defersImports(): boolean {
    return this.options.index.filling === null;
  }

  #importCompiler(): ImportCompiler {
    const { environment, zoneSettings, index } = this.options;
    const isAmbiguous = (name: Uint8Array): boolean => index.isAmbiguous(name);
    const open = (): ZoneUpdates => new ZoneUpdates(environment, zoneSettings, isAmbiguous, this.#facts);
    return {
      nodesOf: ({ id }, names) => {
        const domain = this.#facts.domain(id);
        return domain === undefined ? [] : open().nodesOf(domain, names);
      },
      moveOwners: (domain, rows, isRestored) => {
        const exists = this.#facts.domain(domain.id) !== undefined;
        // A later group has moved the domain again, with all owners.
        if (exists !== isRestored) return;
        for (const { key, value } of rows) moveOwner(environment, domain, { key, value }, isRestored);
        this.#facts.invalidateTargets(domain.id);
      },
      writeNames: ({ id }, aliasOwners) => {
        const domain = this.#facts.domain(id);
        const updates = open();
        if (domain !== undefined) updates.compileNames(domain, aliasOwners);
        return updates.nodes;
      },
    };
  }

  get hasSignedZones(): boolean {
    const { environment, signers } = this.options;
    if (signers == null) return false;
    for (const _ of environment.rows.get(dnssec.number)!.getKeys({ limit: 1 })) return true;
    return false;
  }

  #openRehearsal(links: readonly Link[], signing: GroupSigning | undefined): Rehearsal {
    const { environment, index, zoneSettings } = this.options;
    const store = withOverlay(this.#writing?.store.environment ?? environment);
    const isAmbiguous = (name: Uint8Array): boolean => index.isAmbiguous(name);
    const facts = new ZoneFacts(store.environment, this.#writing?.facts ?? this.#facts);
    const updates = new ZoneUpdates(store.environment, zoneSettings, isAmbiguous, facts, undefined, signing);
    updates.defersMoves = this.defersImports;
    this.#rehearsal = { links, store, facts, updates, isComplete: false };
    return this.#rehearsal;
  }

  /** The finished rehearsal of these entries; null: there is none. */
  #rehearsed(links: readonly Link[]): Rehearsal | null {
    return this.#rehearsal?.links === links && this.#rehearsal.isComplete ? this.#rehearsal : null;
  }

  /**
   * Serves the written updates and calls the listeners. If this throws, the process must exit: the
   * updates cannot be rolled back, and the next start rebuilds the index.
   */
  publish(updates: ZoneUpdates): void {
    // The group has written their answers.
    for (const zone of this.imports.replacedBy(updates)) this.imports.finish(zone);
    if (updates.unserved !== null) this.imports.add(updates.unserved, this.#current.sequence);
    publishNodes(this.options.index, updates, (change) => this.imports.withholds(change));
    this.#notifyListeners(updates);
  }

  async #write(links: readonly Link[], hash: Buffer): Promise<ZoneUpdates> {
    const { environment, index, zoneSettings, zones, signers } = this.options;
    const sequence = this.#current.sequence + links.length;
    const bytes = links.reduce((sum, link) => sum + link.bytes.length, 0);
    const isAmbiguous = (name: Uint8Array): boolean => index.isAmbiguous(name);
    const updates = new ZoneUpdates(environment, zoneSettings, isAmbiguous, this.#facts, zones, signers?.group());
    this.#writing = this.#rehearsed(links);
    this.#rehearsal = null;
    if (links.length === 1 && this.defersImports) updates.deferImports();
    updates.defersMoves = this.#writing?.updates.defersMoves ?? this.defersImports;
    const hasImports = environment.hidden.mayExist || links.some(({ applied }) => importOf(applied.entry.changes));
    // The transaction may write hidden rows.
    environment.hidden.mayExist = hasImports;
    let concerned: readonly ImportedZone[] = [];
    try {
      await transact(environment.root, () => {
        for (const { applied, bytes: encoded } of links)
          environment.journal.put(sequenceKey(applied.entry.sequence), encoded);
        this.#retention.trim(sequence, bytes);
        applyRows(environment, updates, appliedOf(links), { readReplaced: this.imports.readReplaced });
        concerned = this.imports.replacedBy(updates);
        for (const zone of concerned) this.imports.writeNow(zone);
        updates.compile(this.#writing?.updates);
        if (updates.unserved !== null) setUnserved(environment, updates.unserved.domain.id, true);
        writeHead(environment, { sequence, hash });
        noteHistoryWritten(environment, sequence);
      });
    } finally {
      this.#writing = null;
    }
    for (const zone of concerned) zone.isWritten = true;
    this.#retention.accept();
    this.#current = { sequence, hash };
    environment.root.resetReadTxn();
    if (hasImports) this.imports.noteHidden();
    const next = this.#rehearsal as Rehearsal | null;
    next?.store.rebase(environment);
    next?.facts.rebase(this.#facts);
    return updates;
  }

  #notifyListeners(updates: ZoneUpdates): void {
    const { notices, nodes, apexes, changes } = updates;
    const { domainChanges, credentialsChanged, aliasTargets, apps, signing, secondaries } = notices;
    for (const change of changes) this.options.zones?.onChange(change);
    for (const { domain, present } of domainChanges)
      for (const listener of this.domainListeners) listener(domain, present);
    if (credentialsChanged) for (const listener of this.credentialListeners) listener();
    for (const listener of this.answerListeners)
      listener({ names: nodes.map(({ name }) => name), apexes, aliasTargets: aliasTargets.values() });
    const edgeChanges = notices.edgeChanges((domainId) => this.#facts.isProxied(domainId));
    if (edgeChanges !== null) for (const listener of this.edgeListeners) listener(edgeChanges);
    if (apps.size > 0) for (const listener of this.appListeners) listener(apps);
    if (signing.size > 0) for (const listener of this.signingListeners) listener(signing);
    if (secondaries.size > 0) for (const listener of this.secondaryListeners) listener(secondaries);
    for (const listener of this.appliedListeners) listener();
  }
}

const appliedOf = (links: readonly Link[]): Applied[] => links.map(({ applied }) => applied);

/**
 * Passes the new nodes to the readers. This happens after the commit, so that a crash cannot roll
 * back an answer that was served.
 */
function publishNodes(index: IndexWriter, updates: ZoneUpdates, withholds: (change: NodeChange) => boolean): void {
  // A secondary zone is not served before its first transfer.
  for (const { apex, isUnavailable } of updates.secondaryChanges()) index.unavailable.set(apex, isUnavailable);
  for (const { apex } of updates.nsec3) index.markChanging(apex);
  for (const change of updates.nodes) {
    const { name, node, wasStored } = change;
    if (withholds(change)) continue;
    if (node === null) index.remove(name);
    else index.put(node, wasStored);
  }
  // At any time, a published record must cover every name. New records are published before records
  // that point to them, and removed after those.
  for (const order of PUBLISHING_ORDER)
    for (const change of updates.nsec3) if (orderOf(change) === order) publishNsec3(index, change);
  index.publish();
}

/** Order of changes of NSEC3 records. */
const WHOLE = 0;
const ADDED = 1;
const CHANGED = 2;
const REMOVED = 3;
const PUBLISHING_ORDER = [WHOLE, ADDED, CHANGED, REMOVED];

function orderOf({ hash, stored, before }: Nsec3Change): number {
  if (hash === null) return WHOLE;
  if (stored === null || !hasRecords(stored)) return REMOVED;
  return before === null || !hasRecords(before) ? ADDED : CHANGED;
}

function publishNsec3({ denial }: IndexWriter, { domainId, apex, hash, stored, all, before }: Nsec3Change): void {
  if (hash === null) {
    denial.replaceAll(domainId, apex, (all ?? []).filter(hasRecords).map(entryOf));
    return;
  }
  const wasStored = before !== null && hasRecords(before);
  if (stored !== null && hasRecords(stored)) denial.put(domainId, apex, entryOf(stored), wasStored);
  else if (wasStored) denial.remove(domainId, apex, hash);
}

const hasRecords = (stored: Buffer): boolean => !isListedOnly(stored);
