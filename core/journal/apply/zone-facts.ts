/**
 * What applying a change asks of its zone and what seldom changes itself: the domain's row, whether its proxy is on, the zones around it, the RRsets of its apex, which of its names lead to others.
 * Kept from one group of entries to the next. Whoever applies an entry says what it makes void; after a transaction that was taken back all is void.
 */
import type { Environment } from '../../store/environment.ts';
import { nameKey } from '../../store/keys.ts';
import { Reader, rawReader } from '../../store/reader.ts';
import { type AliasFamily, type AliasTarget, aliasTargets, type Domain } from '../../store/rows.ts';
import { latin1 } from '../../wire/latin1.ts';
import { type Name, nameId, parentName } from '../../wire/name.ts';
import { TYPE } from '../../wire/types.ts';
import { UNRESOLVED } from '../../zone/aliased.ts';
import { apexSets } from '../../zone/apex.ts';
import { challengeRdata } from '../../zone/challenged.ts';
import type { ZoneSettings } from '../../zone/settings.ts';
import { type AtApex, readHeld } from '../../zone/stored.ts';
import type { ZoneRRset } from '../../zone/view.ts';
import { readTargets, type ZoneTargets } from '../../zone/zone-targets.ts';
import { Known } from './bounded-memo.ts';

/** Bytes of rdata at an apex that is kept; few have as many, and some might have 64,000. */
const MOST_AT_APEX = 4096;

export class ZoneFacts {
  readonly #reader: Reader;
  readonly #environment: Environment;
  readonly #domains: Known<Domain | undefined>;
  readonly #proxied: Known<boolean>;
  readonly #apexes: Known<AtApex>;
  readonly #targets: Known<ZoneTargets>;
  readonly #children: Known<readonly Domain[]>;
  readonly #parents: Known<Domain | null>;
  readonly #aliases: Known<readonly ZoneRRset[]>;
  readonly #challenges: Known<readonly Uint8Array[]>;
  readonly #all: readonly Known<unknown>[];

  /** `under`: what is known already, and stays as it is whatever becomes void here. */
  constructor(environment: Environment, under?: ZoneFacts) {
    this.#environment = environment;
    this.#reader = new Reader(rawReader(environment));
    this.#domains = new Known(under === undefined ? undefined : under.#domains);
    this.#proxied = new Known(under === undefined ? undefined : under.#proxied);
    this.#apexes = new Known(under === undefined ? undefined : under.#apexes);
    this.#targets = new Known(under === undefined ? undefined : under.#targets);
    this.#children = new Known(under === undefined ? undefined : under.#children);
    this.#parents = new Known(under === undefined ? undefined : under.#parents);
    this.#aliases = new Known(under === undefined ? undefined : under.#aliases);
    this.#challenges = new Known(under === undefined ? undefined : under.#challenges);
    this.#all = [
      this.#domains,
      this.#proxied,
      this.#apexes,
      this.#targets,
      this.#children,
      this.#parents,
      this.#aliases,
      this.#challenges,
    ] as Known<unknown>[];
  }

  clear(): void {
    for (const known of this.#all) known.clear();
  }

  /** Takes over what was read by facts that are laid over these, once what they hold for void is void here, too. */
  adopt(over: ZoneFacts): void {
    this.#all.forEach((known, i) => {
      known.adopt(over.#all[i]);
    });
  }

  /** Records at the apex come or go. */
  apexChanged(domainId: string): void {
    this.#apexes.delete(domainId);
  }

  /** Records that lead to other names come or go. */
  targetsChanged(domainId: string): void {
    this.#targets.delete(domainId);
  }

  /** What is known of the target with this key changes. */
  aliasChanged(key: Uint8Array): void {
    this.#aliases.delete(latin1(key));
  }

  /** Challenges of a domain come or go. */
  challengesChanged(domainId: string): void {
    this.#challenges.delete(domainId);
  }

  /** Rdata of the TXT that answer the domain's dns-01 challenges. */
  challengesOf(domainId: string): readonly Uint8Array[] {
    return this.#challenges.get(domainId, () =>
      this.#reader
        .acmeChallenges(domainId)
        .filter(({ type }) => type === 'dns-01')
        .map(({ content }) => challengeRdata(content)),
    );
  }

  /** See AliasAnswers. */
  aliasAnswers(target: Name): readonly ZoneRRset[] {
    const key = nameKey(target);
    return this.#aliases.get(latin1(key), () => {
      return aliasSets(this.#reader.row(aliasTargets, key));
    });
  }

  domain(id: string): Domain | undefined {
    return this.#domains.get(id, () => this.#reader.domain(id));
  }

  isProxied(domainId: string): boolean {
    return this.#proxied.get(domainId, () => this.#reader.proxy(domainId)?.enabled === true);
  }

  /** What stands at the apex of a domain, the SOA with the serial 0. */
  atApex(domain: Domain, settings: ZoneSettings): AtApex {
    const read = (): AtApex => {
      const { sets, proxied } = readHeld(this.#environment, domain.id, domain.apex);
      // Each by itself, since what is read is in larger buffers. (The slice of a Buffer would be a view.)
      const kept = sets.map((set) => ({
        ...set,
        rdatas: set.rdatas.map((rdata) => Uint8Array.prototype.slice.call(rdata)),
      }));
      return { proxied, sets: apexSets(kept, domain, settings, 0) };
    };
    return this.#apexes.get(domain.id, read, isSmall);
  }

  targetsOf(domainId: string): ZoneTargets {
    return this.#targets.get(domainId, () => readTargets(this.#environment, domainId));
  }

  /** Our zones inside a zone. To be asked when all rows are as they will be, and so the next. */
  childrenOf(apex: Name): readonly Domain[] {
    return this.#children.get(nameId(apex), () => this.#reader.domainsBelow(apex));
  }

  /** The zone of ours that encloses a zone. */
  parentOf(apex: Name): Domain | null {
    return this.#parents.get(nameId(apex), () => {
      for (let above = apex; above.length > 1; ) {
        above = parentName(above);
        const domain = this.#reader.domainByApex(above);
        if (domain !== undefined) return domain;
      }
      return null;
    });
  }
}

/** What a target stands for, as its row says. */
export function aliasSets(row: AliasTarget | undefined): readonly ZoneRRset[] {
  return row === undefined ? UNRESOLVED : [...familySets(TYPE.A, row.a), ...familySets(TYPE.AAAA, row.aaaa)];
}

/** None: there is no address of this family. */
function familySets(type: number, family: AliasFamily | null): ZoneRRset[] {
  if (family === null) return [{ type, ttl: 0, rdatas: [] }];
  const { addresses, ttl, stale } = family;
  if (addresses.length === 0) return [];
  return [{ type, ttl, rdatas: addresses.map((text) => Buffer.from(text, 'hex')), isStale: stale }];
}

function isSmall({ sets }: AtApex): boolean {
  let bytes = 0;
  for (const { rdatas } of sets) for (const rdata of rdatas) bytes += rdata.length;
  return bytes <= MOST_AT_APEX;
}
