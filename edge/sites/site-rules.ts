/** The rules of a domain as a thread of the edge runs them, and the sites that they lead to. */
import { type Changes, RuleSet, type RulesDocument } from '../../core/site/rules/index.ts';
import type { SiteDocument } from '../../core/store/rows.ts';

export class SiteRules {
  /** As text. */
  readonly domainId: string;
  readonly revision: number;
  readonly set: RuleSet;
  /** Whether its counts wait to be sent. */
  isCounted = false;
  readonly #sites = new WeakMap<Changes, WeakMap<object, unknown>>();
  #lastChanges: Changes | null = null;
  #lastSite: unknown = null;
  #lastResult: unknown = null;

  constructor({ domainId, revision, content }: SiteDocument<RulesDocument>) {
    this.domainId = String(domainId);
    this.revision = revision;
    this.set = compile(content);
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
