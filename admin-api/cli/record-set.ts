/** `record set`: the records of a name and type become those that are given. */
import type { Json } from './client.ts';
import { ApiError } from './errors.ts';
import { type Batch, describeBatch, findRecords, sendBatch } from './records.ts';
import type { Call } from './verb.ts';

export interface RecordOptions {
  readonly ttl?: number;
  readonly priority?: number;
  readonly proxied?: boolean;
}

/** Rounds in which somebody else may change the domain between our reading and our writing. */
const ROUNDS = 5;
const UNCHANGED: Json = { ok: true, deleted: [], updated: [], created: [] };

export async function setRecords(
  call: Call<RecordOptions>,
  [domainName, name, type, ...contents]: readonly string[],
): Promise<boolean> {
  for (let round = 1; ; round++) {
    // Read before the records: when it still matches at the write, they are still those that were read.
    const domain = await call.domain(domainName);
    const present = await findRecords(call.api, domain, { name, type });
    const { ttl, proxied, priority } = call.options;
    const batch = difference(present, { name, type, contents, ttl, proxied, priority });
    const changes = batch.delete.length + batch.put.length + batch.post.length;
    try {
      const condition = { 'if-match': `"${domain.row.revision}"` };
      const body = changes === 0 ? UNCHANGED : await sendBatch(call.api, domain, batch, condition);
      call.show(body, ...describeBatch(domain, batch, body));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || round === ROUNDS) throw error;
    }
  }
}

interface Wanted extends Pick<RecordOptions, 'ttl' | 'proxied' | 'priority'> {
  readonly name: string;
  readonly type: string;
  readonly contents: readonly string[];
}

/**
 * What leads from the records that are there to those that are wanted. A content that is the same but written in an unusual way is deleted
 * and created, which ends at the same.
 */
export function difference(present: readonly Json[], { contents, ...wanted }: Wanted): Required<Batch> {
  const { ttl = present[0]?.ttl, proxied = common(present.map((row) => row.proxied)) } = wanted;
  const rest = [...present];
  const put: Json[] = [];
  const post: Json[] = [];
  for (const content of new Set(contents)) {
    const at = rest.findIndex((row) => waysToWrite(content, wanted.priority).includes(String(row.content)));
    if (at === -1) {
      post.push({ ...wanted, content, ttl, proxied });
      continue;
    }
    const [row] = rest.splice(at, 1);
    const changed = row.ttl !== ttl || (wanted.proxied !== undefined && row.proxied !== wanted.proxied);
    if (changed) put.push({ id: row.id, ...wanted, content, ttl });
  }
  return { delete: rest, put, post };
}

/** As the API gives it back: with the priority before, the last dot of a host name, the quotes of a text. */
function waysToWrite(content: string, priority: number | undefined): string[] {
  const whole = priority === undefined ? [content] : [content, `${priority} ${content}`];
  return [...whole, ...whole.map((way) => `${way}.`), `"${content}"`];
}

/** The switch that all have alike; undefined leaves it to the daemon. */
function common(values: readonly unknown[]): boolean | undefined {
  const [first] = values;
  return typeof first === 'boolean' && values.every((value) => value === first) ? first : undefined;
}
