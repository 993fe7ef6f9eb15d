/**
 * Where a name leads inside our own zones, from zone to zone and through other ALIAS records, as
 * they stand in the store.
 */

import { type Name, nameAt, nameId, parentName } from '../../dns/wire/name.ts';
import { MAX_SOURCES, type RRset, TYPE } from '../../dns/wire/types.ts';
import { ZoneUpdates } from '../../journal/apply/apply-zones.ts';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import { Reader, rawReader } from '../../store/reader.ts';
import type { Domain } from '../../store/rows.ts';
import { aliasOf } from '../../zone/compile/aliased.ts';
import { substitute } from '../../zone/compile/chain.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { findType } from '../../zone/compile/view.ts';
import { walk } from '../../zone/compile/walk.ts';

/**
 * What one walk has gone through. The walk of one target may be continued, after a resolver's
 * CNAMEs have led back to us.
 */
export class Trail {
  /** Names that a CNAME, DNAME or ALIAS led on from: each is passed once. */
  readonly used = new Set<string>();
  readonly #onVisit: (name: Name) => void;
  /** The least TTL so far, seconds. */
  ttl = 0x7fffffff;

  /** `onVisit` receives every name before it is looked at, so that no change to it is missed. */
  constructor(onVisit: (name: Name) => void) {
    this.#onVisit = onVisit;
  }

  visit(name: Name): void {
    this.#onVisit(name);
  }

  /** False: the chain goes in circles, or too far. */
  use(name: Name, ttl: number): boolean {
    const id = nameId(name);
    if (this.used.has(id) || this.used.size >= MAX_SOURCES) return false;
    this.used.add(id);
    this.ttl = Math.min(this.ttl, ttl);
    return true;
  }
}

type End =
  /** A name of ours: its RRsets. */
  | { readonly kind: 'sets'; readonly sets: readonly RRset[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: string }
  /** Somebody else has to be asked for this name. */
  | { readonly kind: 'outside'; readonly name: Name };

const LOOP: End = { kind: 'failed', error: 'the target is a loop, or has too many CNAMEs' };

export class OwnZones {
  readonly #environment: Environment;
  readonly #settings: ZoneSettings;
  readonly #reader: Reader;

  constructor(environment: Environment, settings: ZoneSettings) {
    this.#environment = environment;
    this.#settings = settings;
    this.#reader = new Reader(rawReader(environment));
  }

  /** Our zone that a name is in. */
  zoneOf(name: Name): Domain | undefined {
    for (let apex = name; apex.length > 1; apex = parentName(apex)) {
      const domain = this.#reader.domainByApex(apex);
      if (domain !== undefined) return domain;
    }
    return undefined;
  }

  /** Whether a name is in a zone of ours that an account's own ALIAS may be followed into. */
  isOf(account: Id | null, name: Name): boolean {
    return account !== null && this.zoneOf(name)?.accountId === account;
  }

  /**
   * Follows the name as far as it is in zones of the account; null: no zone is. Nobody has to prove
   * that a domain is theirs before they make its zone, so that for others what the world sees
   * counts: else who makes a zone of a name that they do not own would answer for everybody's ALIAS
   * to it.
   */
  follow(start: Name, trail: Trail, account: Id | null): End {
    const zones = new ZoneUpdates(this.#environment, this.#settings, () => false);
    let name = start;
    for (;;) {
      trail.visit(name);
      const domain = this.zoneOf(name);
      if (domain === undefined || domain.accountId !== account) return { kind: 'outside', name };
      const outcome = walk(zones.view(domain), name);
      switch (outcome.kind) {
        case 'outside':
        case 'delegation':
          return { kind: 'outside', name };
        case 'missing':
          return { kind: 'missing' };
        case 'dname': {
          if (!trail.use(name, outcome.set.ttl)) return LOOP;
          const next = substitute(name, outcome.owner, outcome.set);
          if (next === null) return { kind: 'failed', error: 'a DNAME creates a name that is too long' };
          name = next;
          break;
        }
        case 'found':
        case 'wildcard': {
          // Not the addresses that the ALIAS answers now: those may be kept past their time, and
          // would keep one another alive.
          const next = findType(outcome.sets, TYPE.CNAME) ?? aliasOf(outcome.sets);
          if (next === undefined) return { kind: 'sets', sets: outcome.sets };
          if (!trail.use(name, next.ttl)) return LOOP;
          name = nameAt(next.rdatas[0], 0);
          break;
        }
        default:
          outcome satisfies never;
      }
    }
  }
}
