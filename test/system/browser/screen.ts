/** Checks of what a page shows, in both sizes and colour schemes. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import * as assert from 'uvu/assert';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2, levels A and AA. */
const LEVELS = `runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']`;
const axeWith = (options: string): string => `axe.run(document, { ${options}, iframes: false })
  .then(({ violations }) => violations.map(({ id, help, nodes }) =>
    ({ id, help, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`;

interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

/** Folder for a picture of every screen. */
const SCREENSHOTS = process.env.WAYPOST_SCREENSHOTS;
/**
 * Only contrast depends on the colour scheme, and it does not depend on the width: two views show
 * each size and each scheme.
 */
const CHECKED: readonly View[] = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
];
/** Only for pictures. */
const OTHERS: readonly View[] = [
  { width: 1280, height: 800, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
];
const VIEWS = SCREENSHOTS === undefined ? CHECKED : [...CHECKED, ...OTHERS];

/**
 * Checks what the page shows now in both sizes and colour schemes: axe-core finds no violation of
 * WCAG, nothing is wider than the window, and no text speaks the language of the API. `name`: of
 * the picture, unique over all tests. `isOfApi`: it is about the API.
 */
export async function checkScreen(page: Page, name: string, { isOfApi = false } = {}): Promise<void> {
  // Once for each document.
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(AXE);
  for (const { width, height, colorScheme } of VIEWS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const where = `${name} at ${width} pixels, ${colorScheme}`;
    if (SCREENSHOTS !== undefined) {
      mkdirSync(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`) });
    }
    const violations = (await page.evaluate(axeWith(LEVELS))) as Violation[];
    assert.ok(violations.length === 0, `${where}\n${violations.map(describeViolation).join('\n')}`);
    assert.is(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${where}: too wide`);
  }
  if (!isOfApi) assert.equal(await page.evaluate(API_TEXTS), [], `${name}: language of the API`);
  // Charts are drawn again when the colour scheme changes, so it stays.
  const { width, height } = VIEWS[0];
  await page.setViewportSize({ width, height });
}

/** Texts with a request or the name of a field, outside of code that people edit or copy. */
const API_TEXTS = `[...document.querySelectorAll('main :not(code, pre, textarea, code *, pre *)')]
  .flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === 3))
  .map(({ data }) => data)
  .filter((text) => /\\b(GET|POST|PUT|PATCH|DELETE) (…|\\/)|"[a-z]+_[a-z_]+"|^"[a-z]+" (must|is missing)/.test(text))`;

/** Checks what a frame shows, as it is: the rules of WCAG, and that nothing is wider than it. */
export async function checkFrame(frame: Frame, name: string): Promise<void> {
  if (await frame.evaluate('globalThis.axe === undefined')) await frame.evaluate(AXE);
  if (SCREENSHOTS !== undefined) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await (await frame.frameElement()).screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }
  // Its policy does not let axe fetch the style sheets.
  const violations = (await frame.evaluate(axeWith(`${LEVELS}, preload: false`))) as Violation[];
  assert.ok(violations.length === 0, `${name}\n${violations.map(describeViolation).join('\n')}`);
  assert.is(await frame.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${name}: too wide`);
}

const describeViolation = ({ id, help, nodes }: Violation): string =>
  `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary ?? ''}`).join('\n')}`;
