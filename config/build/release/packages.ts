/** The packages of npm in a release, as package-lock.json has them. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BINARY_PACKAGES, BROWSER_PACKAGES, EXTERNAL } from '../packages.ts';

interface Locked {
  /** If the folder has another one. */
  readonly name?: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

export interface Package {
  readonly name: string;
  readonly version: string;
  /** Its folder, such as node_modules/lmdb. */
  readonly path: string;
}

export interface Target {
  readonly os: string;
  readonly cpu: string;
}

type Lock = ReadonlyMap<string, Locked>;

/** Files that nothing reads at run time, besides those of native code. */
const UNUSED =
  /\/\.|\/(?:bin|tools)\/|\.(?:md|map|[cm]?ts|c|cc|cpp|h|hpp|gyp|gypi)$|\/(?:\.github|docs?|tests?|examples?|benchmarks?)(?:\/|$)/i;

function readLock(folder: string): Lock {
  const text = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  return new Map(Object.entries((JSON.parse(text) as { packages: Record<string, Locked> }).packages));
}

/** The folder of a package as one at `from` finds it, the nearest first. Null: it is not locked. */
function resolve(lock: Lock, from: string, name: string): string | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (lock.has(path)) return path;
    if (at === '') return null;
  }
}

const fits = ({ os, cpu, libc }: Locked, target: Target): boolean =>
  (os?.includes(target.os) ?? true) && (cpu?.includes(target.cpu) ?? true) && (libc?.includes('glibc') ?? true);

/** The packages that are copied, because the bundles load them or their binaries at run time. */
export const runtimePackages = (folder: string, target: Target): Package[] =>
  withDependencies(readLock(folder), target, [...EXTERNAL, ...BINARY_PACKAGES]);

/** All packages, also those that are packed into the bundles. */
export function shippedPackages(folder: string, target: Target): Package[] {
  const lock = readLock(folder);
  const daemon = Object.keys(lock.get('')!.dependencies!);
  return withDependencies(lock, target, [...daemon, ...BROWSER_PACKAGES]);
}

/** Sorted by path. Throws an Error if a package is not in the lock file. */
function withDependencies(lock: Lock, target: Target, names: readonly string[]): Package[] {
  const found = new Set<string>();
  const add = (from: string, name: string, isOptional: boolean): void => {
    const path = resolve(lock, from, name);
    if (path === null) {
      if (isOptional) return;
      throw new Error(`package-lock.json does not have ${name}, which ${from || 'the daemon'} needs.`);
    }
    const locked = lock.get(path)!;
    if (found.has(path) || !fits(locked, target)) return;
    found.add(path);
    for (const dependency of Object.keys(locked.dependencies ?? {})) add(path, dependency, false);
    for (const dependency of Object.keys(locked.optionalDependencies ?? {})) add(path, dependency, true);
  };
  for (const name of names) add('', name, false);
  return [...found].sort().map((path) => {
    const folder = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const { name = folder, version } = lock.get(path)!;
    return { name, version, path };
  });
}

/** `isBinary`: whether a file of native code runs on the target. */
export function copyPackages(from: string, to: string, target: Target, isBinary: (path: string) => boolean): void {
  for (const { path } of runtimePackages(from, target)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path), {
      recursive: true,
      filter(source) {
        const own = source.slice(join(from, path).length);
        // Each package is copied by itself, in its place.
        if (own.startsWith('/node_modules')) return false;
        return own.endsWith('.node') ? isBinary(own) : !UNUSED.test(own);
      },
    });
  }
}
