/**
 * The files that a tier runs, and the groups of them that share a process. The folder of a file
 * says its tier. Those that import support/depth.ts have more cases in test:deep.
 *
 *     check   test/check: what the sources and documents must be (npm run check)
 *     unit    every file outside of the other folders (npm test)
 *     system  test/system: daemons, peers, clusters (npm run test:system)
 *     deep    all cases of unit and system tests with more at full depth, and those of browsers a
 *             second time in slow ones (npm run test:deep)
 *     release test/release: packages, upgrades, disasters, each of minutes (npm run test:release)
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { allImports } from './imports.ts';

export const TIERS = ['check', 'unit', 'system', 'deep', 'release', 'all'] as const;
export type Tier = (typeof TIERS)[number];

const root = join(import.meta.dirname, '..');
const sources = join(root, '../../test');
const DEPTH = join(root, 'support/depth.js');
const BROWSER = join(root, 'system/browser/page.js');
/** Start what the files of a process share: a daemon, a browser. */
const SHARING = [join(root, 'support/shared-daemon.js'), BROWSER];
const FOLDER = /^(check|system|release)\//;
/**
 * Modules that open a socket, a thread, a child or a database. A file that imports one shares a
 * process only with files of its own room, and of other small rooms of its part: they import much
 * the same, and importing is most of what a file costs.
 */
const OPENING = [
  ...['child_process', 'cluster', 'dgram', 'http', 'http2', 'https', 'net', 'tls', 'worker_threads'].map(
    (name) => `node:${name}`,
  ),
  ...['koffi', 'lmdb', 'piscina', 'undici', 'uWebSockets.js'],
];
/** Files that take longer than 40 s on an idle machine: they would run alone at the end. */
const LONGEST: readonly string[] = [
  'system/docs/commands.test.js',
  'system/docs/reference.test.js',
  'system/dnssec/wrong-clock.test.js',
  'system/admin-api/first-start.test.js',
  'system/edge/site/faults.test.js',
  'system/cluster/damage.test.js',
  'system/admin-api/contract.test.js',
  'system/node-versions.test.js',
];
/** Files in one process, at most: of those without such an import, and of a room. */
const PURE_BATCH = 80;
const ROOM_BATCH = 40;
/** Files that share a daemon or a browser, and therefore a process, at most. */
const SHARING_BATCH = 10;
/** Files of a room that shares processes with other rooms, at most. */
const SMALL_ROOM = 20;
/** Their files share processes, except at full depth. */
const SHARED_TIERS: ReadonlySet<string> = new Set(['check', 'unit']);
const PARTS: ReadonlySet<string> = new Set(['admin-api', 'core', 'edge', 'scenario', 'system']);

interface TestFile {
  readonly path: string;
  readonly tier: Exclude<Tier, 'deep' | 'all'>;
  /** It has more cases at full depth. */
  readonly isGenerated: boolean;
  /** Its pages may be slowed down. */
  readonly hasBrowser: boolean;
  /** It uses the daemon or the browser of its process. */
  readonly isSharing: boolean;
  /** It may share a process with any file. */
  readonly isPure: boolean;
}

/** Groups of files, each for one process; those that take longest come first. */
export function plan(tier: Tier, includes: (path: string) => boolean): string[][] {
  const files = testFiles(includes).filter((file) => {
    if (tier === 'all') return file.tier !== 'release';
    return tier === 'deep' ? file.isGenerated && file.tier !== 'release' : file.tier === tier;
  });
  const isLongest = (path: string): boolean => LONGEST.includes(path);
  const sharing = files.filter(({ path, isSharing }) => isSharing && !isLongest(path) && tier !== 'deep');
  const exclusive = files.filter(
    (file) => !sharing.includes(file) && (tier === 'deep' || !SHARED_TIERS.has(file.tier)),
  );
  const shared = files.filter((file) => !exclusive.includes(file) && !sharing.includes(file));
  const isFirst = (file: TestFile): boolean => !SHARED_TIERS.has(file.tier);
  exclusive.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || Number(b.isGenerated) - Number(a.isGenerated));
  const first = [
    ...joined(byRoom(sharing)).flatMap((paths) => split(paths, SHARING_BATCH)),
    ...exclusive.map(({ path }) => [path]),
  ];
  return [
    ...first.sort((a, b) => Number(b.some(isLongest)) - Number(a.some(isLongest))),
    ...joined(byRoom(shared.filter(({ isPure }) => !isPure))).flatMap((paths) => deal(paths, ROOM_BATCH)),
    ...deal(
      shared.filter(({ isPure }) => isPure).map(({ path }) => path),
      PURE_BATCH,
    ),
  ];
}

/** Each for a process of its own: the deep tier runs them in slow browsers, too. */
export function browserFiles(includes: (path: string) => boolean): string[] {
  return testFiles(includes)
    .filter(({ hasBrowser }) => hasBrowser)
    .map(({ path }) => path);
}

/** In the order of their paths. */
function testFiles(includes: (path: string) => boolean): TestFile[] {
  const found: TestFile[] = [];
  for (const path of (readdirSync(root, { recursive: true }) as string[]).sort()) {
    if (!path.endsWith('.test.js') || !includes(path)) continue;
    // The build leaves compiled files of sources that were deleted.
    if (!existsSync(join(sources, path.replace(/\.js$/, '.ts')))) continue;
    const { files, modules } = allImports(join(root, path));
    found.push({
      path,
      tier: (FOLDER.exec(path)?.[1] ?? 'unit') as TestFile['tier'],
      isGenerated: files.has(DEPTH),
      hasBrowser: files.has(BROWSER),
      isSharing: SHARING.some((module) => files.has(module)),
      isPure: !OPENING.some((name) => modules.has(name)),
    });
  }
  return found;
}

function byRoom(files: readonly TestFile[]): string[][] {
  const rooms = new Map<string, string[]>();
  for (const { path } of files) rooms.set(roomOf(path), [...(rooms.get(roomOf(path)) ?? []), path]);
  return [...rooms.values()];
}

/** `core/nameserver` of `core/nameserver/tls/accept.test.js`. */
const roomOf = (path: string): string => path.split('/').slice(0, 2).join('/');

const partOf = (path: string): string => path.split('/', 1)[0];

/** With small rooms of one part joined to batches. */
function joined(rooms: readonly string[][]): string[][] {
  const batches: string[][] = [];
  const last = new Map<string, string[]>();
  for (const paths of rooms) {
    const part = partOf(paths[0]);
    const batch = last.get(part);
    const isSmall = PARTS.has(part) && paths.length <= SMALL_ROOM;
    if (isSmall && batch !== undefined && batch.length + paths.length <= ROOM_BATCH) batch.push(...paths);
    else {
      const own = [...paths];
      batches.push(own);
      if (isSmall) last.set(part, own);
    }
  }
  return batches;
}

/**
 * Hands the paths out to as few groups as hold them. Neighbours go to different groups, so that the
 * slow files of one folder do.
 */
function deal(paths: readonly string[], most: number): string[][] {
  const groups = Math.ceil(paths.length / most);
  return Array.from({ length: groups }, (_, i) => paths.filter((_path, at) => at % groups === i));
}

/** As few groups as hold the paths. Neighbours stay together: they share the most. */
function split(paths: readonly string[], most: number): string[][] {
  const groups = Math.ceil(paths.length / most);
  const size = Math.ceil(paths.length / groups);
  return Array.from({ length: groups }, (_, i) => paths.slice(i * size, (i + 1) * size));
}
