/**
 * Apps with usual libraries, built by Vite with its defaults and packed as their
 * authors do it: what needs no permission is approved, and what else is found is true. Installs
 * packages of the npm registry.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/temp.ts';
import { PACKAGES, REACT_APPS } from './react-apps.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MAIN = join(ROOT, 'dist/main.js');
const LIMIT_MS = 15 * 60_000;

/** What libraries have that a person looks at, or that an app may not do; the rest is approved. */
const FOUND: Readonly<Record<string, readonly [verdict: string, ...codes: readonly string[]]>> = {
  // What a function gets from its callers goes to a timer.
  bootstrap: ['in_review', 'timer_undeterminable'],
  'dnd-kit': ['in_review', 'timer_undeterminable'],
  'headlessui-tailwind': ['in_review', 'timer_undeterminable'],
  query: ['in_review', 'timer_undeterminable'],
  radix: ['in_review', 'timer_undeterminable'],
  'swr-wouter-sonner': ['in_review', 'timer_undeterminable'],
  // Code of text: zod where it may, recharts by the constructor of what it copies.
  'hook-form-zod': ['in_review', 'function_constructor'],
  recharts: ['rejected', 'function_constructor'],
  // An error is made again by its name, as `new globalThis[name]`.
  markdown: ['in_review', 'computed_global'],
  // localStorage, which some use although the app names another storage.
  'jotai-immer': ['rejected', 'direct_storage'],
  mantine: ['rejected', 'direct_storage'],
  mui: ['rejected', 'direct_storage'],
  zustand: ['rejected', 'direct_storage'],
  // import() of a module whose name the server sends.
  router: ['rejected', 'dynamic_import'],
  'router-data-lazy': ['rejected', 'direct_storage', 'dynamic_import'],
};

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <link rel="icon" type="image/png" href="/icon.png" />
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <title>App</title>
    <script src="/host-sdk.js"></script>
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/src/main.jsx"></script>
  </body>
</html>
`;

/** Builds the app of a folder. */
const BUILD = `import { build } from 'vite';
import react from '@vitejs/plugin-react';
import tailwind from '@tailwindcss/vite';
const [root, isTailwind, preact] = process.argv.slice(2);
const compat = {
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom/client': 'preact/compat/client',
  'react-dom': 'preact/compat',
  react: 'preact/compat',
};
await build({
  root,
  configFile: false,
  logLevel: 'error',
  plugins: [preact === '' && react(), isTailwind === 'true' && tailwind()],
  oxc: preact === '' ? {} : { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: preact === 'compat' ? compat : {} },
});
`;

const execFileAsync = promisify(execFile);
const folder = temporaryFolder('react-apps');

/** Standard output, whatever the exit code. */
async function run(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await execFileAsync(command, args, { cwd: folder, timeout: LIMIT_MS, maxBuffer: 64 << 20 })).stdout;
  } catch (error) {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
    if (code === 1 && stdout !== '') return stdout;
    throw error;
  }
}

const test = suite('release/react-apps');

test.before(async () => {
  const manifest = { name: 'react-apps', private: true, type: 'module', dependencies: PACKAGES };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'build.mjs'), BUILD);
  await run('npm', ['install', '--legacy-peer-deps', '--no-audit', '--no-fund']);
});

for (const [name, { files, isTailwind = false, preact = '' }] of Object.entries(REACT_APPS))
  test(name, async () => {
    const root = join(folder, name);
    const id = `com.example.${name.replace(/[^a-z0-9]/g, '')}`;
    const manifest = { ...MANIFEST, id, name };
    const all = { ...files, 'index.html': INDEX, 'public/manifest.json': JSON.stringify(manifest) };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    for (const [to, from] of COPIED) writeFileSync(join(root, 'public', to), readFileSync(join(ROOT, from)));
    await run(process.execPath, ['build.mjs', root, String(isTailwind), preact]);
    const output = await run(process.execPath, [MAIN, 'pkg', 'lint', '--json', join(root, 'dist')]);
    const lines = output.trim().split('\n');
    const { verdict } = JSON.parse(lines.at(-1)!) as { verdict: string };
    const [expected, ...codes] = FOUND[name] ?? ['approved'];
    assert.is(verdict, expected, output.slice(0, 10_000));
    const type = verdict === 'rejected' ? 'error' : 'warning';
    const found = lines.map((line) => JSON.parse(line) as { type?: string; code?: string });
    const ofType = new Set(found.filter((finding) => finding.type === type).map(({ code }) => code));
    if (verdict === 'rejected') assert.equal([...ofType].sort(), codes);
    else for (const code of codes) assert.ok(ofType.has(code), output.slice(0, 10_000));
  });

const COPIED = [
  ['host-sdk.js', 'admin-api/miniapp/sdk/host-sdk.js'],
  ['icon.png', 'admin-api/miniapp/templates/apps/notes/icon.png'],
] as const;

const MANIFEST = {
  version: '1.0.0',
  versionCode: 1,
  description: 'An app.',
  entry: 'index.html',
  icon: 'icon.png',
  permissions: ['storage'],
  minHostVersion: '1.0.0',
  category: 'productivity',
};

test.run();
