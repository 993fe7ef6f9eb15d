/** Chromium with the dashboard of a daemon, and what must never happen in it. */
import type { Browser, Page } from 'playwright-core';
import { ADMIN_PASSWORD, type Daemon, type ServingDaemon, startDaemon } from '../../support/daemon.ts';
import { BROWSER, type Program } from '../../support/programs.ts';
import { borrowDaemon } from '../../support/shared-daemon.ts';
import { sharedChromium, withOwnPage } from '../browser/page.ts';

/** The console reports refused requests and a lost connection; pages show their messages. */
const EXPECTED =
  /^Failed to load resource: (the server responded with a status of (401|403|404|409|412|422) |net::ERR_INTERNET_DISCONNECTED$)/;

export interface World<D extends ServingDaemon = ServingDaemon> {
  readonly daemon: D;
  readonly browser: Browser;
  /** Of the admin API, without a slash at its end. */
  readonly base: string;
}

async function worldOf<D extends ServingDaemon>(daemon: D, program: Program = BROWSER): Promise<World<D>> {
  return { daemon, browser: await sharedChromium([], program), base: `http://127.0.0.1:${daemon.adminPort}` };
}

/** With the shared daemon: `use` leaves the account `admin` as it was. */
export async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const daemon = await borrowDaemon();
  await use(await worldOf(daemon));
  await daemon.giveBack();
}

/** With a daemon of its own. `settings`: more WAYPOST_* variables. */
export async function withOwnWorld(
  use: (world: World<Daemon>) => Promise<void>,
  settings: Record<string, string> = {},
  program?: Program,
): Promise<void> {
  const daemon = await startDaemon(settings);
  try {
    await use(await worldOf(daemon, program));
  } finally {
    await daemon.close();
  }
}

/** A page in a profile of its own, which sends requests to the admin API only. */
export function withPage({ browser, base }: World, use: (page: Page) => Promise<void>): Promise<void> {
  return withOwnPage(browser, { isOwn: (url) => url.startsWith(`${base}/`), expected: EXPECTED }, use);
}

/**
 * Changes something behind the page, and acts on it: what `act` does comes before the answers to
 * requests for `urls`, with which the page would learn of the change.
 */
export async function actUnaware(page: Page, urls: string | RegExp, act: () => Promise<void>): Promise<void> {
  let answer = (): void => {};
  const acted = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(urls, (route) => acted.then(() => route.fallback()));
  try {
    await act();
  } finally {
    answer();
    await page.unrouteAll({ behavior: 'wait' });
  }
}

export async function signIn(page: Page, base: string, password = ADMIN_PASSWORD): Promise<void> {
  await page.goto(`${base}/domains`);
  await page.getByLabel('Username or e-mail').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
