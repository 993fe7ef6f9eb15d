/**
 * Who may import whom, read from the sources. The directions are the ones of ARCHITECTURE's rooms: what is below knows nothing of what is above,
 * admin-api and edge meet only in the store, and no file leads back to itself.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** Compiled tests lie in a folder of their own beside the sources. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PARTS = ['main.ts', 'core', 'admin-api', 'edge', 'bench', 'test'];

/** A room is the longest of these that a path begins with. To each: the rooms that it may import, itself always. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'core/base/errors.ts': [],
  'core/base/nearest.ts': [],
  'core/base/periodic.ts': [],
  'core/wire': ['core/base/errors.ts'],
  'core/address': ['core/base/errors.ts', 'core/wire'],
  'core/miniapp': ['core/base/errors.ts', 'core/base/nearest.ts'],
  'core/base/log': ['core/base/errors.ts'],
  'core/metrics': ['core/base/errors.ts'],
  'core/config': ['core/base/errors.ts', 'core/base/nearest.ts', 'core/wire', 'core/address'],
  'core/store': ['core/base/errors.ts', 'core/wire'],
  'core/answer': ['core/base/errors.ts', 'core/wire', 'core/store'],
  'core/zone': ['core/base/errors.ts', 'core/wire', 'core/store'],
  'core/tsig': ['core/base/errors.ts', 'core/base/secrets.ts', 'core/wire', 'core/store'],
  'core/etcd': [],
  'core/cluster': ['core'],
  'core/journal': ['core/base/errors.ts', 'core/etcd', 'core/wire', 'core/store', 'core/zone'],
  'core/alias': [
    'core/base/errors.ts',
    'core/wire',
    'core/address',
    'core/store',
    'core/zone',
    'core/journal',
    'core/base/log',
    'core/metrics',
  ],
  'core/nameserver': [
    'core/base/errors.ts',
    'core/wire',
    'core/address',
    'core/store',
    'core/answer',
    'core/config',
    'core/base/log',
    'core/metrics',
  ],
  'core/transfer': ['core'],
  core: ['core'],
  'admin-api': ['core'],
  edge: ['core', 'edge'],
  // The engine: it knows nothing of DNS, certificates or caching.
  'edge/http/exchange': ['core/address/ipv6.ts'],
  'edge/http/transport': [],
  'edge/http/http1': ['edge/http/exchange', 'edge/http/transport'],
  'edge/http/http2/hpack': ['edge/http/exchange'],
  'edge/http/http2': ['edge/http/exchange', 'edge/http/transport', 'edge/http/http2/hpack'],
  'edge/http/tls': ['core/address/client.ts', 'core/nameserver', 'core/base/secrets.ts', 'edge/http/transport'],
  bench: ['core', 'admin-api', 'edge', 'main.ts', 'test'],
  test: ['core', 'admin-api', 'edge', 'main.ts', 'bench'],
  'main.ts': ['core', 'admin-api', 'edge'],
};

const startsWith = (path: string, room: string): boolean => path === room || path.startsWith(`${room}/`);

function roomOf(path: string): string {
  const rooms = Object.keys(ROOMS).filter((room) => startsWith(path, room));
  assert.ok(rooms.length > 0, `${path} lies in no known room`);
  return rooms.sort((a, b) => b.length - a.length)[0];
}

function sourcesIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) => {
    const inside = `${path}/${entry.name}`;
    if (entry.isDirectory()) return sourcesIn(inside);
    return entry.name.endsWith('.ts') ? [inside] : [];
  });
}

interface Import {
  readonly to: string;
  /** Gone when compiled, or the file of a thread. */
  readonly loose: boolean;
}

/** Relative imports and re-exports, static and dynamic, and the files of threads, as paths from the root. */
function importsOf(path: string): Import[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm);
  const dynamic = text.matchAll(/import\(\s*(type\s)?['"](\.[^'"]+)['"]\s*\)/g);
  // A file that a thread is started with is imported by it, not by who starts it: no cycle, but a direction.
  const threads = [...text.matchAll(/new URL\(\s*'(\.[^']+)\.js'/g)].map((match) => [
    match[0],
    'thread',
    `${match[1]}.ts`,
  ]);
  return [...statements, ...dynamic, ...threads].map((match) => ({
    to: relative(ROOT, resolve(ROOT, dirname(path), match[2])),
    loose: match[1] !== undefined,
  }));
}

const sources = PARTS.filter((part) => existsSync(join(ROOT, part))).flatMap(sourcesIn);
const graph = new Map(sources.map((path) => [path, importsOf(path)]));

test('the sources were found, and their imports with them', () => {
  assert.ok(graph.has('main.ts') && graph.has('core/wire/name.ts') && graph.has('test/imports.test.ts'));
  assert.equal(graph.get('core/wire/name.ts'), [
    { to: 'core/base/errors.ts', loose: false },
    { to: 'core/wire/latin1.ts', loose: false },
  ]);
  assert.ok(graph.get('main.ts')!.some(({ to }) => to === 'edge/index.ts'));
});

test('every import names a source with its ending', () => {
  for (const [path, imports] of graph)
    for (const { to } of imports) assert.ok(existsSync(join(ROOT, to)) && to.endsWith('.ts'), `${path} imports ${to}`);
});

test('imports point the allowed way', () => {
  const wrong: string[] = [];
  for (const [path, imports] of graph) {
    const from = roomOf(path);
    for (const { to } of imports) {
      const allowed = roomOf(to) === from || ROOMS[from].some((room) => startsWith(to, room));
      if (!allowed) wrong.push(`${path} imports ${to}`);
    }
  }
  assert.equal(wrong, []);
});

test('outside of test/system, tests start no process but the smoke test', () => {
  const mayStart = (path: string): boolean =>
    /^test\/(system|runner|support)\//.test(path) || path === 'test/smoke.test.ts';
  const starts = (path: string): boolean =>
    /^import .* from 'node:child_process'/m.test(readFileSync(join(ROOT, path), 'utf8')) ||
    graph.get(path)!.some(({ to, loose }) => !loose && /^test\/support\/(child|daemon)\.ts$/.test(to));
  const wrong = sources.filter((path) => path.startsWith('test/') && !mayStart(path) && starts(path));
  assert.equal(wrong, []);
});

test('nothing imports main.ts, though some start it as a program', () => {
  for (const [path, imports] of graph)
    for (const { to, loose } of imports) if (!loose) assert.is.not(to, 'main.ts', path);
});

test('no file leads back to itself', () => {
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    const at = above.indexOf(path);
    if (at >= 0) assert.unreachable(`a cycle: ${[...above.slice(at), path].join(' → ')}`);
    if (done.has(path)) return;
    for (const { to, loose } of graph.get(path) ?? []) if (!loose) visit(to, [...above, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
});

test.run();
