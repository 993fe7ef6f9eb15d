/**
 * `npm run library-releases -- [FOLDER]`: writes admin-api/miniapp/audit/libraries/releases.ts, the
 * hashes of files of libraries by name and version. Without FOLDER the libraries of list.ts are
 * installed first; with it, what is in its node_modules is added to the table, which keeps what it
 * has. Run it with folders of other versions to add these. What the libraries depend on is added as
 * well, and so is what the package.json of FOLDER names; files for Node alone are not.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { RELEASES } from '../../../admin-api/miniapp/audit/libraries/releases.ts';
import { installLibraries } from './apps.ts';
import { LIBRARIES } from './list.ts';

const OUT = 'admin-api/miniapp/audit/libraries/releases.ts';
/** Folders of a package in which files for browsers are. */
const FOLDERS =
  ' dist build min umd lib es cjs js dist/js dist/umd dist/browser dist/bundles lib/browser build/player build/output'.split(
    ' ',
  );
const FIELDS = ['main', 'module', 'browser', 'unpkg', 'jsdelivr'];
const SCRIPT = /\.(?:js|mjs)$/;
/** Bytes: what is shorter says nothing of where it is from. */
const SHORTEST = 512;
/** Files of a release; the larger ones are those that apps have. */
const MOST_FILES = 40;
/** Of what libraries depend on. */
const MOST_OF_OTHERS = 8;
/** A module of Node, without which the file does not run. */
const OF_NODE =
  /\brequire\(["'](?:node:|(?:fs|https?|net|tls|tty|os|path|url|util|stream|zlib|crypto|child_process|vm|module)["'])|\bfrom ?["']node:/;

/** The first half of a SHA-256, 128 bits, in base64url. */
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest().toString('base64url', 0, 16);

function filesOf(root: string, manifest: Readonly<Record<string, unknown>>): string[] {
  const named = FIELDS.map((field) => manifest[field]).filter((path): path is string => typeof path === 'string');
  const found = FOLDERS.flatMap((directory) => {
    const path = join(root, directory);
    return existsSync(path) && statSync(path).isDirectory()
      ? readdirSync(path).map((name) => posix.join(directory, name))
      : [];
  });
  const isScript = (path: string): boolean => SCRIPT.test(path) && statSync(join(root, path)).isFile();
  const paths = [...new Set([...named.map((path) => posix.normalize(path)), ...found])];
  return paths.filter((path) => existsSync(join(root, path)) && isScript(path));
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(root: string): Manifest | undefined {
  const path = join(root, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function releaseOf(
  root: string,
  manifest: Manifest,
  mostFiles: number,
): { version: string; hashes: string[] } | undefined {
  const contents = filesOf(root, manifest as Readonly<Record<string, unknown>>)
    .map((file) => readFileSync(join(root, file)))
    .filter((bytes) => bytes.length >= SHORTEST && !OF_NODE.test(bytes.toString('latin1')))
    .sort((a, b) => b.length - a.length);
  const hashes = [...new Set(contents.map(hashOf))].slice(0, mostFiles);
  return hashes.length === 0 ? undefined : { version: String(manifest.version), hashes };
}

const given = process.argv[2];
const folder = given ?? join(tmpdir(), 'waypost-bench/libraries');
if (given === undefined && !installLibraries(folder)) process.exit(1);
const table = new Map(RELEASES.map(([name, version, hashes]) => [`${name} ${version}`, hashes]));
const libraries = new Set([...LIBRARIES.map(({ name }) => name), '@alpinejs/csp']);
const own = manifestOf(folder);
const names = new Set([...libraries, ...(own?.name === 'waypost' ? [] : Object.keys(own?.dependencies ?? {}))]);
// What they depend on is added while this goes on.
for (const name of names) {
  const root = join(folder, 'node_modules', name);
  const manifest = manifestOf(root);
  if (manifest === undefined) continue;
  const release = releaseOf(root, manifest, libraries.has(name) ? MOST_FILES : MOST_OF_OTHERS);
  if (release === undefined) continue;
  table.set(`${name} ${release.version}`, release.hashes.join(' '));
  for (const dependency of Object.keys(manifest.dependencies ?? {})) names.add(dependency);
}
const rows = [...table]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([key, hashes]) => {
    const [name, version] = key.split(' ');
    return `  ['${name}', '${version}', '${hashes}'],\n`;
  });
writeFileSync(
  OUT,
  `/**
 * Releases of libraries: name, version, and the first 128 bits of the SHA-256 of their files, in
 * base64url. Written by \`npm run library-releases\`.
 */
export const RELEASES: readonly (readonly [name: string, version: string, hashes: string])[] = [
${rows.join('')}];
`,
);
process.stdout.write(`${table.size} releases in ${OUT}\n`);
