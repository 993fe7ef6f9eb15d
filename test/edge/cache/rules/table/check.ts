/** Compares the result of a step with the expectation of its row; for all runners. */
import type { FieldList } from '../../../../../edge/http/exchange/field-list.ts';
import type { Answer, Expectation, Lines, Row, Step } from './row.ts';

/** The result of one step, with the requests to the origin during it. */
export interface Observed {
  readonly status: number;
  readonly headers: FieldList;
  readonly body: string;
  readonly originRequests: readonly { readonly headers: FieldList; readonly status: number | 'down' }[];
}

/** The values of `<date N>`, `<base>` and `<site>`. `begin`: milliseconds since 1970. */
export interface Placeholders {
  readonly begin: number;
  readonly base: string;
  readonly site: string;
}

export function fillPlaceholders(value: string, { begin, base, site }: Placeholders): string {
  return value
    .replace(/<date (-?\d+)>/g, (_, seconds: string) => new Date(begin + Number(seconds) * 1000).toUTCString())
    .replaceAll('<base>', base)
    .replaceAll('<site>', site);
}

/** A flat list, as in an exchange. */
export function fieldList(lines: Lines | undefined, placeholders: Placeholders): string[] {
  return Object.entries(lines ?? {}).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).flatMap((line) => [name, fillPlaceholders(line, placeholders)]),
  );
}

/** The origin's answers in a step. */
export function answersOf(step: Step): readonly Answer[] | 'down' {
  if (step.origin === 'down') return 'down';
  return Array.isArray(step.origin) ? (step.origin as readonly Answer[]) : [(step.origin as Answer | undefined) ?? {}];
}

/** Statuses whose responses have no content (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

export const bodyOf = (answer: Answer, stepIndex: number): string =>
  EMPTY.has(answer.status ?? 200) ? '' : (answer.body ?? `answer ${stepIndex}`);

/** Fields of an answer, with the Date that every origin adds. */
export function answerFields(answer: Answer, step: Step, placeholders: Placeholders): string[] {
  const { date = fillPlaceholders(`<date ${step.at ?? 0}>`, placeholders), ...rest } = answer.headers ?? {};
  return fieldList(date === '' ? rest : { date, ...rest }, placeholders);
}

/**
 * Throws an Error with the expected and the actual value. `exactAge`: the clock does not advance
 * within a step.
 */
export function checkStep(
  row: Row,
  index: number,
  observed: Observed,
  placeholders: Placeholders,
  exactAge: boolean,
): void {
  const { expect, method } = row.steps[index];
  const fail = (what: string, expected: unknown, actual: unknown): never => {
    const seen = JSON.stringify(observed);
    throw new Error(`${row.section} ${row.name}, step ${index}: ${what}: expected ${expected}, got ${actual}\n${seen}`);
  };
  const same = (what: string, expected: unknown, actual: unknown): void => {
    if (expected !== actual) fail(what, JSON.stringify(expected), JSON.stringify(actual));
  };
  same('status', expect.status ?? 200, observed.status);
  checkSource(expect, observed, same);
  const hasContent = method !== 'HEAD' && !EMPTY.has(observed.status) && expect.from !== 'edge';
  if (expect.parts !== undefined) same('parts', JSON.stringify(expect.parts), JSON.stringify(partsOf(observed)));
  else if (hasContent) same('body', expectedBody(row, index), observed.body);
  for (const [name, value] of Object.entries(expect.headers ?? {}))
    same(name, fillPlaceholders(value, placeholders), lineOf(observed.headers, name));
  for (const name of expect.absent ?? []) same(name, undefined, lineOf(observed.headers, name));
  for (const [name, value] of Object.entries(expect.originRequest ?? {}))
    same(
      `${name} to the origin`,
      fillPlaceholders(value, placeholders),
      lineOf(observed.originRequests[0]?.headers ?? [], name) ?? '',
    );
  if (expect.age !== undefined) {
    const age = Number(lineOf(observed.headers, 'age'));
    if (!(age >= expect.age && age <= expect.age + (exactAge ? 0 : 3))) fail('age', expect.age, age);
  }
  const cacheStatus = lineOf(observed.headers, 'cache-status') ?? '';
  if (expect.cacheStatus !== undefined && !cacheStatus.includes(expect.cacheStatus))
    fail('cache-status', expect.cacheStatus, cacheStatus);
}

type Same = (what: string, expected: unknown, actual: unknown) => void;

function checkSource({ from }: Expectation, { originRequests }: Observed, same: Same): void {
  const statuses = originRequests.map(({ status }) => status);
  if (from === 'cache') same('requests to the origin', 0, originRequests.length);
  if (from === 'origin') {
    same('the origin was asked', true, originRequests.length > 0);
    same('the last answer of the origin was another one', true, statuses.at(-1) !== 'down');
  }
  if (from === 'edge')
    same(
      'an answer of the origin',
      false,
      statuses.some((status) => status !== 'down'),
    );
  if (from !== 'validated') return;
  same('requests to the origin', 1, originRequests.length);
  same('the origin said', 304, statuses[0]);
  const isConditional = originRequests[0].headers.some(
    (name, i) => i % 2 === 0 && /^if-(none-match|modified-since)$/.test(name),
  );
  same('a condition was sent', true, isConditional);
}

function expectedBody(row: Row, index: number): string {
  const { expect } = row.steps[index];
  if (expect.body !== undefined) return expect.body;
  const source = expect.from === 'origin' ? index : 0;
  const answers = answersOf(row.steps[source]);
  return answers === 'down' ? '' : bodyOf(answers[answers.length - 1], source);
}

/** All lines of a name joined; undefined without the field. */
export function lineOf(headers: FieldList, name: string): string | undefined {
  const values = headers.filter((_, i) => i % 2 === 1 && headers[i - 1] === name);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Content-Range and content of each part of a multipart/byteranges body. */
function partsOf({ headers, body }: Observed): [string, string][] {
  const boundary = /^multipart\/byteranges; ?boundary="?([^"]+)"?$/.exec(lineOf(headers, 'content-type') ?? '')?.[1];
  if (boundary === undefined) return [];
  const pieces = body.split(`\r\n--${boundary}`);
  if (pieces.at(-1) !== '--\r\n') throw new Error(`No end of the parts: ${JSON.stringify(body)}`);
  return pieces.slice(1, -1).map((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    const range = /^content-range: *(.*)$/im.exec(piece.slice(0, end))?.[1] ?? '';
    return [range, piece.slice(end + 4)];
  });
}
