/** Compiles a RuleMatch to conditions. */
import { contains, type Prefix, parseAddress, parsePrefix, unmapped } from '../../net/address/index.ts';
import type { NamedMatch, RuleMatch, TextMatch } from './document.ts';
import type { RequestFacts } from './facts.ts';
import { NamePattern, testCookies, testHeaders, testQuery, type ValueTest } from './fields.ts';
import type { BuildBudget } from './pattern/automaton.ts';
import { compileText, type TextTest } from './text-condition.ts';

/** A set of networks to match client addresses with. */
class Networks {
  readonly #prefixes: readonly Pick<Prefix, 'bytes' | 'bits'>[];

  /**
   * `onNetwork`: called with the index of each network before it is parsed. Throws InvalidError.
   */
  constructor(networks: readonly string[], onNetwork: (i: number) => void = () => {}) {
    this.#prefixes = networks.map((text, i) => {
      onNetwork(i);
      return unmapped(parsePrefix(text));
    });
  }

  has(address: string): boolean {
    const bytes = parseAddress(address);
    return bytes !== undefined && this.#prefixes.some((prefix) => contains(prefix, bytes));
  }
}

/**
 * The part of a request that a condition reads. A condition must read no other part: the rule index
 * (rule-index.ts) relies on it.
 */
export type RequestPart = 'method' | 'host' | 'country' | 'client' | 'path' | 'query' | 'header';

export interface Condition {
  readonly part: RequestPart;
  /** The name of the header, in lower case; empty if `part` is not `header`. */
  readonly header: string;
  holds(facts: RequestFacts): boolean;
}

/**
 * `onField`: called with the pointer of each member or entry before it is compiled. Throws
 * PatternError, InvalidError.
 */
export function compileMatch(
  match: RuleMatch | undefined,
  budget: BuildBudget,
  onField: (field: string) => void = () => {},
): readonly Condition[] {
  const conditions: Condition[] = [];
  if (match === undefined) return conditions;
  const compile = (text: TextMatch, field: string): TextTest | null =>
    compileText(text, budget, (entry) => onField(`${field}${entry}`));
  const compileNamed = (named: NamedMatch, field: string, conditionOf: (test: TextTest | null) => Condition): void => {
    const condition = conditionOf(compile(named, field));
    conditions.push(named.absent === true ? new NegatedCondition(condition) : condition);
  };
  const { host, path, method, client, country, header, cookie, query } = match;
  if (method !== undefined) conditions.push(new MethodCondition(method));
  if (host !== undefined) conditions.push(new HostCondition(host));
  if (path !== undefined) {
    const text = compile(path, '/path');
    if (text !== null) conditions.push(new PathCondition(text));
  }
  if (client !== undefined) {
    conditions.push(new NetworkCondition(new Networks(client, (i) => onField(`/client/${i}`))));
  }
  header?.forEach((named, i) => {
    compileNamed(named, `/header/${i}`, (test) => new HeaderCondition(named.name.toLowerCase(), test));
  });
  cookie?.forEach((named, i) => {
    compileNamed(named, `/cookie/${i}`, (test) => new CookieCondition(new NamePattern(named.name), test));
  });
  query?.forEach((named, i) => {
    compileNamed(named, `/query/${i}`, (test) => new QueryCondition(new NamePattern(named.name), test));
  });
  if (country !== undefined) conditions.push(new CountryCondition(country));
  return conditions;
}

class NegatedCondition implements Condition {
  readonly part: RequestPart;
  readonly header: string;
  constructor(private readonly condition: Condition) {
    this.part = condition.part;
    this.header = condition.header;
  }
  holds(facts: RequestFacts): boolean {
    return !this.condition.holds(facts);
  }
}

class MethodCondition implements Condition {
  readonly part = 'method';
  readonly header = '';
  constructor(private readonly methods: readonly string[]) {}
  holds(facts: RequestFacts): boolean {
    return this.methods.includes(facts.method);
  }
}

class HostCondition implements Condition {
  readonly part = 'host';
  readonly header = '';
  readonly #names: ReadonlySet<string>;
  /** Each starts with a dot. */
  readonly #suffixes: readonly string[];
  constructor(hosts: readonly string[]) {
    const lower = hosts.map((host) => host.toLowerCase());
    this.#names = new Set(lower.filter((host) => !host.startsWith('*.')));
    this.#suffixes = lower.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  }
  holds({ host }: RequestFacts): boolean {
    if (this.#names.has(host)) return true;
    for (let i = 0; i < this.#suffixes.length; i++) if (host.endsWith(this.#suffixes[i])) return true;
    return false;
  }
}

class PathCondition implements Condition {
  readonly part = 'path';
  readonly header = '';
  constructor(private readonly text: TextTest) {}
  holds(facts: RequestFacts): boolean {
    return this.text.test(facts.path);
  }
}

class NetworkCondition implements Condition {
  readonly part = 'client';
  readonly header = '';
  constructor(private readonly networks: Networks) {}
  holds(facts: RequestFacts): boolean {
    return this.networks.has(facts.address);
  }
}

class CountryCondition implements Condition {
  readonly part = 'country';
  readonly header = '';
  constructor(private readonly countries: readonly string[]) {}
  holds(facts: RequestFacts): boolean {
    return this.countries.includes(facts.country);
  }
}

class HeaderCondition implements Condition {
  readonly part = 'header';
  readonly header: string;
  constructor(
    name: string,
    private readonly test: ValueTest | null,
  ) {
    this.header = name;
  }
  holds(facts: RequestFacts): boolean {
    return testHeaders(facts.headers, this.header, this.test);
  }
}

class CookieCondition implements Condition {
  readonly part = 'header';
  readonly header = 'cookie';
  constructor(
    private readonly name: NamePattern,
    private readonly test: ValueTest | null,
  ) {}
  holds(facts: RequestFacts): boolean {
    return testCookies(facts.headers, this.name, this.test);
  }
}

class QueryCondition implements Condition {
  readonly part = 'query';
  readonly header = '';
  constructor(
    private readonly name: NamePattern,
    private readonly test: ValueTest | null,
  ) {}
  holds(facts: RequestFacts): boolean {
    return testQuery(facts.target, this.name, this.test);
  }
}
