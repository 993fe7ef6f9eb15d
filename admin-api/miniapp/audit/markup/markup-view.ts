/** State of the checks for one piece of markup. */
import type { Place } from '../finding.ts';
import type { RuleCode } from '../rules.ts';
import type { SourceText } from '../source-text.ts';
import type { MarkupOrigin, WebContext } from '../web/context.ts';
import type { Element } from './tree.ts';

export interface MarkupView {
  readonly source: SourceText;
  readonly origin: MarkupOrigin;
  readonly isXml: boolean;
  /** The checks run on the XML tree. */
  isReadAsXml: boolean;
  readonly context: WebContext;
  /** host-sdk.js is loaded at the current element. */
  hasSdk: boolean;
  /** First script before host-sdk.js. */
  before: Place | undefined;
}

/** Place of an element or of one of its attributes. */
export function placeOf(view: MarkupView, element: Element, attribute?: string): Place {
  const location = element.sourceCodeLocation;
  const at = attribute === undefined ? undefined : location?.attrs?.[attribute];
  return view.source.at((at ?? location)?.startOffset ?? 0);
}

/** Rules whose violation makes markup in a string count as code. */
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
