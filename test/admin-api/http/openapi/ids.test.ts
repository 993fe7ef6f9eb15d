/** Ids in the OpenAPI document: all are integers, in bodies, responses and parameters. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, startDaemon } from '../../daemon.ts';

const test = suite<{ daemon: Daemon; document: unknown }>('ids in the OpenAPI document');
test.before(async (context) => {
  const daemon = await startDaemon('node');
  Object.assign(context, { daemon, document: (await daemon.call('GET', '/api/v1/openapi.json')).body });
});
test.after(({ daemon }) => daemon.stop());

/** The id of an app comes from its manifest, that of a client from its OpenID provider. */
const TEXTS = new Set(['app_id', 'client_id', 'request_id', 'operationId']);
/** The audit log names apps, too. */
const MAY_BE_TEXT = new Set(['target']);

type Part = Record<string, unknown>;
type Found = readonly [where: string, name: string, schema: Part];

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value);

/** All schemas of properties and parameters, with their names. */
function* schemasOf(value: unknown, where = ''): Iterable<Found> {
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* schemasOf(item, `${where}/${i}`);
  if (!isPart(value)) return;
  if (isPart(value.properties))
    for (const [name, schema] of Object.entries(value.properties))
      if (isPart(schema)) yield [`${where}/${name}`, name, schema];
  if (typeof value.name === 'string' && isPart(value.schema)) yield [where, value.name, value.schema];
  for (const [key, inner] of Object.entries(value)) yield* schemasOf(inner, `${where}/${key}`);
}

/** The schemas of the values that are not null: of a choice, a list. */
function valuesOf(schema: Part): Part[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((choice: Part) => valuesOf(choice));
  if (isPart(schema.items)) return valuesOf(schema.items);
  return schema.type === 'null' ? [] : [schema];
}

test('every id is an integer from 1 to 2^53 - 1', ({ document }) => {
  const seen: string[] = [];
  for (const [where, name, schema] of schemasOf(document)) {
    if (!/^(id|.*_ids?|delete|deleted|target)$/.test(name) || TEXTS.has(name)) continue;
    // A body may contain the fields of the response, which are ignored.
    if (schema.readOnly === true) continue;
    for (const value of valuesOf(schema)) {
      // A preview has whole objects, with an id inside.
      if (value.$ref !== undefined || value.type === 'object') continue;
      if (MAY_BE_TEXT.has(name) && value.type === 'string') continue;
      assert.equal(
        [value.type, value.minimum, value.maximum],
        ['integer', 1, Number.MAX_SAFE_INTEGER],
        `${where}: ${JSON.stringify(value)}`,
      );
      seen.push(name);
    }
  }
  const names = [
    ...['id', 'domain_id', 'record_id', 'account_id', 'token_id', 'key_id', 'tsig_key_id', 'upload_id', 'domain_ids'],
    ...['webhook_id', 'delivery_id'],
    ...['store_key_id', 'foreign_key_id', 'session_id', 'passkey_id', 'delete', 'deleted', 'target'],
  ];
  assert.equal([...new Set(seen)].sort(), names.sort());
});

test.run();
