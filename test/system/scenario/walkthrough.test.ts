/** What a new user does first. */
import * as dns from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../support/daemon.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';

const ask = (name: string, type: dns.RecordType, id: number): Uint8Array =>
  dns.encode({ type: 'query', id, questions: [{ name, type }] });

/** Addresses in the answer section. */
const addresses = (response: Uint8Array | null): string[] => {
  assert.ok(response, 'a response');
  const { answers = [] } = dns.decode(Buffer.from(response));
  return answers.flatMap((answer) => (answer.type === 'A' ? [answer.data] : []));
};

test('token, domain, record, answer, restart', async () => {
  const daemon = await startDaemon();
  try {
    // 1. A token for the account that the first start has made.
    const { api } = daemon;
    const refused = await api.request('GET', '/api/v1/domains');
    assert.is(refused.status, 401);
    assert.is(
      (await api.request('POST', '/api/v1/auth/token', { login: 'admin', password: 'wrong', name: 'x' })).status,
      401,
    );
    await api.logIn('admin', ADMIN_PASSWORD);

    // 2. A domain and a record.
    const domain = await api.createDomain('first.example');
    const record = await api.createRecord(domain, 'www', 'A', '192.0.2.7', 120);
    assert.is((await api.request('POST', '/api/v1/domains', { domain: 'first.example' })).status, 409);

    // 3. The answer over UDP and TCP, two queries on one connection.
    const check = async (name: string, expected: string[]): Promise<void> => {
      const client = await UdpClient.connect(daemon.dnsPort);
      try {
        assert.equal(addresses(await client.query(ask(name, 'A', 1))), expected, `${name} over UDP`);
      } finally {
        client.close();
      }
      const responses = await queryTcp(daemon.dnsPort, [ask(name, 'A', 2), ask('first.example', 'SOA', 3)]);
      const byId = new Map(responses.map((response) => [(response[0] << 8) | response[1], response]));
      assert.equal(addresses(byId.get(2) ?? null), expected, `${name} over TCP`);
      const soa = dns.decode(Buffer.from(byId.get(3) ?? []));
      assert.is(soa.answers?.[0]?.type, 'SOA');
    };
    await check('www.first.example', ['192.0.2.7']);

    // 4. A change is served, too.
    await api.call('PUT', `/api/v1/domains/${domain}/records/${record}`, {
      name: 'www',
      type: 'A',
      content: '192.0.2.8',
      ttl: 120,
    });
    await check('www.first.example', ['192.0.2.8']);

    // 5. A master file in, and out again.
    const zonefile = '$TTL 300\nmail A 192.0.2.25\n@ MX 10 mail\n';
    await api.call('PUT', `/api/v1/domains/${domain}/zonefile`, zonefile, 'text/dns');
    await check('mail.first.example', ['192.0.2.25']);
    await check('www.first.example', []);
    assert.match((await api.call('GET', `/api/v1/domains/${domain}/zonefile`)).text, /mail\S*\s[^\n]*192\.0\.2\.25/);

    // 6. A restart: it ends well, and all is still there, the token, too.
    assert.is(await daemon.stop(), 0);
    await daemon.start();
    await check('mail.first.example', ['192.0.2.25']);
    const { body } = await api.call('GET', `/api/v1/domains/${domain}/records`);
    assert.is(Array.isArray(body.records) && body.records.length, 2);

    // 7. And a removal.
    await api.call('DELETE', `/api/v1/domains/${domain}`);
    const client = await UdpClient.connect(daemon.dnsPort);
    try {
      const response = await client.query(ask('mail.first.example', 'A', 4));
      assert.ok(response);
      assert.is(response[3] & 15, RCODE.REFUSED);
    } finally {
      client.close();
    }
  } finally {
    await daemon.close();
  }
});

test.run();
