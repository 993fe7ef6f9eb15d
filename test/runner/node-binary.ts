/** Other versions of Node, installed when a test needs them. They are no dependencies. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE } from '../../config/build/release/node.ts';

/** The major versions that package.json supports. */
export const SUPPORTED: readonly number[] = [20, 22, 24];

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/node-versions');
const INSTALL_MS = 300_000;

/** The one that a release has. */
export const SHIPPED = Number(NODE.version.split('.')[0]);

/** The supported versions without that of this process. */
export const otherVersions = (): readonly number[] =>
  SUPPORTED.filter((major) => major !== Number(process.versions.node.split('.')[0]));

/**
 * Path of a program of Node, as the packages of npm have it: of the major version that of a
 * release, else the newest. Throws an Error if it cannot be installed, for example offline. `cpu`:
 * of another processor, whose program cannot run here.
 */
export function nodeBinary(major: number, cpu: string = process.arch): string {
  const version = major === SHIPPED ? NODE.version : String(major);
  const name = `node-${process.platform}-${cpu}`;
  const folder = join(CACHE, cpu === process.arch ? version : `${version}-${cpu}`);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // Else npm installs into the project.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  // npm installs what was named for this machine alone, unless it is forced.
  const forced = cpu === process.arch ? [] : ['--force', `--cpu=${cpu}`];
  const options = [
    ...forced,
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--silent',
  ];
  try {
    execFileSync('npm', ['install', ...options, `${name}@${version}`], {
      cwd: folder,
      timeout: INSTALL_MS,
      stdio: 'pipe',
    });
  } catch (error) {
    throw new Error(`cannot install Node ${version} for ${name}: ${(error as Error).message}`);
  }
  return program;
}
