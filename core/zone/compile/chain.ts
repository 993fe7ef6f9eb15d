/**
 * Follows CNAME and DNAME records inside a zone to the name that has the data (RFC 1034 3.6.2, RFC
 * 6672).
 */

import { ASKED, type Owner } from '../../dns/wire/body.ts';
import {
  equalNames,
  isWildcard,
  joinNames,
  MAX_NAME,
  type Name,
  nameAt,
  nameId,
  nextCloser,
  parentName,
} from '../../dns/wire/name.ts';
import type { RRset } from '../../dns/wire/types.ts';
import { MAX_SOURCES, TYPE } from '../../dns/wire/types.ts';
import { findType, type ZoneRRset, type ZoneView } from './view.ts';
import { walk } from './walk.ts';

export interface Link {
  readonly owner: Owner;
  readonly set: RRset;
  /**
   * The stored owner, which may be a wildcard. Null: synthesized from a DNAME, so never signed (RFC
   * 6672 5.3.1).
   */
  readonly source: Name | null;
}

/** The end of a chain. `owner`: the last name. */
type Terminal =
  | { readonly kind: 'sets'; readonly owner: Name; readonly source: Name; readonly sets: readonly ZoneRRset[] }
  | { readonly kind: 'delegation'; readonly owner: Name; readonly cut: Name; readonly sets: readonly ZoneRRset[] }
  | { readonly kind: 'missing'; readonly owner: Name }
  /** The substituted name is too long: YXDOMAIN (RFC 6672 2.2). */
  | { readonly kind: 'too-long' }
  /** The chain leaves the zone, arrives at a steered CNAME, has a loop, or is too long. */
  | { readonly kind: 'end' };

export interface Chain {
  readonly links: readonly Link[];
  readonly terminal: Terminal;
  /** The chain returns to the wildcard at its start. Its end then depends on the queried name. */
  readonly dependsOnName: boolean;
  /** The nonexistent names that wildcards match along the chain (RFC 5155 7.2.6). */
  readonly absent: readonly Name[];
}

/**
 * Follows the chain from the CNAME at `source`, the stored owner. The chain ends where a name
 * repeats.
 */
export function follow(view: ZoneView, source: Name, cname: RRset): Chain {
  const links: Link[] = [{ owner: ASKED, set: cname, source }];
  const absent: Name[] = [];
  const visited = new Set([nameId(source)]);
  const dnames = new Set<string>();
  let dependsOnName = false;
  const end = (terminal: Terminal): Chain => ({ links, terminal, dependsOnName, absent });
  /** Marks a name as visited. False: the chain ends there. */
  const visit = (passed: Name): boolean => {
    const id = nameId(passed);
    if (visited.has(id) || visited.size >= MAX_SOURCES) return false;
    visited.add(id);
    return true;
  };
  let name = nameAt(cname.rdatas[0], 0);
  for (;;) {
    const outcome = walk(view, name);
    switch (outcome.kind) {
      case 'outside':
        return end({ kind: 'end' });
      case 'missing':
        return end({ kind: 'missing', owner: name });
      case 'delegation':
        return end({ kind: 'delegation', owner: name, cut: outcome.cut, sets: outcome.sets });
      case 'dname': {
        if (!visit(name)) return end({ kind: 'end' });
        if (!dnames.has(nameId(outcome.owner)))
          links.push({ owner: outcome.owner, set: outcome.set, source: outcome.owner });
        dnames.add(nameId(outcome.owner));
        const next = substitute(name, outcome.owner, outcome.set);
        if (next === null) return end({ kind: 'too-long' });
        links.push({ owner: name, set: { type: TYPE.CNAME, ttl: outcome.set.ttl, rdatas: [next] }, source: null });
        name = next;
        break;
      }
      case 'found':
      case 'wildcard': {
        const next = findType(outcome.sets, TYPE.CNAME);
        if (next?.steering !== undefined) return end({ kind: 'end' });
        const at = outcome.kind === 'wildcard' ? outcome.source : name;
        if (next === undefined) {
          if (outcome.kind === 'wildcard') absent.push(nextCloser(name, parentName(at)));
          return end({ kind: 'sets', owner: name, source: at, sets: outcome.sets });
        }
        if (isWildcard(source) && equalNames(at, source)) dependsOnName = true;
        if (!visit(name)) return end({ kind: 'end' });
        if (outcome.kind === 'wildcard') absent.push(nextCloser(name, parentName(at)));
        links.push({ owner: name, set: next, source: at });
        name = nameAt(next.rdatas[0], 0);
        break;
      }
      default:
        outcome satisfies never;
    }
  }
}

/**
 * Replaces the owner of the DNAME in a name by its target (RFC 6672 2.2). Null: the result is too
 * long.
 */
export function substitute(name: Name, owner: Name, dname: RRset): Name | null {
  const target = nameAt(dname.rdatas[0], 0);
  const prefix = name.subarray(0, name.length - owner.length);
  return prefix.length + target.length > MAX_NAME ? null : joinNames(prefix, target);
}
