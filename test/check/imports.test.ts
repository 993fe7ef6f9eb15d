/** Compares the imports of all sources with the table of rooms in ARCHITECTURE.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** Compiled tests are in a folder of their own next to the sources. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PARTS = ['main.ts', 'core', 'admin-api', 'edge', 'bench', 'test'];

/**
 * The table of rooms in ARCHITECTURE.md: each room, and exactly the rooms that it imports, types
 * included. Names in it are short, and a row goes on in lines that begin with blanks. A path
 * belongs to the longest room that it begins with.
 */
function readRooms(): Record<string, readonly string[]> {
  const [, table] = /^## Rooms$[\s\S]*?^```\n([\s\S]*?)^```$/m.exec(
    readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'),
  )!;
  const rooms: Record<string, readonly string[]> = {};
  for (const row of table.trimEnd().split(/\n(?=\S)/)) {
    const [room, , ...imports] = row.split(/\s{2,}/);
    const [part] = room.split('/');
    const full = (name: string): string => {
      if (name.startsWith('./')) return part + name.slice(1);
      return PARTS.includes(name.split('/')[0]) ? name : `core/${name}`;
    };
    const names = imports.join(' ').trim().split(' ');
    rooms[room] = names[0] === 'nothing' ? [] : names.map(full).sort();
  }
  return { ...rooms, bench: [], test: [] };
}

const ROOMS = readRooms();
/** Benches and tests may import whatever they measure and try. */
const USERS = ['bench', 'test'];

const startsWith = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`);

function roomOf(path: string): string {
  const rooms = Object.keys(ROOMS).filter((room) => startsWith(path, room));
  assert.ok(rooms.length > 0, `${path} is in no known room`);
  return rooms.sort((a, b) => b.length - a.length)[0];
}

function sourcesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${path}/${entry.name}`;
    if (entry.isDirectory()) return sourcesIn(inside);
    return /\.tsx?$/.test(entry.name) ? [inside] : [];
  });
}

interface Import {
  readonly to: string;
  /** `type`: gone when compiled; `thread`: the file that a thread is started with. */
  readonly kind: 'value' | 'type' | 'thread';
  /** Of `import()`. Omitted: no. */
  readonly isLazy?: true;
}

/**
 * Relative imports and re-exports, static and dynamic, and the files of threads, as paths from the
 * root.
 */
function importsOf(path: string): Import[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm);
  const dynamic = text.matchAll(/import\(\s*(type\s)?['"](\.[^'"]+)['"]\s*\)/g);
  // The thread imports the file that it is started with, not the file that starts it: a direction,
  // but no cycle.
  const threads = [...text.matchAll(/new URL\(\s*'(\.[^']+)\.js'/g)].map((match) => [
    match[0],
    'thread',
    `${match[1]}.ts`,
  ]);
  return [...statements, ...dynamic, ...threads].map((match) => ({
    to: relative(ROOT, resolve(ROOT, dirname(path), match[2])),
    kind: match[1] === undefined ? 'value' : match[1] === 'thread' ? 'thread' : 'type',
    ...(match[0].startsWith('import(') && { isLazy: true as const }),
  }));
}

const sources = PARTS.filter((part) => existsSync(join(ROOT, part))).flatMap(sourcesIn);
const graph = new Map(sources.map((path) => [path, importsOf(path)]));

test('the sources were found, and their imports with them', () => {
  assert.ok(graph.has('main.ts') && graph.has('core/dns/wire/name.ts') && graph.has('test/check/imports.test.ts'));
  assert.equal(graph.get('core/dns/wire/name.ts'), [
    { to: 'core/base/errors.ts', kind: 'value' },
    { to: 'core/dns/wire/latin1.ts', kind: 'value' },
  ]);
  assert.ok(graph.get('main.ts')!.some(({ to }) => to === 'edge/index.ts'));
});

test('every import names a source with its ending', () => {
  for (const [path, imports] of graph)
    for (const { to } of imports) assert.ok(existsSync(join(ROOT, to)) && /\.tsx?$/.test(to), `${path} imports ${to}`);
});

test('every room imports exactly the rooms of its row', () => {
  const found: Record<string, string[]> = {};
  for (const [path, imports] of graph) {
    const from = roomOf(path);
    const rooms = USERS.includes(from) ? [] : imports.map(({ to }) => roomOf(to)).filter((to) => to !== from);
    found[from] = [...new Set([...(found[from] ?? []), ...rooms])].sort();
  }
  for (const room of Object.keys(ROOMS)) assert.equal(found[room], ROOMS[room], `ARCHITECTURE.md, the row of ${room}`);
});

test('pointers of OpenSSL stay in edge/http/tls/native', () => {
  const folder = 'edge/http/tls/native';
  // A type names the instance that tests replace.
  const users = [...graph].filter(([, imports]) =>
    imports.some(({ to, kind }) => to === `${folder}/library.ts` && kind === 'value'),
  );
  const others = users.map(([path]) => path).filter((path) => !startsWith(path, folder) && !startsWith(path, 'test'));
  assert.equal(others, []);
});

test('outside of test/system and test/release, tests start no process but the smoke test', () => {
  const mayStart = (path: string): boolean =>
    /^test\/(system|release|runner|support)\//.test(path) || path === 'test/smoke.test.ts';
  const starts = (path: string): boolean =>
    /^import .* from 'node:child_process'/m.test(readFileSync(join(ROOT, path), 'utf8')) ||
    graph.get(path)!.some(({ to, kind }) => kind === 'value' && /^test\/support\/(child|daemon)\.ts$/.test(to));
  const wrong = sources.filter((path) => path.startsWith('test/') && !mayStart(path) && starts(path));
  assert.equal(wrong, []);
});

test('nothing imports main.ts, though some start it as a program', () => {
  for (const [path, imports] of graph)
    for (const { to, kind } of imports) if (kind === 'value') assert.is.not(to, 'main.ts', path);
});

/** The first cycle as a → b → a, or undefined. */
function findCycle(edges: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  const visit = (node: string, above: readonly string[]): string | undefined => {
    const at = above.indexOf(node);
    if (at >= 0) return [...above.slice(at), node].join(' → ');
    if (done.has(node)) return undefined;
    for (const to of edges.get(node) ?? []) {
      const cycle = visit(to, [...above, node]);
      if (cycle !== undefined) return cycle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of edges.keys()) {
    const cycle = visit(node, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

test('no file imports itself through others, type imports included', () => {
  const edges = [...graph].map(([path, imports]): [string, string[]] => [
    path,
    imports.filter(({ kind }) => kind !== 'thread').map(({ to }) => to),
  ]);
  assert.is(findCycle(new Map(edges)), undefined);
});

test('a room imports only rooms that stand above it, threads included', () => {
  const rooms = Object.keys(ROOMS);
  for (const [row, room] of rooms.entries())
    for (const imported of ROOMS[room]) assert.ok(rooms.indexOf(imported) < row, `${room} imports ${imported}`);
});

/** Of the folders of mini-apps, the audit is one knot. */
const KNOTS = ['admin-api/miniapp'];

test('no folder or file next to others imports itself through them, at any depth', () => {
  const levels = new Map<string, Map<string, Set<string>>>();
  for (const [path, imports] of graph)
    for (const { to, kind } of imports) {
      if (USERS.includes(roomOf(path)) || kind === 'thread') continue;
      const [from, target] = [path.split('/'), to.split('/')];
      const at = from.findIndex((name, i) => name !== target[i]);
      const level = from.slice(0, at).join('/');
      const edges = levels.get(level) ?? new Map<string, Set<string>>();
      levels.set(level, edges.set(from[at], (edges.get(from[at]) ?? new Set()).add(target[at])));
    }
  for (const [level, edges] of levels)
    if (!KNOTS.some((knot) => startsWith(level, knot)))
      assert.is(findCycle(new Map([...edges].map(([name, to]) => [name, [...to]]))), undefined, level);
});

test('what main.ts loads before DNS is answered has no HTTP client and no public suffixes', () => {
  const loaded = new Set(['core/start.ts']);
  for (const path of loaded)
    for (const { to, kind, isLazy } of graph.get(path)!) if (kind === 'value' && isLazy !== true) loaded.add(to);
  assert.ok(loaded.has('core/nameserver/nameserver.ts'));
  const wrong = [...loaded].filter((path) =>
    /^import (?!type\b)[^;]* from '(undici|tldts)';/m.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  assert.equal(wrong, []);
});

test('browsers load no code of the server but the client and the presets of keys', () => {
  const isOfBrowsers = (path: string): boolean =>
    startsWith(path, 'admin-api/ui') ||
    (startsWith(path, 'admin-api/dashboard') && !startsWith(path, 'admin-api/dashboard/serve'));
  const loaded = new Set(sources.filter(isOfBrowsers));
  for (const path of loaded) for (const { to, kind } of graph.get(path)!) if (kind === 'value') loaded.add(to);
  const others = [...loaded].filter((path) => !isOfBrowsers(path));
  assert.equal(others.sort(), ['admin-api/http/client.ts', 'admin-api/routes/key-presets.ts']);
});

const valuesOf = (path: string, isLazy: boolean): string[] =>
  graph
    .get(path)!
    .filter((found) => found.kind === 'value' && (found.isLazy ?? false) === isLazy)
    .map(({ to }) => to);

/** The file, and all that it loads at once. */
function loadedBy(path: string): ReadonlySet<string> {
  const loaded = new Set([path]);
  for (const file of loaded) for (const to of valuesOf(file, false)) loaded.add(to);
  return loaded;
}

test('what a file loads lazily, it does not load at once through others', () => {
  const users = [...graph.keys()].filter((path) => !USERS.includes(roomOf(path)) && valuesOf(path, true).length > 0);
  const wrong = users.flatMap((path) => {
    const loaded = loadedBy(path);
    return valuesOf(path, true).flatMap((to) => (loaded.has(to) ? [`${path} loads ${to}`] : []));
  });
  assert.equal(wrong, []);
});

test('threads get their settings from the main thread, and do not load the configuration', () => {
  const threads = new Set<string>();
  for (const [path, imports] of graph)
    for (const { to, kind } of imports) if (kind === 'thread' && !USERS.includes(roomOf(path))) threads.add(to);
  assert.ok(threads.has('edge/http/server/worker.ts') && threads.has('core/nameserver/loop-worker.ts'));
  // It runs only during backups, and finds the files of the node by the configuration.
  threads.delete('core/cluster/backup/worker.ts');
  const wrong = [...threads].filter((path) => loadedBy(path).has('core/config/load.ts'));
  assert.equal(wrong, []);
});

test('a cycle is found', () => {
  const cycle = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['b']],
  ]);
  assert.is(findCycle(cycle), 'b → c → b');
});

test.run();
