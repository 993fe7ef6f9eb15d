/**
 * Types of a check. `read` inspects the machine. `judge` is a pure function of the reading, so that
 * tests can pass synthetic readings.
 */
import type { Context } from './context.ts';

export { NotChecked, NotNeeded } from './not-checked.ts';

/** In ascending order. `note`: information, or the check could not run. */
export const SEVERITIES = ['ok', 'note', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Verdict {
  readonly severity: Severity;
  /** The result of the check, with its figures. */
  readonly found: string;
  /** The address, file or domain, if the check covers several. */
  readonly subject?: string;
  /** The command that fixes the problem. */
  readonly fix?: string;
}

export interface Finding extends Verdict {
  readonly id: string;
  readonly why: string;
}

export interface Check<Reading> {
  /** `group.name`; a stable identifier. */
  readonly id: string;
  /** The consequence of a problem, in one line. */
  readonly why: string;
  /** Throws NotChecked if the reading is impossible. */
  read(context: Context): Promise<Reading> | Reading;
  judge(reading: Reading): Verdict | readonly Verdict[];
}

/** A check whose reading has any type. */
export interface AnyCheck {
  readonly id: string;
  readonly why: string;
  examine(context: Context): Promise<readonly Verdict[]>;
}

export function check<Reading>(definition: Check<Reading>): Check<Reading> & AnyCheck {
  return {
    ...definition,
    async examine(context) {
      const verdict = definition.judge(await definition.read(context));
      return Array.isArray(verdict) ? verdict : [verdict as Verdict];
    },
  };
}

export const ok = (found: string, subject?: string): Verdict => ({ severity: 'ok', found, subject });
export const note = (found: string, fix?: string, subject?: string): Verdict => ({
  severity: 'note',
  found,
  fix,
  subject,
});
export const warning = (found: string, fix?: string, subject?: string): Verdict => ({
  severity: 'warning',
  found,
  fix,
  subject,
});
export const failure = (found: string, fix?: string, subject?: string): Verdict => ({
  severity: 'error',
  found,
  fix,
  subject,
});
