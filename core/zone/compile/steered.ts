/**
 * A zone view that adds the variants of steered record sets to their RRsets. The RRsets themselves
 * stay the plain choice, which chains, additional records and transfers read.
 */
import type { Name } from '../../dns/wire/name.ts';
import { parseRdata } from '../../dns/wire/rdata/index.ts';
import type { RRset } from '../../dns/wire/types.ts';

import type { Steering } from '../../store/rows.ts';
import { checkId } from '../steering/checked-answers.ts';
import { encodeSteering } from '../steering/encode.ts';
import type { ProxyHints, SetSteering, ZoneRRset, ZoneView } from './view.ts';

export class SteeredZone implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs: RRset | null;
  readonly #zone: ZoneView & ProxyHints;
  readonly #steeringsAt: (name: Name) => readonly Steering[];

  /** `steeringsAt`: the documents of a name. */
  constructor(zone: ZoneView & ProxyHints, steeringsAt: (name: Name) => readonly Steering[]) {
    this.#zone = zone;
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
    this.#steeringsAt = steeringsAt;
  }

  rrsets(name: Name): readonly ZoneRRset[] {
    const sets = this.#zone.rrsets(name);
    const steerings = this.#steeringsAt(name);
    if (steerings.length === 0) return sets;
    return sets.map((set) => {
      const steering = steerings.find(({ type }) => type === set.type);
      return steering === undefined ? set : { ...set, steering: steeringOfSet(steering) };
    });
  }

  hasBelow(name: Name): boolean {
    return this.#zone.hasBelow(name);
  }

  isNested(name: Name): boolean {
    return this.#zone.isNested(name);
  }

  proxied(name: Name): boolean | null {
    return this.#zone.proxied(name);
  }

  isServiceTarget(name: Name): boolean {
    return this.#zone.isServiceTarget(name);
  }
}

/** Decoding and encoding take 50 µs for each use of a name; rows are replaced, never changed. */
const compiled = new WeakMap<Steering, SetSteering>();

/** Each content is one variant, however many pools have it. */
export function steeringOfSet(steering: Steering): SetSteering {
  const cached = compiled.get(steering);
  if (cached !== undefined) return cached;
  const { domainId, name, type, content } = steering;
  const numbers = new Map<string, number>();
  const variants: RRset[] = [];
  const answers = content.pools.map(({ answers: own, health }) =>
    own.map(({ content: text, weight }) => {
      let variant = numbers.get(text);
      if (variant === undefined) {
        variant = variants.length;
        numbers.set(text, variant);
        variants.push({ type, ttl: content.ttl, rdatas: [parseRdata(type, text)] });
      }
      return { weight, check: health && checkId(domainId, name, type, text, health), variant };
    }),
  );
  const found = { table: encodeSteering(content, answers), variants };
  compiled.set(steering, found);
  return found;
}
