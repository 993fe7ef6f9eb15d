/**
 * Where links and forms lead, by whom they are followed: a script that clicks a link itself goes
 * there, a person who does is asked by the system.
 */
import type { AnyNode } from 'acorn';
import { checkUrl } from './check-url.ts';
import type { ScriptView } from './script-view.ts';

/** Methods of links and forms that follow them. */
export const FOLLOWING: ReadonlySet<string> = new Set(['click', 'submit', 'requestSubmit', 'dispatchEvent']);
/** Characters of an expression that is distinguished from others by how it is written. */
const MOST = 200;

/** A link or form gets a URL. `target`: the link; undefined: who knows which. */
export function noteLink(view: ScriptView, target: AnyNode | undefined, url: AnyNode): void {
  view.links.push({ target: target && sameAs(view, target), url });
}

export function noteFollowed(view: ScriptView, target: AnyNode): void {
  view.followed.add(sameAs(view, target));
}

/** Once all is noted: a link may be followed before it gets its URL, as the source goes. */
export function checkLinks(view: ScriptView): void {
  for (const { target, url } of view.links) {
    const isFollowed = target !== undefined && view.followed.has(target);
    checkUrl(view, url, view.evaluator.valuesOf(url), isFollowed ? 'navigation' : 'link');
  }
}

/** The variable, or the expression as it is written. */
function sameAs(view: ScriptView, node: AnyNode): unknown {
  const variable = node.type === 'Identifier' ? view.evaluator.variableOf(node) : undefined;
  if (variable !== undefined) return variable;
  if (node.end - node.start > MOST) return node;
  return view.source.text.slice(view.base + node.start, view.base + node.end).replace(/\s+/g, '');
}
