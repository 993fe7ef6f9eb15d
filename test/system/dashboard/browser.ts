/** Chromium with the dashboard of a daemon, and what must never happen in it. */
import { type Browser, chromium, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { pathOf } from '../edge/clients/programs.ts';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];
const WAIT_MS = 15_000;
/** Runs in the page before its own scripts. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI));`;
/** The console reports refused requests; pages show their messages. */
const EXPECTED = /^Failed to load resource: the server responded with a status of (401|404|409|412|422) /;

export interface World {
  readonly daemon: Daemon;
  readonly browser: Browser;
  /** Of the admin API, without a slash at its end. */
  readonly base: string;
}

export async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const daemon = await startDaemon();
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
    await use(page);
    assert.equal(faults, []);
  } finally {
    await context.close();
  }
}

export async function signIn(page: Page, base: string, password = ADMIN_PASSWORD): Promise<void> {
  await page.goto(`${base}/`);
  await page.getByLabel('Username or e-mail').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
