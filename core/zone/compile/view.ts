/**
 * The interface of a zone to the compiler. It is implemented in memory (a whole zone) and on the
 * store (a change to a zone).
 */
import type { Name } from '../../dns/wire/name.ts';
import type { RRset } from '../../dns/wire/types.ts';

/**
 * Empty `rdatas`: the data is unknown, since the target of an ALIAS was not looked up yet. The
 * answer is SERVFAIL.
 */
export interface ZoneRRset extends RRset {
  /** Keeps the name of an ALIAS without addresses in existence (aliased.ts). */
  readonly isPlaceholder?: boolean;
  /** The data has expired and is served stale (RFC 8767). */
  readonly isStale?: boolean;
  /** The addresses of its hints are those of other names (hinted.ts). */
  readonly hasAutoHints?: boolean;
  /** Undefined: all clients get the same. */
  readonly steering?: SetSteering;
}

/** The variants of a steered RRset. Each client gets one; the RRset is the plain choice. */
export interface SetSteering {
  /** See AnswerSteering. */
  readonly table: Buffer;
  readonly variants: readonly ZoneRRset[];
}

export interface ZoneView {
  readonly apex: Name;
  /**
   * The RRsets at exactly this name, in ascending order of type. At the apex, they include SOA and
   * NS.
   */
  rrsets(name: Name): readonly ZoneRRset[];
  /** Whether the name has a record or the apex of a nested zone of ours below it. */
  hasBelow(name: Name): boolean;
  /** Whether the name is the apex of a nested zone of ours. */
  isNested(name: Name): boolean;
  /**
   * False: the zone has no delegation, no DNAME and no nested zone, so none of its names is
   * occluded.
   */
  readonly mayOcclude: boolean;
  /** The DS of this zone in its parent zone, if the parent is also ours (RFC 4035 3.1.4.1). */
  readonly parentDs: RRset | null;
}

/** Properties of names that the proxy needs in addition to their records. */
export interface ProxyHints {
  /** The proxy setting of the records of a name; null: none. */
  proxied(name: Name): boolean | null;
  /** Whether MX, SRV or NS records of the zone point at the name. */
  isServiceTarget(name: Name): boolean;
}

export const NO_RRSETS: readonly RRset[] = [];

export function findType<Set extends RRset>(sets: readonly Set[], type: number): Set | undefined {
  for (const set of sets) if (set.type === type) return set;
  return undefined;
}

/**
 * Whether the name or a name below it has a record or is the apex of a nested zone of ours.
 * Occlusion is not considered.
 */
export function exists(view: ZoneView, name: Name): boolean {
  return view.rrsets(name).length > 0 || view.hasBelow(name);
}
