/** Checks one rule. */
import { InvalidError } from '../../base/errors.ts';
import { checkAction } from './check-action.ts';
import { compileMatch } from './conditions.ts';
import { type NamedMatch, type Rule, type RuleMatch, TEXT_LISTS, type TextMatch } from './document.ts';
import { FIELD_NAME } from './forbidden-headers.ts';
import { MAX_NETWORKS, MAX_TEXT } from './limits.ts';
import type { BuildBudget } from './pattern/automaton.ts';
import { PatternError } from './pattern/pattern-error.ts';

export interface RuleFault {
  /** JSON pointer in the document. */
  readonly pointer: string;
  readonly message: string;
}

const HOST = /^(?:\*\.)?(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/i;
const METHOD = /^[A-Z]{1,20}$/;
const COUNTRY = /^[A-Z]{2}$/;
/** A name of a cookie or a query parameter. */
const VALUE_NAME = /^[^\s;,=&?#]{1,200}$/;

export class RuleChecker {
  readonly #faults: RuleFault[] = [];

  constructor(
    private readonly rule: Rule,
    private readonly number: number,
    private readonly budget: BuildBudget,
  ) {}

  check(): readonly RuleFault[] {
    const { match, except } = this.rule;
    if (match !== undefined) this.#checkMatch(match, 'match');
    if (except !== undefined) {
      if (Object.keys(except).length === 0)
        this.#report('/except', 'is empty, so that the rule would never apply; remove it, or add a condition');
      this.#checkMatch(except, 'except');
    }
    checkAction(this.rule, (field, problem) => this.#report(`/action${field}`, problem));
    return this.#faults;
  }

  /** `field`: a pointer in the rule. `problem`: the rest of a sentence about the field. */
  #report(field: string, problem: string): void {
    const name = this.rule.name === undefined ? '' : ` (${this.rule.name})`;
    const path = field.slice(1).replaceAll('/', '.');
    this.#faults.push({
      pointer: `/rules/${this.number}${field}`,
      message: `Rule ${this.number + 1}${name}: ${path} ${problem}.`,
    });
  }

  #checkMatch(match: RuleMatch, side: 'match' | 'except'): void {
    const before = this.#faults.length;
    const report = (path: string, problem: string): void => this.#report(`/${side}${path}`, problem);
    this.#checkList(match.host, `/${side}/host`, HOST, 'is not a host name; write www.example.com or *.example.com');
    this.#checkList(match.method, `/${side}/method`, METHOD, 'is not a method; write it in capitals, such as POST');
    this.#checkList(
      match.country,
      `/${side}/country`,
      COUNTRY,
      'is not a country code; write two capitals, such as DE',
    );
    if (match.client !== undefined) {
      if (match.client.length === 0) report('/client', 'is empty; add an address or a network, or remove it');
      if (match.client.length > MAX_NETWORKS) report('/client', `has more than ${MAX_NETWORKS} networks`);
    }
    if (match.path !== undefined) this.#checkText(match.path, `/${side}/path`, true);
    this.#checkNamed(match.header, `/${side}/header`, FIELD_NAME, 'is not a header name');
    this.#checkNamed(match.cookie, `/${side}/cookie`, VALUE_NAME, 'is not a name of a cookie');
    this.#checkNamed(match.query, `/${side}/query`, VALUE_NAME, 'is not a name of a query parameter');
    if (this.#faults.length > before) return;
    let field = '';
    try {
      compileMatch(match, this.budget, (next) => {
        field = next;
      });
    } catch (error) {
      if (!(error instanceof PatternError || error instanceof InvalidError)) throw error;
      report(field, error.message.replace(/\.$/, ''));
    }
  }

  #checkList(list: readonly string[] | undefined, field: string, form: RegExp, problem: string): void {
    if (list === undefined) return;
    if (list.length === 0) this.#report(field, 'is empty, so that it would never hold; add an entry, or remove it');
    list.forEach((text, i) => {
      if (!form.test(text)) this.#report(`${field}/${i}`, `${JSON.stringify(text.slice(0, 80))} ${problem}`);
    });
  }

  #checkText(text: TextMatch, field: string, isPath: boolean): void {
    const lists = TEXT_LISTS.filter((list) => text[list] !== undefined);
    if (isPath && lists.length === 0) this.#report(field, `has no list; add ${TEXT_LISTS.join(', ')}`);
    for (const list of lists) {
      const texts = text[list]!;
      if (texts.length === 0) this.#report(`${field}/${list}`, 'is empty; add an entry, or remove it');
      texts.forEach((entry, i) => {
        const problem = textProblem(entry, isPath && (list === 'exact' || list === 'prefix'), list === 'exact');
        if (problem !== undefined) this.#report(`${field}/${list}/${i}`, problem);
      });
    }
  }

  #checkNamed(list: readonly NamedMatch[] | undefined, field: string, form: RegExp, problem: string): void {
    if (list === undefined) return;
    if (list.length === 0) this.#report(field, 'is empty; add an entry, or remove it');
    list.forEach((named, i) => {
      if (!form.test(named.name))
        this.#report(`${field}/${i}/name`, `${JSON.stringify(named.name.slice(0, 80))} ${problem}`);
      if (named.name.slice(0, -1).includes('*')) this.#report(`${field}/${i}/name`, 'may have "*" only at its end');
      this.#checkText(named, `${field}/${i}`, false);
    });
  }
}

function textProblem(text: string, startsWithSlash: boolean, mayBeEmpty: boolean): string | undefined {
  if (text === '') return mayBeEmpty && !startsWithSlash ? undefined : 'is empty, so that it would always hold';
  if (text.length > MAX_TEXT) return `is longer than ${MAX_TEXT} characters`;
  if (startsWithSlash && !text.startsWith('/')) return `${JSON.stringify(text.slice(0, 80))} must start with "/"`;
  if (startsWithSlash && text.includes('?')) return 'has a "?", but paths are matched without the query; use query';
  return undefined;
}
