/** Chromium with the dashboard of a daemon, and what must never happen in it. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { type Program, pathOf, whyNotPrograms } from '../edge/clients/programs.ts';

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
/** The console reports refused requests; pages show their messages. */
const EXPECTED = /^Failed to load resource: the server responded with a status of (401|403|404|409|412|422) /;

export interface World {
  readonly daemon: Daemon;
  readonly browser: Browser;
  /** Of the admin API, without a slash at its end. */
  readonly base: string;
}

/** Defines tests, which are skipped if Chromium or another program is not installed. */
export interface BrowserSuite {
  (title: string, run: () => Promise<void>): void;
  skip(title: string, run?: () => void): void;
  run(): void;
}

export function browserSuite(title: string, ...programs: readonly Program[]): BrowserSuite {
  const tests = suite(title);
  const why = whyNotPrograms('chromium', ...programs);
  const define = (name: string, run: () => Promise<void>): void =>
    why === null ? tests(name, run) : tests.skip(`${name}: ${why}`, run);
  return Object.assign(define, { skip: tests.skip, run: tests.run });
}

/** `settings`: more WAYPOST_* variables of the daemon. */
export async function withWorld(
  use: (world: World) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  const daemon = await startDaemon(settings);
  try {
    const browser = await chromium.launch({ executablePath: pathOf('chromium'), args: FLAGS });
    try {
      await use({ daemon, browser, base: `http://127.0.0.1:${daemon.adminPort}` });
    } finally {
      await browser.close();
    }
  } finally {
    await daemon.close();
  }
}

/**
 * A page in a profile of its own. Fails if the page violates its policy, logs an error, or sends a
 * request to another host.
 */
export async function withPage({ browser, base }: World, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  try {
    await context.addInitScript(REPORT_VIOLATIONS);
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`)) faults.push(`request to ${request.url()}`);
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

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA. */
const LEVELS = `runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']`;
const CONTRAST = 'color-contrast';
const axeWith = (options: string): string => `axe.run(document, { ${options} })
  .then(({ violations }) => violations.map(({ id, help, nodes }) =>
    ({ id, help, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`;

interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  /** Null: the rules of the other views do not differ in this one. */
  readonly rules: string | null;
}

/** Only contrast depends on the colour scheme, and it does not depend on the width. */
const VIEWS: readonly View[] = [
  { width: 1280, height: 800, colorScheme: 'light', rules: axeWith(LEVELS) },
  {
    width: 1280,
    height: 800,
    colorScheme: 'dark',
    rules: axeWith(`runOnly: { type: 'rule', values: ['${CONTRAST}'] }`),
  },
  {
    width: 390,
    height: 844,
    colorScheme: 'light',
    rules: axeWith(`${LEVELS}, rules: { '${CONTRAST}': { enabled: false } }`),
  },
  { width: 390, height: 844, colorScheme: 'dark', rules: null },
];
/** Folder for a picture of every screen. */
const SCREENSHOTS = process.env.WAYPOST_SCREENSHOTS;

/**
 * Checks what the page shows now in both sizes and colour schemes: axe-core finds no violation of
 * WCAG, and nothing is wider than the window. `name`: of the picture, unique over all tests.
 */
export async function checkScreen(page: Page, name: string): Promise<void> {
  // Once for each document.
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(AXE);
  for (const { width, height, colorScheme, rules } of VIEWS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const where = `${name} at ${width} pixels, ${colorScheme}`;
    if (SCREENSHOTS !== undefined) {
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`) });
    }
    if (rules !== null) {
      const violations = (await page.evaluate(rules)) as Violation[];
      assert.is(violations.map(describeViolation).join('\n'), '', where);
    }
    assert.is(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${where}: too wide`);
  }
  // Charts are drawn again when the colour scheme changes, so it stays.
  const { width, height } = VIEWS[0];
  await page.setViewportSize({ width, height });
}

const describeViolation = ({ id, help, nodes }: Violation): string =>
  `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary ?? ''}`).join('\n')}`;

export async function signIn(page: Page, base: string, password = ADMIN_PASSWORD): Promise<void> {
  await page.goto(`${base}/domains`);
  await page.getByLabel('Username or e-mail').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
