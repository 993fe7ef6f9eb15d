/**
 * Which files a tier runs, and which of them share a process.
 *
 *     unit    every file outside of test/system: no process but the test's own (npm test)
 *     system  test/system: daemons, peers, clusters (npm run test:system)
 *     deep    every file with generated cases (npm run test:deep)
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { allImports } from './imports.ts';

export const TIERS = ['unit', 'system', 'deep', 'all'] as const;
export type Tier = (typeof TIERS)[number];

const root = join(import.meta.dirname, '..');
const sources = join(root, '../../test');
const DEPTH = join(root, 'support/depth.js');
const SYSTEM = /^system\//;
/** A file that can open a socket, a thread, a child or a database gets a process of its own. */
const OWN_PROCESS = [
  ...['child_process', 'cluster', 'dgram', 'http', 'http2', 'https', 'net', 'tls', 'worker_threads'].map(
    (name) => `node:${name}`,
  ),
  ...['koffi', 'lmdb', 'piscina', 'undici', 'uWebSockets.js'],
];
/** Files that share a process, at most. */
const BATCH = 24;

/** Groups of files, each for one process; those that take longest come first. */
export function plan(tier: Tier, pattern: RegExp): string[][] {
  const alone: { readonly file: string; readonly rank: number }[] = [];
  const shared: string[] = [];
  for (const file of readdirSync(root, { recursive: true }) as string[]) {
    if (!file.endsWith('.test.js') || !pattern.test(file)) continue;
    // The build leaves what was compiled of a source that is gone.
    if (!existsSync(join(sources, file.replace(/\.js$/, '.ts')))) continue;
    const { files, modules } = allImports(join(root, file));
    const isSystem = SYSTEM.test(file);
    const isGenerated = files.has(DEPTH);
    if (!{ unit: !isSystem, system: isSystem, deep: isGenerated, all: true }[tier]) continue;
    const needsOwn = isSystem || tier === 'deep' || OWN_PROCESS.some((name) => modules.has(name));
    if (needsOwn) alone.push({ file, rank: (isSystem ? 2 : 0) + (isGenerated ? 1 : 0) });
    else shared.push(file);
  }
  alone.sort((a, b) => b.rank - a.rank || a.file.localeCompare(b.file));
  shared.sort();
  const processes = Math.ceil(shared.length / BATCH);
  // Neighbours go to different processes, so that the slow files of one folder do.
  const batches = Array.from({ length: processes }, (_, i) => shared.filter((_file, at) => at % processes === i));
  return [...batches, ...alone.map(({ file }) => [file])];
}
