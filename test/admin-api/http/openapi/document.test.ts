/** GET /api/v1/openapi.json: valid, complete, and generated from the descriptions. */

import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from '@sinclair/typebox';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiDocument } from '../../../../admin-api/http/openapi/routes.ts';
import { publicRoute, type Route } from '../../../../admin-api/http/route.ts';
import { type Daemon, type Json, listOf, startDaemon } from '../../daemon.ts';
import { testedTransports } from '../../transports.ts';

const PATH = '/api/v1/openapi.json';

function everywhere(transport: 'uws' | 'node'): void {
  const test = suite<{ daemon: Daemon; document: Json }>(`openapi over ${transport}`);
  test.before(async (context) => {
    const daemon = await startDaemon(transport);
    const { body } = await daemon.call('GET', PATH, { token: null });
    Object.assign(context, { daemon, document: body });
  });
  test.after(({ daemon }) => daemon.stop());

  test('is a valid OpenAPI 3.1 document', async ({ document }) => {
    const validator = new Validator();
    const found = await validator.validate(structuredClone(document) as Record<string, unknown>);
    assert.is(found.valid, true, JSON.stringify(found.valid ? '' : found.errors).slice(0, 2000));
    assert.is(validator.version, '3.1');
    assert.is(document.info.version, '1.2.3' as never);
    assert.equal(listOf(document.servers) as unknown, [{ url: '/' }]);
  });

  test('the validator rejects invalid documents', async ({ document }) => {
    const broken = structuredClone(document) as unknown as { paths: Record<string, { get: { responses?: object } }> };
    broken.paths[PATH].get.responses = { 200: { content: {} } };
    assert.is((await new Validator().validate(broken as never)).valid, false);
  });

  test('has every served endpoint with a unique operationId', ({ daemon, document }) => {
    const served = daemon.api.routes.map((route) => `${route.method} ${route.path}`).sort();
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.equal(operations.sort(), served);
    const names = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => String(operation.operationId)),
    );
    assert.is(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z]+([A-Z][a-z]*)+$/);
  });

  test('every reference resolves, and every component is used', ({ document }) => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]);
    for (const reference of references) {
      const found = reference.split('/').reduce<Json | undefined>((at, key) => at?.[key], document);
      assert.is(typeof found, 'object', reference);
    }
    for (const kind of ['schemas', 'responses', 'headers', 'parameters'])
      for (const name of Object.keys(document.components[kind]))
        assert.ok(references.includes(`components/${kind}/${name}`), `${kind} ${name}`);
  });

  test('every schema has a type, and every field of a body a description', ({ document }) => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const schema = requestBody?.content['application/json']?.schema;
        if (schema === undefined) continue;
        const name = schema.$ref === undefined ? undefined : String(schema.$ref).split('/')[3];
        const { properties } = name === undefined ? schema : document.components.schemas[name];
        for (const [field, of] of Object.entries(properties))
          assert.ok(String(of.description ?? '').length > 3, `${method} ${path}: ${field}`);
      }
  });

  test('describes the required scopes and roles', ({ document }) => {
    const signedIn = [{ bearer: [] }, { session: [] }];
    const of = (path: string, method: string): unknown[] => {
      const { security, 'x-scope': scope, 'x-role': role } = document.paths[path][method];
      return [security, scope, role];
    };
    assert.equal(of('/api/v1/auth/token', 'post'), [[], undefined, undefined]);
    assert.equal(of('/api/v1/domains', 'get'), [signedIn, 'dns:read', undefined]);
    assert.equal(of('/api/v1/domains', 'post'), [signedIn, 'dns', undefined]);
    assert.equal(of('/api/v1/accounts', 'get'), [signedIn, 'account:read', 'admin']);
    assert.equal(of('/metrics', 'get'), [[{}, ...signedIn], undefined, undefined]);
  });

  test('lists the possible statuses', ({ document }) => {
    const statuses = (path: string, method: string): string[] => Object.keys(document.paths[path][method].responses);
    assert.equal(statuses('/healthz', 'get'), ['200', '400', 'default']);
    assert.equal(statuses('/readyz', 'get'), ['200', '400', '503', 'default']);
    assert.equal(statuses('/api/v1/account', 'get'), ['200', '400', '401', '403', '404', '429', 'default']);
    assert.equal(
      statuses('/api/v1/domains/{domain_id}/records', 'post'),
      '200 400 401 403 404 408 409 412 413 415 422 429 503 507 default'.split(' '),
    );
    assert.equal(
      statuses('/api/v1/domains/{domain_id}', 'delete'),
      '200 400 401 403 404 409 412 429 503 507 default'.split(' '),
    );
  });

  test('responds with 304 to a client with the ETag', async ({ daemon }) => {
    const first = await daemon.call('GET', PATH, { token: null });
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^"[\w-]{22}(-\w+)?"$/);
    assert.match(first.headers.get('cache-control') ?? '', /max-age=\d+/);
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await fetch(daemon.url + PATH, { headers: { 'If-None-Match': value } });
      assert.equal([again.status, again.headers.get('etag'), await again.text()], [304, tag, ''], value);
    }
    const other = await fetch(daemon.url + PATH, { headers: { 'If-None-Match': '"other"' } });
    assert.equal([other.status, await other.text()], [200, first.text]);
  });

  test('needs no token, and ignores one', async ({ daemon }) => {
    assert.is((await daemon.call('GET', PATH)).status, 200);
    assert.is((await daemon.call('GET', PATH, { token: 'wp_nonsense' })).status, 200);
  });

  test.run();
}

for (const transport of await testedTransports('openapi')) everywhere(transport);

const test = suite('openapi, from routes');

const endpoint = (path: string, title: string, field: string): Route =>
  publicRoute({
    operationId: `get${path.slice(1).toUpperCase()}`,
    method: 'GET',
    path,
    tag: 'operations',
    summary: 'A thing',
    response: Type.Object({ thing: Type.Unsafe<unknown>(Type.Object({ [field]: Type.String() }, { title })) }),
    run: () => ({ thing: {} }),
  });

test('a title creates one component', () => {
  const document = openApiDocument([endpoint('/a', 'Thing', 'x'), endpoint('/b', 'Thing', 'x')], { version: '1' });
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  assert.equal(Object.keys(schemas), ['Error', 'Thing']);
  assert.equal(schemas.Thing, { type: 'object', required: ['x'], properties: { x: { type: 'string' } } });
});

test('a property can have the name "title"', () => {
  const document = openApiDocument([endpoint('/a', 'Thing', 'title')], { version: '1' });
  const { schemas } = document.components as { schemas: Record<string, unknown> };
  assert.equal(schemas.Thing, { type: 'object', required: ['title'], properties: { title: { type: 'string' } } });
});

test('rejects one title for two schemas', () => {
  const routes = [endpoint('/a', 'Thing', 'x'), endpoint('/b', 'Thing', 'y')];
  assert.throws(() => openApiDocument(routes, { version: '1' }), /two schemas that differ have the title Thing/);
});

test('symbol properties of TypeBox are not in the document', () => {
  const routes = [endpoint('/a', 'Thing', 'x')];
  const document = openApiDocument(routes, { version: '1', servers: ['https://api.example.net/'] });
  assert.equal(JSON.parse(JSON.stringify(document)), document);
  const symbols = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 0
      : Object.getOwnPropertySymbols(value).length +
        Object.values(value).reduce<number>((sum, inner) => sum + symbols(inner), 0);
  assert.is(symbols(document), 0);
  assert.equal(document.servers, [{ url: 'https://api.example.net/' }]);
});

test.run();
