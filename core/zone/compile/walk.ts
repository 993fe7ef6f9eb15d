/**
 * Looks up a name in one zone (RFC 1034 4.3.2 step 3): the first delegation or DNAME from the apex
 * down, else the name, else a wildcard.
 */
import { isWithin, MAX_NAME, type Name, parentName, wildcardOf } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { exists, findType, NO_RRSETS, type ZoneRRset, type ZoneView } from './view.ts';

type Outcome =
  /** The name exists. No RRsets: an empty non-terminal. */
  | { readonly kind: 'found'; readonly sets: readonly ZoneRRset[] }
  /** The name does not exist; the wildcard `source` matches it (RFC 4592). */
  | { readonly kind: 'wildcard'; readonly source: Name; readonly sets: readonly ZoneRRset[] }
  /** The name is at or below a zone cut. `sets`: the RRsets of the parent side at the cut. */
  | { readonly kind: 'delegation'; readonly cut: Name; readonly sets: readonly ZoneRRset[] }
  /** The name is below a DNAME (RFC 6672). */
  | { readonly kind: 'dname'; readonly owner: Name; readonly set: RRset }
  | { readonly kind: 'missing' }
  /** The name is outside the zone, or in a nested zone of ours. */
  | { readonly kind: 'outside' };

const MISSING: Outcome = { kind: 'missing' };
const OUTSIDE: Outcome = { kind: 'outside' };

export function walk(view: ZoneView, name: Name): Outcome {
  if (!isWithin(name, view.apex)) return OUTSIDE;
  if (view.mayOcclude) {
    const barrier = occlusion(view, name);
    if (barrier !== null) return barrier;
  }
  const sets = view.rrsets(name);
  if (sets.length > 0 || view.hasBelow(name)) return { kind: 'found', sets };
  let encloser = parentName(name);
  while (encloser.length > view.apex.length && !exists(view, encloser)) encloser = parentName(encloser);
  if (encloser.length + 2 > MAX_NAME) return MISSING;
  const source = wildcardOf(encloser);
  return exists(view, source) ? { kind: 'wildcard', source, sets: view.rrsets(source) } : MISSING;
}

/** The first delegation, DNAME or nested zone from the apex down to a name. */
function occlusion(view: ZoneView, name: Name): Outcome | null {
  // The name and all names above it, up to the apex.
  const path = [name];
  for (let at = name; at.length > view.apex.length; path.push(at)) at = parentName(at);
  for (let i = path.length - 2; i >= 0; i--) if (view.isNested(path[i])) return OUTSIDE;
  for (let i = path.length - 1; i >= 0; i--) {
    const at = path[i];
    const isApex = i === path.length - 1;
    const sets = view.rrsets(at);
    if (!isApex && findType(sets, TYPE.NS) !== undefined) return { kind: 'delegation', cut: at, sets };
    const dname = i > 0 ? findType(sets, TYPE.DNAME) : undefined;
    if (dname !== undefined) return { kind: 'dname', owner: at, set: dname };
  }
  return null;
}

/**
 * The RRsets that a name has as an address target, of its own or of a wildcard. Names at or below a
 * zone cut have none.
 */
export function localSets(view: ZoneView, name: Name): readonly ZoneRRset[] {
  const outcome = walk(view, name);
  return outcome.kind === 'found' || outcome.kind === 'wildcard' ? outcome.sets : NO_RRSETS;
}
