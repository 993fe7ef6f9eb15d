/**
 * Decides the level of findings that the sandbox covers, after all scripts are audited. Reachable
 * code is an error; other code is a warning or a notice. Findings that are no error are grouped by
 * rule and file.
 */
import type { Level } from '../findings.ts';
import { libraryOf } from '../libraries/libraries.ts';
import { COVERED } from '../policy/covered.ts';
import type { RuleCode } from '../rules.ts';
import { parseScript } from '../script/parser.ts';
import { listsBy } from '../script/passed-on.ts';
import { type Walked, walk } from '../script/walk.ts';
import type { WebContext } from '../web/context.ts';
import type { AuditedScript, CoveredFinding } from '../web/noted.ts';
import { Graph } from './graph.ts';
import { Parts } from './handed-on.ts';
import { reachedUnits } from './reached.ts';
import type { Unit } from './units.ts';

/** `namesUncovered`: an unknown name may be one that the policy does not cover. */
export function concludeCovered(web: WebContext, namesUncovered: boolean): void {
  const { covered, findings } = web;
  if (covered.length === 0) return;
  const levels = new Levels(web, namesUncovered);
  const groups = new Map<string, Group>();
  for (const finding of covered) {
    const { level, why } = levels.of(finding);
    if (level === 'error') {
      findings.add(finding.code, finding.position, finding.message, finding.fix, level);
      continue;
    }
    const key = `${finding.code} ${level} ${finding.position.file}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { finding, level, why, count: 1 });
    else group.count++;
  }
  for (const ofFile of listsBy([...groups.values()], ({ finding }) => finding.position.file ?? '').values()) {
    const isMany = ofFile.length > MAX_SEPARATE_RULES;
    const sorted = ofFile.toSorted((a, b) => LEVEL_ORDER.indexOf(a.level) - LEVEL_ORDER.indexOf(b.level));
    const single = isMany ? sorted.slice(0, SEPARATE_RULES_BEYOND) : sorted;
    for (const { finding, level, why, count } of single) {
      const more = count === 1 ? '' : ` There are ${count} such places in this file.`;
      findings.add(
        finding.code,
        finding.position,
        [finding.message, why].filter(Boolean).join(' ') + more,
        finding.fix,
        level,
      );
    }
    const rest = sorted.slice(single.length);
    summarize(
      web,
      rest.filter(({ level }) => level === 'review'),
      'sandbox_undecided',
    );
    summarize(
      web,
      rest.filter(({ level }) => level !== 'review'),
      'sandbox_covered',
    );
  }
}

/** Maximum rules that a file reports separately, and how many it reports beyond that maximum. */
const MAX_SEPARATE_RULES = 4;
const SEPARATE_RULES_BEYOND = 2;
const LEVEL_ORDER: readonly Level[] = ['review', 'warning', 'notice'];

function summarize(
  { findings }: WebContext,
  groups: readonly Group[],
  code: 'sandbox_undecided' | 'sandbox_covered',
): void {
  if (groups.length === 0) return;
  const parts = groups.map(
    ({ finding, count }) =>
      `${finding.code} (${count}, the first at ${finding.position.line}:${finding.position.column})`,
  );
  findings.add(code, groups[0].finding.position, `Also in this file: ${parts.join(', ')}.`);
}

interface Group {
  readonly finding: CoveredFinding;
  readonly level: Level;
  readonly why: string;
  count: number;
}

interface Decision {
  readonly level: Level;
  /** A sentence. */
  readonly why: string;
}

class Levels {
  /** Script index to the library that the script's file is a copy of. */
  readonly #libraries = new Map<number, string | undefined>();
  /** Null: the call graph cannot be built. */
  #reach: Reach | null | undefined;

  constructor(
    private readonly web: WebContext,
    private readonly namesUncovered: boolean,
  ) {}

  of({ code, script, at, level, unless, reached: own }: CoveredFinding): Decision {
    const { reached: usual, by } = COVERED.get(code)!;
    const reached = own ?? usual;
    const stopped = `The sandbox covers it: ${by}.`;
    if (level !== undefined && unless?.some((name) => this.#isReplaced(name)) !== true)
      return { level, why: level === 'review' ? '' : stopped };
    if (this.namesUncovered && NAMING.has(code)) return { level: 'review', why: MAY_BE_UNCOVERED };
    if (reached === 'notice' || reached === 'warning') return { level: reached, why: stopped };
    const library = this.#libraryOf(script);
    const dead: Level = usual === 'error' ? 'warning' : 'notice';
    const reach = this.#reachOf();
    if (reach === undefined) return { level: reached, why: '' };
    const unit = reach.unitAt(script, at);
    if (library !== undefined) {
      if (reach.isReachedByApp(unit)) return { level: reached, why: '' };
      const leadsOut = usual === 'error' || code === 'global_of_unknown';
      // The audit's other open questions do not apply to a known release of a library.
      if (!leadsOut || !reach.mayBeReachedByApp(unit))
        return { level: dead, why: `It is in ${library}, and the app does not reach it. ${stopped}` };
      return { level: 'review', why: `It is in ${library}. Whether the app reaches it cannot be determined.` };
    }
    if (reach.isReached(unit)) return { level: reached, why: '' };
    if (reach.mayBeReached(unit)) return { level: 'review', why: 'Whether the app reaches it cannot be determined.' };
    return { level: dead, why: `Nothing in the package reaches it. ${stopped}` };
  }

  #isReplaced(name: string): boolean {
    const { redefined, members, defined } = this.web;
    return redefined.has(name) || (ASSIGNABLE.has(name) && (members.has(name) || defined.has(name)));
  }

  /** Undefined: a script is nested too deeply to parse again. */
  #reachOf(): Reach | undefined {
    if (this.#reach !== undefined) return this.#reach ?? undefined;
    try {
      this.#reach = reachOf(this.web, (index) => this.#libraryOf(index) !== undefined);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#reach = null;
    }
    return this.#reach ?? undefined;
  }

  #libraryOf(script: number): string | undefined {
    if (!this.#libraries.has(script)) this.#libraries.set(script, recognized(this.web.scripts[script]));
    return this.#libraries.get(script);
  }
}

/** Compares the text, which equals the bytes of a UTF-8 file without a byte order mark. */
function recognized({ source, start, end }: AuditedScript): string | undefined {
  if (start !== 0 || end !== source.text.length) return undefined;
  return libraryOf(source.text);
}

interface Reach {
  unitAt(script: number, offset: number): Unit;
  isReached(unit: Unit): boolean;
  mayBeReached(unit: Unit): boolean;
  isReachedByApp(unit: Unit): boolean;
  mayBeReachedByApp(unit: Unit): boolean;
}

function reachOf({ scripts, covered }: WebContext, isLibrary: (script: number) => boolean): Reach {
  const graph = new Graph();
  const none = new Set<number>();
  const libraries = new Set([...scripts.keys()].filter(isLibrary));
  const parts = new Parts(new Set([...libraries].map((index) => scripts[index].source.file)));
  for (const [index, script] of scripts.entries()) {
    const walked = walkedOf(script);
    graph.add(walked, script.kind === 'module', libraries.size > 0);
    if (libraries.has(index)) parts.addLibrary(walked);
    else if (libraries.size > 0) parts.addApp(walked, script.source.file);
  }
  const certain = lazily(() => reachedUnits(graph, { certainty: 'certain', without: none }));
  const possible = lazily(() => reachedUnits(graph, { certainty: 'possible', without: none }));
  const byApp = lazily(() => reachedUnits(graph, { certainty: 'certain', without: libraries }));
  const apps = [...scripts.keys()].filter((script) => !libraries.has(script));
  const likely = lazily(() => reachedUnits(graph, { certainty: 'likely', without: none, texts: apps }));
  const isOpen = lazily(
    () =>
      parts.isWhole() ||
      graph.units.some(({ script, takesOpen }) => takesOpen && !libraries.has(script)) ||
      covered.some(({ code, script }) => NAMING.has(code) && !libraries.has(script)),
  );
  return {
    unitAt: (script, offset) => graph.unitAt(script, offset),
    isReached: (unit) => certain().has(unit),
    mayBeReached: (unit) => possible().has(unit),
    isReachedByApp: (unit) => byApp().has(unit),
    mayBeReachedByApp: (unit) => isOpen() || likely().has(unit),
  };
}

/** Platform members that a plain assignment can replace: they are not getters. */
const ASSIGNABLE: ReadonlySet<string> = new Set(['querySelectorAll', 'MutationObserver']);

const MAY_BE_UNCOVERED = 'It may be RTCPeerConnection, of which the package has the name or a part of it.';

/** Rules for code that may access any global. */
export const NAMING: ReadonlySet<RuleCode> = new Set(['window_escapes', 'computed_global']);

function walkedOf({ walked, source, start, end, kind }: AuditedScript): Walked {
  if (walked !== undefined) return walked;
  const isModule = kind === 'module';
  const { program } = parseScript(source.text.slice(start, end), {
    ecmaVersion: 'latest',
    sourceType: isModule ? 'module' : 'script',
    allowHashBang: true,
    allowReturnOutsideFunction: kind === 'handler',
  });
  return walk(program, isModule);
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
