/**
 * Clients of PowerDNS, held to the requests that their sources send, in their order: acme.sh
 * (dns_pdns.sh), external-dns (provider/pdns), octoDNS (octodns-powerdns), dnscontrol with
 * go-powerdns, Terraform (terraform-provider-powerdns), PowerDNS-Admin, and cert-manager's webhook
 * (cert-manager-webhook-pdns).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type Daemon, type Json, listOf, startDaemon } from '../../daemon.ts';

const SERVERS = '/api/v1/servers';
const ZONES = `${SERVERS}/localhost/zones`;

type Send = (method: string, path: string, json?: unknown) => Promise<Answer>;

interface Context {
  daemon: Daemon;
  token: string;
}

const test = suite<Context>('powerdns, clients');
test.before(async (context) => {
  context.daemon = await startDaemon();
  context.token = (await context.daemon.account('tools', { plan: 'unlimited' })).token;
});
test.after(({ daemon }) => daemon.stop());

/** `headers`: what the client sends next to the key. */
const sender =
  ({ daemon, token }: Context, headers: Record<string, string> = {}): Send =>
  (method, path, json) =>
    daemon.call(method, path, { token: null, json, headers: { 'x-api-key': token, ...headers } });

const ACCEPT = { accept: 'application/json' };

async function expectStatus(answer: Promise<Answer>, status: number): Promise<Answer> {
  const got = await answer;
  assert.is(got.status, status, got.text);
  return got;
}

/** `NAME TTL TYPE CONTENT` of all records but SOA, sorted. */
async function recordsOf({ daemon, token }: Context, zone: string): Promise<string[]> {
  const { body } = await daemon.call('GET', `${ZONES}/${zone}`, { token });
  return listOf(body.rrsets)
    .flatMap(({ name, ttl, type, records }) =>
      listOf(records).map(({ content }) => `${String(name)} ${ttl} ${type} ${content}`),
    )
    .filter((line) => !line.includes(' SOA ') && !line.includes('.waypost.test.'))
    .sort();
}

test('acme.sh: two challenges at one name, and their removal one by one', async (context) => {
  const zone = 'acme-sh.example.';
  await expectStatus(sender(context)('POST', ZONES, { name: zone, kind: 'Native', nameservers: [] }), 201);
  // curl sends Accept: */*.
  const send = sender(context, { accept: '*/*' });
  const full = `_acme-challenge.www.${zone}`;
  const findZone = async (): Promise<string> => {
    for (const name of [full, `www.${zone}`, zone]) {
      const { text } = await expectStatus(send('GET', `${ZONES}?zone=${name}`), 200);
      if (text.includes(`"name":"${name}"`)) return name;
    }
    return assert.unreachable() as never;
  };
  // As its regular expressions find them in the text.
  const existing = async (): Promise<string[]> => {
    const { text } = await expectStatus(send('GET', `${ZONES}/${zone}`), 200);
    const set = new RegExp(`"name":"${full.slice(0, -1)}[^\\]]*}`).exec(text)?.[0] ?? '';
    return [...set.matchAll(/content":"\\"([^\\]*)/g)].map(([, value]) => value);
  };
  const record = (value: string): string => `{"content": "\\"${value}\\"", "disabled": false}`;
  const patch = (json: string) =>
    expectStatus(
      context.daemon.call('PATCH', `${ZONES}/${zone}`, {
        token: null,
        headers: { 'x-api-key': context.token, 'content-type': 'application/json' },
        body: json,
      }),
      204,
    );
  const replace = (...values: string[]) =>
    patch(
      `{"rrsets": [{"changetype": "REPLACE", "name": "${full}", "type": "TXT", "ttl": 60, "records": [${values.map(record).join(', ')}]}]}`,
    );
  for (const value of ['first-challenge', 'second-challenge']) {
    assert.is(await findZone(), zone);
    await replace(value, ...(await existing()));
    await expectStatus(send('PUT', `${ZONES}/${zone}/notify`), 200);
  }
  assert.equal((await existing()).sort(), ['first-challenge', 'second-challenge']);
  // It deletes the set, and writes the rest again.
  await patch(`{"rrsets": [{"changetype": "DELETE", "name": "${full}", "type": "TXT"}]}`);
  await replace('second-challenge');
  assert.equal(await recordsOf(context, zone), [`${full} 60 TXT "second-challenge"`]);
  await patch(`{"rrsets": [{"changetype": "DELETE", "name": "${full}", "type": "TXT"}]}`);
  assert.equal(await recordsOf(context, zone), []);
});

test('external-dns: sets with owner records, an alias, updates and deletions', async (context) => {
  const zone = 'external.example.';
  await expectStatus(sender(context)('POST', ZONES, { name: zone, kind: 'Native', nameservers: [] }), 201);
  const send = sender(context, ACCEPT);
  const { body: listed } = await expectStatus(send('GET', ZONES), 200);
  const found = listOf(listed).find(({ name }) => String(name) === zone);
  assert.ok(found);
  // The PATCH contains the zone as it was listed.
  const mutate = (changetype: string, sets: readonly (readonly [string, string, string])[]) => {
    const rrsets = sets.map(([name, type, content]) => ({
      ...{ name, type, changetype, records: [{ content, disabled: false, 'set-ptr': false }] },
      ...(changetype === 'REPLACE' && { ttl: 300 }),
    }));
    return expectStatus(send('PATCH', `${ZONES}/${String(found.id)}`, { ...found, rrsets }), 204);
  };
  const owner = '"heritage=external-dns,external-dns/owner=default"';
  await mutate('REPLACE', [
    [`app.${zone}`, 'A', '192.0.2.1'],
    [`a-app.${zone}`, 'TXT', owner],
    [`lb.${zone}`, 'ALIAS', 'lb.example.org.'],
    [`www.${zone}`, 'CNAME', `app.${zone}`],
  ]);
  await mutate('REPLACE', [[`app.${zone}`, 'A', '192.0.2.2']]);
  const { body } = await expectStatus(send('GET', `${ZONES}/${zone}`), 200);
  assert.ok(
    listOf(body.rrsets).every(({ records }) => listOf(records).every(({ disabled }) => String(disabled) === 'false')),
  );
  assert.equal(await recordsOf(context, zone), [
    `a-app.${zone} 300 TXT ${owner}`,
    `app.${zone} 300 A 192.0.2.2`,
    `lb.${zone} 300 ALIAS lb.example.org.`,
    `www.${zone} 300 CNAME app.${zone}`,
  ]);
  await mutate('DELETE', [
    [`app.${zone}`, 'A', '192.0.2.2'],
    [`a-app.${zone}`, 'TXT', owner],
  ]);
  assert.is((await recordsOf(context, zone)).length, 2);
});

test('octoDNS: the version, a zone that is created on demand, and a plan in one request', async (context) => {
  const zone = 'octodns.example.';
  // requests sends Accept: */*.
  const send = sender(context, { accept: '*/*' });
  const { body } = await expectStatus(send('GET', `${SERVERS}/localhost`), 200);
  const version = String(body.version)
    .split('.')
    .slice(0, 3)
    .map((part) => Number.parseInt(part.split('-')[0], 10));
  assert.ok(version[0] > 4, 'it sends DEFAULT for soa_edit_api from 4.3');
  await expectStatus(send('GET', `${ZONES}/${zone}`), 404);
  const set = (name: string, type: string, changetype: string, ...contents: string[]) => ({
    ...{ name, type, ttl: 3600, changetype },
    records: contents.map((content) => ({ content, disabled: false })),
  });
  const mods = [
    set(zone, 'NS', 'REPLACE', 'ns1.example.net.', 'ns2.example.net.'),
    set(zone, 'MX', 'REPLACE', '10 mail.example.net.'),
    set(`txt.${zone}`, 'TXT', 'REPLACE', '"v=DKIM1\\; k=rsa\\; p=abc"'),
    set(`caa.${zone}`, 'CAA', 'REPLACE', '0 issue "ca.example"'),
    set(`_sip._tcp.${zone}`, 'SRV', 'REPLACE', '10 20 5060 sip.example.net.'),
    set(`old.${zone}`, 'A', 'REPLACE', '192.0.2.1'),
    set(`loc.${zone}`, 'LOC', 'REPLACE', '31 58 52.100 S 115 49 11.700 E 20.00m 10.00m 10.00m 2.00m'),
    set(`naptr.${zone}`, 'NAPTR', 'REPLACE', '10 100 "S" "SIP+D2U" "!^.*$!sip:x@example.net!" .'),
  ];
  await expectStatus(send('PATCH', `${ZONES}/${zone}`, { rrsets: mods }), 404);
  await expectStatus(
    send('POST', ZONES, {
      ...{ name: zone, kind: 'Master', masters: [], nameservers: [], rrsets: mods },
      ...{ soa_edit_api: 'DEFAULT', serial: 0 },
    }),
    201,
  );
  const { body: populated } = await expectStatus(send('GET', `${ZONES}/${zone}`), 200);
  const contentOf = (type: string): string =>
    String(
      listOf(listOf(populated.rrsets).find((rrset) => String(rrset.type) === type)?.records ?? ({} as Json))[0]
        ?.content,
    );
  // The forms that it takes apart.
  assert.is(contentOf('TXT'), '"v=DKIM1; k=rsa; p=abc"');
  assert.is(contentOf('CAA').split(' ').length, 3);
  assert.is(contentOf('LOC').replaceAll('m', '').split(' ').length, 12);
  assert.is(contentOf('NAPTR').split(' ').length, 6);
  // Deletions first, so that a CNAME can replace an A record.
  const plan = [
    set(`old.${zone}`, 'A', 'DELETE', '192.0.2.1'),
    set(`old.${zone}`, 'CNAME', 'REPLACE', 'new.example.net.'),
  ];
  await expectStatus(send('PATCH', `${ZONES}/${zone}`, { rrsets: plan }), 204);
  assert.ok((await recordsOf(context, zone)).includes(`old.${zone} 3600 CNAME new.example.net.`));
});

test('dnscontrol: a zone, its record sets, and DNSSEC on and off', async (context) => {
  const zone = 'dnscontrol.example.';
  const send = sender(context, ACCEPT);
  await expectStatus(send('GET', `${ZONES}/${zone}`), 404);
  const nameservers = ['ns1.example.net.', 'ns2.example.net.'];
  const { body } = await expectStatus(
    send('POST', ZONES, { name: zone, type: 'Zone', kind: 'Native', soa_edit_api: 'DEFAULT', nameservers }),
    201,
  );
  assert.is(body.kind, 'Native');
  // go-powerdns sends a zone with empty fields.
  const patch = (rrset: object) =>
    expectStatus(send('PATCH', `${ZONES}/${zone}`, { name: '', type: 0, nameservers: null, rrsets: [rrset] }), 204);
  const records = (...contents: string[]) =>
    contents.map((content) => ({ content, disabled: false, 'set-ptr': false }));
  await patch({
    ...{ name: `www.${zone}`, type: 'A', ttl: 300, changetype: 'REPLACE' },
    ...{ records: records('192.0.2.1', '192.0.2.2'), comments: null },
  });
  await patch({
    ...{ name: `www.${zone}`, type: 'A', ttl: 600, changetype: 'REPLACE' },
    ...{ records: records('192.0.2.2'), comments: null },
  });
  assert.ok((await recordsOf(context, zone)).includes(`www.${zone} 600 A 192.0.2.2`));
  await patch({ name: `www.${zone}`, type: 'A', ttl: 0, changetype: 'DELETE', records: null, comments: null });
  assert.not.ok((await recordsOf(context, zone)).some((line) => line.startsWith('www')));
  const keys = `${ZONES}/${zone}/cryptokeys`;
  assert.equal((await expectStatus(send('GET', keys), 200)).text, '[]');
  const { body: key } = await expectStatus(
    send('POST', keys, { type: '', id: 0, keytype: 'csk', active: true, published: true, dnskey: '', ds: null }),
    201,
  );
  assert.equal([key.active, key.published], [true, true]);
  await expectStatus(send('DELETE', `${keys}/${key.id}`), 204);
});

test('Terraform: a zone, a record set, metadata, and their end', async (context) => {
  const zone = 'terraform.example.';
  const send = sender(context, ACCEPT);
  // It tries the version of the API by this one.
  await expectStatus(send('GET', SERVERS), 200);
  const { body } = await expectStatus(
    send('POST', ZONES, {
      ...{ id: '', name: zone, url: '', kind: 'Master', dnsssec: false, serial: 0, soa_edit_api: 'DEFAULT' },
      ...{ account: '', nameservers: ['ns1.example.net.', 'ns2.example.net.'] },
    }),
    201,
  );
  assert.is(body.id, zone);
  const record = (content: string) => ({
    ...{ name: `www.${zone}`, type: 'A', content, ttl: 300, disabled: false, 'set-ptr': false },
  });
  const set = { name: `www.${zone}`, type: 'A', changetype: 'REPLACE', ttl: 300 };
  await expectStatus(
    send('PATCH', `${ZONES}/${zone}`, { rrsets: [{ ...set, records: [record('192.0.2.1'), record('192.0.2.2')] }] }),
    204,
  );
  assert.is((await recordsOf(context, zone)).filter((line) => line.startsWith('www')).length, 2);
  await expectStatus(send('PATCH', `${ZONES}/${zone}`, { rrsets: [{ ...set, changetype: 'DELETE', ttl: 0 }] }), 204);
  const kind = `${ZONES}/${zone}/metadata/ALLOW-AXFR-FROM`;
  await expectStatus(send('PUT', kind, { kind: 'ALLOW-AXFR-FROM', metadata: ['192.0.2.0/24'] }), 200);
  assert.equal(listOf((await expectStatus(send('GET', kind), 200)).body.metadata), ['192.0.2.0/24']);
  await expectStatus(send('DELETE', kind), 204);
  await expectStatus(
    send('PUT', `${ZONES}/${zone}`, {
      id: '',
      name: zone,
      url: '',
      kind: 'Native',
      dnsssec: false,
      serial: 0,
      account: '',
    }),
    204,
  );
  await expectStatus(send('DELETE', `${ZONES}/${zone}`), 204);
  await expectStatus(send('GET', `${ZONES}/${zone}`), 404);
});

test('PowerDNS-Admin: zones, edits with comments, DNSSEC, search and statistics', async (context) => {
  const zone = 'pda.example.';
  const send = sender(context, { accept: 'application/json; q=1' });
  const { body } = await expectStatus(
    send('POST', ZONES, {
      ...{ name: zone, kind: 'native', masters: [], nameservers: ['ns1.example.net.'], soa_edit_api: 'DEFAULT' },
      account: null,
    }),
    201,
  );
  for (const field of ['account', 'masters', 'kind', 'serial', 'notified_serial', 'last_check', 'dnssec', 'name'])
    assert.ok(field in body, field);
  await expectStatus(send('PUT', `${ZONES}/pda.example`, { soa_edit_api: 'EPOCH', kind: 'Native' }), 204);
  const rrset = {
    ...{ name: `www.${zone}`, type: 'A', ttl: 3600, changetype: 'REPLACE' },
    records: [
      { content: '192.0.2.1', disabled: false },
      { content: '192.0.2.2', disabled: false },
    ],
    comments: [
      { content: 'a note', account: '' },
      { content: '', account: '' },
    ],
  };
  await expectStatus(send('PATCH', `${ZONES}/pda.example`, { rrsets: [rrset] }), 204);
  const { body: read } = await expectStatus(send('GET', `${ZONES}/pda.example`), 200);
  const comments = listOf(listOf(read.rrsets).find(({ type }) => String(type) === 'A')?.comments ?? ({} as Json));
  assert.ok(comments.some(({ content }) => String(content) === 'a note'));
  await expectStatus(
    send('PATCH', `${ZONES}/pda.example`, {
      rrsets: [
        { name: `www.${zone}`, type: 'A', changetype: 'DELETE' },
        { ...rrset, name: `new.${zone}`, comments: [] },
      ],
    }),
    204,
  );
  const found = await expectStatus(send('GET', `${SERVERS}/localhost/search-data?object_type=all&q=*new.pda*`), 200);
  assert.is((JSON.parse(found.text) as Json[]).length, 2);
  await expectStatus(send('PUT', `${ZONES}/pda.example`, { api_rectify: true }), 204);
  const keys = `${ZONES}/pda.example/cryptokeys`;
  const { body: key } = await expectStatus(send('POST', keys, { keytype: 'ksk', active: true }), 201);
  assert.match(String(listOf(key.ds)[0]), /^\d+ 13 2 [0-9a-f]{64}$/);
  await expectStatus(send('DELETE', `${keys}/${key.id}`), 204);
  const operator = sender({ ...context, token: context.daemon.adminToken });
  for (const path of ['config', 'statistics']) await expectStatus(operator('GET', `${SERVERS}/localhost/${path}`), 200);
  await expectStatus(send('DELETE', `${ZONES}/pda.example`), 204);
});

test("cert-manager's webhook: a challenge, twice, and its cleanup", async (context) => {
  const zone = 'cert-manager.example.';
  const send = sender(context, ACCEPT);
  await expectStatus(send('POST', ZONES, { name: zone, kind: 'Native', nameservers: [] }), 201);
  const name = `_acme-challenge.${zone}`;
  const existing = async (): Promise<Json[]> => {
    const { body } = await expectStatus(send('GET', `${ZONES}/${zone}`), 200);
    const set = listOf(body.rrsets).find((rrset) => String(rrset.name) === name && String(rrset.type) === 'TXT');
    return set === undefined ? [] : listOf(set.records);
  };
  const patch = (records: unknown) =>
    expectStatus(
      send('PATCH', `${ZONES}/${zone}`, { rrsets: [{ name, type: 'TXT', ttl: 120, changetype: 'REPLACE', records }] }),
      204,
    );
  await patch([...(await existing()), { content: '"one"', disabled: false }]);
  await patch([...(await existing()), { content: '"two"', disabled: false }]);
  await patch(await existing());
  assert.is((await existing()).length, 2);
  await patch((await existing()).filter(({ content }) => String(content) !== '"one"'));
  assert.equal(await recordsOf(context, zone), [`${name} 120 TXT "two"`]);
  await patch([]);
  assert.equal(await existing(), []);
});

test.run();
