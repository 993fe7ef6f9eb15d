/** The files of a release in one folder that may stand anywhere: the program, its packages, its Node. */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeBinary } from '../../test/runner/node-binary.ts';
import type { Checkout } from './checkout.ts';
import { licenceTexts } from './licences.ts';
import { copyPackages, type Target } from './packages.ts';
import { run } from './run.ts';

/** One version, so that the same commit gives the same bytes; with the SHA-256 of its program. */
export const NODE = {
  version: '24.21.0',
  sha256: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
};
export const TARGET: Target = { os: 'linux', cpu: 'x64' };
/** Compiled modules, which the bundles replace, and what only builds and tests. */
const LEFT_OUT = /^(?:admin-api|bench|config|core|edge|test)$|\.map$|^bundle|^release|^globals|^\.|\.code$/;
/** The licences of all packages and of Node. */
export const LICENCES = 'licences.txt';
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md'];

/** Fills the empty folder `to`. */
export function stage({ folder }: Checkout, to: string): void {
  for (const name of readdirSync(join(folder, 'dist')))
    if (!LEFT_OUT.test(name))
      cpSync(join(folder, 'dist', name), join(to, 'dist', name), {
        recursive: true,
        filter: (path) => !path.endsWith('.map'),
      });
  // The programs are modules by it.
  writeFileSync(join(to, 'package.json'), '{ "name": "waypost", "private": true, "type": "module" }\n');
  copyPackages(folder, to, TARGET, (path) => !/musl/.test(path));
  const node = nodeBinary(NODE.version);
  checkNode(node);
  mkdirSync(join(to, 'bin'));
  cpSync(node, join(to, 'bin/node'));
  const nodeLicence = readFileSync(join(dirname(node), '../LICENSE'), 'utf8');
  writeFileSync(join(to, LICENCES), licenceTexts(folder, TARGET, { [`Node.js ${NODE.version}`]: nodeLicence }));
  for (const name of DOCUMENTS) cpSync(join(folder, name), join(to, name));
  for (const name of ['docs', 'systemd']) cpSync(join(folder, name), join(to, name), { recursive: true });
  mkdirSync(join(to, 'config'));
  for (const { name } of readdirSync(join(folder, 'config'), { withFileTypes: true }).filter((entry) => entry.isFile()))
    cpSync(join(folder, 'config', name), join(to, 'config', name));
  cpSync(join(folder, 'config/monitoring'), join(to, 'config/monitoring'), { recursive: true });
  rmSync(join(to, 'docs/internals'), { recursive: true });
  strip(to);
  giveModes(to);
}

/** Throws an Error if the program is another one, for example from a registry that was changed. */
function checkNode(program: string): void {
  const hash = createHash('sha256').update(readFileSync(program)).digest('hex');
  if (hash !== NODE.sha256) throw new Error(`Node ${NODE.version} has the SHA-256 ${hash}, not ${NODE.sha256}.`);
}

/** Without the tables of debuggers, which are a third of Node. */
function strip(folder: string): void {
  const paths = readdirSync(folder, { recursive: true }) as string[];
  const binaries = paths.filter((path) => path === 'bin/node' || path.endsWith('.node')).sort();
  for (const path of binaries) run('strip', ['--strip-unneeded', join(folder, path)], folder);
}

/** Not those of the umask, nor of packages. */
export function giveModes(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, /\/bin$/.test(entry.parentPath) ? 0o755 : 0o644);
  }
}
