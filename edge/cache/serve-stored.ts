/**
 * Serves a stored response where the prebuilt answer of edge/cache/hot-entry.ts does not apply:
 * 304, 416, ranges, bodies on disk, and responses that were just revalidated.
 */
import { randomBytes } from 'node:crypto';
import { notModifiedFields as codedNotModified } from '../compress/fields.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { type OriginBody, OriginError } from '../origin/origin.ts';
import { codingFor, type HotEntry } from './hot-entry.ts';
import { isNotModified, notModifiedFields } from './rules/conditional.ts';
import type { Facts } from './rules/facts.ts';
import { fieldValue, withoutFields } from './rules/fields.ts';
import { contentRange, multipartEnd, multipartType, type Part, partHead, planRange } from './rules/range.ts';
import type { CacheRequest } from './rules/request.ts';
import type { StoredBody } from './stored-response.ts';
import type { Done, Visit } from './visit.ts';

/** Bytes of one read, unless the reader sets another maximum. */
const READ_BYTES = 64 * 1024;

const NOTHING = new Uint8Array(0);
const CONTENT_TYPE: ReadonlySet<string> = new Set(['content-type']);
const CONTENT_LENGTH: ReadonlySet<string> = new Set(['content-length']);

/** `status`: this cache's member of Cache-Status. */
export function serveStored(visit: Visit, entry: HotEntry, request: CacheRequest, now: number, status: string): Done {
  const { response, facts } = entry;
  const fields = [...entry.fieldsAt(now, status), 'date', entry.date];
  const plan = answerOrPlan(visit, request, response.status, facts, fields, response.body.length);
  if (plan === 'answered') return;
  const { body } = response;
  const coding = codingFor(visit.exchange.headers);
  if (plan === null && body.whole !== undefined && entry.hasEncoding(coding)) {
    const encoded = entry.encodeBody(fields, coding);
    visit.respondWhole(
      response.status,
      [...encoded.fields, 'content-length', String(encoded.body.length)],
      encoded.body,
    );
    return;
  }
  if (plan === null) {
    const whole = [...fields, 'content-length', String(body.length)];
    return visit.respond(response.status, whole, new Pieces(body, [{ from: 0, to: body.length }]));
  }
  return serveParts(visit, fields, plan, body);
}

/**
 * Answers with 304 or 416 where the visitor's conditions or ranges require it. Else returns the
 * parts of a 206, or null for the whole body. `length`: of the body; undefined: not announced,
 * which rules out ranges.
 */
export function answerOrPlan(
  visit: Visit,
  request: CacheRequest,
  status: number,
  facts: Facts,
  fields: FieldList,
  length: number | undefined,
): 'answered' | readonly Part[] | null {
  if (isNotModified(request, status, facts)) {
    visit.respondWhole(304, codedNotModified(notModifiedFields(fields, facts), request.ifNoneMatch), NOTHING);
    return 'answered';
  }
  if (length === undefined) return null;
  const plan = planRange(request, status, facts, length);
  if (plan.kind === 'whole') return null;
  if (plan.kind === 'partial') return plan.parts;
  const rangeFields = ['content-range', contentRange(undefined, length), 'content-length', '0'];
  const otherFields = ['date', 'server', 'via', 'cache-status'].flatMap((name) => {
    const value = fieldValue(fields, name);
    return value === undefined ? [] : [name, value];
  });
  visit.respondWhole(416, [...rangeFields, ...otherFields], NOTHING);
  return 'answered';
}

/** 206 with one part, or with multipart/byteranges (RFC 9110 section 15.3.7). */
function serveParts(visit: Visit, fields: FieldList, parts: readonly Part[], body: StoredBody): Done {
  if (parts.length === 1) return visit.respond(206, partFields(fields, parts[0], body.length), new Pieces(body, parts));
  const boundary = randomBytes(18).toString('hex');
  const type = fieldValue(fields, 'content-type') ?? '';
  const pieces = [];
  for (const part of parts) pieces.push(Buffer.from(partHead(boundary, type, part, body.length), 'latin1'), part);
  pieces.push(Buffer.from(multipartEnd(boundary), 'latin1'));
  const whole = new Pieces(body, pieces);
  const otherFields = withoutFields(fields, CONTENT_TYPE);
  return visit.respond(
    206,
    [...otherFields, 'content-type', multipartType(boundary), 'content-length', String(whole.length)],
    whole,
  );
}

/** `fields`: of the whole response. `length`: of its body. */
export const partFields = (fields: FieldList, part: Part, length: number): FieldList => [
  ...withoutFields(fields, CONTENT_LENGTH),
  'content-range',
  contentRange(part, length),
  'content-length',
  String(part.to - part.from),
];

type Piece = Uint8Array | Part;

const isPart = (piece: Piece): piece is Part => !(piece instanceof Uint8Array);

/** A body that joins bytes in memory with parts of a stored body, which may be on disk. */
class Pieces implements OriginBody {
  readonly length: number;
  readonly trailers = [];
  readonly #stored: StoredBody;
  readonly #pieces: Piece[];
  #isCancelled = false;

  constructor(stored: StoredBody, pieces: readonly Piece[]) {
    this.#stored = stored;
    this.#pieces = [...pieces];
    let length = 0;
    for (const piece of pieces) length += isPart(piece) ? piece.to - piece.from : piece.length;
    this.length = length;
  }

  readNow(): Uint8Array | null | undefined {
    const piece = this.#pieces[0];
    if (piece === undefined || this.#isCancelled) return null;
    if (isPart(piece)) {
      const { whole } = this.#stored;
      if (whole === undefined) return undefined;
      this.#pieces.shift();
      return whole.subarray(piece.from, piece.to);
    }
    this.#pieces.shift();
    return piece;
  }

  async read(maxBytes = READ_BYTES): Promise<Uint8Array | null> {
    const now = this.readNow();
    if (now !== undefined) return now;
    const { from, to } = this.#pieces[0] as Part;
    // Later reads start at a multiple of READ_BYTES: the disk store has one checksum for each.
    const end = Math.min(to, from + maxBytes - (from % READ_BYTES));
    if (end === to) this.#pieces.shift();
    else this.#pieces[0] = { from: end, to };
    try {
      const bytes = await this.#stored.slice(from, end);
      if (bytes.length === end - from) return bytes;
    } catch {
      // The error below covers this case and a short read.
    }
    throw new OriginError('reset', 'The cached response could not be read from disk.');
  }

  cancel(): void {
    this.#isCancelled = true;
  }
}
