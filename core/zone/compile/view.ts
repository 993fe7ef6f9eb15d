/**
 * What the compiler sees of a zone: a few questions, answered from memory (a whole zone) or from
 * the store (a change to one).
 */
import type { Name } from '../../dns/wire/name.ts';
import type { RRset } from '../../dns/wire/types.ts';

/**
 * `rdatas` empty: it is not known what they are (an ALIAS whose target could not be resolved), so
 * that SERVFAIL is answered.
 */
export interface ZoneRRset extends RRset {
  /** Kept past its time (RFC 8767). */
  readonly isStale?: boolean;
}

export interface ZoneView {
  readonly apex: Name;
  /**
   * The RRsets that are stored at exactly this name, by rising type. At the apex, SOA and NS are
   * among them.
   */
  rrsets(name: Name): readonly ZoneRRset[];
  /** Whether a record of the zone, or the apex of a nested zone of ours, is below the name. */
  hasBelow(name: Name): boolean;
  /** Whether a nested zone of ours begins at this name. */
  isNested(name: Name): boolean;
  /**
   * False: the zone has no delegation, no DNAME and no nested zone, so that no name of it is
   * occluded.
   */
  readonly mayOcclude: boolean;
  /** DS of this zone as its parent zone holds it, when we have that (RFC 4035 3.1.4.1). */
  readonly parentDs: RRset | null;
}

/** What a zone says of its names in addition to their records, for the proxy. */
export interface ProxyHints {
  /** What the records of a name say themselves; null: nothing. */
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
 * Whether the name itself, or one below it, owns a record or is the apex of a nested zone of ours.
 * Nothing is said of what occludes it.
 */
export function exists(view: ZoneView, name: Name): boolean {
  return view.rrsets(name).length > 0 || view.hasBelow(name);
}
