/**
 * Follows a name through our own zones in the store: CNAME, DNAME and other ALIAS records, also
 * from zone to zone.
 */

import { type Name, nameAt, nameId, parentName } from '../../dns/wire/name.ts';
import { MAX_SOURCES, type RRset, TYPE } from '../../dns/wire/types.ts';
import { ZoneUpdates } from '../../journal/apply/zone-updates.ts';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import type { Domain } from '../../store/rows.ts';
import { aliasOf } from '../../zone/compile/aliased.ts';
import { substitute } from '../../zone/compile/chain.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { findType } from '../../zone/compile/view.ts';
import { walk } from '../../zone/compile/walk.ts';

/**
 * The path of a walk so far. The walk of a target may continue after a resolver's CNAMEs have led
 * back to our zones.
 */
export class Trail {
  /** Owners of the CNAME, DNAME and ALIAS records on the path. Each may occur once. */
  readonly used = new Set<string>();
  /** The lowest TTL on the path, in seconds. */
  ttl = 0x7fffffff;

  /** `onVisit` receives every name before it is read, so that no change to it is missed. */
  constructor(private readonly onVisit: (name: Name) => void) {}

  visit(name: Name): void {
    this.onVisit(name);
  }

  /** False: the chain is a loop, or is too long. */
  use(name: Name, ttl: number): boolean {
    const id = nameId(name);
    if (this.used.has(id) || this.used.size >= MAX_SOURCES) return false;
    this.used.add(id);
    this.ttl = Math.min(this.ttl, ttl);
    return true;
  }
}

type End =
  /** The RRsets of a name in our zones. */
  | { readonly kind: 'sets'; readonly sets: readonly RRset[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: string }
  /** The name is not in our zones: a resolver must look it up. */
  | { readonly kind: 'outside'; readonly name: Name };

const LOOP: End = { kind: 'failed', error: 'the target is a loop, or has too many CNAMEs' };

export class OwnZones {
  readonly #reader: Reader;

  constructor(
    private readonly environment: Environment,
    private readonly settings: ZoneSettings,
  ) {
    this.#reader = new Reader(rawReader(environment));
  }

  /** Our zone that contains a name. */
  zoneOf(name: Name): Domain | undefined {
    for (let apex = name; apex.length > 1; apex = parentName(apex)) {
      const domain = this.#reader.domainByApex(apex);
      if (domain !== undefined) return domain;
    }
    return undefined;
  }

  /** Whether a name is in a zone of the account, into which its ALIAS records may be followed. */
  isOf(account: Id | null, name: Name): boolean {
    return account !== null && this.zoneOf(name)?.accountId === account;
  }

  /**
   * Follows the name through zones of the account; `account` null: through no zone. Creating a
   * zone needs no proof that the account owns the domain. So ALIAS records of other accounts use
   * the public DNS: otherwise a zone for a foreign name would control their answers.
   */
  follow(start: Name, trail: Trail, account: Id | null): End {
    const zones = new ZoneUpdates(this.environment, this.settings, () => false);
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
          // The addresses that this ALIAS serves now are not used: they may be stale, and two
          // such records would keep each other's stale addresses alive.
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
