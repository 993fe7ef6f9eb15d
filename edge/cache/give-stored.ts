/** What a visitor gets of a stored response when it is more than the whole of it as it lies there: 304, parts, what lies on disk, or what was just validated. */
import { randomBytes } from 'node:crypto';
import { notModifiedFields as codedNotModified } from '../compress/fields.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { codingFor, type HotEntry } from './hot-entry.ts';
import { Pieces } from './pieces.ts';
import { isNotModified, notModifiedFields } from './rules/conditional.ts';
import type { Facts } from './rules/facts.ts';
import { fieldValue, withoutFields } from './rules/fields.ts';
import { multipartEnd, multipartType, partHead } from './rules/multipart.ts';
import { contentRange, type Part, planRange } from './rules/range.ts';
import type { CacheRequest } from './rules/request.ts';
import type { StoredBody } from './stored-response.ts';
import type { Done, Visit } from './visit.ts';

const NOTHING = new Uint8Array(0);
const CONTENT_TYPE: ReadonlySet<string> = new Set(['content-type']);
const CONTENT_LENGTH: ReadonlySet<string> = new Set(['content-length']);

/** `status`: the member of Cache-Status. */
export function giveStored(visit: Visit, entry: HotEntry, request: CacheRequest, now: number, status: string): Done {
  const { response, facts } = entry;
  const fields = [...entry.fieldsAt(now, status), 'date', entry.date];
  const plan = planned(visit, request, response.status, facts, fields, response.body.length);
  if (plan === 'answered') return;
  const { body } = response;
  const coding = codingFor(visit.exchange.headers);
  if (plan === null && body.whole !== undefined && entry.isReady(coding)) {
    const given = entry.codedWhole(fields, coding);
    visit.giveWhole(response.status, [...given.fields, 'content-length', String(given.body.length)], given.body);
    return;
  }
  if (plan === null) {
    const whole = [...fields, 'content-length', String(body.length)];
    return visit.give(response.status, whole, new Pieces(body, [{ from: 0, to: body.length }]));
  }
  return giveParts(visit, fields, plan, body);
}

/**
 * Answers by 304 or 416 where the visitor's conditions and ranges ask for it. Else the parts of which a 206 is made, or null: the whole. `length`: of the body; undefined when it is not
 * known, as nothing can be said of ranges then.
 */
export function planned(
  visit: Visit,
  request: CacheRequest,
  status: number,
  facts: Facts,
  fields: FieldList,
  length: number | undefined,
): 'answered' | readonly Part[] | null {
  if (isNotModified(request, status, facts)) {
    visit.giveWhole(304, codedNotModified(notModifiedFields(fields, facts), request.ifNoneMatch), NOTHING);
    return 'answered';
  }
  if (length === undefined) return null;
  const plan = planRange(request, status, facts, length);
  if (plan.kind === 'whole') return null;
  if (plan.kind === 'partial') return plan.parts;
  const said = ['content-range', contentRange(undefined, length), 'content-length', '0'];
  const others = ['date', 'server', 'via', 'cache-status'].flatMap((name) => {
    const value = fieldValue(fields, name);
    return value === undefined ? [] : [name, value];
  });
  visit.giveWhole(416, [...said, ...others], NOTHING);
  return 'answered';
}

/** RFC 9110 section 15.3.7. */
function giveParts(visit: Visit, fields: FieldList, parts: readonly Part[], body: StoredBody): Done {
  if (parts.length === 1) return visit.give(206, partFields(fields, parts[0], body.length), new Pieces(body, parts));
  const boundary = randomBytes(18).toString('hex');
  const type = fieldValue(fields, 'content-type') ?? '';
  const pieces = [];
  for (const part of parts) pieces.push(Buffer.from(partHead(boundary, type, part, body.length), 'latin1'), part);
  pieces.push(Buffer.from(multipartEnd(boundary), 'latin1'));
  const whole = new Pieces(body, pieces);
  const others = withoutFields(fields, CONTENT_TYPE);
  return visit.give(
    206,
    [...others, 'content-type', multipartType(boundary), 'content-length', String(whole.length)],
    whole,
  );
}

/** `fields`: of the whole. */
export const partFields = (fields: FieldList, part: Part, length: number): FieldList => [
  ...withoutFields(fields, CONTENT_LENGTH),
  'content-range',
  contentRange(part, length),
  'content-length',
  String(part.to - part.from),
];
