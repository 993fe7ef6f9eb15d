/** Chromium, and pages in which something must never happen. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pathOf } from '../edge/clients/programs.ts';

/** Of every Chromium. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];
/** Long, since machines may be slow. */
const WAIT_MS = 60_000;
/** Runs in the page before its own scripts. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI));`;

export function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: pathOf('chromium'), args: [...FLAGS, ...flags] });
}

export interface PageRules {
  /** Whether the page may send a request to this URL. */
  readonly isOwn: (url: string) => boolean;
  /** Messages of errors in the console that are no fault. */
  readonly expected: RegExp;
  readonly context?: BrowserContextOptions;
}

/**
 * A page in a profile of its own. Fails if the page violates its policy, logs an error, or sends a
 * request to another host.
 */
export async function withOwnPage(
  browser: Browser,
  { isOwn, expected, context: options }: PageRules,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    await context.addInitScript(REPORT_VIOLATIONS);
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !expected.test(message.text())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      if (!isOwn(request.url())) faults.push(`request to ${request.url()}`);
    });
    try {
      await use(page);
    } catch (error) {
      throw new Error(`${String(error)}\n${await describePage(page)}\n${faults.join('\n')}`, { cause: error });
    }
    assert.equal(faults, []);
  } finally {
    await context.close();
  }
}

/** Where a failed test was, and what its user saw. */
async function describePage(page: Page): Promise<string> {
  const text = await page.innerText('body').catch(() => '');
  return `${page.url()}\n${text.slice(0, 2000)}`;
}
