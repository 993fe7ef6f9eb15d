/** Which targets have to be looked at when the answers of a name change, or when a zone comes or goes. */
import { isWildcard, MAX_NAME, type Name, nameId, parentName, wildcardOf } from '../wire/name.ts';

export class Watch<T> {
  private readonly byName = new Map<string, Set<T>>();
  /** The same for whatever lies at or below a name. */
  private readonly byAncestor = new Map<string, Set<T>>();
  private readonly of = new Map<T, { readonly names: Set<string>; readonly ancestors: Set<string> }>();

  /** The item's chain goes through the name, too. `apex`: that of the zone of ours that the name lies in. */
  add(item: T, name: Name, apex: Name | undefined): void {
    let known = this.of.get(item);
    if (known === undefined) {
      known = { names: new Set(), ancestors: new Set() };
      this.of.set(item, known);
    }
    const { names, ancestors } = known;
    names.add(nameId(name));
    for (let above = name; ; above = parentName(above)) {
      ancestors.add(nameId(above));
      // The node of an apex changes with every serial; who comes or goes there is told by `below`.
      if (apex === undefined || above.length > apex.length) names.add(nameId(above));
      // What is missing may be made by a wildcard, and what a wildcard makes may be hidden by a name above that comes.
      if (above !== name && above.length + 2 <= MAX_NAME && !isWildcard(above)) names.add(nameId(wildcardOf(above)));
      if (above.length === 1) break;
    }
    for (const id of names) add(this.byName, id, item);
    for (const id of ancestors) add(this.byAncestor, id, item);
  }

  remove(item: T): void {
    const known = this.of.get(item);
    if (known === undefined) return;
    for (const id of known.names) take(this.byName, id, item);
    for (const id of known.ancestors) take(this.byAncestor, id, item);
    this.of.delete(item);
  }

  /** Whose chains the name is part of, or may become. */
  at(name: Name): Iterable<T> {
    return this.byName.size === 0 ? NONE : (this.byName.get(nameId(name)) ?? NONE);
  }

  /** Whose chains go through names at or below an apex. */
  below(apex: Name): Iterable<T> {
    return this.byAncestor.get(nameId(apex)) ?? NONE;
  }
}

const NONE: readonly never[] = [];

function add<T>(map: Map<string, Set<T>>, id: string, item: T): void {
  const known = map.get(id);
  if (known === undefined) map.set(id, new Set([item]));
  else known.add(item);
}

function take<T>(map: Map<string, Set<T>>, id: string, item: T): void {
  const known = map.get(id);
  if (known?.delete(item) === true && known.size === 0) map.delete(id);
}
