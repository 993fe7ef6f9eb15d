/**
 * Reviews package-lock.json without a network: each package is pinned by a hash, has an allowed
 * licence, and is listed in config/reviewed-packages.json. A package that a change brings in fails
 * this test until somebody has looked at it and added its name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  /** Not installed with the daemon. */
  readonly dev?: boolean;
}

interface Reviewed {
  /** Of all packages, and further ones of tools. */
  readonly licences: readonly string[];
  readonly toolLicences: readonly string[];
  /** Packages that run a program when they are installed, and what it does. */
  readonly installScripts: Readonly<Record<string, string>>;
  readonly daemon: readonly string[];
  readonly tools: readonly string[];
}

const reviewed = readJson('config/reviewed-packages.json') as Reviewed;
const { packages, lockfileVersion } = readJson('package-lock.json') as {
  packages: Record<string, LockedPackage>;
  lockfileVersion: number;
};
const FOLDER = 'node_modules/';
const locked = Object.entries(packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
const namesWhere = (accepts: (locked: LockedPackage) => boolean): string[] =>
  [...new Set(locked.filter(([, row]) => accepts(row)).map(([path]) => nameOf(path)))].sort();

/** Whether an SPDX expression of "OR" terms has an allowed one. */
const isAllowed = (licence: string | undefined, allowed: readonly string[]): boolean =>
  (licence ?? '')
    .replace(/^\(|\)$/g, '')
    .split(' OR ')
    .some((term) => allowed.includes(term));

test('each package is pinned by a SHA-512', () => {
  assert.is(lockfileVersion, 3);
  assert.equal(
    locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? '')).map(([path]) => path),
    [],
  );
});

test('each package has an allowed licence', () => {
  const { licences, toolLicences } = reviewed;
  const faults = locked.filter(
    ([, { license, dev }]) => !isAllowed(license, dev === true ? [...licences, ...toolLicences] : licences),
  );
  assert.equal(
    faults.map(([path, { license }]) => `${nameOf(path)}: ${license}`),
    [],
  );
});

test('only reviewed packages run a program when they are installed', () => {
  assert.equal(
    namesWhere(({ hasInstallScript }) => hasInstallScript === true),
    Object.keys(reviewed.installScripts).sort(),
  );
});

test('each package was reviewed, and no name is left over', () => {
  const ofDaemon = namesWhere(({ dev }) => dev !== true);
  const ofTools = namesWhere(({ dev }) => dev === true).filter((name) => !ofDaemon.includes(name));
  assert.equal(
    ofDaemon,
    [...reviewed.daemon].sort(),
    'look at the package, then correct config/reviewed-packages.json',
  );
  assert.equal(ofTools, [...reviewed.tools].sort(), 'look at the package, then correct config/reviewed-packages.json');
});

test.run();
