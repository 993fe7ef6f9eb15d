/** `waypost record set`: replaces the records of a name and type. */
import type { Json } from '../base/client.ts';
import { ApiError } from '../base/errors.ts';
import type { Call } from '../base/verb.ts';
import { type Batch, describeBatch, findRecords, sendBatch } from './records.ts';

export interface RecordOptions {
  readonly ttl?: number;
  readonly priority?: number;
  readonly proxied?: boolean;
  readonly comment?: string;
}

/** Attempts, because another client may change the domain between our read and our write. */
const MAX_ATTEMPTS = 5;
const UNCHANGED: Json = { ok: true, deleted: [], updated: [], created: [] };

export async function setRecords(
  call: Call<RecordOptions>,
  [domainName, name, type, ...contents]: readonly string[],
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    // Read before the records: if its revision still matches at the write, the records are
    // unchanged.
    const domain = await call.domain(domainName);
    const present = await findRecords(call.api, domain, { name, type });
    const { ttl, proxied, priority, comment } = call.options;
    const batch = difference(present, { name, type, contents, ttl, proxied, priority, comment });
    const changes = batch.delete.length + batch.put.length + batch.post.length;
    try {
      const condition = { 'if-match': `"${domain.row.revision}"` };
      const body = changes === 0 ? UNCHANGED : await sendBatch(call.api, domain, batch, condition);
      call.show(body, ...describeBatch(domain, batch, body));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

interface Wanted extends Pick<RecordOptions, 'ttl' | 'proxied' | 'priority' | 'comment'> {
  readonly name: string;
  readonly type: string;
  readonly contents: readonly string[];
}

/**
 * Computes the batch that turns the existing records into the wanted records. An equal content in
 * an unusual spelling is deleted and created, which has the same result.
 */
function difference(present: readonly Json[], { contents, ...wanted }: Wanted): Required<Batch> {
  const { ttl = present[0]?.ttl, proxied = sharedValue(present.map((row) => row.proxied)) } = wanted;
  const rest = [...present];
  const put: Json[] = [];
  const post: Json[] = [];
  for (const content of new Set(contents)) {
    const at = rest.findIndex((candidate) => spellingsOf(content, wanted.priority).includes(String(candidate.content)));
    if (at === -1) {
      post.push({ ...wanted, content, ttl, proxied });
      continue;
    }
    const [row] = rest.splice(at, 1);
    const changed =
      row.ttl !== ttl ||
      (wanted.proxied !== undefined && row.proxied !== wanted.proxied) ||
      (wanted.comment !== undefined && (row.comment ?? '') !== wanted.comment);
    if (changed) put.push({ id: row.id, ...wanted, content, ttl });
  }
  return { delete: rest, put, post };
}

/** Possible spellings in the API: with the priority, the trailing dot of a host name, or quotes. */
function spellingsOf(content: string, priority: number | undefined): string[] {
  const whole = priority === undefined ? [content] : [content, `${priority} ${content}`];
  return [...whole, ...whole.map((way) => `${way}.`), `"${content}"`];
}

/** The value of `proxied` that all records share; undefined: the daemon decides. */
function sharedValue(values: readonly unknown[]): boolean | undefined {
  const [first] = values;
  return typeof first === 'boolean' && values.every((value) => value === first) ? first : undefined;
}
