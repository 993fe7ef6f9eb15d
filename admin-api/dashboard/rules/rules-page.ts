/** The state of the rules page: rules of a domain, counters and templates. */
import { type Signal, signal } from '@preact/signals';
import type { RuleBody, RuleCount, RulesBody, RulesDocument, RuleTemplate, SiteRule } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { versionedCalls } from '../edge/document-calls.ts';
import { SiteDocument } from '../edge/site-document.ts';
import type { Failure } from '../failure.ts';
import { LatestResponse } from '../parts/latest-response.ts';

const PATH = '/api/v1/domains/{domain_id}/proxy/rules';

export class RulesPage extends SiteDocument<RulesDocument, RulesBody> {
  readonly counts: Signal<readonly RuleCount[]> = signal([]);
  /** Names of the nodes whose counts are not included. */
  readonly missingNodes: Signal<readonly string[]> = signal([]);
  /** Templates never change. Empty: not loaded yet. */
  readonly templates: Signal<readonly RuleTemplate[]> = signal([]);
  readonly #latest = new LatestResponse();

  constructor(domainId: number) {
    super(domainId, versionedCalls('rules'));
  }

  get rules(): readonly SiteRule[] {
    return this.latest.value?.rules ?? [];
  }

  /** Changes the list. Null on success. */
  changeRules(rules: readonly (SiteRule | RuleBody)[]): Promise<Failure | null> {
    return this.change({ rules: [...rules] as RuleBody[] });
  }

  /** Reloads the counts. Keeps the current counts after a failure. */
  async loadCounts(): Promise<Failure | null> {
    const request = this.#latest.begin();
    const counters = await settle(api.GET(`${PATH}/counters`, { params: this.#params }));
    if (!counters.ok) return counters.failure;
    if (this.#latest.mayShow(request)) {
      this.counts.value = counters.data.rules;
      this.missingNodes.value = counters.data.nodes.missing;
    }
    return null;
  }

  protected override async loadMore(): Promise<Failure | null> {
    const failures = await Promise.all([this.loadCounts(), this.#loadTemplates()]);
    return failures.find((failure) => failure !== null) ?? null;
  }

  async #loadTemplates(): Promise<Failure | null> {
    if (this.templates.value.length > 0) return null;
    const result = await settle(api.GET(`${PATH}/templates`, { params: this.#params }));
    if (!result.ok) return result.failure;
    this.templates.value = result.data.templates;
    return null;
  }

  get #params(): { readonly path: { readonly domain_id: number } } {
    return { path: { domain_id: this.domainId } };
  }
}
