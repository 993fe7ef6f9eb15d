/** Zones and RRsets of the PowerDNS-compatible API: the documented examples, and what differs. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadEd25519Key } from '../../../../core/dns/dnssec/keys.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { depth } from '../../../support/depth.ts';
import { type Answer, type Daemon, type Json, listOf, startDaemon } from '../../daemon.ts';

const ZONES = '/api/v1/servers/localhost/zones';
const SERVICE_NS = ['ns1.waypost.test.', 'ns2.waypost.test.'];

interface Context {
  daemon: Daemon;
  token: string;
  zones: number;
}

const test = suite<Context>('powerdns, zones');

test.before(async (context) => {
  context.daemon = await startDaemon();
  context.token = (await context.daemon.account('anna', { plan: 'unlimited' })).token;
  context.zones = 0;
});
test.after(({ daemon }) => daemon.stop());

type Send = (method: string, path: string, json?: unknown, headers?: Record<string, string>) => Promise<Answer>;

const sender =
  ({ daemon, token }: Pick<Context, 'daemon' | 'token'>): Send =>
  (method, path, json, headers = {}) =>
    daemon.call(method, `${ZONES}${path}`, {
      ...{ token: null, json, headers: { accept: 'application/json', 'x-api-key': token, ...headers } },
    });

/** A new zone without own nameservers. */
async function newZone(context: Context): Promise<{ send: Send; id: string; patch(rrsets: unknown): Promise<Answer> }> {
  const send = sender(context);
  const id = `z${context.zones++}.example.`;
  assert.is((await send('POST', '', { name: id, kind: 'Native' })).status, 201);
  return { send, id, patch: (rrsets) => send('PATCH', `/${id}`, { rrsets }) };
}

const records = (...contents: string[]) => contents.map((content) => ({ content, disabled: false }));

/** `TTL CONTENT, CONTENT` of an RRset; empty if it does not exist. */
async function rrset(send: Send, zone: string, name: string, type: string): Promise<string> {
  const { body } = await send('GET', `/${zone}?rrset_name=${name}&rrset_type=${type}`);
  return listOf(body.rrsets)
    .map(({ ttl, records: all }) => `${ttl} ${listOf(all).map(({ content }) => content)}`)
    .join();
}

const failure = ({ status, body }: Answer): string => `${status} ${body.error}`;

test('automatic hints are written and read as in PowerDNS', async (context) => {
  const { send, id, patch } = await newZone(context);
  const content = `1 . alpn=h2 ipv4hint=auto ipv6hint=auto`;
  const set = { name: id, type: 'HTTPS', ttl: 300, changetype: 'REPLACE', records: records(content) };
  assert.is((await patch([set])).status, 204);
  assert.is(await rrset(send, id, id, 'HTTPS'), `300 ${content}`);
});

test('names that a customer cannot have are refused as by the API of this service', async (context) => {
  const send = sender(context);
  for (const name of ['co.uk.', 'gitlab.io.', 'arpa.', '*.de.', '<img>.org.', 'waypost.test.', 'a.ns1.waypost.test.'])
    for (const kind of [{ kind: 'Native' }, { kind: 'Slave', masters: ['198.51.101.7'] }])
      assert.is((await send('POST', '', { name, ...kind })).status, 422, name);
});

test('documented: listing all zones', async (context) => {
  const { daemon } = context;
  const { token } = await daemon.account('lister');
  const send = sender({ daemon, token });
  assert.equal((await send('GET', '')).body, []);
  await send('POST', '', { name: 'list.example.', kind: 'Native' });
  const { body, headers } = await send('GET', '');
  assert.is(headers.get('content-type'), 'application/json');
  const [zone] = listOf(body);
  const { serial } = zone;
  assert.ok(Number(serial) > 0);
  assert.equal(zone, {
    ...{ account: '', catalog: '', dnssec: false, edited_serial: serial, id: 'list.example.', kind: 'Native' },
    ...{ last_check: 0, masters: [], name: 'list.example.', notified_serial: 0, serial },
    record_count: 3,
    url: '/api/v1/servers/localhost/zones/list.example.',
  });
  assert.equal((await send('GET', '?zone=list.example.')).body, body);
  assert.equal((await send('GET', '?zone=other.example.')).body, []);
  assert.is(failure(await send('GET', '?zone=list.example')), "422 DNS Name 'list.example' is not canonical");
  const fast = listOf((await send('GET', '?dnssec=false')).body)[0];
  assert.not.ok('dnssec' in fast || 'edited_serial' in fast);
});

test('documented: creating a new zone, listing and deleting it', async (context) => {
  const send = sender(context);
  const wanted = {
    ...{ name: 'example.org.', kind: 'Native', masters: [] },
    nameservers: ['ns1.example.org.', 'ns2.example.org.'],
  };
  const created = await send('POST', '', wanted);
  assert.is(created.status, 201);
  const { rrsets, serial, ...zone } = created.body;
  assert.equal(zone, {
    ...{ account: '', api_rectify: false, catalog: '', dnssec: false, edited_serial: serial, id: 'example.org.' },
    ...{ kind: 'Native', last_check: 0, master_tsig_key_ids: [], masters: [], name: 'example.org.' },
    ...{ notified_serial: 0, nsec3narrow: false, nsec3param: '', slave_tsig_key_ids: [], soa_edit: '' },
    ...{ soa_edit_api: 'DEFAULT', url: '/api/v1/servers/localhost/zones/example.org.', record_count: 3 },
  });
  const [soa, ns] = listOf(rrsets);
  assert.is(soa.type, 'SOA');
  assert.match(
    String(soa.records[0 as never]?.content),
    new RegExp(`^ns1\\.waypost\\.test\\. hostmaster\\.waypost\\.test\\. ${serial} 3600 600 1209600 300$`),
  );
  assert.equal(ns, {
    ...{ comments: [], name: 'example.org.', ttl: 3600, type: 'NS' },
    records: records('ns1.example.org.', 'ns2.example.org.'),
  });
  assert.equal((await send('GET', '/example.org.')).body, created.body);
  assert.not.ok('rrsets' in (await send('GET', '/example.org.?rrsets=false')).body);
  assert.is(failure(await send('POST', '', wanted)), '409 Conflict');
  const gone = await send('DELETE', '/example.org.');
  assert.is(`${gone.status}${gone.text}`, '204');
  assert.is((await send('GET', '/example.org.')).status, 404);
});

test('documented: creating and deleting an RRset', async (context) => {
  const { send, id, patch } = await newZone(context);
  const name = `test.${id}`;
  const rrsets = [{ name, type: 'A', ttl: 3600, changetype: 'REPLACE', records: records('192.168.0.5') }];
  const answer = await patch(rrsets);
  assert.is(`${answer.status}${answer.text}`, '204');
  assert.is(await rrset(send, id, name, 'A'), '3600 192.168.0.5');
  assert.is((await patch([{ name, type: 'A', changetype: 'DELETE' }])).status, 204);
  assert.is(await rrset(send, id, name, 'A'), '');
});

test('documented: rectifying a zone', async (context) => {
  const { send, id } = await newZone(context);
  const answer = await send('PUT', `/${id}/rectify`);
  assert.is(answer.status, 200);
  assert.equal(answer.body, { result: 'Rectified' });
});

test('a replacement without a difference changes nothing, not even the serial', async (context) => {
  const { send, id, patch } = await newZone(context);
  const rrsets = [
    {
      ...{ name: `a.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: records('192.0.2.1') },
      comments: [{ content: 'one', account: 'anna' }],
    },
  ];
  await patch(rrsets);
  const before = (await send('GET', `/${id}`)).body;
  const writes = context.daemon.writes();
  assert.is((await patch(rrsets)).status, 204);
  const ns = { name: id, type: 'NS', ttl: 86_400, changetype: 'REPLACE', records: records(...SERVICE_NS) };
  const soa = listOf(before.rrsets)[0];
  assert.is((await patch([ns, { ...soa, changetype: 'REPLACE' }])).status, 204);
  assert.is(context.daemon.writes(), writes);
  assert.equal((await send('GET', `/${id}`)).body, before);
});

test('a PATCH is atomic', async (context) => {
  const { send, id, patch } = await newZone(context);
  const good = { name: `a.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: records('192.0.2.1') };
  const bad = { name: `b.${id}`, type: 'CNAME', ttl: 300, changetype: 'REPLACE', records: records('a.example.') };
  const conflicting = { ...bad, name: `a.${id}` };
  assert.is((await patch([good, conflicting])).status, 422);
  assert.is(await rrset(send, id, `a.${id}`, 'A'), '');
  assert.is((await patch([good, bad])).status, 204);
});

test('EXTEND adds records, PRUNE deletes them', async (context) => {
  const { send, id, patch } = await newZone(context);
  const name = `a.${id}`;
  const change = (changetype: string, ...contents: string[]) =>
    patch([{ name, type: 'A', ttl: 300, changetype, records: records(...contents) }]);
  assert.is((await change('EXTEND', '192.0.2.1')).status, 204);
  assert.is((await change('EXTEND', '192.0.2.2')).status, 204);
  assert.is((await change('EXTEND', '192.0.2.2')).status, 204);
  assert.is(await rrset(send, id, name, 'A'), '300 192.0.2.1,192.0.2.2');
  assert.is((await change('PRUNE', '192.0.2.1')).status, 204);
  assert.is((await change('PRUNE', '192.0.2.9')).status, 204);
  assert.is(await rrset(send, id, name, 'A'), '300 192.0.2.2');
});

test('comments are kept, and deleted with their RRset', async (context) => {
  const { send, id, patch } = await newZone(context);
  const name = `a.${id}`;
  const commentsOf = async (): Promise<unknown> =>
    listOf((await send('GET', `/${id}?rrset_name=${name}`)).body.rrsets).map(({ comments: notes }) => notes);
  const comments = [{ content: 'one "two"', account: 'anna', modified_at: 1234 }];
  const replace = (more: object) => patch([{ name, type: 'A', ttl: 300, changetype: 'REPLACE', ...more }]);
  assert.is((await replace({ records: records('192.0.2.1'), comments })).status, 204);
  assert.equal(await commentsOf(), [comments]);
  assert.is((await replace({ records: records('192.0.2.2') })).status, 204);
  assert.equal(await commentsOf(), [comments]);
  assert.is((await replace({ comments: [{ content: 'new', account: '' }] })).status, 204);
  assert.match(JSON.stringify(await commentsOf()), /"content":"new","modified_at":\d{10}/);
  assert.is((await replace({ comments: [] })).status, 204);
  assert.equal(await commentsOf(), [[]]);
  await replace({ comments });
  await patch([{ name, type: 'A', changetype: 'DELETE' }]);
  await replace({ records: records('192.0.2.1') });
  assert.equal(await commentsOf(), [[]]);
  assert.is((await patch([{ name: `b.${id}`, type: 'A', changetype: 'REPLACE', comments }])).status, 422);
});

test('comments go with their RRset in a signed zone, and with the zone', async (context) => {
  const { send, id, patch } = await newZone(context);
  assert.is((await send('PUT', `/${id}`, { dnssec: true })).status, 204);
  const comments = [{ content: 'one', account: '', modified_at: 1 }];
  const set = { name: `a.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: records('192.0.2.1') };
  const commented = async (): Promise<string[]> =>
    listOf((await send('GET', `/${id}`)).body.rrsets)
      .filter((each) => listOf(each.comments).length > 0)
      .map(({ type }) => String(type));
  await patch([
    { ...set, comments },
    { name: id, type: 'SOA', changetype: 'REPLACE', comments },
  ]);
  assert.equal(await commented(), ['SOA', 'A']);
  await patch([{ ...set, changetype: 'DELETE' }]);
  await patch([set]);
  assert.equal(await commented(), ['SOA']);
  assert.is((await send('DELETE', `/${id}`)).status, 204);
  await send('POST', '', { name: id, kind: 'Native' });
  assert.equal(await commented(), []);
});

test('SOA and NS at the apex: those of a client are kept, the serial is the service’s', async (context) => {
  const { send, id, patch } = await newZone(context);
  const serialOf = async (): Promise<number> => Number((await send('GET', `/${id}`)).body.serial);
  assert.is(await rrset(send, id, id, 'NS'), `86400 ${SERVICE_NS}`);
  const ns = (...contents: string[]) =>
    patch([{ name: id, type: 'NS', ttl: 600, changetype: 'REPLACE', records: records(...contents) }]);
  assert.is((await ns('ns1.other.example.', 'ns2.other.example.')).status, 204);
  assert.is(await rrset(send, id, id, 'NS'), '600 ns1.other.example.,ns2.other.example.');
  const before = await serialOf();
  const soa = `ns1.other.example. admin.other.example. 1 7200 900 1209600 600`;
  const written = await patch([{ name: id, type: 'SOA', ttl: 900, changetype: 'REPLACE', records: records(soa) }]);
  assert.is(written.status, 204);
  const serial = await serialOf();
  assert.ok(serial > before);
  assert.is(await rrset(send, id, id, 'SOA'), `900 ${soa.replace(' 1 ', ` ${serial} `)}`);
  assert.is(await rrset(send, id, id, 'NS'), '600 ns1.other.example.,ns2.other.example.');
  assert.is((await patch([{ name: id, type: 'NS', changetype: 'DELETE' }])).status, 204);
  assert.is(await rrset(send, id, id, 'NS'), `86400 ${SERVICE_NS}`);
  assert.is((await patch([{ name: id, type: 'SOA', changetype: 'DELETE' }])).status, 422);
});

test('long strings of TXT are split', async (context) => {
  const { send, id, patch } = await newZone(context);
  const key = `v=DKIM1; p=${'A'.repeat(400)}`;
  for (const [content, expected] of [
    [`"${key}"`, `"${key.slice(0, 255)}" "${key.slice(255)}"`],
    [`"a" "${'\\"'.repeat(256)}"`, `"a" "${'\\"'.repeat(255)}" "\\""`],
    [`"${'\\195'.repeat(256)}"`, `"${'\\195'.repeat(255)}" "\\195"`],
    [`"${'é'.repeat(128)}"`, `"${'\\195\\169'.repeat(127)}" "\\195\\169"`],
    [`"${'x'.repeat(255)}"`, `"${'x'.repeat(255)}"`],
  ]) {
    const set = { name: `t.${id}`, type: 'TXT', ttl: 300, changetype: 'REPLACE', records: records(content) };
    assert.is((await patch([set])).status, 204);
    assert.is(await rrset(send, id, `t.${id}`, 'TXT'), `300 ${expected}`);
  }
});

test('requests that cannot be mapped are 422 with the reason', async (context) => {
  const { send, id, patch } = await newZone(context);
  const base = { name: `a.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: records('192.0.2.1') };
  const cases: [object, RegExp][] = [
    [{ records: [{ content: '192.0.2.1', 'set-ptr': true }] }, /set-ptr/],
    [{ ttl: 5 }, /"ttl" must be 30 to/],
    [{ ttl: -1 }, /'ttl' is out of range/],
    [{ ttl: -1, changetype: 'PRUNE' }, /'ttl' is out of range/],
    [{ ttl: -1, records: [] }, /'ttl' is out of range/],
    [{ comments: [{ content: 'c', account: 'a', modified_at: '4294967297' }] }, /'modified_at' is out of range/],
    [{ comments: [{ content: 'c', account: 'a', modified_at: -1 }] }, /'modified_at' is out of range/],
    [{ type: 'LUA' }, /unknown type given/],
    [{ name: 'a.example.com.' }, /Name is out of zone/],
    [{ name: `a.${id}`.slice(0, -1) }, /is not canonical/],
    [{ records: records('192.0.2') }, /Record a\..*\/A '192\.0\.2'/],
    [{ type: 'CNAME', records: records('b.example') }, /Not in expected format \(parsed as 'b\.example\.'\)/],
    [{ type: 'TXT', records: records('bare') }, /Not in expected format/],
    [{ records: records('192.0.2.1', '192.0.2.1') }, /Duplicate record/],
    [{ changetype: 'MOVE' }, /Changetype not understood/],
    [{ type: 'DNSKEY', records: records('257 3 13 AAAA') }, /DNSSEC/],
  ];
  for (const [more, text] of cases) {
    const { status, body } = await patch([{ ...base, ...more }]);
    assert.is(status, 422, JSON.stringify(more));
    assert.match(String(body.error), text);
  }
  for (const [more, text] of [
    [{ slave_tsig_key_ids: ['k', 'l'] }, /one TSIG key/],
    [{ masters: ['192.0.2.1'] }, /masters/],
    [{ catalog: 'c.example.' }, /catalog/],
    [{ nsec3param: '1 0 1 ab' }, /1 0 0 -/],
    [{ slave_tsig_key_ids: ['k'] }, /TSIG/],
    [{ soa_edit_api: 'OTHER' }, /soa_edit_api/],
  ] as const) {
    const created = await send('POST', '', { name: 'no.example.', kind: 'Native', ...more });
    assert.is(created.status, 422, JSON.stringify(more));
    assert.match(String(created.body.error), text);
    assert.is((await send('PUT', `/${id}`, more)).status, 422, JSON.stringify(more));
  }
});

test('disabled records are kept and not served, and can be enabled', async (context) => {
  const { send, id, patch } = await newZone(context);
  const name = `a.${id}`;
  const base = { name, type: 'A', ttl: 300 };
  const off = (content: string) => ({ content, disabled: true });
  const rrsetOf = async () => {
    const { body } = await send('GET', `/${id}?rrset_name=${name}&rrset_type=A`);
    return listOf(body.rrsets).map(({ ttl, records: all }) => [
      ttl,
      ...listOf(all).map(({ content, disabled }) => `${content}${disabled ? ' off' : ''}`),
    ]);
  };
  const applied = async (...sets: object[]) => assert.is(failure(await patch(sets)), '204 undefined');
  await applied({ ...base, changetype: 'REPLACE', records: [off('192.0.2.1'), ...records('192.0.2.2')] });
  assert.equal(await rrsetOf(), [[300, '192.0.2.2', '192.0.2.1 off']]);
  assert.match((await send('GET', `/${id}/export`)).text, /192\.0\.2\.2/);
  assert.not.match((await send('GET', `/${id}/export`)).text, /192\.0\.2\.1/);
  const reader = new StoreReader(context.daemon.environment);
  const domain = reader.domainByApex(parseName(id))!;
  assert.is(reader.recordsOf(domain.id, null).length, 1);
  // Several EXTEND and PRUNE of one RRset, in their order.
  await applied(
    { ...base, changetype: 'EXTEND', records: [off('192.0.2.3')] },
    { ...base, changetype: 'EXTEND', records: records('192.0.2.4') },
    { ...base, changetype: 'EXTEND', records: records('192.0.2.1') },
    { ...base, changetype: 'PRUNE', records: records('192.0.2.3') },
    { ...base, changetype: 'PRUNE', records: records('192.0.2.2') },
  );
  assert.equal(await rrsetOf(), [[300, '192.0.2.4', '192.0.2.1 off']]);
  await applied({
    ...base,
    changetype: 'REPLACE',
    records: [off('192.0.2.4')],
    comments: [{ content: 'c', account: 'a' }],
  });
  assert.equal(await rrsetOf(), [[300, '192.0.2.4 off']]);
  // The last enabled record is gone, and the comment stays.
  const { rrsets } = (await send('GET', `/${id}`)).body;
  assert.equal(listOf(listOf(rrsets).find(({ name: each }) => String(each) === name)!.comments).length, 1);
  await applied({ ...base, changetype: 'REPLACE', records: [off('192.0.2.4'), off('192.0.2.9')] });
  assert.equal(await rrsetOf(), [[300, '192.0.2.4 off', '192.0.2.9 off']]);
  assert.is(reader.recordsOf(domain.id, null).length, 0);
  await applied({ ...base, ttl: 600, changetype: 'REPLACE', records: records('192.0.2.4') });
  assert.equal(await rrsetOf(), [[600, '192.0.2.4']]);
  await applied({ ...base, changetype: 'REPLACE', records: [off('192.0.2.5')] });
  await applied({ ...base, changetype: 'DELETE' });
  assert.equal(await rrsetOf(), []);
  const twice = await patch([{ ...base, changetype: 'REPLACE', records: [off('192.0.2.1'), ...records('192.0.2.1')] }]);
  assert.match(failure(twice), /^422 Duplicate record/);
  await applied({ ...base, changetype: 'REPLACE', records: [off('192.0.2.5')] });
  assert.is((await send('DELETE', `/${id}`)).status, 204);
  assert.is((await send('POST', '', { name: id, kind: 'Native' })).status, 201);
  assert.equal(await rrsetOf(), []);
});

test('keys and a catalog of a zone: what the account has is kept, other values are 422', async (context) => {
  const { daemon } = context;
  const { token } = await daemon.account('cataloguer', { plan: 'unlimited' });
  const send = sender({ daemon, token });
  await daemon.call('POST', '/api/v1/tsig-keys', { token, json: { name: 'axfr.key', scopes: ['dns:read'] } });
  assert.is((await send('POST', '', { name: 'list.example.net.', kind: 'Producer' })).status, 201);
  const made = await send('POST', '', {
    ...{ name: 'member.example.net.', kind: 'Master', catalog: 'list.example.net.' },
    master_tsig_key_ids: ['axfr.key.'],
  });
  assert.is(made.status, 201, made.text);
  assert.equal([made.body.catalog, made.body.master_tsig_key_ids], ['list.example.net.', ['axfr.key.']]);
  const { body } = await send('GET', '/member.example.net./metadata/TSIG-ALLOW-AXFR');
  assert.equal(body.metadata, ['axfr.key.']);
  for (const wrong of [{ catalog: 'other.example.net.' }, { catalog: '' }, { master_tsig_key_ids: ['none.'] }])
    assert.is((await send('PUT', '/member.example.net.', wrong)).status, 422, JSON.stringify(wrong));
  assert.is((await send('PUT', '/member.example.net.', { master_tsig_key_ids: [] })).status, 204);
  assert.equal((await send('GET', '/member.example.net.')).body.master_tsig_key_ids, []);
});

test('a PATCH has the serials in its headers; other sites may use the API with a key', async (context) => {
  const { send, id, patch } = await newZone(context);
  const base = { name: `a.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: records('192.0.2.1') };
  const changed = await patch([base]);
  const [old, now] = ['x-pdns-old-serial', 'x-pdns-new-serial'].map((header) => Number(changed.headers.get(header)));
  assert.ok(now > old && old > 0);
  assert.is((await patch([base])).headers.get('x-pdns-new-serial'), null);
  for (const answer of [await send('GET', `/${id}`), await send('GET', '/none.example.')])
    assert.is(answer.headers.get('access-control-allow-origin'), '*');
  const asked = await context.daemon.call('OPTIONS', `${ZONES}/${id}`, { token: null });
  assert.is(asked.status, 200);
  assert.is(asked.headers.get('access-control-allow-headers'), 'Content-Type, X-API-Key');
  assert.match(String(asked.headers.get('access-control-allow-methods')), /PATCH/);
  const native = await context.daemon.call('OPTIONS', '/api/v1/domains', { token: null });
  assert.is(native.headers.get('access-control-allow-origin'), null);
});

test('the private key of a signed zone is imported, and signs it', async (context) => {
  const { send, id } = await newZone(context);
  const privateKey = Buffer.alloc(32, 7).toString('base64');
  const text = (algorithm: string, key = privateKey) =>
    `Private-key-format: v1.2\nAlgorithm: ${algorithm}\nPrivateKey: ${key}\n`;
  const add = (json: object) => send('POST', `/${id}/cryptokeys`, { keytype: 'csk', active: true, ...json });
  for (const [wrong, message] of [
    [{ content: 'nonsense' }, /neither a file with/],
    [{ content: text('13 (ECDSAP256SHA256)', 'AAAA') }, /3 bytes in place of 32/],
    [
      { content: text('13 (ECDSAP256SHA256)', Buffer.alloc(32).toString('base64')) },
      /not a valid key of its algorithm/,
    ],
    [{ content: text('8 (RSASHA256)') }, /field "modulus" is missing/],
    [{ content: text('13'), algorithm: 'ed25519' }, /has algorithm 13/],
  ] as const)
    assert.match(failure(await add(wrong)), message);
  const { status, body } = await add({ content: text('15 (ED25519)') });
  assert.is(status, 201);
  const { publicKey } = loadEd25519Key(Buffer.alloc(32, 7));
  assert.is(body.dnskey, `257 3 15 ${Buffer.from(publicKey).toString('base64')}`);
  assert.not.ok('privatekey' in body);
});

test('a zone is created with rrsets, with comments, or from text', async (context) => {
  const send = sender(context);
  const rrsets = [
    { name: 'with.example.', type: 'MX', ttl: 600, records: records('10 mail.with.example.') },
    {
      ...{ name: 'mail.with.example.', type: 'A', ttl: 600, records: records('192.0.2.1') },
      comments: [{ content: 'mail', account: 'anna', modified_at: 5 }],
    },
  ];
  const created = await send('POST', '', { name: 'with.example.', kind: 'Master', account: 'team', rrsets });
  assert.is(created.status, 201, created.text);
  assert.is(`${created.body.kind} ${created.body.account}`, 'Master team');
  assert.is(await rrset(send, 'with.example.', 'with.example.', 'MX'), '600 10 mail.with.example.');
  const [{ comments }] = listOf((await send('GET', '/with.example.?rrset_name=mail.with.example.')).body.rrsets);
  assert.equal(comments, [{ content: 'mail', account: 'anna', modified_at: 5 }]);
  const zone =
    '$TTL 900\n@ SOA ns1.other.example. root.other.example. 7 7200 900 604800 60\n@ NS ns1.other.example.\nwww A 192.0.2.7\n';
  const text = await send('POST', '?rrsets=false', { name: 'text.example.', kind: 'Native', zone });
  assert.is(text.status, 201, text.text);
  assert.not.ok('rrsets' in text.body);
  assert.is(await rrset(send, 'text.example.', 'www.text.example.', 'A'), '900 192.0.2.7');
  assert.is(await rrset(send, 'text.example.', 'text.example.', 'NS'), '900 ns1.other.example.');
  for (const more of [
    { zone, rrsets },
    { zone: 'www A 1.2.3' },
    { nameservers: ['ns1.example'] },
    { zone, nameservers: ['ns1.example.'] },
    { kind: 'Bogus' },
    { kind: undefined },
    { name: 'bad.example' },
  ])
    assert.is(
      (await send('POST', '', { name: 'bad.example.', kind: 'Native', ...more })).status,
      422,
      JSON.stringify(more),
    );
});

test('PUT sets the fields of a zone', async (context) => {
  const { send, id } = await newZone(context);
  const fields = { kind: 'Master', account: 'team', soa_edit: 'EPOCH', soa_edit_api: 'INCREASE', api_rectify: true };
  const answer = await send('PUT', `/${id}`, fields);
  assert.is(`${answer.status}${answer.text}`, '204');
  const read = async (): Promise<Json> => (await send('GET', `/${id}?rrsets=false`)).body;
  const before: Record<string, unknown> = { ...(await read()) };
  for (const [key, value] of Object.entries(fields)) assert.is(before[key], value);
  assert.is((await send('PUT', `/${id}`, { dnssec: true })).status, 204);
  const signed = await read();
  assert.is(`${signed.dnssec} ${signed.nsec3param}`, 'true 1 0 0 -');
  const writes = context.daemon.writes();
  assert.is((await send('PUT', `/${id}`, { ...fields, dnssec: true })).status, 204);
  assert.is(context.daemon.writes(), writes);
});

test('PUT with rrsets replaces all records of a zone, or none', async (context) => {
  const { send, id, patch } = await newZone(context);
  const www = { name: `www.${id}`, type: 'A', ttl: 300, records: records('192.0.2.1') };
  const off = { name: `off.${id}`, type: 'A', ttl: 300, records: [{ content: '192.0.2.9', disabled: true }] };
  assert.is((await patch([www, off].map((set) => ({ ...set, changetype: 'REPLACE' })))).status, 204);
  const soa = { name: id, type: 'SOA', ttl: 3600, records: records('ns.other.example. me.other.example. 1 2 3 4 5') };
  const mx = { name: id, type: 'MX', ttl: 300, records: records('10 mx.other.example.') };
  const put = (...rrsets: object[]): Promise<Answer> => send('PUT', `/${id}`, { rrsets });
  assert.match(failure(await put(mx)), /^422 Must give SOA record for zone when replacing all RR sets/);
  assert.match(failure(await put(soa, { ...mx, name: 'elsewhere.' })), /^422 .*Name is out of zone/);
  assert.match(failure(await put(soa, { ...mx, ttl: -1 })), /^422 .*'ttl' is out of range/);
  assert.is(await rrset(send, id, `www.${id}`, 'A'), '300 192.0.2.1');
  assert.is((await put(soa, mx)).status, 204);
  const { body } = await send('GET', `/${id}`);
  assert.equal(
    listOf(body.rrsets)
      .map(({ name, type }) => `${name} ${type}`)
      .sort(),
    [`${id} MX`, `${id} NS`, `${id} SOA`],
  );
  assert.match(await rrset(send, id, id, 'SOA'), /^3600 ns\.other\.example\. me\.other\.example\. \d+ 2 3 4 5$/);
  const follower = { name: `put-${id}`, kind: 'Consumer', masters: ['198.51.101.7'] };
  assert.is((await send('POST', '', follower)).status, 201);
  assert.is((await send('PUT', `/put-${id}`, { rrsets: [] })).status, 204);
  assert.match(failure(await send('PUT', `/put-${id}`, { rrsets: [soa] })), /^422 Modifying RRsets in Consumer/);
});

test('include_disabled=false leaves disabled records out', async (context) => {
  const { send, id, patch } = await newZone(context);
  const all = [...records('192.0.2.1'), { content: '192.0.2.2', disabled: true }];
  await patch([{ name: `a.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: all }]);
  const shown = async (query: string): Promise<string[]> => {
    const { body } = await send('GET', `/${id}?rrset_name=a.${id}${query}`);
    return listOf(body.rrsets).flatMap((set) => listOf(set.records).map(({ content }) => String(content)));
  };
  assert.equal(await shown(''), ['192.0.2.1', '192.0.2.2']);
  assert.equal(await shown('&include_disabled=true'), ['192.0.2.1', '192.0.2.2']);
  assert.equal(await shown('&include_disabled=false'), ['192.0.2.1']);
  assert.is((await send('GET', `/${id}?include_disabled=maybe`)).status, 422);
});

test('a zone that was not transferred yet has no records, and text of another zone is refused', async (context) => {
  const send = sender(context);
  const { body } = await send('POST', '', { name: 'empty.example.', kind: 'Slave', masters: ['198.51.101.7'] });
  assert.equal([body.serial, body.rrsets, body.record_count], [0, [], 0]);
  const zone = '@ 60 SOA ns.other.example. h.other.example. 1 2 3 4 5\nelsewhere.test. 60 AAAA 2001:db8::1\n';
  const refused = await send('POST', '', { name: 'foreign.example.', kind: 'Native', zone });
  assert.is(failure(refused), '422 Line 2 of the zone: Name is out of zone');
});

test('names with a slash need no escape, and contents may have spaces around them', async (context) => {
  const send = sender(context);
  const { status, body } = await send('POST', '', { name: 'a/b.slash.example.', kind: 'Native' });
  assert.equal([status, body.name, body.id], [201, 'a/b.slash.example.', 'a=2Fb.slash.example.']);
  assert.is((await send('GET', '/a=2Fb.slash.example.')).body.name, 'a/b.slash.example.');
  const { id, patch } = await newZone(context);
  const set = { name: `s.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: records(' 192.0.2.1 ') };
  assert.is((await patch([set])).status, 204);
  assert.is(await rrset(send, id, `s.${id}`, 'A'), '300 192.0.2.1');
  const metadata = { kind: 'RFC1123-CONFORMANCE', metadata: ['0'] };
  assert.is((await send('POST', `/${id}/metadata`, metadata)).status, 201);
  assert.is((await send('POST', `/${id}/metadata`, { ...metadata, metadata: ['1'] })).status, 422);
});

test('export, as text and as JSON', async (context) => {
  const { send, id, patch } = await newZone(context);
  await patch([{ name: `a.${id}`, type: 'A', ttl: 300, changetype: 'REPLACE', records: records('192.0.2.1') }]);
  const plain = await send('GET', `/${id}/export`, undefined, { accept: '*/*' });
  assert.match(plain.text, new RegExp(`^${id}\t3600\tIN\tSOA\t.*\n(.*\n)*a.${id}\t300\tIN\tA\t192\\.0\\.2\\.1\n$`));
  assert.is((await send('GET', `/${id}/export`)).body.zone, plain.text);
});

test('a Producer is a catalog zone', async (context) => {
  const send = sender(context);
  const created = await send('POST', '', { name: 'catalog.example.', kind: 'Producer' });
  assert.is(`${created.status} ${created.body.kind}`, '201 Producer');
  const rrsets = [{ name: 'a.catalog.example.', type: 'A', changetype: 'DELETE' }];
  assert.match(failure(await send('PATCH', '/catalog.example.', { rrsets })), /^422 This is a catalog zone/);
  assert.is((await send('PUT', '/catalog.example.', { kind: 'Native' })).status, 422);
  assert.is((await send('PUT', '/catalog.example.', { kind: 'Producer', account: 'x' })).status, 204);
});

test('a Consumer follows the catalog of its masters', async (context) => {
  const send = sender(context);
  const created = await send('POST', '', { name: 'consumed.example.', kind: 'Consumer', masters: ['9.9.9.9'] });
  assert.is(`${created.status} ${created.body.kind}`, '201 Consumer', created.text);
  assert.is((await send('PUT', '/consumed.example.', { kind: 'Slave' })).status, 422);
  assert.is((await send('PUT', '/consumed.example.', { kind: 'Consumer', masters: ['9.9.9.10'] })).status, 204);
  const read = await send('GET', '/consumed.example.?rrsets=false');
  assert.is(`${read.body.kind} ${read.body.masters}`, 'Consumer 9.9.9.10');
});

test('a Slave is a secondary zone', async (context) => {
  const send = sender(context);
  const masters = ['9.9.9.9', '[2620:fe::9]:5353'];
  const created = await send('POST', '', { name: 'slave.example.', kind: 'Slave', masters });
  assert.is(created.status, 201, created.text);
  assert.is(created.body.kind, 'Slave');
  assert.equal(created.body.masters, masters);
  assert.is((await send('PUT', '/slave.example.', { masters: ['9.9.9.10'] })).status, 204);
  assert.equal((await send('GET', '/slave.example.?rrsets=false')).body.masters, ['9.9.9.10']);
  const rrsets = [{ name: 'a.slave.example.', type: 'A', changetype: 'DELETE' }];
  assert.match(failure(await send('PATCH', '/slave.example.', { rrsets })), /^422 This is a secondary zone/);
  assert.match(failure(await send('PUT', '/slave.example./axfr-retrieve')), /^200/);
  for (const more of [
    { masters: [] },
    { masters: ['10.0.0.1'] },
    { masters: ['x'] },
    { masters, rrsets: [{ name: 'bad.example.', type: 'A', ttl: 300, records: records('192.0.2.1') }] },
    { masters, slave_tsig_key_ids: ['missing.'] },
  ])
    assert.is((await send('POST', '', { name: 'bad.example.', kind: 'Slave', ...more })).status, 422);
  assert.is((await send('PUT', '/slave.example.', { kind: 'Native' })).status, 422);
});

test('a NOTIFY is accepted and queued', async (context) => {
  const { send, id } = await newZone(context);
  assert.equal((await send('PUT', `/${id}/notify`)).body, { result: 'Notification queued' });
});

test('an account with thousands of zones is listed in turns', async (context) => {
  const { daemon } = context;
  const { token } = await daemon.account('many', { plan: 'unlimited' });
  const send = sender({ daemon, token });
  const names = Array.from({ length: depth({ quick: 55, moderate: 120, full: 5000 }) }, (_, i) => `m${i}.example.`);
  for (const name of names) await send('POST', '?rrsets=false', { name, kind: 'Native' });
  const listed = listOf((await send('GET', '')).body).map(({ name }) => String(name));
  assert.equal(listed.sort(), names.sort());
});

test('axfr-retrieve is refused for zones that are not secondaries', async (context) => {
  const { send, id } = await newZone(context);
  assert.match(failure(await send('PUT', `/${id}/axfr-retrieve`)), /^422 Domain '.*' is not a slave domain/);
});

test('replacing a record keeps what PowerDNS does not know', async (context) => {
  const { id, patch } = await newZone(context);
  const { daemon, token } = context;
  const domains = await daemon.call('GET', '/api/v1/domains?limit=1000', { token });
  const domain = listOf(domains.body.domains).find(({ domain: name }) => `${name}.` === id);
  const path = `/api/v1/domains/${domain?.id}/records`;
  const json = { name: 'a', type: 'A', content: '192.0.2.1', proxied: false };
  const { body } = await daemon.call('POST', path, { token, json });
  await patch([{ name: `a.${id}`, type: 'A', ttl: 600, changetype: 'REPLACE', records: records('192.0.2.2') }]);
  const [after] = listOf((await daemon.call('GET', path, { token })).body.records);
  assert.is(`${after.id} ${after.content} ${after.ttl} ${after.proxied}`, `${body.record.id} 192.0.2.2 600 false`);
});

test.run();
