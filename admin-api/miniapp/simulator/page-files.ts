/** The files of the simulator's page, as the build writes them, in memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const ASSETS = 'assets';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface StoredFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** By path. `folder`: dist/simulator. `token`: of this run, which only the page knows. */
export function readPageFiles(folder: string, token: string): ReadonlyMap<string, StoredFile> {
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replace('{{token}}', token);
  const files = new Map([['/', { type: TYPES['.html'], bytes: Buffer.from(page) }]]);
  for (const name of readdirSync(join(folder, ASSETS))) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(`/${ASSETS}/${name}`, { type, bytes: readFileSync(join(folder, ASSETS, name)) });
  }
  return files;
}
