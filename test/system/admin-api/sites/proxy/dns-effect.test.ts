/**
 * The effect of the proxy toggle on answers, with a real daemon: the query after its response sees
 * the change.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, TYPE } from '../../../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../../support/daemon.ts';
import { UdpClient } from '../../../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../../../support/message.ts';

interface Context {
  daemon: Daemon;
  udp: UdpClient;
  id: string;
}

const test = suite<Context>('admin-api/sites/proxy, effect on DNS');

const RECORDS: readonly (readonly [name: string, type: string, content: string, proxied?: boolean])[] = [
  ['@', 'A', '127.1.0.1'],
  ['@', 'MX', '10 mail.shop.test'],
  ['@', 'TXT', '"v=spf1 -all"'],
  ['www', 'A', '127.1.0.1'],
  ['www', 'TXT', '"stays"'],
  ['mail', 'A', '127.1.0.2'],
  ['blog', 'CNAME', 'blogs.example.net'],
  ['ftp', 'A', '127.1.0.3', false],
  ['*.app', 'A', '127.1.0.4'],
  ['only-txt', 'TXT', '"nothing else"'],
];

test.before(async (context) => {
  context.daemon = await startDaemon({
    WAYPOST_CLUSTER_IPV4: '192.0.2.80,192.0.2.81',
    WAYPOST_CLUSTER_IPV6: '2001:db8::80',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    // Nothing listens there, so no query leaves this machine.
    WAYPOST_EDGE_RESOLVERS: '127.0.0.1:9',
  });
  context.udp = await UdpClient.connect(context.daemon.dnsPort);
  const { api } = context.daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  context.id = await api.createDomain('shop.test');
  const post = RECORDS.map(([name, type, content, proxied]) => ({
    name,
    type,
    content,
    ttl: 3600,
    ...(proxied === undefined ? {} : { proxied }),
  }));
  await api.call('POST', `/api/v1/domains/${context.id}/records/batch`, { delete: [], put: [], post });
});
test.after(async ({ daemon, udp }) => {
  udp?.close();
  await daemon?.close();
});

let queries = 0;

/** Records of the answer and the additional section, as `owner TTL type rdata`. */
async function ask({ udp }: Context, name: string, type: keyof typeof TYPE) {
  const query = { name: parseName(`${name}.`), type: TYPE[type], class: 1 };
  const response = await udp.query(encodeQuery(query, ++queries & 0xffff));
  assert.ok(response !== null, `${name} ${type} was not answered`);
  const { answer, additional, rcode } = decodeMessage(response);
  return { rcode, answer: answer.map(shown), additional: additional.map(shown) };
}

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(TYPE).map(([name, number]) => [number, name]));
const shown = ({ name, type, ttl, rdata }: ResourceRecord): string =>
  `${formatName(name)} ${ttl} ${NAMES.get(type)} ${formatRdata(type, rdata)}`;

const toggle = ({ daemon, id }: Context, enable: boolean) =>
  daemon.api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable });

const cluster = (name: string) => ({
  A: [`${name}. 300 A 192.0.2.80`, `${name}. 300 A 192.0.2.81`],
  AAAA: [`${name}. 300 AAAA 2001:db8::80`],
});

test('off: answers with the records', async (context) => {
  assert.equal((await ask(context, 'www.shop.test', 'A')).answer, ['www.shop.test. 3600 A 127.1.0.1']);
  assert.equal((await ask(context, 'www.shop.test', 'AAAA')).answer, []);
  assert.equal((await ask(context, 'blog.shop.test', 'CNAME')).answer, [
    'blog.shop.test. 3600 CNAME blogs.example.net.',
  ]);
});

test('on and off, several times: the next query sees the change', async (context) => {
  for (let round = 0; round < 5; round++) {
    const { body } = await toggle(context, true);
    // 1. The first query after the response.
    assert.equal((await ask(context, 'www.shop.test', 'A')).answer, cluster('www.shop.test').A);
    assert.is((body.proxy as { is_enabled: number }).is_enabled, 1);
    // 2. Every web name, also for the address family that the origin does not have.
    for (const name of ['shop.test', 'www.shop.test', 'blog.shop.test', 'x.app.shop.test', 'a.b.app.shop.test'])
      for (const type of ['A', 'AAAA'] as const)
        assert.equal((await ask(context, name, type)).answer, cluster(name)[type], `${name} ${type}`);
    // 3. The CNAME is replaced; all other records of the names stay.
    assert.equal((await ask(context, 'blog.shop.test', 'CNAME')).answer, []);
    assert.equal((await ask(context, 'www.shop.test', 'TXT')).answer, ['www.shop.test. 3600 TXT "stays"']);
    assert.equal((await ask(context, 'shop.test', 'TXT')).answer, ['shop.test. 3600 TXT "v=spf1 -all"']);
    // 4. Mail records and excluded names do not change.
    const mx = await ask(context, 'shop.test', 'MX');
    assert.equal(mx.answer, ['shop.test. 3600 MX 10 mail.shop.test.']);
    assert.equal(mx.additional, ['mail.shop.test. 3600 A 127.1.0.2']);
    assert.equal((await ask(context, 'mail.shop.test', 'A')).answer, ['mail.shop.test. 3600 A 127.1.0.2']);
    assert.equal((await ask(context, 'ftp.shop.test', 'A')).answer, ['ftp.shop.test. 3600 A 127.1.0.3']);
    assert.equal((await ask(context, 'ftp.shop.test', 'AAAA')).answer, []);
    // 5. Other names get no addresses of the proxy.
    assert.equal(await ask(context, 'only-txt.shop.test', 'A'), { rcode: 0, answer: [], additional: [] });
    assert.is((await ask(context, 'missing.shop.test', 'A')).rcode, 3);
    // 6. Off.
    await toggle(context, false);
    assert.equal((await ask(context, 'www.shop.test', 'A')).answer, ['www.shop.test. 3600 A 127.1.0.1']);
    assert.equal((await ask(context, 'shop.test', 'A')).answer, ['shop.test. 3600 A 127.1.0.1']);
    assert.equal((await ask(context, 'www.shop.test', 'AAAA')).answer, []);
    assert.equal((await ask(context, 'x.app.shop.test', 'A')).answer, ['x.app.shop.test. 3600 A 127.1.0.4']);
    assert.equal((await ask(context, 'blog.shop.test', 'A')).answer, ['blog.shop.test. 3600 CNAME blogs.example.net.']);
  }
});

test('no origin is stored', async ({ daemon, id }) => {
  const { body } = await daemon.api.call('GET', `/api/v1/domains/${id}/proxy`);
  const { origin_host, origin_port, origin_protocol, exposed } = body.proxy as Record<string, unknown>;
  assert.equal([origin_host, origin_port, origin_protocol, exposed], ['', 443, 'https', []]);
});

test('records created or deleted while the proxy is on', async (context) => {
  const { daemon, id } = context;
  await toggle(context, true);
  const record = await daemon.api.createRecord(id, 'new', 'A', '127.1.0.9');
  assert.equal((await ask(context, 'new.shop.test', 'AAAA')).answer, cluster('new.shop.test').AAAA);
  const mx = await daemon.api.createRecord(id, 'lists', 'MX', '10 new.shop.test');
  assert.equal(
    (await ask(context, 'new.shop.test', 'A')).answer,
    ['new.shop.test. 300 A 127.1.0.9'],
    'it takes mail now',
  );
  await daemon.api.call('DELETE', `/api/v1/domains/${id}/records/${mx}`);
  assert.equal((await ask(context, 'new.shop.test', 'A')).answer, cluster('new.shop.test').A);
  await daemon.api.call('DELETE', `/api/v1/domains/${id}/records/${record}`);
  assert.is((await ask(context, 'new.shop.test', 'A')).rcode, 3);
});

test('the state survives a restart', async (context) => {
  await context.daemon.stop();
  await context.daemon.start();
  assert.equal((await ask(context, 'www.shop.test', 'A')).answer, cluster('www.shop.test').A);
});

test.run();
