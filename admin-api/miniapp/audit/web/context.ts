/**
 * What the audits of markup, scripts and style sheets share: pieces of code that wait for their
 * turn, and what loads what.
 */

import type { AuditContext } from '../context.ts';
import type { Place } from '../finding.ts';
import type { Value } from '../script/values.ts';
import type { SourceText } from '../source-text.ts';
import type { ScriptKind } from './kind.ts';
import type { AuditedScript, CoveredFinding, Named, Parameters, PassedOn, Tagged, Undefined } from './noted.ts';

/**
 * What a file of the package is used as: one file may be several things, and is audited as each.
 */
export type LoadKind = ScriptKind | 'style';

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
  /**
   * Files that were found to be loaded and are not yet looked at, in the order in which they were
   * found.
   */
  readonly waiting: { readonly path: string; readonly kind: LoadKind }[];
  /** Scripts that parse, in the order of their audit. */
  readonly scripts: AuditedScript[];
  /** What the sandbox covers, decided once all scripts were audited. */
  readonly covered: CoveredFinding[];
  /** Classic scripts of pages, those in attributes included, which share their globals. */
  classicScripts: number;
  /** A page has a script element of a type that browsers do not run. */
  hasDataScript: boolean;
  /** Where scripts change the type of what may be one: then it is run. */
  readonly retyped: Place[];
  /** A script has given the document to something that is not followed. */
  isDocumentHandedOn: boolean;
  /** What would be of the document, if it was that: for when it was handed on. */
  readonly suspects: Omit<CoveredFinding, 'code' | 'fix'>[];
  /**
   * Names under which scripts have functions, and texts that may be code: of members and globals.
   */
  readonly functions: Set<string>;
  readonly texts: Set<string>;
  /** Names under which modules hand on what other modules give them by another: by that one. */
  readonly renamed: Map<string, Set<string>>;
  /** What timers take by a name, for when all functions are known. */
  readonly timers: (Named & Omit<CoveredFinding, 'code' | 'fix'>)[];
  /** Names under which calls give functions texts that may be code: by which arguments. */
  readonly given: Parameters;
  /** Names of functions that make an element of an argument, and of which ones. */
  readonly makers: Parameters;
  /** Parameters that functions hand on to others by their names. */
  readonly passedOn: PassedOn[];
  /** Calls that give a function the name of an element that holds code. */
  readonly tagged: Tagged[];
  /**
   * Globals that are used and that browsers do not have, for when it is known which of them the
   * package defines.
   */
  readonly undefined: Undefined[];
  /** Globals that the package defines. */
  readonly defined: Set<string>;
  /** Members that get a getter or a description, by which those of the platform are replaced. */
  readonly redefined: Set<string>;
  /** Members that get values, and names and ids of elements: any may be a global. */
  readonly members: Set<string>;
  /** Characters of scripts whose trees may still be kept, for the call graph. */
  room: number;
  /** Characters of markup in strings that were put among the pieces so far. */
  embedded: number;
  /** Names that classic scripts have bound at their top level, which the scripts after them see. */
  readonly globals: Map<string, readonly Value[]>;
}
