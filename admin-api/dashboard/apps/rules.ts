/** The rules of the audit, loaded when a report is opened. */
import { signal } from '@preact/signals';
import type { Rule } from '../api/views.ts';
import { api, settle } from '../api.ts';

/** Rules by code. Empty until they are loaded. */
export const rules = signal<ReadonlyMap<string, Rule>>(new Map());

export async function readRules(): Promise<void> {
  if (rules.peek().size > 0) return;
  const result = await settle(api.GET('/api/dev/rules', { headers: { Accept: 'application/json' } }));
  if (result.ok) rules.value = new Map(result.data.rules.map((rule) => [rule.code, rule]));
}
