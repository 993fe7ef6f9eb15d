/** Checks the files that markup and style sheets refer to. */
import type { Place } from '../finding.ts';
import type { RuleCode } from '../rules.ts';
import type { WebContext } from './context.ts';
import { EmbeddedText } from './embedded-text.ts';
import type { ScriptKind } from './kind.ts';
import { dataOf, type Location, locate } from './location.ts';

/** The rules for a URL to another host, and for a missing file. */
interface ReferenceRules {
  readonly remote: RuleCode;
  readonly missing: RuleCode;
}

export const IMAGE: ReferenceRules = { remote: 'remote_resource', missing: 'resource_missing' };
export const FONT: ReferenceRules = { remote: 'remote_style', missing: 'resource_missing' };
export const STYLE: ReferenceRules = { remote: 'remote_style', missing: 'style_missing' };

/** Checks a URL that loads no script. Callers report `javascript:` URLs themselves. */
export function checkReference(context: WebContext, file: string, url: string, at: Place, rules: ReferenceRules): void {
  const location = locate(url, file);
  if (rules === STYLE) loadStyle(context, location, url, file, at);
  if (location.kind === 'remote') context.findings.add(rules.remote, at, `This is loaded from ${location.host}.`);
  else if (location.kind === 'file' && (location.path === undefined || !isThere(context, location.path)))
    context.findings.add(rules.missing, at, missing(location.path, context.files));
}

/** Queues the audit of a style sheet, whatever the file's name. */
function loadStyle(context: WebContext, location: Location, url: string, file: string, at: Place): void {
  if (location.kind === 'file' && location.path !== undefined && context.files.has(location.path))
    context.waiting.push({ path: location.path, kind: 'style' });
  if (location.kind !== 'data') return;
  const text = dataOf(url);
  const source = new EmbeddedText({ ...at, file }, text);
  context.pieces.push({ type: 'style', source, start: 0, end: text.length, inline: false });
}

/** The root of the package, as in `./`, also counts as present. */
function isThere(context: WebContext, path: string): boolean {
  return path === '' || context.files.has(path);
}

/**
 * Files of the package that other files load. Queues a file to audit as a script. `path` undefined:
 * the URL leads out of the package.
 */
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
