/** The daemon imports exactly the packages that are dependencies. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BROWSER_PACKAGES } from '../../config/build/packages.ts';
import { releasedBefore } from '../../config/build/version.ts';

/** Compiled tests are in a folder of their own next to the sources. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DAEMON = ['main.ts', 'core', 'admin-api', 'edge'];
/** Packed for browsers at build time, with packages of its own. */
const BROWSER = ['admin-api/dashboard/', 'admin-api/reference/', 'admin-api/ui/', 'admin-api/miniapp/simulator/page/'];
/** Loaded by name, so that it may be missing: admin-api/http/uws.ts. */
const OPTIONAL = 'uWebSockets.js';
/** Packages whose undocumented parts are replaced: another version may differ in them. */
const EXACT = ['acme-client', 'acorn', 'uWebSockets.js'];

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const manifest = readJson('package.json') as Manifest;

function sourcesIn(part: string): string[] {
  if (part.endsWith('.ts')) return [part];
  const paths = readdirSync(join(ROOT, part), { recursive: true }) as string[];
  return paths.filter((path) => /\.tsx?$/.test(path)).map((path) => `${part}/${path}`);
}

const isForBrowsers = (source: string): boolean => BROWSER.some((room) => source.startsWith(room));

/** Names of the packages that the sources import, types included. */
function importedPackages(sources: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const source of sources) {
    const text = readFileSync(join(ROOT, source), 'utf8');
    const imports = text.matchAll(
      /(?:^(?:import|export)\s[^;'"]*?from\s+|^import\s+|\bimport\(\s*)'((?:@[\w-]+\/)?[\w-][\w.-]*)(?:\/[^']*)?'/gm,
    );
    for (const [, name] of imports) found.add(name);
  }
  return found;
}

test('the daemon imports exactly the dependencies', () => {
  const imported = importedPackages(DAEMON.flatMap(sourcesIn).filter((source) => !isForBrowsers(source)));
  assert.equal([...imported, OPTIONAL].sort(), Object.keys(manifest.dependencies).sort());
});

test('a release names exactly the packages that are packed for browsers', () => {
  const imported = importedPackages(DAEMON.flatMap(sourcesIn).filter(isForBrowsers));
  assert.equal([...imported].sort(), [...BROWSER_PACKAGES].sort());
});

test('only one file loads uWebSockets.js', () => {
  const loaders = DAEMON.flatMap(sourcesIn).filter((source) =>
    readFileSync(join(ROOT, source), 'utf8').includes(`'${OPTIONAL}'`),
  );
  assert.equal(loaders, ['admin-api/http/uws.ts']);
});

test('packages with replaced parts have one exact version', () => {
  for (const name of EXACT) assert.match(manifest.dependencies[name], /^(?:npm:[\w-]+@)?\d+\.\d+\.\d+$/, name);
});

test('the lock file agrees with package.json, and names no registry', () => {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, Manifest & { resolved?: string }> };
  assert.equal(packages[''].dependencies, manifest.dependencies);
  assert.equal(packages[''].devDependencies, manifest.devDependencies);
  assert.equal(
    Object.keys(packages).filter((path) => packages[path].resolved !== undefined),
    [],
  );
});

const VERSIONED = [
  ...['config/container/Containerfile', 'config/container/etcd.Containerfile', 'config/container/compose.yaml'],
  ...['config/helm/waypost/Chart.yaml', 'docs/containers.md', 'docs/install.md', 'docs/upgrades.md', 'README.md'],
  ...['CHANGELOG.md', 'package-lock.json', 'test/release/container.test.ts'],
];

test('files that name the version of the release have that of package.json', () => {
  for (const path of VERSIONED) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    assert.ok(text.includes(manifest.version), `${path} does not name ${manifest.version}`);
    // Images, packages and the chart; a changelog has earlier ones as well.
    const named = text.matchAll(/(?:waypost(?:-etcd)?[:_]|^ARG VERSION=|^(?:appV|v)ersion: |TAG:-)(\d+\.\d+\.\d+)/gm);
    for (const [match, version] of named) assert.is(version, manifest.version, `${path}: ${match}`);
  }
});

test('the version of package.json has not been released by another commit', () => {
  assert.is(releasedBefore(ROOT), null);
});

test.run();
