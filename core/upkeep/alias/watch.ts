/**
 * Which targets have to be looked at when the answers of a name change, or when a zone comes or
 * goes. May name too many, never too few: names are distinguished by their last labels alone, since
 * targets of 127 labels would fill the memory with the names above them.
 */
import { isWildcard, labelCount, type Name, nameId, parentName, wildcardOf } from '../../dns/wire/name.ts';

/**
 * Labels by which names are distinguished: hardly a name has more, and hardly an apex has as many
 * as APEX_LABELS.
 */
const LABELS = 8;
const APEX_LABELS = 4;

export class Watch<T> {
  readonly #byName = new Map<string, Set<T>>();
  /** The same for whatever is at or below a name. */
  readonly #byAncestor = new Map<string, Set<T>>();
  readonly #of = new Map<T, { readonly names: Set<string>; readonly ancestors: Set<string> }>();

  /**
   * The item's chain goes through the name, too. `apex`: that of the zone of ours that the name is
   * in.
   */
  add(item: T, name: Name, apex: Name | undefined): void {
    let sets = this.#of.get(item);
    if (sets === undefined) {
      sets = { names: new Set(), ancestors: new Set() };
      this.#of.set(item, sets);
    }
    const { names, ancestors } = sets;
    for (let above = cut(name, APEX_LABELS); above.length > 1; above = parentName(above)) ancestors.add(nameId(above));
    // Nothing of ours is answered where no zone of ours is.
    if (apex !== undefined) watched(name, apex, names);
    for (const id of names) add(this.#byName, id, item);
    for (const id of ancestors) add(this.#byAncestor, id, item);
  }

  remove(item: T): void {
    const sets = this.#of.get(item);
    if (sets === undefined) return;
    for (const id of sets.names) take(this.#byName, id, item);
    for (const id of sets.ancestors) take(this.#byAncestor, id, item);
    this.#of.delete(item);
  }

  /** Whose chains the name is part of, or may become. */
  at(name: Name): Iterable<T> {
    return this.#byName.size === 0 ? NONE : (this.#byName.get(nameId(cut(name, LABELS))) ?? NONE);
  }

  /** Whose chains go through names at or below an apex. */
  below(apex: Name): Iterable<T> {
    return this.#byAncestor.get(nameId(cut(apex, APEX_LABELS))) ?? NONE;
  }
}

const NONE: readonly never[] = [];

/** The names whose answers concern one that is in the zone of an apex. */
function watched(name: Name, apex: Name, names: Set<string>): void {
  const lowest = cut(name, LABELS);
  names.add(nameId(lowest));
  // The node of an apex changes with every serial; what concerns all names below it is reported by
  // `below`.
  for (let above = lowest; above.length > apex.length; above = parentName(above)) {
    names.add(nameId(above));
    // What is missing may be made by a wildcard, and what a wildcard makes may be hidden by a name
    // above that comes.
    const parent = parentName(above);
    if (parent.length >= apex.length && !isWildcard(parent)) names.add(nameId(wildcardOf(parent)));
  }
}

/** The name without what it has more than so many labels. */
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
