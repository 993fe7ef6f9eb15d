/**
 * The journal of a single node: it lies in LMDB beside the rows. Requests that arrive while a commit is being synced share the next one
 * (group commit): one transaction, one sync, one answer each.
 */
import { ConflictError, WaypostError } from '../errors.ts';
import type { Environment } from '../store/environment.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import { sequenceKey } from '../store/keys.ts';
import type { ZoneSettings } from '../zone/settings.ts';
import { type Applied, applyEntries } from './apply.ts';
import { encodeEntry, hashEntry } from './changes.ts';
import type { ZoneObserver } from './difference.ts';
import { ZoneFacts } from './facts.ts';
import { readHead, writeHead } from './head.ts';
import type { AnswerChanges, CommitRequest, Committed, DomainListener, EdgeChanges, Journal } from './journal.ts';
import { RecentWrites } from './recent.ts';
import { ZoneUpdates } from './zones.ts';

export interface EmbeddedOptions {
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly zoneSettings: ZoneSettings;
  /** Entries kept for those who follow, at least. */
  readonly history: number;
  readonly observer?: JournalObserver;
  readonly zones?: ZoneObserver;
}

/** Is told of every group of commits. */
export interface JournalObserver {
  committed(entries: number, seconds: number): void;
  conflict(): void;
  failed(): void;
}

interface Waiting {
  readonly request: CommitRequest;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: Error) => void;
}

/** A group takes this many requests, or this many bytes of changes, and leaves the rest to the next. */
const GROUP_REQUESTS = 1024;
const GROUP_BYTES = 256 << 10;

export function openEmbeddedJournal(options: EmbeddedOptions): Journal {
  return new EmbeddedJournal(options);
}

/** So many entries are taken away together. */
const FORGOTTEN = 256;

class EmbeddedJournal implements Journal {
  private readonly options: EmbeddedOptions;
  private readonly recent: RecentWrites;
  private readonly facts: ZoneFacts;
  private readonly domainListeners: DomainListener[] = [];
  private readonly credentialListeners: (() => void)[] = [];
  private readonly answerListeners: ((changes: AnswerChanges) => void)[] = [];
  private readonly edgeListeners: ((changes: EdgeChanges) => void)[] = [];
  private waiting: Waiting[] = [];
  private running: Promise<void> | null = null;
  private closed = false;
  private sequence: number;
  private hash: Buffer;
  /** The oldest entry that is still in the journal table. */
  private oldest: number;

  constructor(options: EmbeddedOptions) {
    this.options = options;
    this.facts = new ZoneFacts(options.environment);
    const { sequence, hash } = readHead(options.environment);
    this.sequence = sequence;
    this.hash = hash;
    this.recent = new RecentWrites(sequence, (table, key) => options.environment.rows.get(table)?.get(key));
    this.oldest = sequence + 1;
    for (const key of options.environment.journal.getKeys({ limit: 1 })) this.oldest = (key as Buffer).readUIntBE(2, 6);
  }

  get head(): number {
    return this.sequence;
  }

  commit(request: CommitRequest): Promise<Committed> {
    if (this.closed)
      return Promise.reject(new WaypostError('stopping', 'The service is stopping; nothing was written.'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      // Requests that are read in the same turn of the event loop join the first group.
      this.running ??= new Promise<void>((done) => setImmediate(done)).then(() => this.drain());
    });
  }

  onDomain(listener: DomainListener): void {
    this.domainListeners.push(listener);
  }

  onCredentials(listener: () => void): void {
    this.credentialListeners.push(listener);
  }

  onAnswers(listener: (changes: AnswerChanges) => void): void {
    this.answerListeners.push(listener);
  }

  onEdge(listener: (changes: EdgeChanges) => void): void {
    this.edgeListeners.push(listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.running;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) await this.commitGroup(this.takeGroup());
    this.running = null;
  }

  private takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && count < GROUP_REQUESTS && bytes < GROUP_BYTES)
      bytes += this.waiting[count++].request.changes.length;
    const group = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return group;
  }

  private async commitGroup(group: readonly Waiting[]): Promise<void> {
    const accepted: { waiting: Waiting; applied: Applied; bytes: Buffer }[] = [];
    const start = performance.now();
    const { observer } = this.options;
    const checkpoint = this.recent.checkpoint();
    let hash = this.hash;
    const time = Date.now();
    for (const waiting of group) {
      const { reads, changes, by, compiled } = waiting.request;
      try {
        if (this.recent.conflicts(reads)) {
          observer?.conflict();
          throw new ConflictError();
        }
        const sequence = this.sequence + accepted.length + 1;
        const entry = { sequence, time, by, previousHash: hash, changes };
        const bytes = encodeEntry(entry);
        this.recent.add(sequence, changes);
        hash = hashEntry(bytes);
        accepted.push({ waiting, applied: { entry, compiled }, bytes });
      } catch (error) {
        // A conflict, or changes that can't be read: the others of the group go on.
        waiting.reject(error as Error);
      }
    }
    if (accepted.length === 0) return;
    let updates: ZoneUpdates;
    try {
      updates = await this.apply(accepted, hash);
    } catch (error) {
      observer?.failed();
      this.facts.clear();
      this.recent.restore(checkpoint);
      if (accepted.length === 1) accepted[0].waiting.reject(error as Error);
      // One entry that can't be applied must not take the others with it.
      else for (const { waiting } of accepted) await this.commitGroup([waiting]);
      return;
    }
    // The entries are on disk. Should this throw, nothing takes them back: the process ends, and makes its index anew when it starts.
    publishNodes(this.options.index, updates);
    this.tell(updates);
    observer?.committed(accepted.length, (performance.now() - start) / 1000);
    for (const { waiting, applied } of accepted) waiting.resolve({ sequence: applied.entry.sequence });
  }

  private tell(updates: ZoneUpdates): void {
    const { comingAndGoing, credentialsChanged, nodes, apexes, aliasTargets, changes } = updates;
    for (const change of changes) this.options.zones?.changed(change);
    for (const { domain, present } of comingAndGoing)
      for (const listener of this.domainListeners) listener(domain, present);
    if (credentialsChanged) for (const listener of this.credentialListeners) listener();
    for (const listener of this.answerListeners)
      listener({ names: nodes.map(({ name }) => name), apexes, aliasTargets: aliasTargets.values() });
    const ofEdge = updates.edge.changes((domainId) => this.facts.isProxied(domainId));
    if (ofEdge !== null) for (const listener of this.edgeListeners) listener(ofEdge);
  }

  private async apply(accepted: readonly { applied: Applied; bytes: Buffer }[], hash: Buffer): Promise<ZoneUpdates> {
    const { environment, index, zoneSettings, history, zones } = this.options;
    const sequence = this.sequence + accepted.length;
    // Some at a time: where the oldest lie is far from all else that a group writes.
    const kept = sequence - history + 1;
    const oldest = kept - this.oldest < Math.min(FORGOTTEN, history >> 5) ? this.oldest : kept;
    const updates = new ZoneUpdates(environment, zoneSettings, (name) => index.isAmbiguous(name), this.facts, zones);
    // A child transaction, since only that takes everything back when something throws in the middle.
    await transact(environment, () => {
      for (const { applied, bytes } of accepted) environment.journal.put(sequenceKey(applied.entry.sequence), bytes);
      for (let old = this.oldest; old < oldest; old++) environment.journal.remove(sequenceKey(old));
      applyEntries(
        environment,
        updates,
        accepted.map(({ applied }) => applied),
      );
      writeHead(environment, { sequence, hash });
    });
    this.oldest = oldest;
    this.sequence = sequence;
    this.hash = hash;
    environment.root.resetReadTxn();
    return updates;
  }
}

/**
 * Runs `work` in a transaction. lmdb chains what it is given from one transaction to the next, and until the next full collection such a chain keeps all
 * that hangs on it: so `work`, on which whole requests hang, is let go.
 */
async function transact(environment: Environment, work: () => void): Promise<void> {
  let held: (() => void) | undefined = work;
  try {
    await environment.root.childTransaction(() => held?.());
  } finally {
    held = undefined;
  }
}

/** Hands the new nodes to the readers. After the commit, so that nothing is served that a crash could take back. */
function publishNodes(index: IndexWriter, updates: ZoneUpdates): void {
  for (const { name, node, wasStored } of updates.nodes) {
    if (node === null) index.remove(name);
    else index.put(node, wasStored);
  }
  index.publish();
}
