/**
 * What a check is. `read` reads the machine; `judge` is a pure function of what was read, so that
 * tests give it made-up readings.
 */
import type { Context } from './context.ts';

export { NotChecked, NotNeeded } from './not-checked.ts';

/** From good to bad. `note`: worth knowing, or it could not be checked. */
export const SEVERITIES = ['ok', 'note', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Verdict {
  readonly severity: Severity;
  /** What was found, with its figures. */
  readonly found: string;
  /** What the verdict is about, if the check looks at several: an address, a file, a domain. */
  readonly subject?: string;
  /** The command that fixes it. */
  readonly fix?: string;
}

export interface Finding extends Verdict {
  readonly id: string;
  readonly why: string;
}

export interface Check<Reading> {
  /** `group.name`, which never changes. */
  readonly id: string;
  /** Why it matters, in one line. */
  readonly why: string;
  /** Throws NotChecked if it cannot be read. */
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
