/** A hostile app in the simulator: nothing of it gets out, and what it tries is logged. */

import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type FrameLocator, type Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from '../../support/patience.ts';
import { pathOf } from '../../support/programs.ts';
import { FLAGS } from '../browser/page.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { type Files, openPanel, resetView, type World, withSimulator, withSimulatorPage } from './world.ts';

const test = browserSuite('a hostile app', 'chromium');
const POLL_MS = 50;
/** The phone in its own size, since Playwright clicks at the wrong position in a smaller frame. */
const VIEWPORT = { width: 1280, height: 1080 };

const TOGETHER = ATTACKS.filter(({ isAlone }) => isAlone !== true);
const ALONE = ATTACKS.filter(({ isAlone }) => isAlone === true);

/** What the app must not reach: it counts connections, requests and packets. */
interface Target {
  readonly port: number;
  readonly reached: readonly string[];
  close(): Promise<void>;
}

async function startTarget(): Promise<Target> {
  const reached: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    reached.push(`${method} ${headers.host}${url}`);
    response.end();
  });
  server.on('connection', () => reached.push('connection'));
  server.on('upgrade', ({ url }, socket) => {
    reached.push(`upgrade ${url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const udp = createSocket('udp4').on('message', () => reached.push('packet'));
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  return {
    port,
    reached,
    async close() {
      udp.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const HELPER = (port: number, control: string): string => `
const CONTROL = '${control}';
function attack(name, run) {
  const HOST = name + '.localhost:${port}';
  run('http://' + HOST + '/x', HOST, CONTROL).catch((error) => console.error(name + ': ' + error));
}`;

/** The package: a page with all attacks that go together, and a page for each other one. */
function filesOf(port: number, control: string): Files {
  const files: Record<string, string> = { 'helper.js': HELPER(port, control), 'index.html': page(port, 'index', []) };
  files['together.html'] = page(port, 'together', TOGETHER);
  for (const { name, script, files: more } of ATTACKS) {
    Object.assign(files, more);
    files[`attack-${name}.js`] = `attack('${name}', async (TARGET, HOST, CONTROL) => { ${script ?? ''} });`;
  }
  for (const attack of ALONE) files[`${attack.name}.html`] = page(port, attack.name, [attack]);
  return files;
}

function page(port: number, title: string, attacks: readonly Attack[]): string {
  const fill = (name: string, markup = ''): string =>
    markup.replaceAll('%TARGET%', `http://${name}.localhost:${port}/x`);
  const head = attacks.map(({ name, head: fields }) => fill(name, fields));
  const body = attacks.map(({ name, body: reply }) => fill(name, reply));
  const scripts = attacks.map(({ name }) => `<script src="/attack-${name}.js"></script>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head.join('\n')}</head>
<body><h1>${title}</h1>${body.join('\n')}<script src="/helper.js"></script>${scripts.join('\n')}<footer>end</footer></body></html>`;
}

interface Hostile {
  readonly world: World;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly target: Target;
}

/** `check` runs when the browser has ended, with all names that it has looked up. */
async function withHostileApp(
  use: (hostile: Hostile) => Promise<void>,
  check: (target: Target, names: readonly string[]) => void,
): Promise<void> {
  const target = await startTarget();
  const profile = mkdtempSync(join(tmpdir(), 'waypost-hostile-'));
  const log = join(profile, 'net-log.json');
  try {
    await withSimulator({}, async (world) => {
      world.write(filesOf(target.port, world.simulator.url));
      // Not a context without a profile: there, Chromium does not preconnect.
      const context = await chromium.launchPersistentContext(join(profile, 'profile'), {
        executablePath: pathOf('chromium'),
        args: [...FLAGS, `--log-net-log=${log}`],
        timeout: PATIENCE_MS,
        viewport: VIEWPORT,
      });
      try {
        const view = await context.newPage();
        view.setDefaultTimeout(PATIENCE_MS);
        await use({ world, context, page: view, target });
      } finally {
        await context.close();
      }
    });
    const hosts = readFileSync(log, 'utf8').matchAll(/"host": ?"(?:[a-z]+:\/\/)?([^":/]+)/g);
    check(target, [...new Set([...hosts].map(([, host]) => host))]);
  } finally {
    await target.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Loads the simulator, whose log is then empty, and leads the app to one of its pages. */
async function showAppPage(view: Page, { simulator }: World, name: string): Promise<void> {
  await view.goto(simulator.url);
  await view.frameLocator('iframe').getByRole('heading', { name: 'index' }).waitFor();
  const frame = view.frames().find((child) => child.url().startsWith(simulator.appOrigin));
  await frame?.evaluate(`location.href = '/${name}.html'`);
}

/** What the simulator shows in its panels Sandbox and Console, a line each. */
async function readLog(view: Page): Promise<string[]> {
  await openPanel(view, 'Sandbox');
  const entries = await view
    .locator('.entries .entry')
    .evaluateAll((nodes) =>
      nodes.map(
        (node) => `${node.querySelector('.badge')?.textContent} ${node.querySelector('.entry-value')?.textContent}`,
      ),
    );
  await openPanel(view, 'Console');
  return [...entries, ...(await view.locator('.log > li').allTextContents())];
}

const expectedLog = ({ name, log }: Attack): RegExp => log ?? new RegExp(`${name}: \\w+`);

/** Waits until the log has a line of each attack. */
async function expectLogged(view: Page, attacks: readonly Attack[]): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const lines = await readLog(view);
    const missing = attacks.filter((attack) => !lines.some((line) => expectedLog(attack).test(line)));
    if (missing.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`not logged: ${missing.map(({ name }) => name).join(', ')}\n${lines.join('\n')}`);
    await view.waitForTimeout(POLL_MS);
  }
}

test('gets nothing out, and each attempt is logged', async () => {
  await withHostileApp(
    async ({ world, context, page: view }) => {
      const faults: string[] = [];
      context.on('page', (opened) => faults.push(`window ${opened.url()}`));
      view.on('dialog', (dialog) => {
        faults.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      view.on('download', (download) => faults.push(`download ${download.url()}`));
      await view.exposeFunction('reportReached', (where: string) => faults.push(`code ran: ${where}`));
      await view.addInitScript(`addEventListener('message', ({ data }) => {
        if (data === 'REACHED') reportReached(location.href);
      });`);
      await showAppPage(view, world, 'together');
      const app = view.frameLocator('iframe');
      await app.getByText('end', { exact: true }).waitFor();
      await app.getByRole('heading', { name: 'together' }).click();
      await expectLogged(view, TOGETHER);
      assert.is(await view.title(), 'Waypost simulator');
      for (const attack of ALONE) {
        await showAppPage(view, world, attack.name);
        await expectLogged(view, [attack]);
      }
      assert.equal(faults, []);
      assert.is(new URL(view.url()).origin, world.simulator.url);
    },
    (target, names) => {
      assert.equal(target.reached, []);
      assert.equal(
        names.filter((name) => !isOwnName(name)),
        [],
      );
    },
  );
});

/** Chromium itself looks for its makers. */
const isOwnName = (name: string): boolean =>
  name === '127.0.0.1' || name === 'localhost' || /(?:^|\.)(?:google|googleapis|gstatic)\.com$/.test(name);

/** Buttons that begin what harms the page around the app. */
const HARMFUL = `
const acts = {
  loop() { for (;;); },
  flood() { for (let count = 0; count < 20000; count++) parent.postMessage('{"type":"request"}', '*'); },
  large() { for (let count = 0; count < 20; count++) parent.postMessage('x'.repeat(5e6), '*'); },
  objects() { parent.postMessage({ waypost: 'guard', type: 'notice', notice: { kind: 'violation' } }, '*'); },
  forged() {
    const notice = { kind: 'console', level: 'log', text: 'x'.repeat(1e6) };
    parent.postMessage({ waypost: 'guard', type: 'notice', notice }, '*');
  },
  answer() { parent.postMessage('{"type":"response","protocol":1,"id":"1","result":"x"}', '*'); },
};
for (const [name, act] of Object.entries(acts)) {
  const button = document.createElement('button');
  button.textContent = name;
  // Later, since the click ends when the page responds.
  button.addEventListener('click', () => setTimeout(act, 300));
  buttons.append(button);
}
`;

const press = (app: FrameLocator, name: string): Promise<void> =>
  app.getByRole('button', { name, exact: true }).click();

test('cannot stop the page around it', () =>
  withSimulator({ 'app.js': HARMFUL }, (world) =>
    withSimulatorPage(world, async (view, app) => {
      await press(app, 'loop');
      await view.getByRole('alertdialog', { name: 'The app does not respond' }).waitFor();
      await view.getByRole('button', { name: 'Stop it' }).click();
      await view.getByRole('alertdialog', { name: 'The app is stopped' }).waitFor();
      await checkScreen(view, 'simulator-stopped');
      await resetView(view);
      assert.is(await view.locator('iframe').count(), 0);
      await view.getByRole('button', { name: 'Load it again' }).click();
      // The second in which messages are counted lasts until all are read.
      await view.evaluate('const now = performance.now(); performance.now = () => now');
      await press(app, 'flood');
      await view.getByRole('alertdialog', { name: 'The app was stopped' }).waitFor();
      assert.is(await view.locator('iframe').count(), 0);
      await openPanel(view, 'Sandbox');
      await view.getByText('8,001 messages with').waitFor();
      await view.getByRole('button', { name: 'Load it again' }).click();
      await press(app, 'large');
      await view.getByRole('alertdialog', { name: 'The app was stopped' }).waitFor();
    }),
  ));

test('cannot forge messages, and each is logged', () =>
  withSimulator({ 'app.js': HARMFUL }, (world) =>
    withSimulatorPage(world, async (view, app) => {
      await press(app, 'forged');
      await view.getByText('xxxx').waitFor();
      assert.ok((await view.locator('.log').innerText()).length < 10_000);
      await press(app, 'answer');
      await view.getByText('is neither "hello" nor "request"').waitFor();
      await press(app, 'objects');
      await openPanel(view, 'Sandbox');
      await view.getByText('neither a text nor of the guard').waitFor();
      await view.evaluate(`postMessage('{"type":"hello","protocols":[1],"sdk":"1.0.0"}', '*')`);
      await view.getByText('from another window').waitFor();
    }),
  ));

test.run();
