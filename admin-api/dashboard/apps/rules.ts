/** The rules of the audit, read when a report is opened. */
import { signal } from '@preact/signals';
import type { Rule } from '../api/views.ts';
import { api, settle } from '../api.ts';

/** By code; empty until they are read. */
export const rules = signal<ReadonlyMap<string, Rule>>(new Map());

export async function readRules(): Promise<void> {
  if (rules.peek().size > 0) return;
  const result = await settle(api.GET('/api/dev/rules', { headers: { Accept: 'application/json' } }));
  if (result.ok) rules.value = new Map(result.data.rules.map((rule) => [rule.code, rule]));
}
