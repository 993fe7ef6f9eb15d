/**
 * A zone with warnings, from its import to answers and export: nothing is lost, and the answers are
 * correct.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { typeName } from '../../../../../core/dns/wire/mnemonics.ts';
import { formatName } from '../../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, TYPE } from '../../../../../core/dns/wire/types.ts';
import { decodeMessage } from '../../../../support/message.ts';
import { listOf } from '../../../daemon.ts';
import { type DohDaemon, get, question, startDoh } from '../../doh/rig.ts';

const ZONE = 'doubt.test';
const FILE = `$ORIGIN ${ZONE}.
$TTL 300
@	300	IN	SOA	ns1.example. h.example. 7 2 3 4 5
@	300	IN	NS	ns1.example.
@	300	IN	MX	1 c.${ZONE}.
@	300	IN	MX	2 www.${ZONE}.
0/25	300	IN	NS	ns1.${ZONE}.
ns1	300	IN	A	192.0.2.2
_s._tcp	300	IN	SRV	1 2 3 c.${ZONE}.
a#b	300	IN	A	192.0.2.3
c	300	IN	CNAME	www.${ZONE}.
d	300	IN	NS	ns.example.
d	300	IN	MX	1 mail.example.
x.d	300	IN	TXT	"hidden"
n	300	IN	NAPTR	1 2 "u" "" "!a!b!" x.example.
nil	300	IN	NS	.
long	2147483647	IN	TXT	"long"
www	0	IN	A	192.0.2.1
@	300	IN	DS	1 8 2 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
a.*.b	300	IN	A	192.0.2.5
m	300	IN	DNAME	example.org.
x.m	300	IN	TXT	"below"
`;

const test = suite<{ daemon: DohDaemon; path: string }>('zonefile, served');
test.before(async (context) => {
  context.daemon = await startDoh('auto');
  const { body } = await context.daemon.call('POST', '/api/v1/domains', { json: { domain: ZONE } });
  context.path = `/api/v1/domains/${body.domain.id}`;
});
test.after(({ daemon }) => daemon.stop());

const shown = ({ name, type, ttl, rdata }: ResourceRecord): string =>
  `${formatName(name)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`;

async function ask(daemon: DohDaemon, name: string, type: number) {
  const { body } = await get(daemon, question(name, type));
  const { rcode, header, answer, authority, additional } = decodeMessage(body);
  return {
    rcode,
    aa: header.aa,
    answer: answer.map(shown),
    authority: authority.map(shown),
    additional: additional.map(shown),
  };
}

const SERVED: readonly (readonly [
  name: string,
  type: number,
  expected: { rcode?: number; aa?: boolean; answer?: string[]; authority?: string[]; additional?: string[] },
])[] = [
  // RFC 2181 10.3: the CNAME is not followed, so there is no additional data.
  [
    `${ZONE}.`,
    TYPE.MX,
    {
      answer: [`${ZONE}. 300 MX 1 c.${ZONE}.`, `${ZONE}. 300 MX 2 www.${ZONE}.`],
      additional: [`www.${ZONE}. 0 A 192.0.2.1`],
    },
  ],
  [`_s._tcp.${ZONE}.`, TYPE.SRV, { answer: [`_s._tcp.${ZONE}. 300 SRV 1 2 3 c.${ZONE}.`] }],
  [`c.${ZONE}.`, TYPE.A, { answer: [`c.${ZONE}. 300 CNAME www.${ZONE}.`, `www.${ZONE}. 0 A 192.0.2.1`] }],
  [`a.nil.${ZONE}.`, TYPE.A, { aa: false, authority: [`nil.${ZONE}. 300 NS .`] }],
  [
    `1.0/25.${ZONE}.`,
    TYPE.PTR,
    {
      aa: false,
      authority: [`0/25.${ZONE}. 300 NS ns1.${ZONE}.`],
      additional: [`ns1.${ZONE}. 300 A 192.0.2.2`],
    },
  ],
  // Records hidden by a delegation are never in an answer.
  [`x.d.${ZONE}.`, TYPE.TXT, { aa: false, authority: [`d.${ZONE}. 300 NS ns.example.`] }],
  [`d.${ZONE}.`, TYPE.MX, { aa: false, authority: [`d.${ZONE}. 300 NS ns.example.`] }],
  [`n.${ZONE}.`, TYPE.NAPTR, { answer: [`n.${ZONE}. 300 NAPTR 1 2 "u" "" "!a!b!" x.example.`] }],
  [`a#b.${ZONE}.`, TYPE.A, { answer: [`a#b.${ZONE}. 300 A 192.0.2.3`] }],
  [`a.*.b.${ZONE}.`, TYPE.A, { answer: [`a.*.b.${ZONE}. 300 A 192.0.2.5`] }],
  [
    `x.m.${ZONE}.`,
    TYPE.TXT,
    { answer: [`m.${ZONE}. 300 DNAME example.org.`, `x.m.${ZONE}. 300 CNAME x.example.org.`] },
  ],
  [`long.${ZONE}.`, TYPE.TXT, { answer: [`long.${ZONE}. 2147483647 TXT "long"`] }],
];

test('an import returns warnings by line; with strict it changes nothing', async ({ daemon, path }) => {
  const put = (query: string) =>
    daemon.call('PUT', `${path}/zonefile${query}`, { body: FILE, headers: { 'content-type': 'text/dns' } });
  const strict = await put('?apex=keep&strict=true');
  assert.equal([strict.status, strict.body.error.code], [422, 'invalid_zonefile'] as never);
  const lines = [5, 9, 10, 13, 14, 15, 16, 17, 18, 19, 20, 22];
  assert.equal(
    listOf(strict.body.error.details).map(({ line }) => Number(line)),
    lines,
  );
  assert.equal(listOf((await daemon.call('GET', `${path}/records`)).body.records), []);
  const { status, body, text } = await put('?apex=keep');
  assert.is(status, 200, text);
  const warnings = listOf(body.warnings);
  assert.equal(
    warnings.map(({ line, code }) => `${line} ${code}`),
    [
      '5 target_is_cname',
      '9 target_is_cname',
      '10 invalid_host',
      '13 occluded',
      '14 occluded',
      '15 invalid_content',
      '16 invalid_host',
      '17 unusual_ttl',
      '18 unusual_ttl',
      '19 ds_at_apex',
      '20 invalid_name',
      '22 occluded',
    ],
  );
  assert.ok(warnings.every(({ message }) => String(message).endsWith('.')));
});

test('the export equals the import and can be imported again', async ({ daemon, path }) => {
  const body = (line: string): boolean => !line.includes('SOA');
  const records = (file: string) => file.split('\n').filter(body).sort();
  const first = (await daemon.call('GET', `${path}/zonefile`)).text;
  assert.equal(records(first), records(FILE));
  const again = await daemon.call('PUT', `${path}/zonefile?apex=keep`, {
    body: first,
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(again.status, 200, again.text);
  assert.equal(records((await daemon.call('GET', `${path}/zonefile`)).text), records(FILE));
});

for (const [name, type, expected] of SERVED)
  test(`answers ${name} ${typeName(type)}`, async ({ daemon }) => {
    const nothing = { rcode: 0, aa: true, answer: [], authority: [], additional: [] };
    assert.equal(await ask(daemon, name, type), { ...nothing, ...expected });
  });

test('a domain that is created with the file has the same answers', async ({ daemon }) => {
  const made = 'made.test';
  const { status, text } = await daemon.call('POST', `/api/v1/domains/zonefile?domain=${made}&apex=keep`, {
    body: FILE.replaceAll(ZONE, made),
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(status, 200, text);
  const renamed = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(ZONE, made));
  for (const [name, type] of SERVED)
    assert.equal(await ask(daemon, name.replaceAll(ZONE, made), type), renamed(await ask(daemon, name, type)), name);
});

test('records of a zone with warnings can be read and sent back, singly and in a batch', async ({ daemon, path }) => {
  const read = async () => listOf((await daemon.call('GET', `${path}/records`)).body.records);
  const all = (await read()).filter(({ name, type }) => !(`${type}` === 'NS' && `${name}` === '@'));
  for (const record of all) {
    const { status, text } = await daemon.call('PUT', `${path}/records/${record.id}`, { json: record });
    assert.is(status, 200, `${record.name} ${record.type}: ${text}`);
  }
  const batch = await daemon.call('POST', `${path}/records/batch`, { json: { put: all } });
  assert.is(batch.status, 200, batch.text);
  const again = all.map(({ id, data, created_at: made, updated_at: changed, ...record }) => record);
  const renewed = await daemon.call('POST', `${path}/records/batch`, {
    json: { delete: all.map(({ id }) => id), post: again.map((record) => ({ ...record, ttl: 300 })) },
  });
  assert.is(renewed.status, 200, renewed.text);
  const file = await daemon.call('PUT', `${path}/zonefile?apex=keep`, {
    body: FILE,
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(file.status, 200, file.text);
});

/** Changes of the zone that keep a warning, and changes that cause one. */
const CHANGES: readonly (readonly [what: string, type: string, change: object, code?: string])[] = [
  ['ns1', 'A', { type: 'CNAME', content: 'x.example.' }, 'cname_conflict'],
  ['c', 'CNAME', { content: `ns1.${ZONE}.` }],
  ['c', 'CNAME', { proxied: true }],
  ['@', 'MX', { content: `7 c.${ZONE}.`, ttl: 60 }],
  ['_s._tcp', 'SRV', { content: `7 8 9 c.${ZONE}.` }],
  ['0/25', 'NS', { content: 'ns.example.' }],
  ['a#b', 'A', { content: '192.0.2.4' }],
  ['d', 'NS', { content: 'ns2.example.' }],
  ['d', 'MX', { content: '2 mail.example.' }],
  ['x.d', 'TXT', { content: '"still hidden"' }],
  ['n', 'NAPTR', { ttl: 77 }],
  ['long', 'TXT', { content: '"longer"' }],
  ['@', 'MX', { content: '7 192.0.2.1.' }, 'invalid_host'],
  ['a#b', 'A', { name: 'b#c' }, 'invalid_host'],
  ['x.d', 'TXT', { name: 'y.d' }, 'occluded'],
  ['x.m', 'TXT', { content: '"still below"' }],
  ['x.m', 'TXT', { name: 'y.m' }, 'occluded'],
  ['a.*.b', 'A', { content: '192.0.2.6' }],
  ['a.*.b', 'A', { name: 'c.*.b' }, 'invalid_name'],
  ['@', 'DS', { ttl: 60 }],
  ['long', 'TXT', { ttl: 2147483646 }, 'invalid_ttl'],
];

test('a change of a record with a warning is rejected only for a different warning', async ({ daemon, path }) => {
  for (const [name, type, json, code] of CHANGES) {
    const query = `name=${encodeURIComponent(name)}&type=${type}`;
    const [old] = listOf((await daemon.call('GET', `${path}/records?${query}`)).body.records);
    const { status, body, text } = await daemon.call('PUT', `${path}/records/${old.id}`, { json: { ...old, ...json } });
    assert.equal([status === 200, body.error?.code], [code === undefined, code] as never, `${name} ${type}: ${text}`);
  }
  const file = await daemon.call('PUT', `${path}/zonefile?apex=keep`, {
    body: FILE,
    headers: { 'content-type': 'text/dns' },
  });
  assert.is(file.status, 200, file.text);
});

test('a hidden record is served when its delegation is deleted', async ({ daemon, path }) => {
  const [ns] = listOf((await daemon.call('GET', `${path}/records?name=d&type=NS`)).body.records);
  assert.is((await daemon.call('DELETE', `${path}/records/${ns.id}`)).status, 200);
  assert.equal((await ask(daemon, `x.d.${ZONE}.`, TYPE.TXT)).answer, [`x.d.${ZONE}. 300 TXT "hidden"`]);
  assert.equal((await ask(daemon, `d.${ZONE}.`, TYPE.MX)).answer, [`d.${ZONE}. 300 MX 1 mail.example.`]);
});

test('a hidden record is served when its DNAME is deleted', async ({ daemon, path }) => {
  const [dname] = listOf((await daemon.call('GET', `${path}/records?name=m&type=DNAME`)).body.records);
  assert.is((await daemon.call('DELETE', `${path}/records/${dname.id}`)).status, 200);
  assert.equal((await ask(daemon, `x.m.${ZONE}.`, TYPE.TXT)).answer, [`x.m.${ZONE}. 300 TXT "below"`]);
  const json = { name: 'm', type: 'DNAME', content: 'example.org.' };
  assert.is((await daemon.call('POST', `${path}/records`, { json })).body.error.code, 'occluded' as never);
});

test('single records must follow the stricter rules', async ({ daemon, path }) => {
  const refused: readonly (readonly [name: string, type: string, content: string, code: string])[] = [
    ['m', 'MX', `1 c.${ZONE}`, 'target_is_cname'],
    ['m', 'NS', '.', 'invalid_host'],
    ['b#c', 'A', '192.0.2.1', 'invalid_host'],
    ['m', 'NAPTR', '1 2 "u" "" "!a!b!" x.example', 'invalid_content'],
    ['m', 'MX', '1 192.0.2.1', 'invalid_host'],
    ['m', 'CNAME', '192.0.2.1', 'invalid_host'],
  ];
  for (const [name, type, content, code] of refused) {
    const { status, body } = await daemon.call('POST', `${path}/records`, { json: { name, type, content } });
    assert.equal([status, body.error.code], [422, code] as never, `${name} ${type} ${content}`);
  }
  const below = { name: 'y.0/25', type: 'TXT', content: 'x' };
  const occluded = await daemon.call('POST', `${path}/records`, { json: below });
  assert.equal([occluded.status, occluded.body.error.code], [409, 'occluded'] as never);
});

test.run();
