/**
 * A zone view that adds the variants of steered record sets to their RRsets. The RRsets themselves
 * stay the plain choice, which chains, additional records and transfers read.
 */
import type { Name } from '../../dns/wire/name.ts';
import { parseRdata } from '../../dns/wire/rdata/index.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';

import { aliasOwnerKey, recordKey } from '../../store/keys.ts';
import type { Steering } from '../../store/rows.ts';
import { checkId } from '../steering/checked-answers.ts';
import { encodeSteering } from '../steering/encode.ts';
import type { AliasAnswers } from './aliased.ts';
import { findType, type ProxyHints, type SetSteering, type ZoneRRset, type ZoneView } from './view.ts';

export class SteeredZone implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs: RRset | null;
  readonly #zone: ZoneView & ProxyHints;
  readonly #steeringsAt: (name: Name) => readonly Steering[];
  readonly #addressesOf: AliasAnswers;

  /** `steeringsAt`: the documents of a name. `addressesOf`: of the target of an ALIAS. */
  constructor(
    zone: ZoneView & ProxyHints,
    steeringsAt: (name: Name) => readonly Steering[],
    addressesOf: AliasAnswers = () => [],
  ) {
    this.#zone = zone;
    this.#addressesOf = addressesOf;
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
    this.#steeringsAt = steeringsAt;
  }

  rrsets(name: Name): readonly ZoneRRset[] {
    const sets = this.#zone.rrsets(name);
    const steerings = this.#steeringsAt(name);
    if (steerings.length === 0) return sets;
    const alias = steerings.find(({ type }) => type === TYPE.ALIAS);
    if (alias !== undefined) return this.#steerAlias(sets, alias);
    return sets.map((set) => {
      const steering = steerings.find(({ type }) => type === set.type);
      return steering === undefined ? set : { ...set, steering: steeringOfSet(steering) };
    });
  }

  /**
   * The addresses of an ALIAS: a variant is those of a target, where it has some of the family. A
   * family that no pool of the fall-back has is not steered, and so not there: a client whose pools
   * have none of its addresses would get those of a pool for others.
   */
  #steerAlias(sets: readonly ZoneRRset[], { domainId, name, type, content }: Steering): readonly ZoneRRset[] {
    const steered = FAMILIES.flatMap((family): ZoneRRset[] => {
      const own = findType(sets, family);
      const variants: ZoneRRset[] = [];
      const numbers = new Map<string, number>();
      const answers = content.pools.map(({ answers: targets, health }) =>
        targets.map(({ content: text, weight }) => {
          const set = numbers.has(text) ? undefined : findType(this.#addressesOf(parseRdata(type, text)), family);
          if (set !== undefined && set.rdatas.length > 0) {
            numbers.set(text, variants.length);
            variants.push({ ...set, ttl: Math.min(content.ttl, set.ttl) });
          }
          const variant = numbers.get(text);
          const check = health && checkId(domainId, name, type, text, health);
          // A target without addresses of the family is never picked.
          return { weight: variant === undefined ? 0 : weight, check, variant: variant ?? 0 };
        }),
      );
      const open = content.fallback
        .flatMap((pool) => answers[content.pools.findIndex(({ name: other }) => other === pool)])
        .find(({ weight }) => weight > 0);
      if (open === undefined) return own === undefined ? [] : [own];
      const plain = own === undefined || own.rdatas.length === 0 ? variants[open.variant] : own;
      return [{ ...plain, steering: { table: encodeSteering(content, answers), variants } }];
    });
    const isReplaced = ({ type: other, isPlaceholder }: ZoneRRset): boolean =>
      FAMILIES.includes(other) || (isPlaceholder === true && steered.length > 0);
    return [...sets.filter((set) => !isReplaced(set)), ...steered].sort((a, b) => a.type - b.type);
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

const FAMILIES: readonly number[] = [TYPE.A, TYPE.AAAA];

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

/** The record id in keys of the aliases table; no record has it. */
const NO_RECORD = 0;

/** The entries of the aliases table for the targets of a steered ALIAS. */
export function steeredAliasOwners({ domainId, name, type, content }: Steering) {
  if (type !== TYPE.ALIAS) return [];
  const texts = new Set(content.pools.flatMap(({ answers }) => answers.map((answer) => answer.content)));
  return [...texts].map((text) => {
    const target: Name = parseRdata(type, text);
    return { target, key: aliasOwnerKey(target, recordKey(domainId, name, type, NO_RECORD)) };
  });
}
