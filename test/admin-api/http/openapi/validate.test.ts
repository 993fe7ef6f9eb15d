/** The check of responses finds errors in them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, startDaemon } from '../../daemon.ts';
import { documented } from './validate.ts';

const test = suite<{ daemon: Daemon; document: object }>('answers as documented');
test.before(async (context) => {
  const daemon = await startDaemon('node');
  Object.assign(context, { daemon, document: (await daemon.call('GET', '/api/v1/openapi.json')).body });
});
test.after(({ daemon }) => daemon.stop());

const DOMAIN = '/api/v1/domains/{domain_id}';
const domain = {
  id: 1234,
  domain: 'example.net',
  kind: 'primary',
  members: null,
  primaries: null,
  secondary: null,
  catalog: null,
  listed_by: null,
  nameservers: ['ns1.example.org'],
  record_count: 0,
  revision: 1,
  proxy_enabled: false,
  account_id: 1,
  created_at: '2026-01-01 00:00:00',
  updated_at: '2026-01-01 00:00:00',
};
const error = (code: string, more: object = {}) => ({
  ok: false,
  error: { code, message: 'So it is.', ...more },
  request_id: 'abcdefgh',
});

test('accepts valid responses', ({ document }) => {
  for (const [method, template, status, body] of [
    ['GET', DOMAIN, 200, { ok: true, domain }],
    ['HEAD', DOMAIN, 200, undefined],
    ['OPTIONS', DOMAIN, 200, undefined],
    ['GET', DOMAIN, 404, error('no_such_domain')],
    ['GET', DOMAIN, 431, error('too_many_fields')],
    ['PATCH', DOMAIN, 405, error('method_not_allowed')],
    ['GET', null, 404, error('no_such_endpoint')],
    ['GET', null, 400, error('bad_escape')],
    [
      'POST',
      '/api/v1/domains',
      422,
      error('validation', { pointer: '/domain', details: [{ message: 'No.', line: 1 }] }),
    ],
    ['GET', `${DOMAIN}/zonefile`, 200, undefined],
    ['GET', '/readyz', 503, { ok: false, node: 'a', reasons: ['b'], warnings: [] }],
    ['GET', '/api/v1/openapi.json', 200, { openapi: '3.1.1' }],
    ['GET', '/api/v1/openapi.json', 304, undefined],
  ] as const)
    assert.is(documented(document, method, template, status, body), null, `${method} ${template} ${status}`);
});

test('rejects undocumented responses', ({ document }) => {
  for (const [method, template, status, body, fault] of [
    ['GET', DOMAIN, 200, { ok: true, domain, more: 1 }, /additional properties \(more\)/],
    ['GET', DOMAIN, 200, { ok: true, domain: { ...domain, secret: 1 } }, /\/domain must NOT.*\(secret\)/],
    ['GET', DOMAIN, 200, { ok: true, domain: { ...domain, id: '7' } }, /\/domain\/id must be integer/],
    ['GET', DOMAIN, 200, { ok: true, domain: { ...domain, created_at: 'now' } }, /created_at must match/],
    ['GET', DOMAIN, 200, { ok: true }, /required property 'domain'/],
    ['GET', DOMAIN, 200, { domain }, /required property 'ok'/],
    ['GET', DOMAIN, 200, { ok: false, domain }, /\/ok must be equal to constant/],
    ['GET', DOMAIN, 200, undefined, /no JSON/],
    ['GET', DOMAIN, 201, { ok: true, domain }, /not documented/],
    ['GET', DOMAIN, 404, error('no_such_record'), /code must be equal to one of/],
    ['GET', DOMAIN, 404, error('no_such_domain', { hint: 1 }), /\/error must NOT.*\(hint\)/],
    ['GET', DOMAIN, 404, { ...error('no_such_domain'), more: 1 }, /must NOT.*\(more\)/],
    ['GET', DOMAIN, 409, error('zone_exists'), /code must be equal to one of/],
    ['GET', DOMAIN, 500, error('internal'), /not foreseen/],
    ['GET', '/api/v1/nothing', 200, { ok: true }, /no such path/],
    ['PATCH', DOMAIN, 200, { ok: true }, /no such operation/],
    ['PATCH', DOMAIN, 404, error('no_such_domain'), /no such operation/],
    ['GET', `${DOMAIN}/zonefile`, 200, { ok: true }, /JSON came/],
    ['GET', '/readyz', 503, { ok: true, node: 'a', reasons: [], warnings: [] }, /constant/],
  ] as const)
    assert.match(documented(document, method, template, status, body) ?? 'nothing found', fault, JSON.stringify(body));
});

test.run();
