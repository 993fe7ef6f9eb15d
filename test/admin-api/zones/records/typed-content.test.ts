/** One label as a target: refused where people type content, and read as before everywhere else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../../core/dns/wire/name.ts';
import type { Domain } from '../../../../core/store/rows.ts';
import { add } from '../../../support/update-message.ts';
import { type Json, listOf } from '../../daemon.ts';
import { type Key, World } from '../update/world.ts';

interface Context {
  world: World;
  key: Key;
  domain: Domain;
  apex: string;
}

const test = suite<Context>('records, typed content');
test.before(async (context) => {
  context.world = await World.start();
  context.key = await context.world.key(context.world.admin);
  context.domain = await context.world.zone();
  context.apex = formatName(context.domain.apex);
});
test.after(({ world }) => world.stop());

const call = ({ world, domain }: Context, method: string, path: string, json?: unknown) =>
  world.daemon.call(method, `/api/v1/domains/${domain.id}${path}`, { json });

test('creating, changing and batches refuse it, and name both readings', async (context) => {
  const { apex } = context;
  const choices = [`10 mail.${apex}`, '10 mail.'];
  const json = { name: 'm', type: 'MX', content: '10 mail' };
  const created = await call(context, 'POST', '/records', json);
  const { code, message, pointer } = created.body.error;
  assert.equal([created.status, code, pointer], [422, 'relative_target', '/content'] as never, created.text);
  for (const reading of [`"mail.${apex}"`, '"mail."']) assert.match(String(message), reading);
  assert.equal(created.body.error.choices, choices as never);
  const separate = await call(context, 'POST', '/records', { ...json, content: 'mail', priority: 10 });
  assert.equal(separate.body.error.choices, choices as never);
  const { body } = await call(context, 'POST', '/records', { ...json, content: choices[0] });
  const changed = await call(context, 'PUT', `/records/${body.record.id}`, json);
  assert.is(changed.body.error.code, 'relative_target' as never);
  const post = [json, { ...json, name: 'c', type: 'CNAME', content: 'mail' }];
  const batch = await call(context, 'POST', '/records/batch', { post });
  assert.equal(batch.body.error.choices, choices as never);
  assert.equal(
    listOf(batch.body.error.details).map((detail) => detail.choices),
    [choices, [`mail.${apex}`, 'mail.']] as never,
  );
  const { preview } = (await call(context, 'POST', '/records/batch?dry_run=true', { post })).body;
  assert.equal(
    listOf(preview.faults).map((fault: Json) => [fault.pointer, fault.code, fault.choices]),
    [
      ['/post/0/content', 'relative_target', choices],
      ['/post/1/content', 'relative_target', [`mail.${apex}`, 'mail.']],
    ] as never,
  );
  for (const choice of choices)
    assert.is((await call(context, 'POST', '/records', { ...json, name: 'x', content: choice })).status, 200, choice);
});

test('an owner that is a URL is named', async (context) => {
  const json = { name: 'https://www.example.net', type: 'TXT', content: 'x' };
  const { status, body } = await call(context, 'POST', '/records', json);
  assert.equal([status, body.error.code, body.error.pointer], [422, 'invalid_name', '/name'] as never);
  assert.match(String(body.error.message), 'without "https://"');
});

test('filters, dynamic updates and the PowerDNS API read one label as the top-level name', async (context) => {
  const { world, key, domain, apex } = context;
  assert.is(await world.update(key, { zone: domain.apex, updates: [add(`u.${apex}`, 60, 'PTR', 'mail')] }), 'NOERROR');
  const found = await call(context, 'GET', '/records?type=PTR&content=mail');
  assert.equal(
    listOf(found.body.records).map((record) => record.content),
    ['mail.'] as never,
  );
  const rrsets = [
    {
      name: `p.${apex}`,
      type: 'PTR',
      ttl: 60,
      changetype: 'REPLACE',
      records: [{ content: 'mail.', disabled: false }],
    },
    {
      name: `a.${apex}`,
      type: 'AFSDB',
      ttl: 60,
      changetype: 'REPLACE',
      records: [{ content: '1 mail', disabled: false }],
    },
  ];
  const patched = await world.daemon.call('PATCH', `/api/v1/servers/localhost/zones/${apex}`, {
    ...{ token: null, json: { rrsets }, headers: { 'x-api-key': world.daemon.adminToken } },
  });
  assert.is(patched.status, 204, patched.text);
});

test('a zone file completes one label with the origin', async (context) => {
  const { world, domain, apex } = context;
  const { status, text } = await world.daemon.call('PUT', `/api/v1/domains/${domain.id}/zonefile`, {
    ...{ body: 'm 60 MX 10 mail\nmail 60 A 192.0.2.1\n', headers: { 'content-type': 'text/dns' } },
  });
  assert.is(status, 200, text);
  assert.equal(world.records(domain), [`m 60 MX 10 mail.${apex}`, 'mail 60 A 192.0.2.1']);
});

test.run();
