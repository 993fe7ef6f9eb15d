/**
 * A row of the table of caching: the visitors' requests, the origin's answers, and the expected
 * results. Rows are data without a cache. One runner applies them to the rules alone (../model.ts),
 * another one to an edge over HTTP.
 *
 * Placeholders in field values: `<date N>` is a date N seconds after the row's begin (before it, if
 * negative). `<base>` is the common prefix of the row's paths. `<site>` is scheme and host. Each
 * runner fills in its own values.
 */

/** Field names in lower case; a list of values is one line for each. */
export type Lines = Readonly<Record<string, string | readonly string[]>>;

export interface Answer {
  /** Default: 200. */
  readonly status?: number;
  /** `date` defaults to the time of the step; '' omits it. */
  readonly headers?: Lines;
  /** Default: `answer N` in step N, counted from 0. */
  readonly body?: string;
}

export interface Expectation {
  readonly from:
    | 'origin' // the origin's answer to this request
    | 'validated' // a stored answer, after a 304 of the origin
    | 'cache' // a stored answer, without a request to the origin
    | 'stale' // a stale answer: background revalidation, failed origin, or max-stale
    | 'edge'; // made by the cache itself, such as 504
  /** Default: 200. */
  readonly status?: number;
  /**
   * Default: the body of the origin's answer in this step, else in step 0. Not checked for HEAD,
   * 304 and answers of the edge.
   */
  readonly body?: string;
  /** Content-Range and content of each part of a multipart/byteranges body. */
  readonly parts?: readonly (readonly [string, string])[];
  /** Fields of the response, each with all its lines joined by ", ". */
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields that the response must not have. */
  readonly absent?: readonly string[];
  /** Minimum Age in seconds; for the model also the maximum. */
  readonly age?: number;
  /** Fields of the first request to the origin; '': the field must be absent. */
  readonly originRequest?: Readonly<Record<string, string>>;
  /** A required part of Cache-Status. */
  readonly cacheStatus?: string;
}

export interface Step {
  /** Seconds after the row's begin; default: 0. */
  readonly at?: number;
  /** Default: GET. */
  readonly method?: string;
  /** Below `<base>`; default: `/`. */
  readonly path?: string;
  readonly headers?: Lines;
  /**
   * The origin's answers, in order if it receives several requests; `down`: unreachable. Default:
   * 200 without fields.
   */
  readonly origin?: Answer | readonly Answer[] | 'down';
  readonly expect: Expectation;
}

export interface Row {
  /** RFC and section, such as "9111 4.2.1". */
  readonly section: string;
  /** In parentheses: cases of the public suite (docs/internals/cache.md). */
  readonly name: string;
  readonly steps: readonly Step[];
  /** `insistence`: valid only where request directives may bypass fresh responses. */
  readonly needs?: 'insistence';
}

/** The date `seconds` after the row's begin. */
export const on = (seconds: number): string => `<date ${seconds}>`;

export const DAY = 86_400;

/** A row with these steps. */
export const row = (section: string, name: string, ...steps: Step[]): Row => ({ section, name, steps });

/** A row that is valid only where request directives may bypass fresh responses. */
export const insisting = (section: string, name: string, ...steps: Step[]): Row => ({
  section,
  name,
  steps,
  needs: 'insistence',
});

/** The first step: the origin answers with these fields. */
export const stores = (headers: Lines, more: Omit<Partial<Step>, 'origin'> & { origin?: Answer } = {}): Step => ({
  ...more,
  origin: { headers, ...more.origin },
  expect: { from: 'origin', status: more.origin?.status ?? 200, ...more.expect },
});

/** A later request. `from`: the source of its answer. */
export const later = (
  at: number,
  from: Expectation['from'],
  more: Partial<Step> & { is?: Partial<Expectation> } = {},
): Step => {
  const { is, ...step } = more;
  return { at, ...step, expect: { from, ...is } };
};

/**
 * The origin answers with these fields; `from`: the source of the answer to the same request a
 * second later.
 */
export const twice = (
  section: string,
  name: string,
  headers: Lines,
  from: Expectation['from'],
  more: { at?: number; status?: number; path?: string; request?: Lines } = {},
): Row => {
  const { at = 1, status = 200, path = '/', request = {} } = more;
  return row(
    section,
    name,
    stores(headers, { path, headers: request, origin: { status } }),
    later(at, from, { path, headers: request, origin: { status }, is: { status } }),
  );
};

/** Fields of an answer with this entity tag and lifetime in seconds. */
export const tagged = (etag: string, lifetime = 5): Lines => ({ etag, 'cache-control': `max-age=${lifetime}` });

/** The origin answers with a 304 with these fields. */
export const notModified = (headers: Lines) => ({ origin: { status: 304, headers } });
