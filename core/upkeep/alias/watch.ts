/**
 * Finds the targets to look up again when the answers of a name change, or when a zone is created
 * or deleted. The result may contain too many targets, but never misses one. Names are compared by
 * their last labels alone: the ancestors of targets with 127 labels would fill the memory.
 */
import { isWildcard, labelCount, type Name, nameId, parentName, wildcardOf } from '../../dns/wire/name.ts';

/** Labels that are compared. Names rarely have more, and an apex rarely has APEX_LABELS. */
const LABELS = 8;
const APEX_LABELS = 4;

export class Watch<T> {
  readonly #byName = new Map<string, Set<T>>();
  /** Items with a chain through a name at or below the key. */
  readonly #byAncestor = new Map<string, Set<T>>();
  readonly #keysOf = new Map<T, { readonly names: Set<string>; readonly ancestors: Set<string> }>();

  /**
   * Adds a name of the item's chain. `apex`: of our zone that contains the name; undefined: none.
   */
  add(item: T, name: Name, apex: Name | undefined): void {
    let sets = this.#keysOf.get(item);
    if (sets === undefined) {
      sets = { names: new Set(), ancestors: new Set() };
      this.#keysOf.set(item, sets);
    }
    const { names, ancestors } = sets;
    for (let above = cut(name, APEX_LABELS); above.length > 1; above = parentName(above)) ancestors.add(nameId(above));
    // Without a zone of ours, only a new zone can change the answers.
    if (apex !== undefined) watched(name, apex, names);
    for (const id of names) add(this.#byName, id, item);
    for (const id of ancestors) add(this.#byAncestor, id, item);
  }

  remove(item: T): void {
    const sets = this.#keysOf.get(item);
    if (sets === undefined) return;
    for (const id of sets.names) take(this.#byName, id, item);
    for (const id of sets.ancestors) take(this.#byAncestor, id, item);
    this.#keysOf.delete(item);
  }

  /** Items whose chain contains the name, or could contain it after a change. */
  at(name: Name): Iterable<T> {
    return this.#byName.size === 0 ? NONE : (this.#byName.get(nameId(cut(name, LABELS))) ?? NONE);
  }

  /** Items whose chain contains a name at or below an apex. */
  below(apex: Name): Iterable<T> {
    return this.#byAncestor.get(nameId(cut(apex, APEX_LABELS))) ?? NONE;
  }
}

const NONE: readonly never[] = [];

/** Adds to `names` all names whose changes affect `name`, which is in the zone of `apex`. */
function watched(name: Name, apex: Name, names: Set<string>): void {
  const lowest = cut(name, LABELS);
  names.add(nameId(lowest));
  // The apex is left out, since its node changes with every serial. `below` finds changes that
  // affect all names of the zone.
  for (let above = lowest; above.length > apex.length; above = parentName(above)) {
    names.add(nameId(above));
    // A new wildcard may synthesize a missing name. A new name above hides a wildcard.
    const parent = parentName(above);
    if (parent.length >= apex.length && !isWildcard(parent)) names.add(nameId(wildcardOf(parent)));
  }
}

/** The last `labels` labels of the name. */
function cut(name: Name, labels: number): Name {
  let last = name;
  for (let more = labelCount(name) - labels; more > 0; more--) last = parentName(last);
  return last;
}

function add<T>(map: Map<string, Set<T>>, id: string, item: T): void {
  const items = map.get(id);
  if (items === undefined) map.set(id, new Set([item]));
  else items.add(item);
}

function take<T>(map: Map<string, Set<T>>, id: string, item: T): void {
  const items = map.get(id);
  if (items?.delete(item) === true && items.size === 0) map.delete(id);
}
