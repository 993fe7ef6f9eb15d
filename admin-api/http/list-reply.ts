/**
 * Responses with a list. A request without paging parameters gets the whole list, up to MAX_WHOLE
 * entries, so that simple clients do not miss entries. A long list is streamed in parts, at the
 * pace of its client. The list is not a snapshot: each entry has its state at the time of the read.
 * An entry that exists throughout is listed exactly once.
 */

import type { SlotOwner } from '../../core/base/fair-slots.ts';
import { Steps } from '../../core/base/steps.ts';
import { strangerAt } from '../../core/net/address/ipv6.ts';
import type { Caller } from './caller.ts';
import {
  cursorOf,
  type ListPart,
  type ListReader,
  MAX_WHOLE,
  nextCursor,
  type Page,
  type PageQuery,
  pageOf,
} from './lists.ts';
import type { Context, RawReply } from './route.ts';
import { callerOwner } from './slot-owner.ts';
import type { StreamSlots } from './stream-slots.ts';
import { SMALL_RESPONSE } from './transport.ts';

/** Characters of a chunk. */
const CHUNK = 32 * 1024;

interface List<Row, View, More extends object> extends ListReader<Row, More> {
  /** Undefined: the entry was deleted after it was read. */
  view(row: Row): View | undefined | Promise<View>;
}

type ListContext = Context<Caller | null, unknown, PageQuery>;

type ListBody<F extends string, View, More extends object> = { readonly [K in F]: readonly View[] } & More & {
    readonly next_cursor: string | null;
    readonly total: number | null;
  };

/** Maximum rows of a part, which are in memory together. */
const MAX_PART = 250;
/** Parts to read before streaming starts. A search may find few entries in each part. */
const MAX_SMALL_PARTS = 4;

/** Returns the list in the field `field`. Throws HttpError 400 and 503. */
export async function replyWithList<const F extends string, Row, View, More extends object>(
  streams: StreamSlots,
  context: ListContext,
  field: F,
  list: List<Row, View, More>,
): Promise<ListBody<F, View, More> | RawReply> {
  const page = pageOf(context.query);
  if (page !== null) return readOnePage(context, field, list, page);
  const { headers, client } = context;
  headers['Content-Type'] = 'application/json';
  const whole = new WholeList(field, list);
  const chunks = whole.chunks();
  let text = '';
  while (whole.parts < MAX_SMALL_PARTS && text.length <= SMALL_RESPONSE) {
    const { done, value } = await chunks.next();
    if (done === true) return { raw: text };
    text += value;
  }
  if (whole.last !== undefined) nextCursor(whole.last, context);
  return { raw: await streams.open(ownerOf(context), client, () => ({ chunks: startingWith(text, chunks) })) };
}

const ownerOf = ({ caller, remoteAddress }: ListContext): SlotOwner =>
  caller === null ? strangerAt(remoteAddress) : callerOwner({ caller, remoteAddress });

async function* startingWith(text: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield text;
  yield* rest;
}

async function readOnePage<const F extends string, Row, View, More extends object>(
  context: ListContext,
  field: F,
  list: List<Row, View, More>,
  page: Page,
): Promise<ListBody<F, View, More>> {
  const { rows, last, total, more } = await list.read(page);
  const steps = new Steps();
  const views: View[] = [];
  for (const row of rows) {
    const view = await list.view(row);
    if (view !== undefined) views.push(view);
    await steps.next();
  }
  const counted = total ?? (last === null ? views.length : null);
  const body = {
    [field]: views,
    ...more,
    next_cursor: nextCursor(last, context),
    total: isFirst(page) ? counted : null,
  };
  return body as unknown as ListBody<F, View, More>;
}

const isFirst = ({ after }: Page): boolean => after === null;

/** Generates the JSON text of a list in chunks. */
class WholeList<Row, View, More extends object> {
  /** Number of parts read so far. */
  parts = 0;
  /** The key at which the list is truncated; null: complete; undefined: not yet known. */
  last: Uint8Array | null | undefined;

  constructor(
    private readonly field: string,
    private readonly list: List<Row, View, More>,
  ) {}

  /** Yields at least one chunk for each part; the chunk may be empty. */
  async *chunks(): AsyncGenerator<string> {
    const { maxPart = MAX_PART } = this.list;
    const steps = new Steps();
    const text = new ListText(this.field);
    let left = MAX_WHOLE;
    let after: Uint8Array | null = null;
    let first: ListPart<Row, More> | undefined;
    for (;;) {
      const part: ListPart<Row, More> = await this.list.read({
        limit: Math.min(maxPart, left),
        after: after === null ? null : Buffer.from(after),
      });
      this.parts++;
      first ??= part;
      left -= part.rows.length;
      after = part.last;
      if (after === null || left === 0) this.last = after;
      for (const row of part.rows) {
        const view = await this.list.view(row);
        if (view !== undefined) text.add(JSON.stringify(view));
        await steps.next();
        if (text.isFull) yield text.take();
      }
      if (this.last !== undefined) break;
      yield text.take();
      await steps.next();
    }
    const total = first.total ?? (after === null ? text.count : null);
    yield text.end({ ...first.more, next_cursor: cursorOf(after), total });
  }
}

/** Generates the JSON text of a response with a list in chunks. */
export class ListText {
  #text: string;
  #count = 0;

  /** `field`: the name of the list in the response. */
  constructor(field: string) {
    this.#text = `{"ok":true,"${field}":[`;
  }

  /** Items so far. */
  get count(): number {
    return this.#count;
  }

  /** Whether `take` returns a full chunk. */
  get isFull(): boolean {
    return this.#text.length >= CHUNK;
  }

  /** `item`: its JSON text. */
  add(item: string): void {
    this.#text += this.#count++ === 0 ? item : `,${item}`;
  }

  /** Returns the text since the last chunk. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** Returns the last chunk. `fields`: the fields after the list. */
  end(fields: object): string {
    return `${this.take()}],${JSON.stringify(fields).slice(1)}`;
  }
}
