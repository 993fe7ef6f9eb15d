/** Installs the libraries, and bundles each with its app into one local script of a mini-app. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { png } from '../../../test/admin-api/miniapp/audit/corpus/small-app.ts';
import { SDK } from '../sources.ts';
import { LIBRARIES, type Library } from './list.ts';

/** Packages that only the code of apps needs. */
const OTHERS = { '@alpinejs/csp': '3.17.4' };

/** False: the registry cannot be reached; the next step was printed on standard error. */
export function installLibraries(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const dependencies = { ...OTHERS, ...Object.fromEntries(LIBRARIES.map(({ name, version }) => [name, version])) };
  const text = JSON.stringify({ private: true, dependencies });
  const path = join(folder, 'package.json');
  const done = join(folder, '.installed');
  if (existsSync(done) && readFileSync(path, 'utf8') === text) return true;
  writeFileSync(path, text);
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  const { status } = spawnSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0) writeFileSync(done, '');
  else process.stderr.write(`The libraries are not installed. Where npm reaches a registry, run it in ${folder}.\n`);
  return status === 0;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Notes</title>
    <script src="host-sdk.js"></script>
    <script src="app.js" defer></script>
  </head>
  <body><div id="root"></div></body>
</html>
`;

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The files of a package: the library and the code that uses it in one minified script. */
export async function libraryApp(folder: string, { code }: Library): Promise<Files> {
  const { outputFiles } = await build({
    stdin: { contents: `const root = document.getElementById('root');\n${code}\n`, resolveDir: folder, loader: 'js' },
    ...{ bundle: true, minify: true, write: false, format: 'iife', platform: 'browser', target: 'es2022' },
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false' },
    loader: { '.svg': 'text' },
    logLevel: 'error',
  });
  const permissions = [
    ...(code.includes('Host.storage') ? ['storage'] : []),
    ...(code.includes('Host.network') ? ['network'] : []),
  ];
  const manifest = {
    ...{ id: 'com.example.notes', name: 'Notes', version: '1.0.0', versionCode: 1, entry: 'index.html' },
    ...{ icon: 'icon.png', permissions, minHostVersion: '1.0.0' },
  };
  return {
    'manifest.json': JSON.stringify(manifest),
    'index.html': PAGE,
    'host-sdk.js': SDK,
    'icon.png': png(192),
    'app.js': outputFiles[0].text,
  };
}
