/** The rules of a domain with their counters and templates, as all parts of the page show them. */
import { type Signal, signal } from '@preact/signals';
import type { RuleBody, RuleCount, RulesDocument, RuleTemplate, SiteRule } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';

const PATH = '/api/v1/domains/{domain_id}/proxy/rules';

export class RulesPage {
  /** Null: not read yet. */
  readonly document: Signal<RulesDocument | null> = signal(null);
  readonly counts: Signal<readonly RuleCount[]> = signal([]);
  readonly templates: Signal<readonly RuleTemplate[]> = signal([]);
  readonly failure = signal<Failure | null>(null);
  /** For calls of the API. */
  readonly params: { readonly path: { readonly domain_id: number } };

  constructor(domainId: number) {
    this.params = { path: { domain_id: domainId } };
  }

  get rules(): readonly SiteRule[] {
    return this.document.value?.rules ?? [];
  }

  /** The earlier state stays until it is read. */
  async load(): Promise<void> {
    const { params } = this;
    const [document, counters, templates] = await Promise.all([
      settle(api.GET(PATH, { params })),
      settle(api.GET(`${PATH}/counters`, { params })),
      settle(api.GET(`${PATH}/templates`, { params })),
    ]);
    const failed = [document, counters, templates].find((result) => !result.ok);
    this.failure.value = failed === undefined || failed.ok ? null : failed.failure;
    if (document.ok) this.document.value = document.data;
    if (counters.ok) this.counts.value = counters.data.rules;
    if (templates.ok) this.templates.value = templates.data.templates;
  }

  /** Reads the counts again. They stay if that fails. */
  async loadCounts(): Promise<void> {
    const counters = await settle(api.GET(`${PATH}/counters`, { params: this.params }));
    if (counters.ok) this.counts.value = counters.data.rules;
  }

  /** Replaces all rules, if nobody else has changed them. Null: done. */
  async replace(rules: readonly (SiteRule | RuleBody)[]): Promise<Failure | null> {
    const header = { 'If-Match': `"${this.document.value?.revision ?? 0}"` };
    const params = { ...this.params, header };
    const result = await settle(api.PUT(PATH, { params, body: { rules: [...rules] as RuleBody[] } }));
    if (!result.ok) return result.failure;
    await this.load();
    return null;
  }
}
