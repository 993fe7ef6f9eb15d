/**
 * Packs the code of packages with binaries. They find their binaries from where their code is, so
 * each file keeps the URL that it has in its package. As modules of their own, they would take a
 * third of a thread's start: lmdb has 17, and Node looks for exports in those of CommonJS.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { BINARY_PACKAGES } from './packages.ts';

const require = createRequire(import.meta.url);
const PATHS = new RegExp(`/node_modules/(${BINARY_PACKAGES.join('|')})/.*\\.js$`);

export const nativePackages: Plugin = {
  name: 'packages with binaries',
  setup({ onLoad }) {
    onLoad({ filter: PATHS }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const name = PATHS.exec(path)![1];
      const fromMain = relative(dirname(require.resolve(name)), path);
      const head = `import { createRequire as requireFrom } from 'node:module';
import { dirname as folderOf } from 'node:path';
import { fileURLToPath as pathOf, pathToFileURL as urlOf } from 'node:url';
const PACKED_URL = new URL('${fromMain}', urlOf(requireFrom(import.meta.url).resolve('${name}'))).href;
`;
      const body = text
        .replaceAll('import.meta.url', 'PACKED_URL')
        .replaceAll('import.meta.dirname', 'folderOf(pathOf(PACKED_URL))');
      return { contents: head + body };
    });
  },
};
