/** Checks the files that markup and style sheets refer to. */
import type { Place } from '../finding.ts';
import type { RuleCode } from '../rules.ts';
import type { WebContext } from './context.ts';
import { EmbeddedText } from './embedded-text.ts';
import { missing } from './loads.ts';
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
