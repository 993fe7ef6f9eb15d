/**
 * A row of the table of caching: what visitors ask, what the origin answers when it is asked, and what must come of it. Rows are data and
 * know no cache: one runner tries them on the rules alone (../model.ts), another can try them over HTTP on an edge.
 *
 * In values of fields `<date N>` is a date N seconds after the row's begin (before, when negative), `<base>` the path that all paths of the
 * row stand below, and `<site>` scheme and host; a runner puts in what they are.
 */

/** Field names in lower case; a list: a line for each value. */
export type Lines = Readonly<Record<string, string | readonly string[]>>;

export interface Answer {
  /** 200 when not given. */
  readonly status?: number;
  /** `date` is the time of the step when it is not given; '' leaves it out. */
  readonly headers?: Lines;
  /** `answer N` of the N-th step, from 0, when not given. */
  readonly body?: string;
}

export interface Expectation {
  readonly from:
    | 'origin' // its answer to this request
    | 'validated' // a stored answer, after the origin said 304
    | 'cache' // a stored answer, the origin was not asked
    | 'stale' // a stored answer, though the origin was asked behind it or failed, or the visitor takes it so
    | 'edge'; // made by the cache itself, such as 504
  /** 200 when not given. */
  readonly status?: number;
  /** When not given: that of the step's own answer from the origin, else that of step 0. Not looked at for HEAD, 304, and what the edge made. */
  readonly body?: string;
  /** Of a multipart/byteranges body: Content-Range and bytes of each part. */
  readonly parts?: readonly (readonly [string, string])[];
  /** Fields of the response, each with all its lines joined by ", ". */
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields that the response must not have. */
  readonly absent?: readonly string[];
  /** Seconds of Age, at the least; the model gives no more. */
  readonly age?: number;
  /** Fields of the (first) request that the origin got; '' for one that it must not have got. */
  readonly asked?: Readonly<Record<string, string>>;
  /** What Cache-Status must contain. */
  readonly cacheStatus?: string;
}

export interface Step {
  /** Seconds after the row's begin; 0 when not given. */
  readonly at?: number;
  /** GET when not given. */
  readonly method?: string;
  /** Below `<base>`; `/` when not given. */
  readonly path?: string;
  readonly headers?: Lines;
  /** What the origin answers, one after the other if it is asked more than once; `down`: it cannot be reached. 200 without fields when not given. */
  readonly origin?: Answer | readonly Answer[] | 'down';
  readonly expect: Expectation;
}

export interface Row {
  /** RFC and section, such as "9111 4.2.1". */
  readonly section: string;
  readonly name: string;
  readonly steps: readonly Step[];
  /** `insistence`: holds where visitors may ask for newer than what is fresh. */
  readonly needs?: 'insistence';
}

/** The date so many seconds after the row's begin. */
export const on = (seconds: number): string => `<date ${seconds}>`;

export const DAY = 86_400;

/** A row with these steps. */
export const row = (section: string, name: string, ...steps: Step[]): Row => ({ section, name, steps });

/** One that holds only where visitors may ask for newer than what is fresh. */
export const insisting = (section: string, name: string, ...steps: Step[]): Row => ({
  section,
  name,
  steps,
  needs: 'insistence',
});

/** The first step: the origin is asked, and answers with these fields. */
export const stores = (headers: Lines, more: Omit<Partial<Step>, 'origin'> & { origin?: Answer } = {}): Step => ({
  ...more,
  origin: { headers, ...more.origin },
  expect: { from: 'origin', status: more.origin?.status ?? 200, ...more.expect },
});

/** A later request; where it is answered from. */
export const later = (
  at: number,
  from: Expectation['from'],
  more: Partial<Step> & { is?: Partial<Expectation> } = {},
): Step => {
  const { is, ...step } = more;
  return { at, ...step, expect: { from, ...is } };
};

/** The origin answers with these fields, and a second later the same request is answered from there. */
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

/** Fields of an answer with this tag that is fresh for so many seconds. */
export const tagged = (etag: string, lifetime = 5): Lines => ({ etag, 'cache-control': `max-age=${lifetime}` });

/** The origin says 304, with these fields. */
export const notModified = (headers: Lines) => ({ origin: { status: 304, headers } });
