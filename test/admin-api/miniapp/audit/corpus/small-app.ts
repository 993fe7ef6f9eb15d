/** The smallest package without a finding; cases of the corpus change it in one place. */
import { crc32, deflateSync } from 'node:zlib';

/** The SDK that tests take for issued. */
export const SDK = `/* host-sdk 1.4.0 */\nwindow.Host = window.__host;\n`;

export const MANIFEST = {
  id: 'com.example.notes',
  name: 'Notes',
  version: '1.0.0',
  versionCode: 1,
  description: 'Keeps notes.',
  entry: 'index.html',
  icon: 'icon.png',
  permissions: ['storage'] as string[],
  minHostVersion: '1.4.0',
  category: 'productivity',
};

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Notes</title>
    <script src="host-sdk.js"></script>
    <script src="app.js"></script>
  </head>
  <body>
    <textarea id="text"></textarea>
  </body>
</html>
`;

const APP = `addEventListener('load', async () => {
  const text = document.getElementById('text');
  text.value = (await Host.storage.get('text')) ?? '';
  text.addEventListener('change', () => Host.storage.set('text', text.value));
});
`;

type Files = Record<string, string | Uint8Array>;

/** `undefined` takes a file out. */
export function smallApp(changes: Readonly<Record<string, string | Uint8Array | undefined>> = {}): Files {
  const files: Readonly<Record<string, string | Uint8Array | undefined>> = {
    'manifest.json': `${JSON.stringify(MANIFEST, null, 2)}\n`,
    'index.html': INDEX,
    'app.js': APP,
    'host-sdk.js': SDK,
    'icon.png': png(192),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string | Uint8Array] => entry[1] !== undefined),
  );
}

/** A small app with a background file, which may use storage. */
export function backgroundApp(source: string, permissions: readonly string[] = ['storage']): Files {
  const background = { enabled: true, entry: 'background/background.js', events: ['schedule'], permissions };
  const manifest = { ...MANIFEST, permissions: ['storage', 'background'], background };
  return smallApp({
    'manifest.json': JSON.stringify(manifest, null, 2),
    'app.js': `${APP}addEventListener('load', () => Host.background.schedule('sync', 60000));\n`,
    'background/background.js': source,
  });
}

/** A square image of one colour. */
export function png(size: number): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = Buffer.alloc(size * (size * 3 + 1), 0x40);
  for (let y = 0; y < size; y++) pixels[y * (size * 3 + 1)] = 0;
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
