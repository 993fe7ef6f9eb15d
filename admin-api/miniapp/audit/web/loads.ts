/** Files of the package that others name. */
import type { Place } from '../finding.ts';
import type { WebContext } from './context.ts';
import type { ScriptKind } from './kind.ts';

/** A file of the package is loaded as a script; `path` undefined: it leads out of the package. */
export function loadScript(context: WebContext, path: string | undefined, kind: ScriptKind, at: Place): void {
  const { files, waiting, findings } = context;
  if (path === undefined || !files.has(path)) findings.add('script_missing', at, missing(path, files));
  else waiting.push({ path, kind });
}

/**
 * Paths by their lower case, made when a file is missing: there may be as many references as files.
 */
const folded = new WeakMap<WebContext['files'], ReadonlyMap<string, string>>();

/**
 * Says which file is missing, and which differs in case alone: such a path works on some systems
 * only.
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
