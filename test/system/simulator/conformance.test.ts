/** The simulator passes the conformance pages, with a person who does what they say. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrameLocator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { type ConformancePage, readConformance } from '../../../admin-api/miniapp/sdk/conformance.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { type Files, withSimulator, withSimulatorPage } from './world.ts';

const test = browserSuite('conformance of the simulator');

interface Check {
  readonly group: string;
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

const filesOf = (page: ConformancePage): Files =>
  Object.fromEntries(Object.entries(readConformance(page)).map(([path, bytes]) => [path, bytes.toString()]));

async function checksOf(app: FrameLocator): Promise<readonly Check[]> {
  const text = await app.locator('#summary').textContent();
  return JSON.parse(text ?? '').checks;
}

const failed = (checks: readonly Check[]): string[] =>
  checks
    .filter(({ state }) => state !== 'pass')
    .map(({ group, name, state, detail }) => `${group}: ${name}: ${state} ${detail}`);

/** Runs a group: `steps` are what a person does. */
async function runGroup(app: FrameLocator, group: string, steps: () => Promise<unknown>): Promise<void> {
  const start = app.getByRole('button', { name: `Start: ${group}` });
  await start.click();
  await steps();
  await app.locator('button:enabled', { hasText: `Start: ${group}` }).waitFor();
}

const press = (page: Page | FrameLocator, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** A server that stands for example.com. */
async function withExample(use: (port: number) => Promise<void>): Promise<void> {
  const headers = { 'content-type': 'text/html', 'set-cookie': 'a=b' };
  const server = createServer((_, response) => response.writeHead(200, headers).end('<html></html>'));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function runOperations(page: Page, app: FrameLocator): Promise<void> {
  await app.locator('html[data-automatic=done]').waitFor();
  const yes = (): Promise<void> => press(app, 'Yes');
  await runGroup(app, 'Seen and felt', async () => {
    await yes();
    await yes();
  });
  await runGroup(app, 'Denied', () => press(page, 'Not now'));
  await runGroup(app, 'Granted', () => press(page, 'Allow'));
  await runGroup(app, 'Photo', async () => {
    await press(page, 'Allow');
    await press(page, 'Take photo');
    await yes();
  });
  await runGroup(app, 'No photo', () => press(page, 'Cancel'));
  await runGroup(app, 'Network', () => press(page, 'Allow'));
  await runGroup(app, 'Background', () => press(page, 'Allow'));
  // The unit test of the pages runs this one: 100 tasks take seconds here.
  const checks = (await checksOf(app)).filter(({ group }) => group !== 'Many tasks');
  assert.equal(failed(checks), []);
  assert.ok(checks.length >= 50);
}

test('the operations of Host', () =>
  withExample((port) =>
    withSimulator(
      filesOf('app'),
      (world) =>
        withSimulatorPage(world, async (page, app) => {
          await runOperations(page, app);
          await checkScreen(page, 'simulator-conformance');
        }),
      { fixtures: new Map([['example.com', { address: '127.0.0.1', port }]]) },
    ),
  ));

test('the messages of the bridge', () =>
  withSimulator(filesOf('protocol'), (world) =>
    withSimulatorPage(world, async (page, app) => {
      await app.locator('html[data-automatic=done]').waitFor();
      await runGroup(app, 'One question', async () => {
        await app.getByText('Now answer the question.').waitFor();
        await press(page, 'Allow');
      });
      assert.equal(failed(await checksOf(app)), []);
    }),
  ));

test.run();
