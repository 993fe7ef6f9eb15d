import { dirname, join } from 'node:path';
import { build, stop } from 'esbuild';

/**
 * Writes the program of a built daemon next to its main.js, but made of the compiled modules, which
 * a module that `--import` loads shares with it: nothing is shared with those in a bundle. Resolves
 * with its path, which begins with a dot: releases leave such files out. `main`: dist/main.js.
 */
export async function writeMainOfModules(main: string): Promise<string> {
  const outfile = join(dirname(main), '.main-of-modules.js');
  await build({
    entryPoints: [join(dirname(main), '../main.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'compiled modules',
        setup({ onResolve }) {
          onResolve({ filter: /^\.\/.*\.ts$/ }, ({ path }) => ({ path: path.replace(/ts$/, 'js'), external: true }));
        },
      },
    ],
    logLevel: 'warning',
  });
  // Its process would go on next to what is measured.
  await stop();
  return outfile;
}
