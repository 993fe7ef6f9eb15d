/** What the pages of accounts share. */
import { signal } from '@preact/signals';
import type { Choice } from '../ui/parts/select-field.tsx';
import { api, settle } from './api.ts';
import { TEXTS } from './texts.ts';

const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** 20 of 56 letters are 116 bits. */
const LENGTH = 20;

/** A random password without letters that look alike. */
export function generatePassword(): string {
  let text = '';
  while (text.length < LENGTH)
    // Other bytes would make some letters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * LENGTH)))
      if (byte < 4 * LETTERS.length && text.length < LENGTH) text += LETTERS[byte % LETTERS.length];
  return text;
}

export const ROLES: readonly Choice[] = Object.entries(TEXTS.account.roles).map(([value, label]) => ({ value, label }));

/** The plans of the configuration; empty until they are read. */
export const plans = signal<readonly Choice[]>([]);

export async function readPlans(): Promise<void> {
  const result = await settle(api.GET('/api/v1/plans'));
  if (!result.ok) return;
  plans.value = result.data.plans.map(({ name, max_domains }) => ({
    value: name,
    label: TEXTS.account.planChoice(name, max_domains),
  }));
}

/** The choices with the current plan, even if the configuration does not have it. */
export function withPlan(choices: readonly Choice[], plan: string): readonly Choice[] {
  if (plan === '' || choices.some(({ value }) => value === plan)) return choices;
  return [...choices, { value: plan, label: choices.length === 0 ? plan : TEXTS.account.unknownPlan(plan) }];
}
