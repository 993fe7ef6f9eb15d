/** Chromium, and pages in which something must never happen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { atEnd } from '../../support/at-end.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { BROWSER, type Program, pathOf } from '../../support/programs.ts';

/** Of every Chromium. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
  // As in a browser with windows: a frame of another origin has a process of its own.
  '--site-per-process',
];
/** By how many times the scripts of pages are slowed down. */
const SLOWDOWN = Number(process.env.WAYPOST_BROWSER_SLOWDOWN ?? 1);
/** Milliseconds, at most, that each request to the API waits. */
const API_DELAY_MS = Number(process.env.WAYPOST_BROWSER_API_DELAY ?? 0);
/** Runs in the page before its own scripts. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI));`;

/** Browsers that run in this process, by program and flags: a start is expensive. */
const shared = new Map<string, Browser>();

/** A browser that other tests of this process use as well. */
export async function sharedChromium(flags: readonly string[] = [], program: Program = BROWSER): Promise<Browser> {
  const key = [program, ...flags].join(' ');
  let browser = shared.get(key);
  if (browser?.isConnected() !== true) {
    const args = [...FLAGS, ...flags];
    browser = await chromium.launch({ executablePath: pathOf(program), args, timeout: PATIENCE_MS });
    shared.set(key, browser);
    const launched = browser;
    atEnd(() => launched.close());
  }
  return browser;
}

export interface PageRules {
  /** Whether the page may send a request to this URL. */
  readonly isOwn: (url: string) => boolean;
  /** Errors that are no fault. */
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
    const page = await newPage(context);
    const faults: string[] = [];
    const addFault = (text: string): void => {
      if (!expected.test(text)) faults.push(text);
    };
    page.on('console', (message) => {
      if (message.type() === 'error') addFault(message.text());
    });
    page.on('pageerror', (error) => addFault(String(error)));
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

/** A page with the slowness of the settings. */
export async function newPage(context: BrowserContext): Promise<Page> {
  if (API_DELAY_MS > 0)
    await context.route('**/api/**', async (route) => {
      await sleep(Math.random() * API_DELAY_MS);
      // The page may be gone by now.
      await route.continue().catch(() => {});
    });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  if (SLOWDOWN > 1) {
    const cdp = await context.newCDPSession(page);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  }
  return page;
}

/** Where a failed test was, and what its user saw. */
async function describePage(page: Page): Promise<string> {
  const texts = page.frames().map(async (frame) => {
    // One that runs without end has none.
    const text = await frame.innerText('body', { timeout: 5000 }).catch(() => '');
    return `${frame.url()}\n${text.slice(0, 2000)}`;
  });
  return (await Promise.all(texts)).join('\n');
}
