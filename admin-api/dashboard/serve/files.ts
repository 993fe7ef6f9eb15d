/** Loads the built files of the dashboard into memory, in each content coding. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Coding } from '../../http/coding.ts';

/** The extensions of the precompressed files. */
const EXTENSIONS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

/** The HTML file that is served at all addresses of the dashboard. */
export const PAGE = 'index.html';
/** The JSON file with the script of each page's screen. */
export const SCREENS = 'screens.json';
/** Folder of the files with a hash in their name. */
export const ASSETS = 'assets';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface StoredFile {
  readonly type: string;
  /** Identifies the content. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** Compressed content by coding. Missing if it is not smaller than `bytes`. */
  readonly coded: Readonly<Partial<Record<Coding, Uint8Array>>>;
}

export interface StoredFiles {
  readonly page: StoredFile;
  /** By path, such as `/assets/app-ABC.js`. */
  readonly assets: ReadonlyMap<string, StoredFile>;
  /** Paths of the scripts of screens, by the name of the page. */
  readonly screens: Readonly<Record<string, string | undefined>>;
}

/** Reads all files of the folder. Throws the system error if it is not complete. */
export function readFiles(folder: string): StoredFiles {
  const names = readdirSync(join(folder, ASSETS));
  const assets = new Map(
    names
      .filter((name) => extname(name) in TYPES)
      .map((name) => [`/${ASSETS}/${name}`, readStored(join(folder, ASSETS, name))]),
  );
  const screens = JSON.parse(readFileSync(join(folder, SCREENS), 'utf8')) as StoredFiles['screens'];
  return { page: readStored(join(folder, PAGE)), assets, screens };
}

function readStored(path: string): StoredFile {
  const bytes = readFileSync(path);
  const coded: Partial<Record<Coding, Uint8Array>> = {};
  for (const [coding, extension] of Object.entries(EXTENSIONS) as [Coding, string][]) {
    const smaller = readFileSync(path + extension);
    if (smaller.length < bytes.length) coded[coding] = smaller;
  }
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16);
  return { type: TYPES[extname(path)], hash, bytes, coded };
}
