/**
 * A world that changes step by step: records, zones, proxies and what names say of the proxy are
 * switched on and off.
 */
import type { Name } from '../../core/dns/wire/name.ts';
import type { Random } from '../support/random.ts';
import {
  type ApexDraft,
  buildWorld,
  type FlagDraft,
  type RecordDraft,
  type World,
  type WorldDraft,
} from './generate.ts';

interface Switch<T> {
  readonly part: T;
  on: boolean;
}

export class WorldSteps {
  readonly #origin: Name;
  readonly #random: Random;
  readonly #apexes: Switch<ApexDraft>[];
  readonly #proxies: Switch<ApexDraft>[];
  /** Those of which the origin is set. */
  readonly #origins: Switch<ApexDraft>[];
  readonly #records: Switch<RecordDraft>[];
  readonly #flags: Switch<FlagDraft>[];
  #aliasSeed: number | undefined;

  /** Zones are there from the beginning, and half of the rest. */
  constructor({ apexes, records, flags = [], aliasSeed }: WorldDraft, origin: Name, random: Random) {
    const half = <T>(parts: readonly T[]): Switch<T>[] => parts.map((part) => ({ part, on: random.below(2) === 0 }));
    this.#origin = origin;
    this.#random = random;
    this.#aliasSeed = aliasSeed;
    this.#apexes = apexes.map((part) => ({ part, on: true }));
    // A draft without any word on the proxy stays without.
    this.#proxies = half(apexes.filter(({ proxied }) => proxied !== undefined));
    this.#origins = half(apexes.filter(({ origin: picked }) => picked !== undefined));
    this.#records = half(records);
    this.#flags = half(flags);
  }

  /** The next world. Its first zone stays as a rule, so that there is something to ask. */
  next(keepFirst = true): World {
    const random = this.#random;
    if (this.#aliasSeed !== undefined && random.below(4) === 0) this.#aliasSeed = random.below(1000);
    for (let n = random.below(6); n > 0; n--) this.#flip(this.#records);
    if (random.below(4) === 0) this.#flip(keepFirst ? this.#apexes.slice(1) : this.#apexes);
    if (random.below(4) === 0) this.#flip(this.#proxies);
    if (random.below(4) === 0) this.#flip(this.#origins);
    for (let n = random.below(3); n > 0; n--) this.#flip(this.#flags);
    return buildWorld(
      {
        apexes: this.#apexes
          .filter(({ on }) => on)
          .map(({ part }) => ({
            ...part,
            proxied: isOn(this.#proxies, part),
            origin: isOn(this.#origins, part) ? part.origin : undefined,
          })),
        records: partsOf(this.#records),
        flags: partsOf(this.#flags),
        aliasSeed: this.#aliasSeed,
      },
      this.#origin,
    );
  }

  #flip<T>(switches: readonly Switch<T>[]): void {
    if (switches.length === 0) return;
    const item = this.#random.pick(switches);
    item.on = !item.on;
  }
}

const isOn = <T>(switches: readonly Switch<T>[], part: T): boolean =>
  switches.some((other) => other.on && other.part === part);

const partsOf = <T>(switches: readonly Switch<T>[]): T[] => switches.filter(({ on }) => on).map(({ part }) => part);
