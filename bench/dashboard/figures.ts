/** Figures of the dashboard, and the parts that its measurements share. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ADMIN_PASSWORD, type Daemon } from '../../test/support/daemon.ts';
import { table } from '../dns/report.ts';

export interface World {
  readonly daemon: Daemon;
  readonly browser: Browser;
  /** Of the admin API, without a slash at its end. */
  readonly base: string;
  readonly isQuick: boolean;
  /** Measurements of each figure, of which the median counts. */
  readonly rounds: number;
}

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'KB' | 'MB' | 'rows' | '‰';
  /** The value must not be above it. */
  readonly goal?: number;
}

export function figureTable(figures: readonly Figure[]): string {
  const text = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
  return table(
    ['figure', 'value', 'goal'],
    figures.map(({ name, value, unit, goal }) => [
      name,
      `${text(value)} ${unit}`,
      goal === undefined ? '' : `≤ ${text(goal)} ${unit}`,
    ]),
  );
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The median of `rounds` runs. */
export async function medianOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return quantile(values, 0.5);
}

export const SIZE = { width: 1280, height: 800 };

/** Runs `use` with a page of a new profile, and so with a cold cache. */
export async function withPage<T>(
  { browser }: World,
  use: (page: Page, context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: SIZE });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    return await use(page, context);
  } finally {
    await context.close();
  }
}

export async function signIn(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/domains`);
  await page.getByLabel('Username or e-mail').fill('admin');
  await page.getByLabel('Password').fill(ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Slows the processor of the page down. */
export async function slowDown(page: Page, context: BrowserContext, rate: number): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}
