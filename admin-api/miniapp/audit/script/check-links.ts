/**
 * Checks the targets of links and forms. A script that clicks a link navigates; when a user clicks
 * it, the system asks for confirmation.
 */
import type { AnyNode } from 'acorn';
import { checkUrl } from './check-url.ts';
import type { ScriptView } from './script-view.ts';

/** Methods that follow a link or submit a form. */
export const FOLLOWING: ReadonlySet<string> = new Set(['click', 'submit', 'requestSubmit', 'dispatchEvent']);
/** Maximum characters of an expression that is identified by its source text. */
const MAX_IDENTITY_LENGTH = 200;

/** Notes a URL that is set on a link or form. `target`: the link; undefined: unknown. */
export function noteLink(view: ScriptView, target: AnyNode | undefined, url: AnyNode): void {
  view.links.push({ target: target && sameAs(view, target), url });
}

export function noteFollowed(view: ScriptView, target: AnyNode): void {
  view.followed.add(sameAs(view, target));
}

/** Runs at the end: the source may click a link before the place that sets its URL. */
export function checkLinks(view: ScriptView): void {
  for (const { target, url } of view.links) {
    const isFollowed = target !== undefined && view.followed.has(target);
    checkUrl(view, url, view.evaluator.valuesOf(url), isFollowed ? 'navigation' : 'link');
  }
}

/** The identity of a link: its variable, or the source text of the expression. */
function sameAs(view: ScriptView, node: AnyNode): unknown {
  const variable = node.type === 'Identifier' ? view.evaluator.variableOf(node) : undefined;
  if (variable !== undefined) return variable;
  if (node.end - node.start > MAX_IDENTITY_LENGTH) return node;
  return view.source.text.slice(view.base + node.start, view.base + node.end).replace(/\s+/g, '');
}
