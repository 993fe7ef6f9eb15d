/** Apps with an attack, from scripts. */
import { smallApp } from './small-app.ts';

type Files = ReturnType<typeof smallApp>;

export interface RelaxedCase {
  /** What hides it. */
  readonly by: string;
  readonly files: Files;
}

export const END = "\nHost.storage.get('text');\n";

export const inFunction = (source: string): string => `(function () {\n${source}\n})();`;

export const script = (by: string, ...sources: readonly string[]): RelaxedCase[] =>
  sources.map((source) => ({ by, files: smallApp({ 'app.js': source + END }) }));

export const loads = (paths: readonly string[], type = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>N</title><script src="host-sdk.js"></script>${paths
    .map((path) => `<script ${type}src="${path}"></script>`)
    .join('')}</head><body><p id="text"></p></body></html>\n`;

export const several = (by: string, sources: Readonly<Record<string, string>>): RelaxedCase => ({
  by,
  files: smallApp({ 'index.html': loads(Object.keys(sources)), ...sources }),
});

export const modules = (by: string, sources: Readonly<Record<string, string>>): RelaxedCase => ({
  by,
  files: smallApp({ ...sources, 'index.html': loads(['app.js'], 'type="module" ') }),
});
