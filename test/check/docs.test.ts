/**
 * README.md and docs/*.md against the project: settings, links, configuration and commands. Runs no
 * command; test/system/docs/commands.test.ts does.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECKS } from '../../admin-api/cli/doctor/table.ts';
import { runCli } from '../../admin-api/cli/index.ts';
import { NODE } from '../../config/build/release/node.ts';
import { describeConfig, loadConfig } from '../../core/config/index.ts';
import { EVENT_TYPES } from '../../core/observe/webhooks/payload.ts';
import { SHIPPED, SUPPORTED } from '../runner/node-binary.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { documentedMetrics } from './docs/monitoring.ts';
import { checkScript, NOT_RUN, notRun } from './docs/not-run.ts';
import { outputFault } from './docs/output.ts';
import { GOING_LIVE, inlineCode, ROOT, readAllPages, readPage, readPages } from './docs/pages.ts';

const WIDTH = 100;
const README_LINES = 90;
const LANGUAGES = ['sh', 'toml', 'ini', 'json', 'http', 'text', 'html', 'js', 'ts', 'kotlin', 'swift', 'python', 'go'];

/** Types of events of webhooks, which look like settings. */
const EVENTS: ReadonlySet<string> = new Set(EVENT_TYPES);

const pages = readPages();
const allPages = readAllPages();
const settings = describeConfig();
const none = (faults: readonly string[], title: string): void =>
  assert.is(faults.length, 0, `${title}:\n  ${faults.join('\n  ')}`);

const INDEXES = ['docs/README.md', 'docs/mini-apps/README.md'].filter((path) => existsSync(join(ROOT, path)));

test('every page is listed in an index', () => {
  const index = new Set(
    INDEXES.flatMap((path) => readPage(path).links.map(({ target }) => normalize(join(dirname(path), target)))),
  );
  const own = pages.filter(({ path }) => path !== 'README.md' && path !== 'docs/README.md');
  none(
    own.filter(({ path }) => !index.has(path)).map(({ path }) => path),
    `add a row for these pages to ${INDEXES.join(' or ')}`,
  );
});

test('lines are short, and so is README.md', () => {
  // A row of a table, a link's target and a message cannot be broken.
  const isLong = (text: string): boolean => [...text].length > WIDTH && !/^ *\||^\S+$/.test(text);
  const long = pages.flatMap(({ path, blocks, lines }) => {
    const code = new Set(blocks.flatMap((block) => block.lines.map(({ number }) => number)));
    return lines
      .filter(({ text, number }) => isLong(text) && !code.has(number))
      .map((line) => `${path}:${line.number}`);
  });
  none(long, `break these lines at ${WIDTH} columns`);
  assert.ok(readPage('README.md').lines.length - 1 <= README_LINES, `README.md has more than ${README_LINES} lines`);
});

test('links lead to files and headings that are there', () => {
  const faults = allPages.flatMap(({ path, links }) =>
    links.flatMap(({ target, line }) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file, anchor] = target.split('#');
      const to = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(ROOT, to))) return [`${path}:${line}: ${target}: there is no ${to}`];
      if (anchor === undefined || readPage(to).anchors.has(anchor)) return [];
      return [`${path}:${line}: ${target}: ${to} has no heading for #${anchor}`];
    }),
  );
  none(faults, 'links that lead nowhere');
});

/** Of the command line, and of the tests. */
const OTHER_VARIABLES: readonly string[] = [
  ...['WAYPOST_CONFIG', 'WAYPOST_TOKEN', 'WAYPOST_URL'],
  ...['WAYPOST_DEPTH', 'WAYPOST_FAULTS', 'WAYPOST_REQUIRE_PEERS', 'WAYPOST_SCREENSHOTS', 'WAYPOST_SEED'],
  ...['WAYPOST_BROWSER_API_DELAY', 'WAYPOST_BROWSER_SLOWDOWN'],
  ...['WAYPOST_PEER_SOURCES', 'WAYPOST_TEST_JOBS', 'WAYPOST_TEST_PORTS', 'WAYPOST_TEST_SLOWDOWN'],
];

test('settings that a page names are there', () => {
  const keys = new Set(settings.map(({ key }) => key));
  const variables = new Set([...settings.map(({ env }) => env), ...OTHER_VARIABLES]);
  const sections = new Set(settings.map(({ key }) => key.split('.')[0]));
  const isSetting = (name: string): boolean =>
    /^[a-z]+\.[a-z0-9_]+$/.test(name) &&
    sections.has(name.split('.')[0]) &&
    !/\.(key|pem|md|ts|json|txt)$/.test(name) &&
    !CHECKS.some(({ id }) => id === name) &&
    !EVENTS.has(name);
  // The changelog also names those of before.
  const current = allPages.filter(({ path }) => path !== 'CHANGELOG.md');
  const faults = current.flatMap(({ path, lines, prose }) => [
    ...inlineCode(prose)
      .map(({ code, line }) => ({ name: code.split(' ')[0], line }))
      .filter(({ name }) => isSetting(name) && !keys.has(name))
      .map(({ name, line }) => `${path}:${line}: ${name}`),
    ...lines.flatMap(({ text, number }) =>
      (text.match(/\bWAYPOST_[A-Z0-9_]+[A-Z0-9]\b/g) ?? [])
        .filter((name) => !variables.has(name))
        .map((name) => `${path}:${number}: ${name}`),
    ),
  ]);
  none(faults, 'no such settings in core/config/schema.ts');
});

test('blocks of TOML are sound configurations, and all languages are known', () => {
  const folder = temporaryFolder('docs');
  for (const { path, blocks } of pages)
    for (const { language, line, lines } of blocks) {
      assert.ok(LANGUAGES.includes(language), `${path}:${line}: "${language}" is not one of ${LANGUAGES.join(', ')}`);
      if (language !== 'toml') continue;
      const file = join(folder, 'waypost.toml');
      writeFileSync(file, lines.map(({ text }) => text).join('\n'));
      assert.not.throws(() => loadConfig({ file, env: {} }), undefined, `${path}:${line}`);
    }
  removeFolder(folder);
});

test('each command that is not run has its check, and each reason a command', () => {
  const commands = pages.filter(({ path }) => path !== GOING_LIVE).flatMap(({ commands: lines }) => lines);
  for (const { text } of commands) notRun(text)?.check(text);
  none(
    NOT_RUN.filter(({ command }) => !commands.some(({ text }) => command.test(text))).map(
      ({ command }) => `${command}`,
    ),
    'remove these from test/check/docs/not-run.ts: no page has such a command',
  );
});

test('scripts of package.json that a page names are there', () => {
  for (const { prose } of allPages)
    for (const { code } of inlineCode(prose)) if (/^npm (run|test|start)\b/.test(code)) checkScript(code);
});

/** What "waypost WORDS --help" prints; null for a command that is not there. */
async function helpOf(words: readonly string[]): Promise<string | null> {
  let text = '';
  const write = (part: string): boolean => {
    text += part;
    return true;
  };
  const io = {
    stdin: process.stdin,
    stdout: { write, on: () => {} },
    stderr: { write, on: () => {} },
    env: {},
    build: { version: '0', commit: null, date: null },
  };
  const unused = (): never => {
    throw new Error('help runs nothing');
  };
  const code = await runCli([...words, '--help'], {
    ...(io as unknown as Parameters<typeof runCli>[1]),
    serve: unused,
    rebuildAnswers: unused,
  });
  const usage = new RegExp(`^Usage: waypost ${words.map((word) => `${word} `).join('')}\\[`);
  return code === 0 && usage.test(text) ? text : null;
}

test('every command of waypost that a page names is there, with its options', async () => {
  const faults: string[] = [];
  const helps = new Map<string, string | null>();
  for (const { path, commands, prose } of pages) {
    const named = [
      ...commands.map(({ text, line }) => ({ code: text, line })),
      ...inlineCode(prose).filter(({ code }) => code.startsWith('waypost ')),
    ];
    for (const { code, line } of named)
      for (const [, rest] of code.replace(/\\\n/g, ' ').matchAll(/(?:^|\$\(|&& |[A-Z_0-9]=\S+ )waypost ([^|)&]*)/g)) {
        const words = rest.trim().split(/\s+/);
        const first = words.slice(0, 1);
        let command = first;
        // A group may contain a group.
        while (/^Commands:/m.test((await help(helps, command)) ?? '')) {
          const next = words.at(command.length);
          if (next === undefined || !/^[a-z]/.test(next)) break;
          command = [...command, next];
        }
        const text = command[0]?.startsWith('-') ? await help(helps, []) : await help(helps, command);
        if (text === null) faults.push(`${path}:${line}: there is no "waypost ${command.join(' ')}"`);
        for (const option of rest.match(/(?<=^| )--[a-z-]+/g) ?? [])
          if (text !== null && !text.includes(option) && option !== '--help')
            faults.push(`${path}:${line}: "waypost ${command.join(' ')}" has no ${option}`);
      }
  }
  none(faults, 'commands that are not there');
});

async function help(cached: Map<string, string | null>, words: readonly string[]): Promise<string | null> {
  const key = words.join(' ');
  if (!cached.has(key)) cached.set(key, await helpOf(words));
  return cached.get(key) ?? null;
}

test('metrics of a cluster that a page names are there', () => {
  // Those of a single node are looked for in /metrics by the test that runs the commands.
  const source = readFileSync(join(ROOT, 'core/cluster/metrics.ts'), 'utf8');
  for (const { path, prose } of pages)
    for (const { code, line } of inlineCode(prose)) {
      const name = /^waypost_cluster_(\w+)$/.exec(code)?.[1];
      if (name !== undefined) assert.ok(source.includes(`${name}'`), `${path}:${line}: there is no ${code}`);
    }
});

test('docs/monitoring.md names each metric that a source names', () => {
  const documented = documentedMetrics();
  const folders = ['core', 'admin-api', 'edge'].map((folder) => join(ROOT, folder));
  for (const folder of folders)
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts')) continue;
      const source = readFileSync(join(folder, path), 'utf8');
      if (!source.includes('Registry')) continue;
      for (const [, name] of source.matchAll(/'((?:waypost|process|nodejs)_[a-z0-9_]+)'/g))
        assert.ok(documented.has(name), `${path} has the metric ${name}: add it to docs/monitoring.md`);
    }
});

test('output is compared as it is meant', () => {
  assert.is(outputFault(['a…z', '…', 'end'], 'abcz\nmore\nlines\nend'), null);
  assert.is(outputFault(['…'], ''), null);
  assert.is(outputFault(['first', '…'], 'first'), null);
  assert.is(outputFault([], 'anything'), null);
  assert.ok(outputFault(['a'], 'b') !== null);
  assert.ok(outputFault(['a'], 'a\nb') !== null);
  assert.ok(outputFault(['a', 'b'], 'a') !== null);
});

test('uWebSockets.js has binaries for the versions of Node that docs/install.md lists', () => {
  const binaries = readdirSync(join(ROOT, 'node_modules/uWebSockets.js/dist/bin'));
  const abis = new Set(binaries.map((name) => /_linux_x64_(\d+)/.exec(name)?.[1]));
  // https://nodejs.org/en/about/previous-releases has the number (NODE_MODULE_VERSION) of each
  // version.
  for (const [node, abi] of Object.entries({ 20: '115', 22: '127' })) assert.ok(abis.has(abi), `Node ${node}`);
  assert.not(abis.has('137'), 'Node 24');
  assert.ok(abis.has(NODE.abi), 'the Node of a release');
});

test('error codes that a page names are there', () => {
  const sources = ['core', 'admin-api', 'edge'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
  const isThere = (code: string): boolean => sources.some((text) => text.includes(`'${code}'`));
  for (const { path, lines } of pages)
    for (const { text, number } of lines)
      for (const [codes] of text.matchAll(/\b[45]\d\d (?:`[a-z_]+`(?:, )?)+/g))
        for (const [, code] of codes.matchAll(/`([a-z_]+)`/g)) assert.ok(isThere(code), `${path}:${number}: ${code}`);
});

test('the manual says what package.json says of Node', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.is(engines.node, '^20.18.0 || ^22.11.0 || >=24.0.0');
  assert.equal(SUPPORTED, [20, 22, 24]);
  assert.match(readFileSync(join(ROOT, 'README.md'), 'utf8'), 'Node 22, 24 or 20');
  const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8').replace(/\s+/g, ' ');
  assert.match(page, 'Node 22 from 22.11 on, Node 24 and Node 20 from 20.18 on work as well');
  assert.is(SHIPPED, 22);
  assert.ok(SUPPORTED.includes(SHIPPED));
  assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), '$(node dist/test/runner/shipped-node.js)');
  assert.match(page, 'Node 22, the long-term release of the package');
});

test.run();
