/** Files of the package that other files load. */
import type { Place } from '../finding.ts';
import type { WebContext } from './context.ts';
import type { ScriptKind } from './kind.ts';

/** Queues a file to audit as a script. `path` undefined: the URL leads out of the package. */
export function loadScript(context: WebContext, path: string | undefined, kind: ScriptKind, at: Place): void {
  const { files, waiting, findings } = context;
  if (path === undefined || !files.has(path)) findings.add('script_missing', at, missing(path, files));
  else waiting.push({ path, kind });
}

/**
 * Paths by their lower-case form. Cached: a package may have as many missing references as files.
 */
const folded = new WeakMap<WebContext['files'], ReadonlyMap<string, string>>();

/**
 * The message for a missing file. Names a file whose path differs only in case: such a reference
 * works on some systems only.
 */
export function missing(path: string | undefined, files: WebContext['files']): string {
  if (path === undefined) return 'The path leads out of the package.';
  let names = folded.get(files);
  if (names === undefined) {
    names = new Map([...files.keys()].map((file) => [file.toLowerCase(), file]));
    folded.set(files, names);
  }
  const other = names.get(path.toLowerCase());
  return other === undefined
    ? `The package has no file ${path}.`
    : `The package has no ${path}, but ${other}: case counts.`;
}
