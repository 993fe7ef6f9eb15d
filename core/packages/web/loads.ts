/** Files of the package that others name. */
import type { Place } from '../finding.ts';
import type { ScriptKind, WebContext } from './context.ts';

/** A file of the package is loaded as a script; `path` undefined: it leads out of the package. */
export function loadScript(context: WebContext, path: string | undefined, kind: ScriptKind, place: Place): void {
  const { files, loads, waiting, findings } = context;
  if (path === undefined || !files.has(path)) findings.add('script_missing', place, missing(path, files.keys()));
  else if (!loads.has(path)) {
    loads.set(path, kind);
    waiting.push(path);
  }
}

/** Says which file is missing, and which differs in case alone: such a path works on some systems only. */
export function missing(path: string | undefined, files: Iterable<string>): string {
  if (path === undefined) return 'The path leads out of the package.';
  const folded = path.toLowerCase();
  for (const file of files)
    if (file.toLowerCase() === folded) return `The package has no ${path}, but ${file}: case counts.`;
  return `The package has no file ${path}.`;
}
