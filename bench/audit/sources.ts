/** Packages of some sizes, of the same files: as a mini-app and as a web extension. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { Random } from '../../test/support/random.ts';
import { Program } from './program.ts';

export const SIZES = [
  { name: '20 KB', bytes: 20_000 },
  { name: '1 MB', bytes: 1_000_000 },
  { name: '20 MB', bytes: 20_000_000 },
] as const;

/** Bytes of a script, and of a style sheet: what larger apps are split into. */
const PART = 200_000;
const SEED = 20_261;

/** As it was issued to the app. A web extension has it as any other script. */
export const SDK = "'use strict';\nvar Host = {};\n";

function sources(bytes: number): Map<string, string> {
  const program = new Program(new Random(SEED));
  const files = new Map([['host-sdk.js', SDK]]);
  for (let left = bytes * 0.9; left > 0; left -= PART)
    files.set(`js/part-${files.size}.js`, program.script(Math.min(left, PART)));
  for (let left = bytes * 0.1; left > 0; left -= PART)
    files.set(`css/part-${files.size}.css`, program.style(Math.min(left, PART)));
  const loads = [...files.keys()].map((path) =>
    path.endsWith('.js') ? `<script src="${path}"></script>` : `<link rel="stylesheet" href="${path}">`,
  );
  const head = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Notes</title>\n';
  files.set('index.html', `${head}${loads.join('\n')}\n</head><body><ul id="notes"></ul></body></html>\n`);
  return files;
}

export function ownManifest(id: string, versionCode: number): string {
  return JSON.stringify({
    ...{ id, name: 'Notes', version: '1.0', versionCode, entry: 'index.html' },
    ...{ permissions: [], minHostVersion: '1.0' },
  });
}

const EXTENSION = JSON.stringify({
  ...{ manifest_version: 2, name: 'Notes', version: '1.0', browser_action: { default_popup: 'index.html' } },
  browser_specific_settings: {
    gecko: { id: 'notes@example.com', data_collection_permissions: { required: ['none'] } },
  },
});

export async function zip(files: Iterable<readonly [string, string | Buffer]>): Promise<Buffer> {
  const archive = new ZipFile();
  // As it stands, for who writes another version into it.
  for (const [path, content] of files)
    archive.addBuffer(Buffer.from(content), path, { compress: path !== 'manifest.json' });
  archive.end();
  return buffer(archive.outputStream);
}

/** Packages that are audited at one time. */
export const AUDITS = 10;

export const benchApp = (n: number): string => `com.example.bench${n}`;

/** Of a mini-app with sources of so many bytes, and assets that don't compress. */
export const packageOf = (id: string, versionCode: number, bytes: number, assets = 0): Promise<Buffer> =>
  zip([
    ['manifest.json', ownManifest(id, versionCode)],
    ...sources(bytes),
    ...(assets > 0 ? [['photos.bin', randomBytes(assets)] as const] : []),
  ]);

export interface Written {
  /** Paths: of the mini-app, of the SDK it was made with, of the web extension. */
  readonly own: string;
  readonly sdk: string;
  readonly extension: string;
}

export async function writePackages(folder: string, name: string, bytes: number): Promise<Written> {
  const path = join(folder, name.replace(' ', '-'));
  const written = { own: `${path}.pkg`, sdk: join(folder, 'host-sdk.js'), extension: `${path}.xpi` };
  writeFileSync(written.own, await packageOf('com.example.bench', 1, bytes));
  writeFileSync(written.sdk, SDK);
  writeFileSync(written.extension, await zip([['manifest.json', EXTENSION], ...sources(bytes)]));
  return written;
}
