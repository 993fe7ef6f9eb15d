/**
 * The answers of a zone after a large import, whose records are revealed already. They are written
 * in small transactions, and then passed to the readers. DNS serves the old zone until then.
 */
import { isWithin, type Name, nameAt, nameId, parentName } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { APEX_LENGTH_AT } from '../../store/answers.ts';
import type { Binary, Environment } from '../../store/environment.ts';
import { isHidden } from '../../store/hidden-rows.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import { afterPrefix, type Id, idAt, idKey, nameKey, nameOfKey, recordKeyParts } from '../../store/keys.ts';
import { type Domain, RECORD_RDATA } from '../../store/rows.ts';
import { type KeyedNode, readNodes } from '../../zone/compile/bulk.ts';
import type { ImportProgress } from '../journal.ts';
import type { NodeChange } from './node-writer.ts';

/** Rows or nodes between two yields. */
const CHUNK = 32;
const UNSERVED = Buffer.from('unserved import');

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
  /** Writes the apex, and names with ALIAS records. */
  writeNames(domain: Domain, aliasOwners: Iterable<Name>): readonly NodeChange[];
}

export class ImportedZone {
  /** All answers are written. */
  isWritten = false;
  /** Targets of ALIAS records: complete once the answers are written. */
  readonly aliasTargets = new Map<string, Name>();
  /** The keys of the nodes before the import in Latin-1, and whether a new node has the key. */
  readonly #old = new Map<string, boolean>();
  #isOldComplete = false;
  /** Written names below the apex. */
  #names = 0;
  #apex: readonly NodeChange[] = [];
  #publishing: Generator<void> | null = null;

  /** `compiled` null: the names are compiled from the rows. */
  constructor(
    private readonly environment: Environment,
    readonly domain: Domain,
    private readonly compiled: CompiledNodes | null,
  ) {}

  /** Inside write transactions, after the last entry. After an error, it is called again. */
  *writeAnswers(compiler: ImportCompiler): Generator<void> {
    if (this.isWritten) return;
    const progress = this.compiled?.progress;
    progress?.begin('answers', this.compiled?.nodes.length ?? 0);
    yield* this.#collectOld();
    for (const key of this.#old.keys()) this.#old.set(key, false);
    const { answers } = this.environment;
    this.#names = 0;
    let count = 0;
    for (const found of this.compiled === null ? this.#compileRows(compiler) : readNodes(this.compiled.nodes)) {
      if (found !== null) {
        const { key, node } = found;
        answers.put(key, node);
        if (progress !== undefined) progress.done += key.length + node.length;
        this.#names++;
        const id = key.toString('latin1');
        if (this.#old.has(id)) this.#old.set(id, true);
      }
      if (found === null || ++count % CHUNK === 0) yield;
      if (this.isWritten) return;
    }
    for (const [id, isKept] of this.#old) {
      if (!isKept) answers.remove(Buffer.from(id, 'latin1'));
      if (++count % CHUNK === 0) yield;
      if (this.isWritten) return;
    }
    for (const target of this.compiled?.aliasTargets ?? []) this.aliasTargets.set(nameId(target), target);
    this.#apex = compiler.writeNames(this.domain, this.compiled?.aliasOwners ?? []);
    setUnserved(this.environment, this.domain.id, false);
  }

  *#collectOld(): Generator<void> {
    if (this.#isOldComplete) return;
    for (const page of this.#pagesOfNodes()) {
      for (const { key } of page) this.#old.set((key as Buffer).toString('latin1'), false);
      yield;
    }
    this.#isOldComplete = true;
  }

  /** The nodes below the apex, without those of other zones. */
  *#pagesOfNodes(): Generator<readonly { readonly key: Uint8Array; readonly value: Buffer }[]> {
    const { apex } = this.domain;
    for (const page of pagesOf(this.environment.answers, nameKey(apex)))
      yield page.filter(({ value }) => value[APEX_LENGTH_AT] === apex.length);
  }

  /** The nodes of all names with records, and of empty names above these. Null: a pause. */
  *#compileRows(compiler: ImportCompiler): Generator<KeyedNode | null> {
    const { domain } = this;
    const { id, apex } = domain;
    const { hidden, allRecords } = this.environment;
    let last: Name = apex;
    // Pages have hidden rows too, of which there may be a million next to each other.
    for (const page of pagesOf({ getRange: allRecords }, idKey(id))) {
      const ranges = hidden.read().filter(({ domainId }) => domainId === id);
      const names: Name[] = [];
      for (const { key, value } of page) {
        if (ranges.some((range) => isHidden(range, key))) continue;
        const { nameEnd, type } = recordKeyParts(key);
        if (type === TYPE.ALIAS) {
          const target = Uint8Array.from(nameAt(value, RECORD_RDATA));
          this.aliasTargets.set(nameId(target), target);
        }
        const name = nameOfKey(key as Buffer, 8, nameEnd);
        names.push(...newNames(name, last, apex));
        last = name;
      }
      yield* compiler.nodesOf(domain, names);
      yield null;
    }
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

  /** New names come first, then the apex, which has the serial, then deleted names. */
  *#publish(index: IndexWriter): Generator<void> {
    const progress = this.compiled?.progress;
    progress?.begin('serving', this.#names);
    for (const page of this.#pagesOfNodes()) {
      for (const { key, value } of page) index.put(value, this.#old.has((key as Buffer).toString('latin1')));
      if (progress !== undefined && page.length > 0) progress.done += page.length;
      yield;
    }
    for (const { name, node, wasStored } of this.#apex)
      if (node === null) index.remove(name);
      else index.put(node, wasStored);
    let count = 0;
    for (const [id, isKept] of this.#old) {
      const key = Buffer.from(id, 'latin1');
      if (!isKept) index.remove(nameOfKey(key, 0, key.length));
      if (++count % CHUNK === 0) yield;
    }
  }
}

/** Pages of the entries whose keys start with a prefix. Each page is one read. */
function* pagesOf(
  table: Pick<Binary, 'getRange'>,
  prefix: Buffer,
): Generator<{ readonly key: Uint8Array; readonly value: Buffer }[]> {
  const end = afterPrefix(prefix);
  for (let start: Buffer | undefined = prefix; start !== undefined; ) {
    const page: { key: Uint8Array; value: Buffer }[] = [...table.getRange({ start, end, limit: CHUNK })];
    const last = page.at(-1);
    start = last && Buffer.concat([last.key, Uint8Array.of(0)]);
    if (page.length > 0) yield page;
  }
}

/**
 * The names from `name` upwards that a walk in canonical order after `last` has not met: itself,
 * and empty names above it. Without the apex.
 */
function newNames(name: Name, last: Name, apex: Name): Name[] {
  const names: Name[] = [];
  for (let at = name; at.length > apex.length && !isWithin(last, at); at = parentName(at)) names.push(at);
  return names;
}
