/** Suites of tests that need Chromium. */
import { suite } from 'uvu';
import { BROWSER, type Program, whyNotPrograms } from '../../support/programs.ts';

/** Defines tests, which are skipped if Chromium or another program is not installed. */
export interface BrowserSuite {
  (title: string, run: () => Promise<void>): void;
  skip(title: string, run?: () => void): void;
  run(): void;
}

export function browserSuite(title: string, ...programs: readonly Program[]): BrowserSuite {
  const tests = suite(title);
  const why = whyNotPrograms(BROWSER, ...programs);
  const define = (name: string, run: () => Promise<void>): void =>
    why === null ? tests(name, run) : tests.skip(`${name}: ${why}`, run);
  return Object.assign(define, { skip: tests.skip, run: tests.run });
}
