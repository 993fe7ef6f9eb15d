/**
 * The files of a release in one folder that may stand anywhere: the program, its packages, its
 * Node.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nodeBinary, SHIPPED } from '../../../test/runner/node-binary.ts';
import type { Checkout } from './checkout.ts';
import { licenceTexts } from './licences.ts';
import { NODE } from './node.ts';
import { copyPackages, type Target } from './packages.ts';
import { run } from './run.ts';

export const TARGET: Target = { os: 'linux', cpu: 'x64' };
/** The binary of uWebSockets.js, which is built elsewhere; with its SHA-256. */
const UWS = {
  path: `node_modules/uWebSockets.js/dist/bin/uws_linux_x64_${NODE.abi}.node`,
  sha256: '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
};
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
  copyPackages(folder, to, TARGET, isForTarget);
  checkHash(join(to, UWS.path), UWS.sha256);
  const node = nodeBinary(SHIPPED);
  checkHash(node, NODE.sha256);
  mkdirSync(join(to, 'bin'));
  cpSync(node, join(to, 'bin/node'));
  const nodeLicence = readFileSync(join(dirname(node), '../LICENSE'), 'utf8');
  const inBinary = readFileSync(join(folder, 'config/build/release/licences/uwebsockets.txt'), 'utf8');
  const others = { [`Node.js ${NODE.version}`]: nodeLicence, 'The binary of uws-pack': inBinary };
  writeFileSync(join(to, LICENCES), licenceTexts(folder, TARGET, others));
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

/** `path` of a file of native code: not for another system, musl, or the ABI of another Node. */
function isForTarget(path: string): boolean {
  if (path.includes('/uws_')) return path.endsWith(basename(UWS.path));
  const abi = /\.abi(\d+)\./.exec(path)?.[1] ?? NODE.abi;
  return abi === NODE.abi && !path.includes('musl');
}

/** Throws an Error if the file is another one, for example from a registry that was changed. */
function checkHash(path: string, expected: string): void {
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (hash !== expected) throw new Error(`${path} has the SHA-256 ${hash}, not ${expected}.`);
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
    else if (entry.isFile()) {
      const isProgram = entry.parentPath.endsWith('/bin') && !entry.name.endsWith('.node');
      chmodSync(path, isProgram ? 0o755 : 0o644);
    }
  }
}
