import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPrefix, readTag, readUrl } from '../../../../admin-api/sites/proxy/purge-target.ts';
import { isCacheTag } from '../../../../core/base/cache-tag.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { purges } from '../../../../core/store/rows.ts';
import { parseCacheTags } from '../../../../edge/cache/rules/storable.ts';
import fc, { ANY_CHARACTER } from '../../../support/fc.ts';
import { newId } from '../../../support/ids.ts';
import { faultOf, type Rig, startRig } from './rig.ts';

const test = suite<Rig>('admin-api/sites/proxy/purge');
test.before(async (context) => void Object.assign(context, await startRig()));
test.after((context) => context.daemon.stop());

const rows = ({ daemon }: Rig, id: string | number) =>
  [...daemon.environment.rows.get(purges.number)!.getRange({})]
    .map(({ key, value }) => purges.decode(key as Buffer, value))
    .filter((row) => row.domainId === Number(id));

test('normalizes URLs', () => {
  for (const [text, expected] of [
    ['https://www.a.test/', 'https://www.a.test/'],
    ['HTTPS://WWW.A.test:443/x/../y', 'https://www.a.test/y'],
    ['http://a.test:80', 'http://a.test/'],
    ['https://a.test./b?c=d', 'https://a.test/b?c=d'],
    ['https://a.test/%7Euser/%e4%2f?q=%61', 'https://a.test/~user/%E4%2F?q=a'],
    ['https://a.test/ä', 'https://a.test/%C3%A4'],
  ] as const)
    assert.is(readUrl(text, 'a.test', ''), expected, text);
  for (const text of [
    '/path',
    'a.test/x',
    'ftp://a.test/',
    'https://b.test/',
    'https://nota.test/',
    'https://a.test.evil.com/',
    'https://a.test@b.test/',
    'https://b.test@a.test/',
    'https://a.test:8443/',
    'https://a.test/#x',
    'https://*.a.test/',
    'https://a.test\\@b.test/',
    ' https://a.test/',
    'https://a.te\tst/',
    'https:a.test',
  ])
    assert.throws(
      () => readUrl(text, 'a.test', ''),
      (error: Error & { code?: string }) => error.code === 'invalid_url',
      text,
    );
});

test('normalizes prefixes, with or without a scheme', () => {
  for (const [text, expected] of [
    ['a.test', 'a.test/'],
    ['https://www.a.test/News/', 'www.a.test/News/'],
    ['WWW.a.test/b/%7e', 'www.a.test/b/~'],
  ] as const)
    assert.is(readPrefix(text, 'a.test', ''), expected, text);
  for (const text of ['/x', 'b.test/', 'a.test/x?y', 'a.test:8080/', '', 'javascript:alert(1)', 'ftp://a.test/'])
    assert.throws(
      () => readPrefix(text, 'a.test', ''),
      (error: Error & { code?: string }) => error.code === 'invalid_prefix',
      text,
    );
});

test('checks tags', () => {
  for (const tag of ['home', 'node:1', 'a  b', '"a"', 'x', 'x'.repeat(65), 'x'.repeat(1024), '!~'])
    assert.is(readTag(tag, ''), tag);
  for (const tag of ['', ' ', ' a', 'a ', 'a,b', 'a\tb', 'ä', 'x'.repeat(1025), 'a\n'])
    assert.throws(
      () => readTag(tag, '/tags/0'),
      (error: Error & { code?: string }) => error.code === 'invalid_tag' && /1 to 1024 printable/.test(error.message),
      tag,
    );
});

test('a purge can name exactly the tags that the cache stores', () => {
  const some = fc.string({ unit: fc.constantFrom('a', '~', '!', ' ', '"', '\t', 'é', '\x7f'), maxLength: 6 });
  fc.assert(
    fc.property(
      fc.oneof(
        some,
        fc.string(),
        fc.nat(1100).map((n) => 'x'.repeat(n)),
      ),
      (text) => {
        for (const tag of parseCacheTags(text) ?? []) assert.is(readTag(tag, ''), tag);
        if (!isCacheTag(text)) return;
        assert.equal(parseCacheTags(text), [text]);
        assert.equal(parseCacheTags(` ${text} ,\t${text}`), [text]);
      },
    ),
  );
});

test('normalization is idempotent', () => {
  const piece = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.constantFrom('%41', '%2541', '%e4', '..', '/', '?', '\\u0000', 'ä', '%'),
  );
  const texts = fc.array(piece, { maxLength: 8 }).map((pieces) => `a.test/${pieces.join('')}`);
  const attempt = (read: () => string): string | null => {
    try {
      return read();
    } catch (error) {
      assert.instance(error, InvalidError);
      return null;
    }
  };
  let taken = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const url = attempt(() => readUrl(`https://${text}`, 'a.test', ''));
      const prefix = attempt(() => readPrefix(text, 'a.test', ''));
      if (url !== null) {
        taken++;
        assert.match(url, /^https:\/\/a\.test\/[\x21-\x7e]*$/);
        assert.is(readUrl(url, 'a.test', ''), url);
      }
      if (prefix !== null) assert.is(readPrefix(prefix, 'a.test', ''), prefix);
    }),
    { numRuns: 2000 },
  );
  assert.ok(taken > 200, `${taken} were taken`);
});

test('purges everything without a body and with an empty one', async (rig) => {
  const id = await rig.domain('all.test');
  for (const [json, headers] of [
    [undefined, {}],
    [{}, {}],
    [undefined, { 'content-type': 'application/json' }],
  ] as const) {
    const { status, body, text } = await rig.proxy('POST', id, '/purge', json, { headers });
    assert.is(status, 200, text);
    const { id: purge, requested_at, ...rest } = body.purge;
    const lists = { urls: [], prefixes: [], tags: [] };
    assert.equal(rest, { domain_id: Number(id), everything: true, ...lists, prefetch: false } as never);
    assert.match(String(requested_at), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.equal(
      rows(rig, id).map((row) => row.id),
      [Number(purge)],
      'it stands for those before it',
    );
  }
  const untyped = await rig.proxy('POST', id, '/purge', undefined, { body: new TextEncoder().encode('{}') });
  assert.is(untyped.status, 415);
});

test('purges parts, normalized and without duplicates', async (rig) => {
  const id = await rig.domain('part.test');
  const json = {
    urls: ['https://part.test/a', 'HTTPS://PART.test/a', 'https://www.part.test/b'],
    prefixes: ['www.part.test/news/'],
    tags: ['home', 'home'],
  };
  const { body } = await rig.proxy('POST', id, '/purge', json);
  const lists = {
    urls: ['https://part.test/a', 'https://www.part.test/b'],
    prefixes: ['www.part.test/news/'],
    tags: ['home'],
  };
  const [row] = rows(rig, id);
  assert.equal({ urls: row.urls, prefixes: row.prefixes, tags: row.tags }, lists);
  assert.is(body.purge.everything, false as never);
  const { body: audit } = await rig.daemon.call('GET', '/api/v1/audit?limit=1');
  assert.match(JSON.stringify(audit), /"action":"cache\.purge".*"urls":2,"prefixes":1,"tags":1/);
});

test('errors have the pointer of the wrong item', async ({ domain, proxy }) => {
  const id = await domain('wrong.test');
  for (const [json, code, pointer] of [
    [{ urls: [] }, 'validation', '/urls'],
    [{ urls: 'x' }, 'validation', '/urls'],
    [{ urls: [7] }, 'validation', '/urls/0'],
    [{ urls: ['https://wrong.test/', 'https://b.test/'] }, 'invalid_url', '/urls/1'],
    [{ prefixes: ['b.test/'] }, 'invalid_prefix', '/prefixes/0'],
    [{ tags: ['a,b'] }, 'invalid_tag', '/tags/0'],
    [{ tags: Array.from({ length: 101 }, (_, i) => `t${i}`) }, 'validation', '/tags'],
    [{ urls: [`https://wrong.test/${'a'.repeat(2048)}`] }, 'validation', '/urls/0'],
  ] as const)
    assert.equal(
      faultOf(await proxy('POST', id, '/purge', json)),
      [422, code, pointer],
      JSON.stringify(json).slice(0, 80),
    );
});

test('limits the purges of a domain, but a purge of everything always works', async (rig) => {
  const id = await rig.domain('bound.test');
  const table = rig.daemon.environment.rows.get(purges.number)!;
  await table.transaction(() => {
    for (let i = 0; i < 1000; i++) {
      const row = {
        id: newId(),
        domainId: Number(id),
        urls: [],
        prefixes: [],
        tags: ['t'],
        createdAt: 0,
      };
      table.put(purges.key(row), purges.encode(row));
    }
  });
  const full = await rig.proxy('POST', id, '/purge', { tags: ['t'] });
  assert.equal(faultOf(full), [429, 'too_many_purges', undefined]);
  assert.ok(full.headers.get('retry-after'));
  assert.is((await rig.proxy('POST', id, '/purge', {})).status, 200);
  assert.is(rows(rig, id).length, 1);
  assert.is((await rig.proxy('POST', id, '/purge', { tags: ['t'] })).status, 200);
});

test.run();
