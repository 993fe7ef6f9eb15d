/** Markup as the checks see it. */
import type { Place } from '../finding.ts';
import type { RuleCode } from '../rules.ts';
import type { SourceText } from '../source-text.ts';
import type { MarkupOrigin, WebContext } from '../web/context.ts';
import type { Element } from './tree.ts';

export interface MarkupView {
  readonly source: SourceText;
  readonly origin: MarkupOrigin;
  readonly isXml: boolean;
  /** The tree is that of a parser of XML. */
  isReadAsXml: boolean;
  readonly context: WebContext;
  /** host-sdk.js has been loaded so far. */
  hasSdk: boolean;
  /** A script that came before it. */
  before: Place | undefined;
}

/** Of an element, or of one of its attributes. */
export function placeOf(view: MarkupView, element: Element, attribute?: string): Place {
  const location = element.sourceCodeLocation;
  const at = attribute === undefined ? undefined : location?.attrs?.[attribute];
  return view.source.at((at ?? location)?.startOffset ?? 0);
}

/** Rules of which code in a string of markup makes one. */
const CODE: ReadonlySet<RuleCode> = new Set([
  'remote_script',
  'inline_handler',
  'javascript_url',
  'frame_element',
  'animated_url',
  'import_map',
  'base_element',
]);

export function report(view: MarkupView, code: RuleCode, at: Place, message: string): void {
  if (view.origin === 'string' && CODE.has(code))
    view.context.findings.add('markup_with_code', at, `The markup has this in it: ${message}`);
  else view.context.findings.add(code, at, message);
}
