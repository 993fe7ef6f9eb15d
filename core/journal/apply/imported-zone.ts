/**
 * The answers of a zone after a large import, whose records are revealed already, or of a large
 * zone that was restored from the bin, or moved there. They are written or deleted in small
 * transactions, and then passed to the readers. Until then, DNS serves the old zone after an
 * import, nothing of a restored zone, and SERVFAIL instead of a deleted one.
 */
import { isWithin, type Name, nameAt, nameId, parentName } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { APEX_LENGTH_AT } from '../../store/answers.ts';
import type { Binary, Environment } from '../../store/environment.ts';
import { isHidden } from '../../store/hidden-rows.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { afterPrefix, apexKey, type Id, idAt, idKey, nameKey, nameOfKey, recordKeyParts } from '../../store/keys.ts';
import { type Domain, RECORD_RDATA } from '../../store/rows.ts';
import { type KeyedNode, readNodes } from '../../zone/compile/bulk.ts';
import type { ImportProgress } from '../journal.ts';
import type { NodeChange } from './node-writer.ts';

/** Rows or nodes between two yields. */
const CHUNK = 32;
const UNSERVED = Buffer.from('unserved import');
/** Above all keys of names. */
const LAST_KEY = Buffer.alloc(256, 255);

/** The domains whose answers are not all written. */
export function unservedDomains({ meta }: Pick<Environment, 'meta'>): readonly Id[] {
  const value = meta.get(UNSERVED) ?? Buffer.alloc(0);
  return Array.from({ length: value.length / 8 }, (_, i) => idAt(value, i * 8));
}

/** Inside a write transaction. */
export function setUnserved(environment: Pick<Environment, 'meta'>, domainId: Id, isUnserved: boolean): void {
  const { meta } = environment;
  const ids = unservedDomains(environment).filter((id) => id !== domainId);
  if (isUnserved) ids.push(domainId);
  if (ids.length === 0) meta.remove(UNSERVED);
  else meta.put(UNSERVED, Buffer.concat(ids.map(idKey)));
}

/** What has changed the answers of a zone. */
export type UnservedCause = 'imported' | 'restored' | 'deleted';

interface Row {
  readonly key: Uint8Array;
  readonly value: Buffer;
}

/** Nodes that a thread has compiled, on the node that imports. */
export interface CompiledNodes {
  /** See core/zone/compile/bulk.ts. */
  readonly nodes: Uint8Array;
  /** Their answers have addresses that the thread does not know. */
  readonly aliasOwners: Iterable<Name>;
  /** Targets of the ALIAS records. */
  readonly aliasTargets: readonly Name[];
  readonly progress: ImportProgress;
}

/** Compiles names of the zone from its rows. */
export interface ImportCompiler {
  /** Nodes of names below the apex. */
  nodesOf(domain: Domain, names: readonly Name[]): Iterable<KeyedNode>;
  /** Writes the targets and the ALIAS owners of records of a restored zone, or deletes them. */
  moveOwners(domain: Domain, rows: readonly Row[], isRestored: boolean): void;
  /** Writes the apex, and names with ALIAS records. */
  writeNames(domain: Domain, aliasOwners: Iterable<Name>): readonly NodeChange[];
}

export class ImportedZone {
  /** All answers are written. */
  isWritten = false;
  /** Targets of ALIAS records: complete once the answers are written. */
  readonly aliasTargets = new Map<string, Name>();
  /**
   * The keys of the nodes in the index from before the import, in Latin-1, and whether the zone
   * still has a node of the key.
   */
  readonly #old = new Map<string, boolean>();
  #isOldComplete = false;
  /** Keys of nodes that a group added before all old keys were read. */
  readonly #added = new Set<string>();
  /** Written names below the apex. */
  #names = 0;
  /** The zone has changed since the import, so the nodes that the thread compiled are outdated. */
  #hasChanged = false;
  /** The last key that the index has got; null: none. */
  #publishedTo: Buffer | null = null;
  /** Keys of nodes that a group changed after the index got them, and whether it has a node. */
  readonly #late = new Map<string, boolean>();
  #publishing: Generator<void> | null = null;

  /** `compiled` null: the names are compiled from the rows. */
  constructor(
    private readonly environment: Environment,
    readonly domain: Domain,
    private readonly compiled: CompiledNodes | null,
    private readonly cause: UnservedCause = 'imported',
  ) {}

  /** Inside write transactions, after the last entry. After an error, it is called again. */
  *writeAnswers(compiler: ImportCompiler): Generator<void> {
    const compiled = this.#hasChanged ? null : this.compiled;
    this.compiled?.progress.begin('answers', compiled?.nodes.length ?? 0);
    yield* this.#collectOld();
    for (const id of this.#old.keys()) this.#old.set(id, false);
    this.#names = 0;
    if (compiled === null)
      for (const { rows, names } of this.#pagesOfNames()) {
        if (this.cause !== 'imported') compiler.moveOwners(this.domain, rows, this.cause === 'restored');
        const wanted = this.cause === 'deleted' ? [] : names;
        for (const found of compiler.nodesOf(this.domain, wanted)) this.#write(found);
        yield;
      }
    else
      for (const found of readNodes(compiled.nodes)) {
        this.#write(found);
        compiled.progress.done += found.key.length + found.node.length;
        if (this.#names % CHUNK === 0) yield;
      }
    yield* this.#deleteOld(compiler);
    if (this.cause === 'deleted') yield* this.#deleteChain();
    for (const target of this.compiled?.aliasTargets ?? []) this.aliasTargets.set(nameId(target), target);
    compiler.writeNames(this.domain, compiled?.aliasOwners ?? []);
    setUnserved(this.environment, this.domain.id, false);
  }

  #write({ key, node }: KeyedNode): void {
    this.environment.answers.put(key, node);
    this.#names++;
    const id = key.toString('latin1');
    if (this.#old.has(id)) this.#old.set(id, true);
  }

  /** Deletes the nodes of names that the zone no longer has. */
  *#deleteOld(compiler: ImportCompiler): Generator<void> {
    let count = 0;
    for (const [id, isKept] of this.#old) {
      const key = Buffer.from(id, 'latin1');
      // A group may have added the same records again, and left the same node as it was.
      const names = !isKept && this.#hasChanged ? [nameOfKey(key, 0, key.length)] : [];
      for (const found of compiler.nodesOf(this.domain, names)) this.#write(found);
      if (!this.#old.get(id)) this.environment.answers.remove(key);
      if (++count % CHUNK === 0) yield;
    }
  }

  /** Deletes the apex and the NSEC3 records of a deleted zone. */
  *#deleteChain(): Generator<void> {
    const { answers, nsec3 } = this.environment;
    for (const page of pagesOf(nsec3, idKey(this.domain.id))) {
      for (const { key } of page) nsec3.remove(key as Buffer);
      yield;
    }
    answers.remove(apexKey(this.domain.apex));
  }

  *#collectOld(): Generator<void> {
    if (this.#isOldComplete) return;
    for (const page of this.#pagesOfNodes()) {
      for (const { key } of page) {
        const id = (key as Buffer).toString('latin1');
        if (!this.#added.has(id)) this.#old.set(id, false);
      }
      yield;
    }
    this.#isOldComplete = true;
  }

  /** The nodes below the apex, without those of other zones. */
  *#pagesOfNodes(after: Buffer | null = null): Generator<readonly Row[]> {
    const { apex } = this.domain;
    for (const page of pagesOf(this.environment.answers, nameKey(apex), after))
      yield page.filter(({ value }) => value[APEX_LENGTH_AT] === apex.length);
  }

  /** All visible records, and their names with the empty names above these. */
  *#pagesOfNames(): Generator<{ readonly rows: readonly Row[]; readonly names: readonly Name[] }> {
    const { id, apex } = this.domain;
    const { hidden, allRecords } = this.environment;
    let last: Name = apex;
    // Pages have hidden rows too, of which there may be a million next to each other.
    for (const page of pagesOf({ getRange: allRecords }, idKey(id))) {
      const ranges = hidden.read().filter(({ domainId }) => domainId === id);
      const names: Name[] = [];
      const rows = page.filter(({ key }) => !ranges.some((range) => isHidden(range, key)));
      for (const { key, value } of rows) {
        const { nameEnd, type } = recordKeyParts(key);
        if (type === TYPE.ALIAS) {
          const target = Uint8Array.from(nameAt(value, RECORD_RDATA));
          this.aliasTargets.set(nameId(target), target);
        }
        const name = nameOfKey(key as Buffer, 8, nameEnd);
        names.push(...newNames(name, last, apex));
        last = name;
      }
      yield { rows, names };
    }
  }

  /**
   * Notes the node of a group. The index gets it with the zone. Returns whether the writing of
   * answers must begin again: from here on, the names are compiled from the rows, and a group
   * compiles those that it changes.
   */
  withhold({ name, node, wasStored }: NodeChange): boolean {
    const isOutdated = this.compiled !== null && !this.#hasChanged && !this.isWritten;
    this.#hasChanged = true;
    // The apex is published at the end.
    if (name.length === this.domain.apex.length) return isOutdated;
    const key = nameKey(name);
    const id = key.toString('latin1');
    const isOld = this.#old.has(id);
    if (this.#publishedTo !== null && Buffer.compare(key, this.#publishedTo) <= 0 && !this.#late.has(id))
      this.#late.set(id, isOld || wasStored);
    if (isOld) this.#old.set(id, node !== null);
    else if (!this.#isOldComplete && node === null && !this.#added.delete(id)) this.#old.set(id, false);
    else if (!this.#isOldComplete && node !== null && !wasStored) this.#added.add(id);
    return isOutdated;
  }

  /** All is served. */
  beginCleanup(): void {
    this.compiled?.progress.begin('cleanup', 0);
  }

  /** Passes the answers to the readers, once all are written. */
  publish(index: IndexWriter): Generator<void> {
    this.#publishing ??= this.#publish(index);
    return this.#publishing;
  }

  *#publish(index: IndexWriter): Generator<void> {
    try {
      yield* this.#publishSteps(index);
    } catch (error) {
      // The next call continues.
      this.#publishing = null;
      throw error;
    }
  }

  /** The zone is unavailable until its apex is removed. */
  *#removeSteps(index: IndexWriter): Generator<void> {
    let count = 0;
    for (const id of this.#old.keys()) {
      const key = Buffer.from(id, 'latin1');
      index.remove(nameOfKey(key, 0, key.length));
      this.#old.delete(id);
      if (++count % CHUNK === 0) yield;
    }
    index.denial.replaceAll(this.domain.id, this.domain.apex, []);
    index.remove(this.domain.apex);
    index.unavailable.set(this.domain.apex, false);
  }

  /** New names come first, then the apex, which has the serial, then deleted names. */
  *#publishSteps(index: IndexWriter): Generator<void> {
    if (this.cause === 'deleted') {
      yield* this.#removeSteps(index);
      return;
    }
    const { answers } = this.environment;
    const progress = this.compiled?.progress;
    progress?.begin('serving', this.#names);
    for (const page of this.#pagesOfNodes(this.#publishedTo)) {
      for (const { key, value } of page) {
        index.put(value, this.#old.has((key as Buffer).toString('latin1')));
        this.#publishedTo = key as Buffer;
      }
      if (progress !== undefined && page.length > 0) progress.done = Math.min(this.#names, progress.done + page.length);
      yield;
    }
    this.#publishedTo = LAST_KEY;
    this.#publishApex(index);
    let count = 0;
    for (const [id, isKept] of this.#old) {
      if (isKept) continue;
      const key = Buffer.from(id, 'latin1');
      index.remove(nameOfKey(key, 0, key.length));
      this.#old.delete(id);
      if (this.#late.has(id)) this.#late.set(id, false);
      if (++count % CHUNK === 0) yield;
    }
    for (const [id, isIndexed] of this.#late) {
      this.#late.delete(id);
      const key = Buffer.from(id, 'latin1');
      const late = answers.get(key);
      if (late !== undefined) index.put(late, isIndexed);
      else if (isIndexed) index.remove(nameOfKey(key, 0, key.length));
    }
    // A group has raised the serial.
    if (this.#hasChanged) this.#publishApex(index);
  }

  #publishApex(index: IndexWriter): void {
    const node = this.environment.answers.get(apexKey(this.domain.apex));
    if (node !== undefined) index.put(node);
  }
}

/** Pages of the entries whose keys start with a prefix. Each page is one read. */
function* pagesOf(
  table: Pick<Binary, 'getRange'>,
  prefix: Buffer,
  after: Buffer | null = null,
): Generator<readonly Row[]> {
  const end = afterPrefix(prefix);
  for (let start: Buffer | undefined = after === null ? prefix : startAfter(after); start !== undefined; ) {
    const page: Row[] = [...table.getRange({ start, end, limit: CHUNK })];
    const last = page.at(-1);
    start = last === undefined ? undefined : startAfter(last.key);
    if (page.length > 0) yield page;
  }
}

const startAfter = (key: Uint8Array): Buffer => Buffer.concat([key, Uint8Array.of(0)]);

/**
 * The names from `name` upwards that a walk in canonical order after `last` has not met: itself,
 * and empty names above it. Without the apex.
 */
function newNames(name: Name, last: Name, apex: Name): Name[] {
  const names: Name[] = [];
  for (let at = name; at.length > apex.length && !isWithin(last, at); at = parentName(at)) names.push(at);
  return names;
}
