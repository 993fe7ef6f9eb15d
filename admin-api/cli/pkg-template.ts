/** The files of a starter app, which stores a counter. */
import { crc32, deflateSync } from 'node:zlib';
import { readIssued } from '../../core/miniapp/sdk/issued-files.ts';

export interface NewApp {
  readonly id: string;
  readonly name: string;
  /** host-sdk.js; omitted: the newest issued SDK. */
  readonly sdk?: Uint8Array;
}

/** File contents by path; all files are in the root. */
export function newApp({ id, name, sdk }: NewApp): Readonly<Record<string, string | Uint8Array>> {
  const manifest = {
    id,
    name,
    version: '0.1.0',
    versionCode: 1,
    description: 'Counts, and keeps the count.',
    entry: 'index.html',
    icon: 'icon.png',
    permissions: ['storage'],
    minHostVersion: '1.0.0',
    category: 'tools',
  };
  return {
    'manifest.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'index.html': INDEX.replaceAll('NAME', () => escaped(name)),
    'style.css': STYLE,
    'app.js': APP,
    'icon.png': icon(),
    'host-sdk.js': sdk ?? readIssued().script,
  };
}

const escaped = (text: string): string => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>NAME</title>
    <link rel="stylesheet" href="style.css">
    <script src="host-sdk.js"></script>
    <script src="app.js" defer></script>
  </head>
  <body>
    <h1>NAME</h1>
    <button id="count" type="button">0</button>
  </body>
</html>
`;

const STYLE = `body {
  font-family: system-ui, sans-serif;
  margin: 2rem;
  text-align: center;
}

button {
  font-size: 2rem;
  padding: 1rem 2rem;
}
`;

const APP = `const button = document.getElementById('count');
let count = 0;

function show() {
  button.textContent = String(count);
}

button.addEventListener('click', () => {
  count += 1;
  show();
  Host.storage.set('count', String(count));
});

Host.storage.get('count').then((stored) => {
  count = Number(stored ?? 0);
  show();
});
`;

const SIZE = 192;

/** A placeholder icon: a PNG of 192 × 192 pixels in one colour. */
function icon(): Uint8Array {
  const row = 1 + SIZE * 3;
  const pixels = Buffer.alloc(row * SIZE);
  for (let y = 0; y < SIZE; y++) for (let x = 0; x < SIZE; x++) pixels.set([0x2f, 0x6f, 0xde], y * row + 1 + x * 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  // 8 bits, RGB.
  header.set([8, 2], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND')]);
}

function chunk(type: string, data: Uint8Array = new Uint8Array(0)): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(4 + typed.length + 4);
  framed.writeUInt32BE(data.length, 0);
  framed.set(typed, 4);
  framed.writeUInt32BE(crc32(typed), 4 + typed.length);
  return framed;
}
