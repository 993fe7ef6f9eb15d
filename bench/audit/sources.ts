/** Packages of some sizes: what a person writes, over and over with other names, as a mini-app and as a web extension. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export const SIZES = [
  { name: '20 KB', bytes: 20_000 },
  { name: '1 MB', bytes: 1_000_000 },
  { name: '20 MB', bytes: 20_000_000 },
] as const;

/** Octets of a script: what larger apps are split into. */
const SCRIPT = 200_000;

const PART = (n: number): string => `
/** Keeps notes of the kind ${n}, the newest first. */
function NoteList${n}(root, storage) {
  this.root = root;
  this.items = [];
  this.load = function () {
    var self = this;
    return storage.get('notes.${n}').then(function (text) {
      self.items = text ? JSON.parse(text) : [];
      self.render();
    });
  };
  this.add = function (title, body) {
    if (title.trim() === '') return false;
    this.items.unshift({ title: title, body: body, at: Date.now() });
    storage.set('notes.${n}', JSON.stringify(this.items));
    this.render();
    return true;
  };
  this.render = function () {
    while (this.root.firstChild) this.root.removeChild(this.root.firstChild);
    for (var i = 0; i < this.items.length; i++) {
      var row = document.createElement('li');
      row.textContent = this.items[i].title + ' (' + i + ')';
      this.root.appendChild(row);
    }
  };
}
`;

const STYLE = (n: number): string => `.note-${n} { margin: ${n % 17}px; color: #3${n % 10}5a7b; display: flex; }\n`;

function sources(bytes: number): Map<string, string> {
  const files = new Map<string, string>();
  let n = 0;
  for (let left = bytes * 0.9; left > 0; left -= SCRIPT) {
    let text = '';
    while (text.length < Math.min(left, SCRIPT)) text += PART(n++);
    files.set(`js/notes-${files.size}.js`, text);
  }
  let style = '';
  for (let i = 0; style.length < bytes * 0.1; i++) style += STYLE(i);
  files.set('style.css', style);
  const scripts = [...files.keys()]
    .filter((path) => path.endsWith('.js'))
    .map((path) => `<script src="${path}"></script>`);
  const head = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Notes</title>\n';
  files.set(
    'index.html',
    `${head}<link rel="stylesheet" href="style.css"></head>\n<body><ul id="notes"></ul>\n${scripts.join('\n')}\n</body></html>\n`,
  );
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
  browser_specific_settings: { gecko: { id: 'notes@example.com' } },
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

/** Of a mini-app with sources of so many octets, and assets that don't compress. */
export const packageOf = (id: string, versionCode: number, bytes: number, assets = 0): Promise<Buffer> =>
  zip([
    ['manifest.json', ownManifest(id, versionCode)],
    ['host-sdk.js', 'var Host = {};\n'],
    ...sources(bytes),
    ...(assets > 0 ? [['photos.bin', randomBytes(assets)] as const] : []),
  ]);

/** Writes both; gives their paths. */
export async function writePackages(
  folder: string,
  name: string,
  bytes: number,
): Promise<{ readonly own: string; readonly extension: string }> {
  const path = join(folder, name.replace(' ', '-'));
  const [own, extension] = [`${path}.pkg`, `${path}.xpi`];
  writeFileSync(own, await packageOf('com.example.bench', 1, bytes));
  writeFileSync(extension, await zip([['manifest.json', EXTENSION], ...sources(bytes)]));
  return { own, extension };
}
