/**
 * Packs the dashboard, the reference and the simulator for browsers: scripts and styles with a hash
 * in their names, one page that loads them, and each of these compressed once, at the highest
 * level.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { ASSETS, PAGE, SCREENS } from '../../admin-api/dashboard/serve/files.ts';

/** Browsers of 2023 and later. */
const BROWSERS = ['chrome115', 'firefox115', 'safari16.4'];

interface Texts {
  readonly title: string;
  /** Shown where scripts do not run. */
  readonly noScript: string;
}

/**
 * `sources`: a folder with app.tsx and style/style.css. `page`: a folder with icon.svg and
 * index.html. `reads`: the endpoint that the script asks first, whose response is loaded next to the
 * script. Replaces the folder `out`.
 */
export async function bundleForBrowsers(
  sources: string,
  out: string,
  texts: Texts,
  { page = sources, reads }: { readonly page?: string; readonly reads?: string } = {},
): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  const assets = join(out, ASSETS);
  mkdirSync(assets, { recursive: true });
  const app = join(sources, 'app.tsx');
  const options = {
    entryPoints: { app, style: join(sources, 'style/style.css'), icon: join(page, 'icon.svg') },
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
  } as const satisfies BuildOptions;
  const parts = await build({ ...options, write: false, plugins: [fewScripts(app, [])] });
  const { metafile } = await build({ ...options, plugins: [fewScripts(app, sharedModules(parts.metafile, sources))] });
  const script = outputOf(metafile, sources, 'app.tsx');
  const first = [...scriptsOf(metafile.outputs, script)].filter((path) => path !== script);
  const preloads = [
    ...(reads === undefined ? [] : [`<link rel="preload" as="fetch" crossorigin href="${reads}">`]),
    ...first.map((path) => `<link rel="modulepreload" href="${addressOf(path)}">`),
    ...sharedScripts(metafile, sources).map(
      (path) => `<link rel="modulepreload" fetchpriority="low" href="${addressOf(path)}">`,
    ),
  ];
  const fill: Readonly<Record<string, string>> = {
    script: addressOf(script),
    style: addressOf(outputOf(metafile, sources, 'style/style.css')),
    icon: addressOf(outputOf(metafile, page, 'icon.svg')),
    preloads: preloads.join(''),
    ...texts,
  };
  writeFileSync(join(out, SCREENS), JSON.stringify(screenScripts(metafile, sources)));
  const template = readFileSync(join(page, PAGE), 'utf8');
  writeFileSync(
    join(out, PAGE),
    template.replace(/\{\{(\w+)\}\}/g, (kept, name: string) => fill[name] ?? kept),
  );
  for (const path of [join(out, PAGE), ...readdirSync(assets).map((name) => join(assets, name))]) compress(path);
}

/** The modules that several scripts need which are loaded later, but not the first page. */
function sharedModules(metafile: Metafile, sources: string): string[] {
  return sharedScripts(metafile, sources).flatMap((script) =>
    Object.keys(metafile.outputs[script].inputs).map((path) => resolve(path)),
  );
}

/** The scripts that several others need, but not the first page. */
function sharedScripts(metafile: Metafile, sources: string): string[] {
  const { outputs } = metafile;
  const first = scriptsOf(outputs, outputOf(metafile, sources, 'app.tsx'));
  return Object.keys(outputs).filter(
    (path) => path.endsWith('.js') && outputs[path].entryPoint === undefined && !first.has(path),
  );
}

/** A script, and what it imports. */
function scriptsOf(outputs: Metafile['outputs'], script: string, found = new Set<string>()): Set<string> {
  found.add(script);
  for (const { path, kind } of outputs[script].imports)
    if (kind === 'import-statement' && !found.has(path)) scriptsOf(outputs, path, found);
  return found;
}

/**
 * The first page is one script, and what others share is one: without it, each set of them that
 * share a module gets a file, and a browser has six connections and finds each only in the one
 * before. What is loaded later imports `app`, the entry point, and `shared`, so these have the same
 * users.
 */
const fewScripts = (app: string, shared: readonly string[]): Plugin => ({
  name: 'few scripts',
  setup({ onResolve, onLoad, resolve: resolvePath }) {
    const later = new Set<string>();
    onResolve({ filter: /^\./ }, async ({ path, kind, pluginData, ...from }) => {
      if (kind !== 'dynamic-import' || pluginData === RESOLVED) return undefined;
      const found = await resolvePath(path, { ...from, kind, pluginData: RESOLVED });
      later.add(found.path);
      return found;
    });
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!later.has(path)) return undefined;
      const imports = [app, ...shared].map((module) => `import ${JSON.stringify(module)};`);
      const contents = `${imports.join('')}${readFileSync(path, 'utf8')}`;
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
});

/** Marks the plugin's own question. */
const RESOLVED = 'resolved';

/** The script of each page's screen, by the name of the page: what screens.ts imports. */
function screenScripts(metafile: Metafile, sources: string): Record<string, string> {
  const list = join(sources, 'screens.ts');
  if (!existsSync(list)) return {};
  const imports = readFileSync(list, 'utf8').matchAll(/^ {2}(\w+): async \(\) => \(await import\('(.+?)'\)\)/gm);
  return Object.fromEntries(
    Array.from(imports, ([, name, module]) => [name, addressOf(outputOf(metafile, sources, module))]),
  );
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
