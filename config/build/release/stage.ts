/**
 * The files of a release in one folder that may stand anywhere: the program, its packages, its
 * Node.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nodeBinary, SHIPPED } from '../../../test/runner/node-binary.ts';
import type { Checkout } from './checkout.ts';
import { licenceTexts } from './licences.ts';
import { NODE } from './node.ts';
import { copyPackages } from './packages.ts';
import { run } from './run.ts';
import { BUILDER, type ReleaseTarget, uwsBinary } from './targets.ts';

/** Compiled modules, which the bundles replace, and what only builds and tests. */
const LEFT_OUT = /^(?:admin-api|bench|config|core|edge|test)$|\.map$|^bundle|^release|^globals|^\.|\.code$/;
/** The licences of all packages and of Node. */
export const LICENCES = 'licences.txt';
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md'];

/**
 * The folder with the packages of npm for a target, as package-lock.json has them. `work`: folder
 * for those of another machine, which npm installs without running their scripts.
 */
export function packagesFor(target: ReleaseTarget, { folder }: Checkout, work: string): string {
  if (target === BUILDER) return folder;
  const own = join(work, `packages-${target.cpu}`);
  if (existsSync(own)) return own;
  mkdirSync(own);
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(folder, name), join(own, name));
  const machine = [`--os=${target.os}`, `--cpu=${target.cpu}`, '--libc=glibc'];
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...machine], own);
  return own;
}

/** Fills the empty folder `to`. `packages`: see packagesFor. */
export function stage({ folder }: Checkout, target: ReleaseTarget, packages: string, to: string): void {
  for (const name of readdirSync(join(folder, 'dist')))
    if (!LEFT_OUT.test(name))
      cpSync(join(folder, 'dist', name), join(to, 'dist', name), {
        recursive: true,
        filter: (path) => !path.endsWith('.map'),
      });
  // The programs are modules by it.
  writeFileSync(join(to, 'package.json'), '{ "name": "waypost", "private": true, "type": "module" }\n');
  const uws = uwsBinary(target);
  copyPackages(packages, to, target, (path) => isLoaded(path, basename(uws)));
  checkHash(join(to, uws), target.sha256.uws);
  const node = nodeBinary(SHIPPED, target.cpu);
  checkHash(node, target.sha256.node);
  mkdirSync(join(to, 'bin'));
  cpSync(node, join(to, 'bin/node'));
  const nodeLicence = readFileSync(join(dirname(node), '../LICENSE'), 'utf8');
  const inBinary = readFileSync(join(folder, 'config/build/release/licences/uwebsockets.txt'), 'utf8');
  const others = { [`Node.js ${NODE.version}`]: nodeLicence, 'The binary of uws-pack': inBinary };
  writeFileSync(join(to, LICENCES), licenceTexts(packages, target, others));
  for (const name of DOCUMENTS) cpSync(join(folder, name), join(to, name));
  for (const name of ['docs', 'systemd']) cpSync(join(folder, name), join(to, name), { recursive: true });
  mkdirSync(join(to, 'config'));
  for (const { name } of readdirSync(join(folder, 'config'), { withFileTypes: true }).filter((entry) => entry.isFile()))
    cpSync(join(folder, 'config', name), join(to, 'config', name));
  cpSync(join(folder, 'config/monitoring'), join(to, 'config/monitoring'), { recursive: true });
  rmSync(join(to, 'docs/internals'), { recursive: true });
  strip(to, target.strip);
  giveModes(to);
}

/** `path` of a file of native code: not for another system, musl, or the ABI of another Node. */
function isLoaded(path: string, uws: string): boolean {
  if (path.includes('/uws_')) return path.endsWith(uws);
  const abi = /\.abi(\d+)\./.exec(path)?.[1] ?? NODE.abi;
  return abi === NODE.abi && !path.includes('musl');
}

/** Throws an Error if the file is another one, for example from a registry that was changed. */
function checkHash(path: string, expected: string): void {
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (hash !== expected) throw new Error(`${path} has the SHA-256 ${hash}, not ${expected}.`);
}

/** Without the tables of debuggers, which are a third of Node. */
function strip(folder: string, program: string): void {
  const paths = readdirSync(folder, { recursive: true }) as string[];
  const binaries = paths.filter((path) => path === 'bin/node' || path.endsWith('.node')).sort();
  for (const path of binaries) run(program, ['--strip-unneeded', join(folder, path)], folder);
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
