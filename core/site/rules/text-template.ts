/** Templates with placeholders, for locations of redirects and rewritten paths. */
import { RE2JS } from 're2js';
import type { TextMatch } from './document.ts';
import { MAX_CAPTURED } from './limits.ts';
import { rawPath, SpelledPath } from './path.ts';

const PLACEHOLDERS = ['scheme', 'host', 'path', 'query', 'uri', 'rest', ...'123456789'] as const;
const NAMES: ReadonlySet<string> = new Set(PLACEHOLDERS);

/** Literal texts at even indices, placeholders at odd indices. */
type TemplateParts = readonly string[];

/** Returns the parts, or a description of the fault as a string. */
export function parseTemplate(text: string): TemplateParts | string {
  const parts = text.split(/\{([^{}]*)\}/);
  for (let i = 0; i < parts.length; i++) {
    if (i % 2 === 1 && !NAMES.has(parts[i]))
      return `has an unknown placeholder {${parts[i]}}; known are ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`;
    if (i % 2 === 0 && /[{}]/.test(parts[i])) return 'has a brace that belongs to no placeholder; write %7B and %7D';
  }
  return parts;
}

/** The values of placeholders. */
interface TemplateRequest {
  readonly scheme: string;
  readonly host: string;
  /** Path with the query, as received. */
  readonly target: string;
}

export class TextTemplate {
  readonly #parts: TemplateParts;
  readonly #captures: PathCaptures;
  readonly hasQuery: boolean;

  /** `path`: the path condition of the rule, for {rest} and {1}. */
  constructor(text: string, path: TextMatch | undefined) {
    const parts = parseTemplate(text);
    if (typeof parts === 'string') throw new TypeError(`The template ${parts}.`);
    this.#parts = parts;
    this.#captures = new PathCaptures(path);
    this.hasQuery = text.includes('?') || text.includes('{query}') || text.includes('{uri}');
  }

  expand(request: TemplateRequest): string {
    let text = '';
    for (let i = 0; i < this.#parts.length; i++)
      text += i % 2 === 0 ? this.#parts[i] : this.#valueOf(this.#parts[i], request);
    return text;
  }

  #valueOf(name: string, { scheme, host, target }: TemplateRequest): string {
    switch (name) {
      case 'scheme':
        return scheme;
      case 'host':
        return host;
      case 'path':
        return rawPath(target);
      case 'query':
        return target.slice(rawPath(target).length);
      case 'uri':
        return target;
      case 'rest':
        return this.#captures.rest(target);
      default:
        return this.#captures.group(target, Number(name));
    }
  }
}

/** Captures the parts of a path that a rule matched, as the visitor spelled them. */
class PathCaptures {
  /** In descending order of length. */
  readonly #prefixes: readonly string[];
  readonly #sources: readonly string[];
  readonly #flags: number;
  #patterns: readonly RE2JS[] | undefined;

  constructor(path: TextMatch | undefined) {
    this.#prefixes = [...(path?.prefix ?? [])].sort((a, b) => b.length - a.length);
    this.#sources = path?.regex ?? [];
    this.#flags = path?.ignore_case === true ? RE2JS.CASE_INSENSITIVE : 0;
    this.#ignoreCase = path?.ignore_case === true;
  }

  readonly #ignoreCase: boolean;

  /**
   * The rest of the path after the longest matching prefix; if none matches, after the first slash.
   */
  rest(target: string): string {
    const path = new SpelledPath(target);
    const compared = this.#ignoreCase ? path.normal.toLowerCase() : path.normal;
    const prefix =
      this.#prefixes.find((text) => compared.startsWith(this.#ignoreCase ? text.toLowerCase() : text)) ?? '/';
    return path.after(prefix);
  }

  /** A group of the first regular expression that matches; empty: none matches. */
  group(target: string, number: number): string {
    const path = new SpelledPath(target);
    if (path.normal.length > MAX_CAPTURED) return '';
    this.#patterns ??= this.#sources.map((source) => RE2JS.compile(source, this.#flags));
    for (const pattern of this.#patterns) {
      const matcher = pattern.matcher(path.normal);
      if (!matcher.find()) continue;
      // A group that took no part in the match starts at -1.
      const start = number <= matcher.groupCount() ? matcher.start(number) : -1;
      return start < 0 ? '' : path.slice(start, matcher.end(number));
    }
    return '';
  }
}

/** Keeps a redirect to a path on the same host: a leading "//" or "/\" would name another host. */
export const safeLocation = (location: string): string => location.replace(/^[/\\]{2,}/, '/');
