/**
 * Packs the dashboard, the reference and the simulator for browsers: scripts and styles with a hash in their
 * names, one page that loads them, and each of these compressed once, at the highest level.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { ASSETS, PAGE } from '../../admin-api/dashboard/serve/files.ts';

/** Browsers of 2023 and later. */
const BROWSERS = ['chrome115', 'firefox115', 'safari16.4'];

interface Texts {
  readonly title: string;
  /** Shown where scripts do not run. */
  readonly noScript: string;
}

/**
 * `sources`: a folder with app.tsx and style/style.css. `page`: a folder with icon.svg and
 * index.html. Replaces the folder `out`.
 */
export async function bundleForBrowsers(sources: string, out: string, texts: Texts, page = sources): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const assets = join(out, ASSETS);
  mkdirSync(assets, { recursive: true });
  const { metafile } = await build({
    entryPoints: {
      app: join(sources, 'app.tsx'),
      style: join(sources, 'style/style.css'),
      icon: join(page, 'icon.svg'),
    },
    outdir: assets,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: BROWSERS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    legalComments: 'none',
    // Hints of packages for developers, with links to other hosts.
    pure: ['console.warn'],
    metafile: true,
    logLevel: 'warning',
  });
  const script = outputOf(metafile, sources, 'app.tsx');
  const preloads = metafile.outputs[script].imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${addressOf(path)}">`);
  const fill: Readonly<Record<string, string>> = {
    script: addressOf(script),
    style: addressOf(outputOf(metafile, sources, 'style/style.css')),
    icon: addressOf(outputOf(metafile, page, 'icon.svg')),
    preloads: preloads.join(''),
    ...texts,
  };
  const template = readFileSync(join(page, PAGE), 'utf8');
  writeFileSync(
    join(out, PAGE),
    template.replace(/\{\{(\w+)\}\}/g, (kept, name: string) => fill[name] ?? kept),
  );
  for (const path of [join(out, PAGE), ...readdirSync(assets).map((name) => join(assets, name))]) compress(path);
}

/** The output of an entry point. */
function outputOf({ outputs }: Metafile, sources: string, entry: string): string {
  const wanted = join(sources, entry);
  for (const [path, { entryPoint, inputs }] of Object.entries(outputs))
    if ([entryPoint, ...Object.keys(inputs)].some((source) => source !== undefined && resolve(source) === wanted))
      return path;
  throw new Error(`${entry} has no output.`);
}

const addressOf = (output: string): string => `/${ASSETS}/${basename(output)}`;

function compress(path: string): void {
  const bytes = readFileSync(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
