/**
 * Who may import whom, read from the sources. The directions are the ones of ARCHITECTURE's rooms:
 * what is below knows nothing of what is above, admin-api and edge meet only in the store, and no
 * file leads back to itself.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** Compiled tests are in a folder of their own next to the sources. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PARTS = ['main.ts', 'core', 'admin-api', 'edge', 'bench', 'test'];

/**
 * Each room, and the rooms that it imports, types included: exactly these. A path belongs to the
 * longest that it begins with.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'admin-api': [
    'admin-api/accounts',
    'admin-api/audit',
    'admin-api/auth',
    'admin-api/change',
    'admin-api/dnssec',
    'admin-api/doh',
    'admin-api/domains',
    'admin-api/events',
    'admin-api/history',
    'admin-api/http',
    'admin-api/logs',
    'admin-api/openapi',
    'admin-api/own-account',
    'admin-api/packages',
    'admin-api/pages',
    'admin-api/powerdns',
    'admin-api/proxy',
    'admin-api/records',
    'admin-api/statistics',
    'admin-api/tail',
    'admin-api/targets',
    'admin-api/tsig',
    'admin-api/update',
    'admin-api/webhooks',
    'core/address',
    'core/alias',
    'core/base',
    'core/cluster',
    'core/config',
    'core/delegation',
    'core/domains',
    'core/health',
    'core/journal',
    'core/nameserver',
    'core/signing',
    'core/store',
    'core/tail',
    'core/traces',
    'core/zone',
  ],
  'admin-api/accounts': [
    'admin-api/auth',
    'admin-api/change',
    'admin-api/factors',
    'admin-api/http',
    'core/base',
    'core/config',
    'core/journal',
    'core/store',
  ],
  'admin-api/audit': ['admin-api/change', 'admin-api/http', 'core/base', 'core/store'],
  'admin-api/auth': [
    'admin-api/change',
    'admin-api/factors',
    'admin-api/http',
    'core/address',
    'core/base',
    'core/journal',
    'core/store',
  ],
  'admin-api/change': [
    'admin-api/http',
    'core/alias',
    'core/base',
    'core/catalog',
    'core/config',
    'core/delegation',
    'core/domains',
    'core/journal',
    'core/signing',
    'core/store',
    'core/traces',
    'core/wire',
    'core/zone',
  ],
  'admin-api/cli': [
    'admin-api/accounts',
    'admin-api/doctor',
    'admin-api/migration',
    'admin-api/packages',
    'admin-api/records',
    'core/address',
    'core/backup',
    'core/base',
    'core/cluster',
    'core/config',
    'core/error-pages',
    'core/etcd',
    'core/log-delivery',
    'core/miniapp',
    'core/miniapp/simulator',
    'core/miniapp/templates',
    'core/rules',
    'core/store',
    'core/wire',
  ],
  'admin-api/dashboard': ['core/browser'],
  'admin-api/dnssec': [
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'core/base',
    'core/dnssec',
    'core/journal',
    'core/signing',
    'core/store',
    'core/wire',
  ],
  'admin-api/doctor': [
    'admin-api/http',
    'core/backup',
    'core/base',
    'core/cluster',
    'core/config',
    'core/delegation',
    'core/domains',
    'core/etcd',
    'core/os',
    'core/resolver',
    'core/store',
    'core/wire',
  ],
  'admin-api/doh': ['admin-api/http', 'core/address', 'core/wire'],
  'admin-api/domains': [
    'admin-api/change',
    'admin-api/http',
    'core/address',
    'core/base',
    'core/config',
    'core/delegation',
    'core/domains',
    'core/journal',
    'core/signing',
    'core/store',
    'core/wire',
    'core/zone',
  ],
  'admin-api/events': [
    'admin-api/auth',
    'admin-api/change',
    'admin-api/http',
    'core/base',
    'core/journal',
    'core/store',
  ],
  'admin-api/factors': ['admin-api/http', 'core/base', 'core/journal', 'core/store'],
  'admin-api/history': [
    'admin-api/auth',
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'admin-api/records',
    'core/base',
    'core/store',
    'core/wire',
  ],
  'admin-api/http': ['core/address', 'core/base', 'core/journal', 'core/os', 'core/store', 'core/traces'],
  'admin-api/logs': [
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'admin-api/proxy',
    'core/address',
    'core/base',
    'core/cluster',
    'core/delivery',
    'core/log-delivery',
    'core/store',
  ],
  'admin-api/migration': ['core/base', 'core/wire'],
  'admin-api/openapi': ['admin-api/http'],
  'admin-api/own-account': [
    'admin-api/accounts',
    'admin-api/auth',
    'admin-api/change',
    'admin-api/factors',
    'admin-api/http',
    'core/address',
    'core/base',
    'core/journal',
    'core/store',
  ],
  'admin-api/packages': [
    'admin-api/change',
    'admin-api/http',
    'core/address',
    'core/base',
    'core/cluster',
    'core/journal',
    'core/miniapp',
    'core/store',
  ],
  'admin-api/pages': ['admin-api/dashboard', 'admin-api/http'],
  'admin-api/powerdns': [
    'admin-api/change',
    'admin-api/dnssec',
    'admin-api/domains',
    'admin-api/http',
    'admin-api/records',
    'admin-api/tsig',
    'core/address',
    'core/base',
    'core/journal',
    'core/store',
    'core/wire',
    'core/zone',
  ],
  'admin-api/proxy': [
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'core/address',
    'core/base',
    'core/cluster',
    'core/error-pages',
    'core/health',
    'core/journal',
    'core/pools',
    'core/site-protection',
    'core/rules',
    'core/store',
    'core/tls',
    'core/wire',
    'core/zone',
  ],
  'admin-api/records': [
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'admin-api/targets',
    'core/alias',
    'core/base',
    'core/config',
    'core/domains',
    'core/journal',
    'core/store',
    'core/wire',
    'core/zone',
  ],
  'admin-api/tail': ['admin-api/change', 'admin-api/domains', 'admin-api/events', 'admin-api/http', 'core/tail'],
  'admin-api/statistics': [
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'core/base',
    'core/cluster',
    'core/statistics',
    'core/store',
    'core/wire',
  ],
  'admin-api/targets': [
    'admin-api/change',
    'admin-api/proxy',
    'core/address',
    'core/base',
    'core/store',
    'core/wire',
    'core/zone',
  ],
  'admin-api/tsig': [
    'admin-api/auth',
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'core/base',
    'core/journal',
    'core/store',
    'core/wire',
  ],
  'admin-api/update': [
    'admin-api/change',
    'admin-api/http',
    'admin-api/records',
    'core/base',
    'core/journal',
    'core/nameserver',
    'core/store',
    'core/tsig',
    'core/wire',
    'core/zone',
  ],
  'admin-api/webhooks': [
    'admin-api/change',
    'admin-api/domains',
    'admin-api/http',
    'core/address',
    'core/base',
    'core/delivery',
    'core/journal',
    'core/store',
    'core/webhooks',
  ],
  core: [
    'core/alias',
    'core/answer',
    'core/backup',
    'core/base',
    'core/catalog',
    'core/clock',
    'core/cluster',
    'core/config',
    'core/delegation',
    'core/dnstap',
    'core/domains',
    'core/health',
    'core/journal',
    'core/log-delivery',
    'core/nameserver',
    'core/os',
    'core/protection',
    'core/rules',
    'core/secondary',
    'core/signing',
    'core/statistics',
    'core/tail',
    'core/tls',
    'core/traces',
    'core/transfer',
    'core/webhooks',
  ],
  'core/address': ['core/base', 'core/wire'],
  'core/alias': [
    'core/address',
    'core/base',
    'core/config',
    'core/journal',
    'core/resolver',
    'core/store',
    'core/wire',
    'core/zone',
  ],
  'core/answer': ['core/address', 'core/base', 'core/config', 'core/dnssec', 'core/store', 'core/wire'],
  'core/backup': [
    'core/base',
    'core/cluster',
    'core/config',
    'core/delivery',
    'core/etcd',
    'core/journal',
    'core/os',
    'core/store',
    'core/zone',
  ],
  'core/base': [],
  'core/browser': [],
  'core/clock': ['core/base', 'core/config', 'core/journal', 'core/os', 'core/store'],
  'core/cluster': [
    'core/address',
    'core/base',
    'core/clock',
    'core/config',
    'core/etcd',
    'core/journal',
    'core/log-delivery',
    'core/os',
    'core/statistics',
    'core/store',
    'core/tail',
    'core/zone',
  ],
  'core/catalog': ['core/base', 'core/domains', 'core/journal', 'core/store', 'core/wire', 'core/zone'],
  'core/domains': ['core/base', 'core/config', 'core/journal', 'core/signing', 'core/store', 'core/wire', 'core/zone'],
  'core/config': ['core/address', 'core/base', 'core/wire'],
  'core/delegation': [
    'core/address',
    'core/base',
    'core/config',
    'core/journal',
    'core/resolver',
    'core/store',
    'core/wire',
  ],
  'core/dial': ['core/address'],
  'core/delivery': ['core/address', 'core/dial', 'core/resolver', 'core/wire'],
  'core/dnssec': ['core/base', 'core/wire'],
  'core/dnstap': ['core/address', 'core/base', 'core/config', 'core/os'],
  'core/error-pages': ['core/base'],
  'core/site-protection': ['core/base'],
  'core/etcd': [],
  'core/health': ['core/base', 'core/config', 'core/journal', 'core/pools', 'core/store', 'core/wire'],
  'core/pools': ['core/address', 'core/base'],
  'core/journal': ['core/base', 'core/dnssec', 'core/etcd', 'core/store', 'core/wire', 'core/zone'],
  'core/log-delivery': [
    'core/address',
    'core/base',
    'core/config',
    'core/delivery',
    'core/dial',
    'core/journal',
    'core/store',
    'core/wire',
  ],
  'core/miniapp': ['core/base', 'core/miniapp/bridge'],
  'core/miniapp/bridge': [],
  'core/miniapp/host': ['core/address', 'core/base', 'core/dial', 'core/miniapp/bridge'],
  'core/miniapp/runtime': ['core/miniapp', 'core/miniapp/bridge'],
  'core/miniapp/simulator': [
    'core/dial',
    'core/miniapp',
    'core/miniapp/bridge',
    'core/miniapp/host',
    'core/miniapp/runtime',
  ],
  'core/miniapp/templates': ['core/miniapp'],
  'core/miniapp/simulator/page': ['core/browser', 'core/miniapp/bridge', 'core/miniapp/simulator'],
  'core/nameserver': [
    'core/address',
    'core/answer',
    'core/base',
    'core/config',
    'core/dnstap',
    'core/os',
    'core/statistics',
    'core/store',
    'core/tls',
    'core/wire',
  ],
  'core/os': ['core/address', 'core/base', 'core/config'],
  'core/protection': ['core/base', 'core/config', 'core/os'],
  'core/resolver': ['core/address', 'core/base', 'core/wire'],
  'core/signing': [
    'core/address',
    'core/base',
    'core/config',
    'core/dnssec',
    'core/journal',
    'core/resolver',
    'core/store',
    'core/wire',
    'core/zone',
  ],
  'core/statistics': ['core/base', 'core/config', 'core/os', 'core/store', 'core/wire'],
  'core/rules': ['core/address', 'core/base'],
  'core/store': ['core/base', 'core/os', 'core/wire'],
  'core/tail': [],
  'core/traces': ['core/base', 'core/config'],
  'core/tls': ['core/base', 'core/config', 'core/journal', 'core/store'],
  'core/secondary': [
    'core/address',
    'core/base',
    'core/config',
    'core/dnssec',
    'core/journal',
    'core/nameserver',
    'core/resolver',
    'core/store',
    'core/tsig',
    'core/wire',
    'core/zone',
  ],
  'core/transfer': [
    'core/address',
    'core/answer',
    'core/base',
    'core/config',
    'core/dnssec',
    'core/journal',
    'core/nameserver',
    'core/store',
    'core/tsig',
    'core/wire',
    'core/zone',
  ],
  'core/tsig': ['core/base', 'core/store', 'core/wire'],
  'core/wire': ['core/base'],
  'core/webhooks': [
    'core/address',
    'core/base',
    'core/config',
    'core/delivery',
    'core/journal',
    'core/store',
    'core/wire',
  ],
  'core/zone': ['core/address', 'core/base', 'core/config', 'core/dnssec', 'core/store', 'core/wire'],
  edge: ['edge/acme', 'edge/daemon'],
  'edge/acme': [
    'core/base',
    'core/config',
    'core/journal',
    'core/store',
    'core/tls',
    'core/wire',
    'core/zone',
    'edge/sites',
  ],
  'edge/cache': [
    'core/base',
    'core/rules',
    'core/store',
    'edge/compress',
    'edge/http/exchange',
    'edge/origin',
    'edge/sites',
  ],
  'edge/compress': ['edge/http/exchange', 'edge/origin'],
  'edge/daemon': [
    'core/base',
    'core/config',
    'core/health',
    'core/journal',
    'core/log-delivery',
    'core/os',
    'core/pools',
    'core/rules',
    'core/statistics',
    'core/store',
    'core/tail',
    'core/tls',
    'core/traces',
    'core/wire',
    'core/zone',
    'edge/cache',
    'edge/fairness',
    'edge/gateway',
    'edge/http/exchange',
    'edge/http/server',
    'edge/http/tls',
    'edge/ocsp',
    'edge/origin',
    'edge/peers',
    'edge/rules',
    'edge/sites',
  ],
  'edge/challenge': [
    'core/base',
    'core/site-protection',
    'edge/cache',
    'edge/http/exchange',
    'edge/proxy',
    'edge/sites',
  ],
  'edge/fairness': [
    'core/base',
    'core/site-protection',
    'edge/http/exchange',
    'edge/http/http1',
    'edge/http/http2',
    'edge/http/server',
    'edge/http/transport',
    'edge/proxy',
    'edge/sites',
  ],
  'edge/gateway': [
    'core/address',
    'core/base',
    'core/config',
    'core/log-delivery',
    'core/os',
    'core/protection',
    'core/site-protection',
    'core/statistics',
    'core/store',
    'core/traces',
    'core/zone',
    'edge/acme',
    'edge/cache',
    'edge/challenge',
    'edge/compress',
    'edge/fairness',
    'edge/http/exchange',
    'edge/http/server',
    'edge/http/tls',
    'edge/ocsp',
    'edge/origin',
    'edge/origin/http2',
    'edge/peers',
    'edge/proxy',
    'edge/rules',
    'edge/sites',
    'edge/traces',
  ],
  'edge/http/exchange': ['core/address'],
  'edge/http/http1': ['core/base', 'edge/http/exchange', 'edge/http/transport'],
  'edge/http/http2': ['core/base', 'edge/http/exchange', 'edge/http/http2/hpack', 'edge/http/transport'],
  'edge/http/http2/hpack': ['edge/http/exchange'],
  'edge/http/server': [
    'core/address',
    'core/base',
    'core/config',
    'core/os',
    'core/protection',
    'core/tls',
    'edge/http/exchange',
    'edge/http/http1',
    'edge/http/http2',
    'edge/http/tls',
    'edge/http/transport',
  ],
  'edge/http/tls': ['core/address', 'core/base', 'core/os', 'core/tls', 'edge/http/transport'],
  'edge/http/transport': [],
  'edge/ocsp': ['core/base', 'core/store', 'edge/http/exchange', 'edge/http/tls', 'edge/origin'],
  'edge/origin': [
    'core/address',
    'core/base',
    'core/os',
    'core/pools',
    'core/resolver',
    'core/wire',
    'edge/http/exchange',
    'edge/http/transport',
  ],
  'edge/origin/http2': [
    'edge/http/exchange',
    'edge/http/http2',
    'edge/http/http2/hpack',
    'edge/http/transport',
    'edge/origin',
  ],
  'edge/peers': ['core/base', 'edge/http/exchange', 'edge/http/tls', 'edge/origin', 'edge/sites'],
  'edge/proxy': [
    'core/address',
    'core/base',
    'core/error-pages',
    'core/rules',
    'edge/cache',
    'edge/compress',
    'edge/http/exchange',
    'edge/origin',
    'edge/peers',
    'edge/rules',
    'edge/sites',
    'edge/traces',
  ],
  'edge/traces': ['core/base', 'core/traces', 'edge/http/exchange', 'edge/origin'],
  'edge/rules': ['core/address', 'core/base', 'core/rules', 'edge/http/exchange', 'edge/sites'],
  'edge/sites': [
    'core/address',
    'core/base',
    'core/error-pages',
    'core/log-delivery',
    'core/pools',
    'core/site-protection',
    'core/rules',
    'core/store',
    'core/tls',
    'core/wire',
    'core/zone',
    'edge/http/tls',
    'edge/origin',
  ],
  'main.ts': ['admin-api', 'admin-api/cli', 'core', 'core/base', 'core/config', 'core/os', 'edge'],
  bench: [],
  test: [],
};
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
  }));
}

const sources = PARTS.filter((part) => existsSync(join(ROOT, part))).flatMap(sourcesIn);
const graph = new Map(sources.map((path) => [path, importsOf(path)]));

test('the sources were found, and their imports with them', () => {
  assert.ok(graph.has('main.ts') && graph.has('core/wire/name.ts') && graph.has('test/check/imports.test.ts'));
  assert.equal(graph.get('core/wire/name.ts'), [
    { to: 'core/base/errors.ts', kind: 'value' },
    { to: 'core/wire/latin1.ts', kind: 'value' },
  ]);
  assert.ok(graph.get('main.ts')!.some(({ to }) => to === 'edge/index.ts'));
});

/**
 * The table of rooms in ARCHITECTURE.md: names in it are short, and a row goes on in lines that
 * begin with blanks.
 */
function describedRooms(): Record<string, string[]> {
  const [, table] = /^## Rooms$[\s\S]*?^```\n([\s\S]*?)^```$/m.exec(
    readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'),
  )!;
  const described: Record<string, string[]> = {};
  for (const row of table.trimEnd().split(/\n(?=\S)/)) {
    const [room, , ...imports] = row.split(/\s{2,}/);
    const [part] = room.split('/');
    const full = (name: string): string => {
      if (name === '.') return part;
      if (name.startsWith('./')) return part + name.slice(1);
      return name === 'core' ? name : `core/${name}`;
    };
    described[room] =
      imports.join(' ').trim() === 'nothing' ? [] : imports.join(' ').trim().split(' ').map(full).sort();
  }
  return described;
}

test('ARCHITECTURE.md lists every room, with what it imports', () => {
  const { 'main.ts': _main, bench: _bench, test: _test, ...rooms } = ROOMS;
  const described = describedRooms();
  assert.equal(Object.keys(described).sort(), Object.keys(rooms).sort());
  for (const [room, imports] of Object.entries(rooms))
    assert.equal(described[room], [...imports].sort(), `ARCHITECTURE.md, the row of ${room}`);
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
  for (const room of Object.keys(ROOMS)) assert.equal(found[room], [...ROOMS[room]].sort(), room);
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

test('no room imports itself through others, threads included', () => {
  assert.is(findCycle(new Map(Object.entries(ROOMS))), undefined);
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
