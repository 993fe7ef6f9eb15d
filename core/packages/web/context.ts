/** What the audits of markup, scripts and style sheets share: pieces of code that wait for their turn, and what loads what. */

import type { AuditContext } from '../context.ts';
import type { Value } from '../script/values.ts';
import type { SourceText } from '../source-text.ts';

/** How a script is parsed. `background`: a script of the headless engine, where `Host` is another one; `unknown`: nobody loads it, so what it is shows when it is parsed; `data`: of a type that no browser runs, and maybe no script at all. */
export type ScriptKind = 'script' | 'module' | 'handler' | 'background' | 'unknown' | 'data';

/** A part of a file, or code that stands in a string of it. */
export type Piece =
  | {
      readonly type: 'script';
      readonly source: SourceText;
      readonly start: number;
      readonly end: number;
      readonly kind: ScriptKind;
    }
  | {
      readonly type: 'style';
      readonly source: SourceText;
      readonly start: number;
      readonly end: number;
      readonly inline: boolean;
    }
  | { readonly type: 'markup'; readonly source: SourceText; readonly origin: MarkupOrigin };

/** `string`: markup that a script puts into the page, `srcdoc`: a document in an attribute. */
export type MarkupOrigin = 'file' | 'string' | 'srcdoc';

export interface WebContext extends AuditContext {
  /** Pieces found in others, not yet looked at. */
  readonly pieces: Piece[];
  /** Scripts of the package that were found to be loaded, and how. */
  readonly loads: Map<string, ScriptKind>;
  /** Of these, the ones not yet looked at, in the order in which they were found. */
  readonly waiting: string[];
  /** Characters of markup in strings that were put among the pieces so far. */
  embedded: number;
  /** Names that classic scripts have bound at their top level, which the scripts after them see. */
  readonly globals: Map<string, readonly Value[]>;
}
