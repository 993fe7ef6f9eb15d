/** A simulator with an app of its own, and a page of it in Chromium. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { lint, sdksWith } from '../../../admin-api/cli/pkg/lint.ts';
import { readIssued } from '../../../admin-api/miniapp/sdk/issued-files.ts';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../../admin-api/miniapp/simulator/simulator.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { sharedChromium, withOwnPage } from '../browser/page.ts';

/** Written by the build. */
const PAGE_FOLDER = fileURLToPath(new URL('../../../simulator', import.meta.url));
/** Browsers warn about features of the policy that they do not know. */
const EXPECTED = /Unrecognized feature|^Failed to load resource/;
/** Of an app that tries what the sandbox forbids, and of one that has a fault. */
const OF_APPS = /evil\.example|on purpose|Host is not defined|host-sdk\.js' because its MIME/;

/** The phone has its own size: Playwright clicks wrongly in a frame that is made smaller. */
const SIZE = { width: 1280, height: 1200 };

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface World {
  readonly browser: Browser;
  /** Of the package. */
  readonly folder: string;
  readonly options: SimulatorOptions;
  simulator: Simulator;
  /** Writes files of the package. */
  write(files: Files): void;
  /** Stops the simulator and starts another one with the same state. */
  restart(changes?: Partial<SimulatorOptions>): Promise<void>;
}

const BASE: Files = {
  'index.html': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test</title>
<script src="host-sdk.js"></script><script src="app.js" defer></script></head>
<body><h1>Test</h1><div id="buttons"></div><pre id="out"></pre></body></html>`,
};

/** A manifest that the audit accepts. */
export const manifest = (changes: object = {}): string =>
  JSON.stringify({
    id: 'com.example.test',
    name: 'Test app',
    version: '1.2.3',
    versionCode: 4,
    entry: 'index.html',
    permissions: ['storage', 'vibrate'],
    minHostVersion: '1.0.0',
    ...changes,
  });

export async function withSimulator(
  files: Files,
  use: (world: World) => Promise<void>,
  changes: Partial<SimulatorOptions> = {},
): Promise<void> {
  const root = temporaryFolder('simulator');
  const folder = join(root, 'app');
  const write = (changed: Files): void => {
    for (const [path, content] of Object.entries(changed)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  };
  write({ ...BASE, 'host-sdk.js': readIssued().script.toString(), 'manifest.json': manifest(), ...files });
  const options: SimulatorOptions = {
    folder,
    port: 0,
    isExactPort: true,
    pageFolder: PAGE_FOLDER,
    stateFolder: join(root, 'state'),
    isReset: false,
    hostVersion: '1.0.0',
    sdks: await sdksWith(),
    fixtures: new Map(),
    engine: 'quickjs',
    audit: (path, signal) => lint(path, [], undefined, undefined, signal),
    warn: (text) => process.stderr.write(`${text}\n`),
    ...changes,
  };
  const browser = await sharedChromium(['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']);
  const world: World = {
    browser,
    folder,
    options,
    simulator: await startSimulator(options),
    write,
    async restart(settings = {}) {
      await world.simulator.close();
      world.simulator = await startSimulator({ ...options, ...settings });
    },
  };
  try {
    await use(world);
  } finally {
    await world.simulator.close();
    removeFolder(root);
  }
}

/** The simulator's page. */
export function withSimulatorPage(world: World, use: (page: Page, app: FrameLocator) => Promise<void>): Promise<void> {
  // A page outlives a restart on the same port, and the app's origin is then another one.
  const isOwn = (url: string): boolean =>
    [world.simulator.url, world.simulator.appOrigin].some((origin) => url.startsWith(`${origin}/`)) ||
    OF_APPS.test(url);
  const context = { viewport: SIZE, colorScheme: null, reducedMotion: 'reduce' } as const;
  return withOwnPage(
    world.browser,
    { isOwn, expected: new RegExp(`${EXPECTED.source}|${OF_APPS.source}`), context },
    async (page) => {
      await page.goto(world.simulator.url);
      await use(page, page.frameLocator('iframe'));
    },
  );
}

/** After checkScreen. An emulated colour scheme would count more than the one of the phone. */
export async function resetView(page: Page): Promise<void> {
  await page.setViewportSize(SIZE);
  await page.emulateMedia({ colorScheme: null });
}

export const openPanel = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name }).click();
