/**
 * Puts what the daemon is made of into few files, since node takes most of a start to find and read
 * hundreds of modules: dist/main.js takes the place of the compiled one, and the programs of
 * threads and what several share lie beside it. Tests import the modules as they were compiled, and
 * start the threads' programs from their files.
 */
import {
  copyFileSync,
  cpSync,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { ZipFile } from 'yazl';
import { HEAD, openAuditProgram, programPaths, TAIL } from '../../admin-api/cli/pkg/audit-program.ts';
import { TEXTS as DASHBOARD_TEXTS } from '../../admin-api/dashboard/texts.ts';
import { ISSUED_FOLDER } from '../../admin-api/miniapp/sdk/issued-files.ts';
import { TEXTS as SIMULATOR_TEXTS } from '../../admin-api/miniapp/simulator/page/texts.ts';
import { newApp, TEMPLATES_FOLDER } from '../../admin-api/miniapp/templates/templates.ts';
import { TEXTS as REFERENCE_TEXTS } from '../../admin-api/reference/texts.ts';
import { writeBuildInfo } from './build-info.ts';
import { bundleForBrowsers } from './bundle-browser.ts';
import { bundleTemplates } from './bundle-templates.ts';
import { writeClientPackage } from './client-package.ts';
import { nativePackages } from './native-packages.ts';
import { EXTERNAL } from './packages.ts';
import { undiciInParts } from './undici-parts.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const OUT = join(ROOT, 'dist');
/** A program that a thread is started with, as it stands in the sources. */
const PROGRAM = /new URL\(\s*'(\.[^']+)\.js',\s*import\.meta\.url,?\s*\)/g;

/**
 * All outputs are in one folder: path and name of a source in one. `core/nameserver/loop-worker.ts`
 * becomes `core-nameserver-loop-worker`.
 */
const outputOf = (source: string): string => relative(ROOT, source).replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-');

function sourcesIn(folder: string): string[] {
  const paths = readdirSync(join(ROOT, folder), { recursive: true }) as string[];
  return paths.filter((path) => path.endsWith('.ts')).map((path) => join(ROOT, folder, path));
}

const programOf = (from: string, path: string): string => `${resolve(dirname(from), path)}.ts`;
const programs = ['core', 'admin-api', 'edge']
  .flatMap(sourcesIn)
  .flatMap((source) => [...readFileSync(source, 'utf8').matchAll(PROGRAM)].map(([, path]) => programOf(source, path)));

const namePrograms: Plugin = {
  name: 'programs of threads',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path: source }) => {
      const text = readFileSync(source, 'utf8');
      const contents = text.replaceAll(
        PROGRAM,
        (_, path: string) => `new URL('./${outputOf(programOf(source, path))}.js', import.meta.url)`,
      );
      return { contents, loader: 'ts' };
    });
  },
};

// The modules read them at run time: the compiled module and its bundle find them next to
// themselves.
const SDKS = 'admin-api/miniapp/sdk';
for (const folder of [join(OUT, SDKS, ISSUED_FOLDER), join(OUT, ISSUED_FOLDER)]) {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(ROOT, SDKS), folder, {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') || path.endsWith('.d.ts'),
  });
}

const TEMPLATES = 'admin-api/miniapp/templates';
await bundleTemplates(join(ROOT, TEMPLATES), [join(OUT, TEMPLATES, TEMPLATES_FOLDER), join(OUT, TEMPLATES_FOLDER)]);

writeBuildInfo();
/** Next to the bundles, and next to the module that loads it. */
const AUDIT_FOLDERS = [OUT, join(OUT, 'admin-api/cli/pkg')] as const;
for (const folder of AUDIT_FOLDERS)
  for (const file of readdirSync(folder))
    if (/^chunk-|^package-audit\b.*\.code$/.test(file)) rmSync(join(folder, file));
const shared = {
  outdir: OUT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  external: [...EXTERNAL],
  sourcemap: true,
  // V8 keeps the text of a program in each thread, and twice as much of it if a comment has a
  // character outside Latin-1. Lines are short, since Node prints that of an uncaught error.
  minifyWhitespace: true,
  lineLimit: 120,
  inject: [join(ROOT, 'config/build/globals.ts')],
  // Packages of CommonJS load Node's modules by it.
  banner: {
    js: "import { createRequire as $createRequire } from 'node:module';\nconst require = $createRequire(import.meta.url);",
  },
  plugins: [namePrograms, undiciInParts, nativePackages],
  // It would be loaded by each thread, and speeds up values that the store does not use.
  define: { 'process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED': '"true"' },
  logLevel: 'warning',
} as const satisfies BuildOptions;
const split = { splitting: true, chunkNames: 'chunk-[hash]' } as const;
await build({ ...shared, ...split, entryPoints: { main: join(ROOT, 'main.ts') } });
// A thread of the edge loads both. Each thread of another program reads one file.
const TOGETHER = new Set(['edge/http/server/worker.ts', 'edge/gateway/application.ts'].map((path) => join(ROOT, path)));
const entries = (sources: readonly string[]) => Object.fromEntries(sources.map((source) => [outputOf(source), source]));
// V8 ends the process when a thread is stopped at the end of a top-level await
// (AsyncModuleExecutionFulfilled, Node 22.23).
const thread = { ...shared, metafile: true, supported: { 'top-level-await': false } } as const;
const built = [
  await build({ ...thread, ...split, entryPoints: entries([...TOGETHER]) }),
  await build({ ...thread, entryPoints: entries(programs.filter((source) => !TOGETHER.has(source))) }),
];
// Tests start the threads that ship, which also load in half the time.
const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs)) as Metafile['outputs'];
for (const source of programs) {
  const compiled = join(OUT, relative(ROOT, source)).replace(/\.ts$/, '.js');
  const bundle = join(OUT, `${outputOf(source)}.js`);
  const { exports } = outputs[relative(process.cwd(), bundle)];
  const path = JSON.stringify(relative(dirname(compiled), bundle));
  writeFileSync(
    compiled,
    exports.length === 0 ? `import ${path};\n` : `export { ${exports.join(', ')} } from ${path};\n`,
  );
}

const DASHBOARD = join(ROOT, 'admin-api/dashboard');
await bundleForBrowsers(DASHBOARD, join(OUT, 'dashboard'), DASHBOARD_TEXTS, { reads: '/api/v1/session' });
await bundleForBrowsers(join(ROOT, 'admin-api/reference'), join(OUT, 'reference'), REFERENCE_TEXTS, {
  page: DASHBOARD,
});
await bundleForBrowsers(join(ROOT, 'admin-api/miniapp/simulator/page'), join(OUT, 'simulator'), SIMULATOR_TEXTS);

await writeClientPackage(ROOT, join(OUT, 'client'));

const [audit, copied] = AUDIT_FOLDERS.map((folder) => programPaths(pathToFileURL(`${folder}/`)));
await build({
  entryPoints: [join(ROOT, 'admin-api/miniapp/audit/audit.ts')],
  outfile: audit.script,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.18',
  banner: { js: HEAD },
  footer: { js: TAIL },
  logLevel: 'warning',
});
// V8 keeps the code of functions that have run, so it audits something: an app as people begin
// with, and a script in which most of the language occurs.
const sample = mkdtempSync(join(tmpdir(), 'waypost-build-'));
try {
  const app = newApp({ id: 'com.example.sample', name: 'Sample' });
  const archive = new ZipFile();
  const parser = readFileSync(fileURLToPath(import.meta.resolve('acorn')));
  for (const [path, content] of Object.entries({ ...app, 'parser.js': parser }))
    archive.addBuffer(Buffer.from(content as Uint8Array), path);
  archive.end();
  const path = join(sample, 'sample.pkg');
  await pipeline(archive.outputStream, createWriteStream(path));
  const program = openAuditProgram(audit.script);
  const { readable } = await program.audit.auditPackage(path);
  if (!readable) throw new Error('The sample was not audited.');
  writeFileSync(audit.code, program.code());
  copyFileSync(audit.script, copied.script);
  copyFileSync(audit.code, copied.code);
} finally {
  rmSync(sample, { recursive: true });
}
