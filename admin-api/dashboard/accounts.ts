/** Constants and helpers shared by the pages of accounts. */
import { signal } from '@preact/signals';
import type { Choice } from '../ui/parts/select-field.tsx';
import { api, settle } from './api.ts';
import { TEXTS } from './texts.ts';

const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** 20 characters out of an alphabet of 56 have 116 bits of entropy. */
const LENGTH = 20;

/** Generates a random password without characters that look alike. */
export function generatePassword(): string {
  let text = '';
  while (text.length < LENGTH)
    // Rejects bytes that would make some characters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * LENGTH)))
      if (byte < 4 * LETTERS.length && text.length < LENGTH) text += LETTERS[byte % LETTERS.length];
  return text;
}

export const ROLES: readonly Choice[] = Object.entries(TEXTS.account.roles).map(([value, label]) => ({ value, label }));

/** The plans of the configuration. Empty until they are loaded. */
export const plans = signal<readonly Choice[]>([]);

export async function readPlans(): Promise<void> {
  const result = await settle(api.GET('/api/v1/plans'));
  if (!result.ok) return;
  plans.value = result.data.plans.map(({ name, max_domains }) => ({
    value: name,
    label: TEXTS.account.planChoice(name, max_domains),
  }));
}

/** Plan choices. Includes the current plan even if the configuration no longer has it. */
export function withPlan(choices: readonly Choice[], plan: string): readonly Choice[] {
  if (plan === '' || choices.some(({ value }) => value === plan)) return choices;
  return [...choices, { value: plan, label: choices.length === 0 ? plan : TEXTS.account.unknownPlan(plan) }];
}
