/**
 * State that the audits of markup, scripts and style sheets share: queued pieces of code, queued
 * files, and notes for the end of the audit.
 */

import type { AuditContext } from '../context.ts';
import type { Place } from '../finding.ts';
import type { Value } from '../script/values.ts';
import type { SourceText } from '../source-text.ts';
import type { ScriptKind } from './kind.ts';
import type { AuditedScript, CoveredFinding, Named, Parameters, PassedOn, Tagged, Undefined } from './noted.ts';

/**
 * How the package uses a file. A file with several uses is audited once for each.
 */
export type LoadKind = ScriptKind | 'style';

/** A part of a file, or code in one of its strings. */
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

/** `string`: markup that a script inserts into the page. `srcdoc`: a document in an attribute. */
export type MarkupOrigin = 'file' | 'string' | 'srcdoc';

export interface WebContext extends AuditContext {
  /** Queue of embedded pieces that are not yet audited. */
  readonly pieces: Piece[];
  /**
   * Queue of loaded files that are not yet audited, in the order of discovery.
   */
  readonly waiting: { readonly path: string; readonly kind: LoadKind }[];
  /** Scripts that parse, in the order of their audit. */
  readonly scripts: AuditedScript[];
  /** Findings that the sandbox covers. Their level is decided after all scripts are audited. */
  readonly covered: CoveredFinding[];
  /** Number of classic scripts of pages, including handlers. They share their globals. */
  classicScripts: number;
  /** A page has a script element of a type that browsers do not run. */
  hasDataScript: boolean;
  /** Where scripts set the type of an element that may be a script, which makes it run. */
  readonly retyped: Place[];
  /** A script passes the document to code that the audit does not track. */
  isDocumentHandedOn: boolean;
  /** Findings that apply only if an unknown object is the document: see `isDocumentHandedOn`. */
  readonly suspects: Omit<CoveredFinding, 'code' | 'fix'>[];
  /**
   * Names of members and globals that hold functions, and of those that hold possible code.
   */
  readonly functions: Set<string>;
  readonly texts: Set<string>;
  /** Re-exports of modules: the original name, and the names it is exported under. */
  readonly renamed: Map<string, Set<string>>;
  /** Named arguments of timers, checked after all functions are known. */
  readonly timers: (Named & Omit<CoveredFinding, 'code' | 'fix'>)[];
  /** Functions that are called with possible code: by name, the indexes of those arguments. */
  readonly given: Parameters;
  /** Functions that create an element from an argument: by name, the indexes of the arguments. */
  readonly makers: Parameters;
  /** Parameters that functions pass on to other named functions. */
  readonly passedOn: PassedOn[];
  /** Calls with the tag name of an element that can run code. */
  readonly tagged: Tagged[];
  /**
   * Used globals that browsers do not define. Reported at the end unless the package defines them.
   */
  readonly undefined: Undefined[];
  /** Globals that the package defines. */
  readonly defined: Set<string>;
  /** Members defined by getters or property descriptors, which can replace platform members. */
  readonly redefined: Set<string>;
  /** Assigned members, and names and ids of elements. Each may define a global. */
  readonly members: Set<string>;
  /** Remaining characters of scripts whose trees may be kept for the call graph. */
  room: number;
  /** Characters of markup in strings that were queued so far. */
  embedded: number;
  /** Top-level bindings of classic scripts, visible to later scripts. */
  readonly globals: Map<string, readonly Value[]>;
}
