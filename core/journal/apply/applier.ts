/** The applied state of this node: entries become rows, answers and nodes of the index, and whoever listens is told. The same for every journal. */
import { setImmediate } from 'node:timers/promises';
import type { Environment } from '../../store/environment.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { sequenceKey } from '../../store/keys.ts';
import type { ZoneSettings } from '../../zone/settings.ts';
import { type Head, readHead, writeHead } from '../applied-head.ts';
import { overlaid } from '../commit/rehearsal.ts';
import type { AnswerChanges, DomainListener, EdgeChanges } from '../journal.ts';
import { type Applied, applyEntries } from './apply-entries.ts';
import { ZoneUpdates } from './apply-zones.ts';
import type { ZoneObserver } from './zone-difference.ts';
import { ZoneFacts } from './zone-facts.ts';

export interface ApplierOptions {
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly zoneSettings: ZoneSettings;
  /** Entries kept for those who follow, at least. */
  readonly history: number;
  readonly zones?: ZoneObserver;
}

/** An entry with its bytes, which follow the one before. */
export interface Link {
  readonly applied: Applied;
  readonly bytes: Buffer;
}

/** So many entries are taken away together. */
const FORGOTTEN = 256;

export class Applier {
  readonly domainListeners: DomainListener[] = [];
  readonly credentialListeners: (() => void)[] = [];
  readonly answerListeners: ((changes: AnswerChanges) => void)[] = [];
  readonly edgeListeners: ((changes: EdgeChanges) => void)[] = [];
  readonly appliedListeners: (() => void)[] = [];
  readonly #options: ApplierOptions;
  readonly #facts: ZoneFacts;
  #current: Head;
  /** The oldest entry that is still in the journal table. */
  #oldest: number;
  /** What was rehearsed since anything was applied. */
  #rehearsed: { readonly links: readonly Link[]; readonly updates: ZoneUpdates } | null = null;

  constructor(options: ApplierOptions) {
    this.#options = options;
    const { environment } = options;
    this.#facts = new ZoneFacts(environment);
    this.#current = readHead(environment);
    this.#oldest = this.#current.sequence + 1;
    for (const key of environment.journal.getKeys({ limit: 1 })) this.#oldest = (key as Buffer).readUIntBE(2, 6);
  }

  get head(): Head {
    return this.#current;
  }

  /**
   * Writes `links`, the next ones, in one transaction; `hash` is that of the last. Resolves when they are on disk, with what is to be handed to `publish` then.
   * Rejects when something in them cannot be applied: then nothing has changed.
   */
  async apply(links: readonly Link[], hash: Buffer): Promise<ZoneUpdates> {
    try {
      return await this.#write(links, hash);
    } catch (error) {
      this.#facts.clear();
      throw error;
    }
  }

  /** Throws as `apply` would reject; nothing is written. If these links are the next that are applied, what was compiled here is taken. */
  rehearse(links: readonly Link[]): void {
    const { index, zoneSettings } = this.#options;
    const environment = overlaid(this.#options.environment);
    const isAmbiguous = (name: Uint8Array): boolean => index.isAmbiguous(name);
    const updates = new ZoneUpdates(environment, zoneSettings, isAmbiguous, new ZoneFacts(environment, this.#facts));
    this.#rehearsed = null;
    applyEntries(
      environment,
      updates,
      links.map(({ applied }) => applied),
    );
    this.#rehearsed = { links, updates };
  }

  /** Serves and tells what was written. Should it throw, nothing takes that back: the process is to end, and makes its index anew when it starts. */
  publish(updates: ZoneUpdates): void {
    publishNodes(this.#options.index, updates);
    this.#tell(updates);
  }

  async #write(links: readonly Link[], hash: Buffer): Promise<ZoneUpdates> {
    const { environment, index, zoneSettings, history, zones } = this.#options;
    const sequence = this.#current.sequence + links.length;
    // Some at a time: where the oldest lie is far from all else that a group writes.
    const kept = sequence - history + 1;
    const oldest = kept - this.#oldest < Math.min(FORGOTTEN, history >> 5) ? this.#oldest : kept;
    const updates = new ZoneUpdates(environment, zoneSettings, (name) => index.isAmbiguous(name), this.#facts, zones);
    const rehearsed = this.#rehearsed?.links === links ? this.#rehearsed.updates : undefined;
    this.#rehearsed = null;
    // A child transaction, since only that takes everything back when something throws in the middle.
    await transact(environment, () => {
      for (const { applied, bytes } of links) environment.journal.put(sequenceKey(applied.entry.sequence), bytes);
      for (let old = this.#oldest; old < oldest; old++) environment.journal.remove(sequenceKey(old));
      applyEntries(
        environment,
        updates,
        links.map(({ applied }) => applied),
        rehearsed,
      );
      writeHead(environment, { sequence, hash });
    });
    this.#oldest = oldest;
    this.#current = { sequence, hash };
    environment.root.resetReadTxn();
    return updates;
  }

  #tell(updates: ZoneUpdates): void {
    const { comingAndGoing, credentialsChanged, nodes, apexes, aliasTargets, changes } = updates;
    for (const change of changes) this.#options.zones?.changed(change);
    for (const { domain, present } of comingAndGoing)
      for (const listener of this.domainListeners) listener(domain, present);
    if (credentialsChanged) for (const listener of this.credentialListeners) listener();
    for (const listener of this.answerListeners)
      listener({ names: nodes.map(({ name }) => name), apexes, aliasTargets: aliasTargets.values() });
    const ofEdge = updates.edge.changes((domainId) => this.#facts.isProxied(domainId));
    if (ofEdge !== null) for (const listener of this.edgeListeners) listener(ofEdge);
    for (const listener of this.appliedListeners) listener();
  }
}

/**
 * Runs `work` in a transaction. lmdb chains what it is given from one transaction to the next, and until the next full collection such a chain keeps all
 * that hangs on it: so `work`, on which whole requests hang, is let go.
 */
async function transact(environment: Environment, work: () => void): Promise<void> {
  let held: (() => void) | undefined = work;
  try {
    const done = environment.root.childTransaction(() => held?.());
    // lmdb makes a promise for the batch that it begins at the end of this turn, and lets it go: it would end the process when the disk is full.
    setImmediate().then(() => environment.root.committed.then(undefined, () => {}));
    await done;
  } catch (error) {
    const { commitError } = error as { commitError?: Promise<never> };
    // Why, as that the disk is full. It comes in the same turn, by a promise of its own; one that nobody holds would end the process.
    if (commitError !== undefined) await Promise.race([commitError, setImmediate()]);
    throw error;
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
