/** Unknown names in requests: fields of bodies, and query parameters. */
import type { TSchema } from '@sinclair/typebox';
import * as assert from 'uvu/assert';
import type { Route } from '../../../admin-api/http/route.ts';
import { type Json, listOf } from '../daemon.ts';
import { concrete } from './routes.ts';
import { sampleOf } from './sample.ts';
import { each, everywhere, refused, succeeded } from './world.ts';

interface Place {
  /** JSON pointer of the object. */
  readonly pointer: string;
  readonly schema: TSchema;
}

/** Every object in a body, including itself; for a list, its first item. */
function places(schema: TSchema, pointer = ''): Place[] {
  const inner: [TSchema, string][] = [];
  if (schema.items !== undefined) inner.push([schema.items, `${pointer}/0`]);
  for (const choice of schema.anyOf ?? []) inner.push([choice, pointer]);
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, TSchema>))
    inner.push([property, `${pointer}/${name}`]);
  const own = schema.type === 'object' && schema.properties !== undefined ? [{ pointer, schema }] : [];
  return [...own, ...inner.flatMap(([part, at]) => places(part, at))];
}

/** `value` at the pointer: names create objects, numbers create lists. */
function wrapped(pointer: string, value: unknown): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduceRight((inner, part) => (part === '0' ? [inner] : { [part]: inner }), value);
}

const firstField = ({ properties }: TSchema): string =>
  Object.keys(properties).find((name) => properties[name].readOnly !== true) ?? '';

const isJson = (route: Route): route is Route & { readonly body: TSchema } => route.body !== undefined;

await everywhere('contract, unknown names', (test) => {
  test('an unknown field, also a nested one, is 422 with the nearest known one', async ({ world }) => {
    const routes = world.daemon.api.routes.filter(isJson);
    let nested = 0;
    for (const route of routes) {
      for (const { pointer, schema } of places(route.body)) {
        const what = `${route.method} ${route.path} ${pointer}`;
        const field = firstField(schema);
        const typo = `${field}${field.at(-1)}`;
        if (pointer !== '') nested++;
        const sample = pointer === '' ? (sampleOf(route).json as object) : {};
        const json = { ...sample, ...(wrapped(pointer, { [typo]: 1 }) as object) };
        const head = world.daemon.writes();
        const answer = await world.admin.send(route.method, concrete(route.path), { json });
        refused(answer, '422 unknown_field');
        const { error } = answer.body;
        assert.equal(
          [error.pointer, error.message],
          [`${pointer}/${typo}`, `Unknown field "${typo}"; did you mean "${field}"?`] as never,
          what,
        );
        assert.is(world.daemon.writes(), head, what);
      }
    }
    // Ensures that the walk has found the endpoints, and the items of a batch.
    assert.ok(routes.length >= 12 && nested >= 2, `${routes.length} routes, ${nested} nested`);
  });

  const FIELDS: readonly (readonly [body: Json, pointers: readonly string[], message: RegExp])[] = [
    [
      { name: 'a', type: 'A', content: '192.0.2.1', tttl: 5 },
      ['/tttl'],
      /^Unknown field "tttl"; did you mean "ttl"\?$/,
    ],
    [{ name: 'a', type: 'A', content: '192.0.2.1', TTL: 5 }, ['/TTL'], /did you mean "ttl"\?$/],
    // The misspelled field comes first, then the field that is missing because of it.
    [{ nmae: 'a', type: 'A', content: '192.0.2.1' }, ['/nmae', '/name'], /did you mean "name"\?$/],
    [{ name: 'a', type: 'A', content: '192.0.2.1', 'a/b~c': 5 }, ['/a~1b~0c'], /supported: "name", "type", "content"/],
    [{ name: 'a', type: 'A', content: '192.0.2.1', '': 5 }, ['/'], /^Unknown field ""; supported:/],
    [
      { name: 'a', type: 'A', content: '192.0.2.1', ['x'.repeat(5000)]: 5 },
      [`/${'x'.repeat(5000)}`],
      /^Unknown field "x{60}…"/,
    ],
  ] as never;

  test('the error suggests a field and has the pointer', async ({ world }) => {
    const zone = await world.zone();
    for (const [json, pointers, message] of FIELDS) {
      const answer = await world.user.client.post(zone.records, json);
      refused(answer, '422 unknown_field');
      const { error } = answer.body;
      const actual = error.details === undefined ? [error.pointer] : each(listOf(error.details), 'pointer');
      assert.equal(actual, pointers);
      assert.match(String(error.message), message);
    }
    assert.equal(await zone.list(), []);
  });

  test('a batch with an unknown field changes nothing', async ({ world }) => {
    const zone = await world.zone();
    const post = { name: 'a', type: 'A', content: '192.0.2.1' };
    const create = await world.user.client.post(`${zone.records}/batch`, { create: [post] });
    refused(create, '422 unknown_field');
    // No field is similar, and the nearest, "delete", would be the opposite.
    assert.match(String(create.body.error.message), /^Unknown field "create"; supported: "delete", "put", "post"\.$/);
    const item = await world.user.client.post(`${zone.records}/batch`, {
      post: [post, { ...post, name: 'b', tttl: 5 }],
    });
    refused(item, '422 unknown_field');
    assert.is(item.body.error.pointer as unknown, '/post/1/tttl');
    assert.equal(await zone.list(), []);
  });

  test('the error lists only some of many unknown fields', async ({ world }) => {
    const zone = await world.zone();
    const json = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 1]));
    const answer = await world.user.client.post(zone.records, json);
    refused(answer, '422 unknown_field');
    assert.is(listOf(answer.body.error.details).length, 20);
  });

  test('the schemas of all bodies are closed in the OpenAPI document', async ({ world }) => {
    const document = (await world.nobody.get('/api/v1/openapi.json')).body as Json;
    let bodies = 0;
    const open: string[] = [];
    const visit = (value: Json, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (typeof value.$ref === 'string') {
        const parts = String(value.$ref).slice(2).split('/');
        visit(
          parts.reduce((inner: Json, part) => inner[part], document),
          at,
        );
        return;
      }
      if (value.type === ('object' as never) && (value.additionalProperties as unknown) !== false) open.push(at);
      for (const [key, inner] of Object.entries(value)) visit(inner as Json, `${at}/${key}`);
    };
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods as Json)) {
        const schema = (operation as Json).requestBody?.content?.['application/json']?.schema;
        if (schema === undefined) continue;
        bodies++;
        visit(schema, `${method} ${path}`);
      }
    assert.equal(open, []);
    assert.is(bodies, world.daemon.api.routes.filter(isJson).length);
  });

  test('an unknown query parameter is 400', async ({ world }) => {
    const guarded = world.daemon.api.routes.filter(({ scope }) => scope !== null);
    for (const route of guarded) {
      const path = concrete(route.path);
      const url = `${path}${path.includes('?') ? '&' : '?'}zzzzzzzz=1`;
      const answer = await world.admin.send(route.method, url, sampleOf(route));
      refused(answer, '400 unknown_parameter');
    }
    const near = await world.user.client.get('/api/v1/domains?limt=5');
    refused(near, '400 unknown_parameter');
    assert.is(String(near.body.error.message), 'Unknown query parameter "limt"; did you mean "limit"?');
    // Parameters that bypass a cache or track a link are accepted. Public endpoints accept any.
    for (const path of ['/api/v1/domains?_=123', '/api/v1/domains?utm_source=mail&limit=5', '/healthz?zzzzzzzz=1'])
      succeeded(await world.admin.get(path));
  });
});
