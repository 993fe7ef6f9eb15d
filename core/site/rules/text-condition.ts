/** Compiles a TextMatch to a test of one text. */
import { RecentMap } from '../../base/recent-map.ts';
import type { TextMatch } from './document.ts';
import { type Automaton, type BuildBudget, buildAutomaton } from './pattern/automaton.ts';
import { choice, END, type Expression, literal, START, sequence } from './pattern/expression.ts';
import { parseGlob } from './pattern/glob.ts';
import { parseRegex } from './pattern/regex.ts';

export interface TextTest {
  test(text: string): boolean;
}

/**
 * Longest list that is compared entry by entry. A longer list becomes an automaton, which reads the
 * text once.
 */
const MAX_COMPARED = 4;

/** Compiled tests of this thread, since many domains use the same templates. */
const compiled = new RecentMap<TextTest | null>(1000);
/** Maximum length of a key of `compiled`. */
const MAX_KEY = 2000;

/**
 * Null: there is no list, so any text matches. `onEntry`: called with the pointer of each pattern
 * before it is compiled, and with an empty pointer before all are compiled together. Throws
 * PatternError.
 */
export function compileText(
  match: TextMatch,
  budget: BuildBudget,
  onEntry: (pointer: string) => void = () => {},
): TextTest | null {
  const { exact, prefix, suffix, contains, glob, regex, ignore_case } = match;
  const key = JSON.stringify([exact, prefix, suffix, contains, glob, regex, ignore_case]);
  const found = budget.shares === true ? compiled.get(key) : undefined;
  if (found !== undefined) return found;
  const test = buildTest(match, budget, onEntry);
  if (budget.shares !== true || key.length > MAX_KEY) return test;
  compiled.set(key, test);
  return test;
}

function buildTest(match: TextMatch, budget: BuildBudget, onEntry: (pointer: string) => void): TextTest | null {
  const ignoreCase = match.ignore_case === true;
  const tests: TextTest[] = [];
  const expressions: Expression[] = [];
  const addLiterals = (
    list: readonly string[] | undefined,
    compare: (list: readonly string[]) => TextTest,
    express: (text: Expression) => Expression,
  ): void => {
    if (list === undefined || list.length === 0) return;
    if (!ignoreCase && list.length <= MAX_COMPARED) tests.push(compare(list));
    else expressions.push(...list.map((text) => express(literal(text, ignoreCase))));
  };
  if (match.exact !== undefined && match.exact.length > 0) {
    if (!ignoreCase) tests.push(match.exact.length === 1 ? new Equals(match.exact[0]) : new AmongTexts(match.exact));
    else expressions.push(...match.exact.map((text) => sequence(START, literal(text, true), END)));
  }
  addLiterals(
    match.prefix,
    (list) => new StartsWith(list),
    (text) => sequence(START, text),
  );
  addLiterals(
    match.suffix,
    (list) => new EndsWith(list),
    (text) => sequence(text, END),
  );
  addLiterals(
    match.contains,
    (list) => new Contains(list),
    (text) => text,
  );
  match.glob?.forEach((glob, i) => {
    onEntry(`/glob/${i}`);
    expressions.push(parseGlob(glob, ignoreCase));
  });
  match.regex?.forEach((regex, i) => {
    onEntry(`/regex/${i}`);
    expressions.push(parseRegex(regex, ignoreCase));
  });
  onEntry('');
  if (expressions.length > 0) tests.push(new AutomatonTest(buildAutomaton(choice(...expressions), budget)));
  if (tests.length === 0) return null;
  return tests.length === 1 ? tests[0] : new AnyTest(tests);
}

class Equals implements TextTest {
  constructor(private readonly text: string) {}
  test(text: string): boolean {
    return text === this.text;
  }
}

class AmongTexts implements TextTest {
  readonly #texts: ReadonlySet<string>;
  constructor(texts: readonly string[]) {
    this.#texts = new Set(texts);
  }
  test(text: string): boolean {
    return this.#texts.has(text);
  }
}

class StartsWith implements TextTest {
  constructor(private readonly texts: readonly string[]) {}
  test(text: string): boolean {
    for (let i = 0; i < this.texts.length; i++) if (text.startsWith(this.texts[i])) return true;
    return false;
  }
}

class EndsWith implements TextTest {
  constructor(private readonly texts: readonly string[]) {}
  test(text: string): boolean {
    for (let i = 0; i < this.texts.length; i++) if (text.endsWith(this.texts[i])) return true;
    return false;
  }
}

class Contains implements TextTest {
  constructor(private readonly texts: readonly string[]) {}
  test(text: string): boolean {
    for (let i = 0; i < this.texts.length; i++) if (text.includes(this.texts[i])) return true;
    return false;
  }
}

/** Caches the result for the last text: requests of a visitor repeat their fields. */
class AutomatonTest implements TextTest {
  #last = '';
  #result: boolean;
  constructor(private readonly automaton: Automaton) {
    this.#result = automaton.test('');
  }
  test(text: string): boolean {
    if (text !== this.#last) {
      this.#result = this.automaton.test(text);
      this.#last = text;
    }
    return this.#result;
  }
}

class AnyTest implements TextTest {
  constructor(private readonly tests: readonly TextTest[]) {}
  test(text: string): boolean {
    for (let i = 0; i < this.tests.length; i++) if (this.tests[i].test(text)) return true;
    return false;
  }
}
