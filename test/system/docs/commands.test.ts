/**
 * Runs every command of the manual against a daemon, page by page, and compares the
 * output with what the page shows.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { notRun } from '../../check/docs/not-run.ts';
import { outputFault } from '../../check/docs/output.ts';
import { type Command, GOING_LIVE, inlineCode, type Page, readAllPages, readPages } from '../../check/docs/pages.ts';
import { ADMIN_PASSWORD, type Daemon, MAIN, type ServingDaemon, startDaemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { type Program, whyNotPrograms } from '../../support/programs.ts';
import { borrowDaemon, edgeSettings } from '../../support/shared-daemon.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { listening, Terminal } from './terminal.ts';

const PROGRAMS: readonly Program[] = ['dig', 'curl', 'nsupdate', 'openssl'];
/** Where pages have the nameserver, the API, the edge, and the web server of the reader. */
const SHOWN_PORTS = { dns: 5300, admin: 8300, http: 8080, https: 8443, origin: 9000 } as const;
type Port = keyof typeof SHOWN_PORTS;

/** The daemon is stopped and started here, where a page asks systemd to. */
const OF_SYSTEMD: Readonly<Record<string, (daemon: Daemon) => Promise<unknown>>> = {
  'sudo systemctl stop waypost': (daemon) => daemon.stop(),
  'sudo systemctl start waypost': (daemon) => daemon.start(),
};

interface Stage {
  readonly daemon: ServingDaemon;
  /** The same, if it is the page's own. */
  readonly own: Daemon | null;
  readonly terminal: Terminal;
  readonly ports: Readonly<Record<Port, number>>;
  close(): Promise<void>;
}

/** What a page puts in front of `npm start`. */
function settingsOf(page: Page): Record<string, string> {
  const start = page.commands.find(({ text }) => /^WAYPOST_.* npm start$/.test(text))?.text ?? '';
  return Object.fromEntries([...start.matchAll(/(WAYPOST_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

/** The page stops or configures its daemon. */
const needsOwn = (page: Page): boolean =>
  page.commands.some(({ text }) => text in OF_SYSTEMD) || Object.keys(settingsOf(page)).length > 0;

async function openStage(page: Page, folder: string): Promise<Stage> {
  const own = needsOwn(page) ? await startDaemon({ ...(await edgeSettings()), ...settingsOf(page) }) : null;
  const borrowed = own === null ? await borrowDaemon('edge') : null;
  const daemon = (own ?? borrowed) as ServingDaemon;
  const portOf = (name: string): number => Number(daemon.env[name]?.split(':')[1]);
  const [http, https] = ['WAYPOST_EDGE_HTTP_LISTEN', 'WAYPOST_EDGE_HTTPS_LISTEN'].map(portOf);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'waypost'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(join(bin, 'waypost'), 0o755);
  const url = `http://127.0.0.1:${daemon.adminPort}`;
  // Readers have made a token in the first steps.
  if (page.path !== 'docs/first-steps.md') await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const { token = '' } = daemon.api;
  const env = { ...daemon.env, WAYPOST_URL: url, WAYPOST_TOKEN: token, HOME: folder, LC_ALL: 'C.UTF-8' };
  const path = `${bin}:${join(process.execPath, '..')}:${process.env.PATH}`;
  const terminal = new Terminal(folder, { ...env, PATH: path }, PATIENCE_MS);
  return {
    ...{ daemon, own, terminal },
    ports: { dns: daemon.dnsPort, admin: daemon.adminPort, http, https, origin: await freePort() },
    async close() {
      await terminal.close();
      await (own === null ? borrowed?.giveBack() : own.close());
    },
  };
}

/** With the ports of the test for those of the page, or the other way round. */
function withPorts(text: string, ports: Stage['ports'], isBack = false): string {
  return Object.entries(SHOWN_PORTS).reduce((all, [name, shown]) => {
    const own = ports[name as Port];
    return all.replace(new RegExp(`\\b${isBack ? own : shown}\\b`, 'g'), String(isBack ? shown : own));
  }, text);
}

async function run(stage: Stage, { text, output, line }: Command, path: string): Promise<void> {
  const { own, terminal, ports } = stage;
  if (text in OF_SYSTEMD) return void (await OF_SYSTEMD[text](own as Daemon));
  if (notRun(text) !== undefined) return;
  const outcome = await terminal.run(withPorts(text, ports));
  if (text.endsWith('&')) await listening(ports.origin, PATIENCE_MS);
  const printed = withPorts(outcome.output, ports, true);
  const where = `${path}:${line}: ${text}`;
  if (process.env.WAYPOST_DOCS_PRINT) console.log(`$ ${text}\n${printed}`);
  assert.is(outcome.code, 0, `${where}\nended with ${outcome.code}:\n${printed}`);
  const fault = outputFault(output, printed);
  assert.ok(fault === null, `${where}\n${fault}`);
}

/** Those of a single node; `waypost_cluster_*` are those of several. */
async function checkMetrics(page: Page, { terminal, ports }: Stage): Promise<void> {
  const named = inlineCode(page.prose).flatMap(({ code }) => code.match(/^waypost_[a-z0-9_]+/) ?? []);
  if (named.length === 0) return;
  const { output } = await terminal.run(`curl -s http://127.0.0.1:${ports.admin}/metrics`);
  const present = new Set([...output.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name));
  // A name that ends with "_" is the beginning of several.
  const isPresent = (name: string): boolean =>
    name.endsWith('_') ? [...present].some((other) => other.startsWith(name)) : present.has(name);
  const missing = named.filter((name) => !name.startsWith('waypost_cluster_') && !isPresent(name));
  assert.ok(missing.length === 0, `${page.path} names metrics that a node does not have: ${missing.join(', ')}`);
}

/**
 * Paths of the API in code, such as `…/{id}/records`, where "…" stands for the beginning or the end
 * of a path.
 */
async function checkEndpoints(page: Page, { ports }: Stage): Promise<void> {
  const named = inlineCode(page.prose).flatMap(({ code }) => code.match(/(?:…|\/api)\/[\w/{}.…-]+/g) ?? []);
  if (named.length === 0) return;
  // Not in the terminal: a Node server in its background makes its pipe non-blocking.
  const response = await fetch(`http://127.0.0.1:${ports.admin}/api/v1/openapi.json`);
  const document = (await response.json()) as { paths: object };
  const anyName = (path: string): string => path.replace(/\{\w+\}|\b(?:ID|UPLOAD|SEQ)\b/g, '{}');
  const paths = Object.keys(document.paths).map(anyName);
  const isThere = (path: string): boolean =>
    paths.some((other) => {
      if (path.startsWith('…')) return other.endsWith(path.slice(1));
      return path.endsWith('…') ? other.startsWith(path.slice(0, -1)) : other === path;
    });
  // The document does not list itself, nor the PowerDNS-compatible API.
  const isListed = (path: string): boolean => !/^\/api\/v1\/(?:openapi\.json$|servers\b)/.test(path);
  const missing = named.filter((path) => isListed(path) && !isThere(anyName(path)));
  assert.ok(missing.length === 0, `${page.path} names endpoints that the API does not have: ${missing.join(', ')}`);
}

/** Whether a page changes nothing: any daemon does for it. */
const isReading = (page: Page): boolean =>
  page.commands.every(({ text }) => !(text in OF_SYSTEMD) && notRun(text) !== undefined) &&
  Object.keys(settingsOf(page)).length === 0;

/** Whether a page has something that needs a daemon. */
const hasChecks = ({ commands, prose }: Page): boolean =>
  commands.length > 0 || inlineCode(prose).some(({ code }) => /^waypost_[a-z]|(?:…|\/api)\//.test(code));

async function check(stage: Stage, page: Page): Promise<void> {
  for (const command of page.commands) await run(stage, command, page.path);
  await checkMetrics(page, stage);
  await checkEndpoints(page, stage);
}

async function withStage(page: Page, use: (stage: Stage, page: Page) => Promise<void>): Promise<void> {
  const folder = temporaryFolder('docs');
  const stage = await openStage(page, folder);
  try {
    await use(stage, page);
  } finally {
    await stage.close();
    removeFolder(folder);
  }
}

const users = readPages().filter((page) => hasChecks(page) && page.path !== GOING_LIVE);
const pages = [
  ...users,
  ...readAllPages().filter(
    ({ path, commands }) => commands.length > 0 && path !== GOING_LIVE && !users.some((user) => user.path === path),
  ),
];
const why = whyNotPrograms(...PROGRAMS);
if (why !== null) console.log(`skipped: the commands of the documents, ${why}`);
else {
  for (const page of pages.filter((view) => !isReading(view)))
    test(`${page.path}: its commands run, and print what it shows`, () => withStage(page, check));
  const reading = pages.filter(isReading);
  test(`${reading.length} pages without such commands name what there is`, () =>
    withStage(reading[0], async (stage) => {
      const faults: string[] = [];
      for (const page of reading) await check(stage, page).catch((error: Error) => faults.push(error.message));
      assert.equal(faults, []);
    }));
}

test.run();
