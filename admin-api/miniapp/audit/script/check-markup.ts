/** Checks texts that a script inserts into the page as markup. */
import type { AnyNode } from 'acorn';
import { EmbeddedText } from '../web/embedded-text.ts';
import { placeOf, report, type ScriptView, written } from './script-view.ts';
import { asText } from './values.ts';

/** Maximum characters of markup in strings that are parsed per package. */
const MOST_EMBEDDED = 1 << 21;

/**
 * Methods whose script elements can run. Scripts of innerHTML and DOMParser never run (HTML,
 * 4.12.1.1 and 13.2.6.4.4).
 */
const STARTING = new Set(['createContextualFragment', 'document.write', 'document.writeln']);

/** `how`: the name of the property or method that takes the text. */
export function checkMarkup(view: ScriptView, value: AnyNode, how: string): void {
  const values = view.evaluator.valuesOf(value);
  let isKnown = true;
  for (const candidate of values) {
    if (candidate.kind === 'fetched') {
      report(view, 'fetched_code', value, `Data of Host.network.fetch is used in ${how}.`);
      continue;
    }
    const start = candidate.kind === 'text' ? candidate.start : asText(candidate);
    if (candidate.kind === 'text' || start === undefined) isKnown = false;
    if (start !== undefined && STARTING.has(how) && /<(?:\w+:)?script[\s/>]/i.test(start))
      report(view, 'script_unstarted', value, `${how} makes a script element that can get code later.`);
    if (start?.includes('<') && spend(view, value, start)) {
      const at = { ...placeOf(view, value), file: view.source.file };
      const source = new EmbeddedText(at, start, candidate.kind === 'text');
      view.context.pieces.push({ type: 'markup', source, origin: 'string' });
    }
  }
  if (!isKnown)
    report(view, 'markup_undeterminable', value, `${written(view, value)} is used in ${how}, and is unknown.`);
}

/** Bounds the parsed characters: a script may insert the same text in many places. */
function spend(view: ScriptView, value: AnyNode, text: string): boolean {
  const { context } = view;
  if (context.embedded > MOST_EMBEDDED) return false;
  context.embedded += text.length;
  if (context.embedded > MOST_EMBEDDED)
    report(
      view,
      'script_too_intricate',
      value,
      'The scripts of the package put more markup together than the audit follows.',
    );
  return true;
}
