/** Templates with placeholders: locations of redirects, rewritten paths, and values of headers. */
import { RE2JS } from 're2js';
import type { TextMatch } from './document.ts';
import { MAX_CAPTURED } from './limits.ts';
import { rawPath, SpelledPath } from './path.ts';

const OF_URL = ['scheme', 'host', 'path', 'query', 'uri', 'rest', ...'123456789'];
/** Differ between the visitors of a URL, and are not in the key of the cache. */
const PERSONAL: ReadonlySet<string> = new Set(['client.ip', 'client.port', 'request.id']);
/**
 * The placeholders of a kind of text. In the values of headers other braces are literal, such as
 * those of JSON.
 */
const KINDS = {
  url: { names: OF_URL, pattern: /\{([^{}]*)\}/ },
  header: { names: [...OF_URL, ...PERSONAL, 'client.country', 'tls.version'], pattern: /\{([A-Za-z0-9._-]+)\}/ },
} as const;
type TemplateKind = keyof typeof KINDS;

/** Literal texts at even indices, placeholders at odd indices. */
type TemplateParts = readonly string[];

/** Returns the parts, or a description of the fault as a string. */
export function parseTemplate(text: string, kind: TemplateKind): TemplateParts | string {
  const { names, pattern } = KINDS[kind];
  const parts = text.split(pattern);
  for (let i = 0; i < parts.length; i++) {
    if (i % 2 === 1 && !names.includes(parts[i]))
      return `has an unknown placeholder {${parts[i]}}; known are ${names.map((name) => `{${name}}`).join(', ')}`;
    if (kind === 'url' && i % 2 === 0 && /[{}]/.test(parts[i]))
      return 'has a brace that belongs to no placeholder; write %7B and %7D';
  }
  return parts;
}

/** The values of placeholders. */
export interface TemplateRequest {
  readonly scheme: string;
  readonly host: string;
  /** Path with the query, as received. */
  readonly target: string;
  /** For values of headers. */
  readonly visitor?: TemplateVisitor;
}

/** Empty texts: unknown. */
export interface TemplateVisitor {
  readonly address: string;
  readonly port: string;
  /** An ISO 3166 code of two letters. */
  readonly country: string;
  readonly requestId: string;
  /** Such as TLSv1.3; of the connection to the edge. */
  readonly tlsVersion: string;
}

export class TextTemplate {
  readonly #parts: TemplateParts;
  readonly #captures: PathCaptures;
  readonly hasQuery: boolean;

  /** `path`: the path condition of the rule, for {rest} and {1}. */
  constructor(text: string, path: TextMatch | undefined, kind: TemplateKind = 'url') {
    const parts = parseTemplate(text, kind);
    if (typeof parts === 'string') throw new TypeError(`The template ${parts}.`);
    this.#parts = parts;
    this.#captures = new PathCaptures(path);
    this.hasQuery = text.includes('?') || text.includes('{query}') || text.includes('{uri}');
  }

  get usesRequestId(): boolean {
    return this.#parts.some((part, i) => i % 2 === 1 && part === 'request.id');
  }

  /** `isKey`: placeholders stay if their values are not part of the key of the cache. */
  expand(request: TemplateRequest, isKey = false): string {
    let text = '';
    for (let i = 0; i < this.#parts.length; i++) {
      const part = this.#parts[i];
      if (i % 2 === 0) text += part;
      else text += isKey && PERSONAL.has(part) ? `{${part}}` : this.#valueOf(part, request);
    }
    return text;
  }

  #valueOf(name: string, { scheme, host, target, visitor }: TemplateRequest): string {
    switch (name) {
      case 'client.ip':
        return visitor?.address ?? '';
      case 'client.port':
        return visitor?.port ?? '';
      case 'client.country':
        return visitor?.country ?? '';
      case 'request.id':
        return visitor?.requestId ?? '';
      case 'tls.version':
        return visitor?.tlsVersion ?? '';
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
