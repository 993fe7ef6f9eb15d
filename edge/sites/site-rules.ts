/** The rules of a domain as a thread of the edge runs them, and the sites that they lead to. */
import { RecentMap } from '../../core/base/recent-map.ts';
import { type Changes, type Identity, RuleSet, type RulesDocument } from '../../core/site/rules/index.ts';
import type { SiteDocument } from '../../core/store/rows.ts';

/** Visitors whose changes are cached, for each combination of rules. */
const MAX_IDENTITIES = 128;

export class SiteRules {
  /** As text. */
  readonly domainId: string;
  readonly revision: number;
  readonly set: RuleSet;
  /** Whether its counts wait to be sent. */
  isCounted = false;
  readonly #sites = new WeakMap<Changes, WeakMap<object, unknown>>();
  readonly #identities = new WeakMap<Changes, RecentMap<Changes>>();
  #lastChanges: Changes | null = null;
  #lastSite: unknown = null;
  #lastResult: unknown = null;

  constructor({ domainId, revision, content }: SiteDocument<RulesDocument>) {
    this.domainId = String(domainId);
    this.revision = revision;
    this.set = compile(content);
  }

  /** The changes and the identity of a visitor: the same object for the same identity. */
  identified(changes: Changes, identity: Identity): Changes {
    if (identity.length === 0) return changes;
    let identities = this.#identities.get(changes);
    if (identities === undefined) {
      identities = new RecentMap(MAX_IDENTITIES);
      this.#identities.set(changes, identities);
    }
    return identities.of(JSON.stringify(identity), () => changes.withIdentity(identity));
  }

  /**
   * The site with the changes of rules: the same object for the same changes, so that prepared
   * answers of the cache are found again.
   */
  siteWith<Site extends { readonly changes?: Changes }>(site: Site, changes: Changes): Site {
    if (changes === this.#lastChanges && site === this.#lastSite) return this.#lastResult as Site;
    let sites = this.#sites.get(changes);
    if (sites === undefined) {
      sites = new WeakMap();
      this.#sites.set(changes, sites);
    }
    let changed = sites.get(site) as Site | undefined;
    if (changed === undefined) {
      changed = { ...site, changes };
      sites.set(site, changed);
    }
    this.#lastChanges = changes;
    this.#lastSite = site;
    this.#lastResult = changed;
    return changed;
  }
}

/** Documents are checked when they are written. A node of another version may know other rules. */
function compile(document: RulesDocument): RuleSet {
  try {
    return new RuleSet(document);
  } catch {
    return new RuleSet(UNREADABLE);
  }
}

/** Nothing is served, since the rules may be there to protect it. */
const UNREADABLE: RulesDocument = {
  rules: [
    {
      name: 'Rules that this version cannot read',
      action: { type: 'error_page', status: 503, message: 'The rules of this site cannot be read at the moment.' },
    },
  ],
};
