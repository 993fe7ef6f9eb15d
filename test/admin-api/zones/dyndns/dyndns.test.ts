/** The update protocol of dyndns2: answers, addresses, prefixes, access and limits. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type Daemon, listOf, startDaemon } from '../../daemon.ts';

interface Context {
  daemon: Daemon;
  token: string;
  id: number;
}

const test = suite<Context>('dyndns2');
test.before(async (context) => {
  context.daemon = await startDaemon();
  context.token = (await context.daemon.account('router')).token;
  const json = { domain: 'home.example' };
  const { body } = await context.daemon.call('POST', '/api/v1/domains', { token: context.token, json });
  context.id = Number(body.domain.id);
});
test.after(({ daemon }) => daemon.stop());

const basic = (token: string): string => `Basic ${Buffer.from(`router:${token}`).toString('base64')}`;

function send(
  { daemon, token }: Pick<Context, 'daemon' | 'token'>,
  query: string,
  { authorization = basic(token), body }: { authorization?: string; body?: string } = {},
): Promise<Answer> {
  const headers: Record<string, string> = { authorization };
  if (body !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
  return daemon.call(body === undefined ? 'GET' : 'POST', `/nic/update${query}`, { token: null, body, headers });
}

const update = async (context: Context, query: string): Promise<string> => {
  const answer = await send(context, query);
  assert.is(answer.status, 200, answer.text);
  assert.is(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  return answer.text;
};

async function recordsOf({ daemon, token, id }: Context, name: string): Promise<string[]> {
  const { body } = await daemon.call('GET', `/api/v1/domains/${id}/records?name=${name}`, { token });
  return listOf(body.records).map(({ type, content, ttl }) => `${type} ${content} ${ttl}`);
}

async function add({ daemon, token, id }: Context, ...post: object[]): Promise<void> {
  const { status, text } = await daemon.call('POST', `/api/v1/domains/${id}/records/batch`, { token, json: { post } });
  assert.is(status, 200, text);
}

test('good for a change, nochg without one, and one audit entry for each change', async (context) => {
  const at = '?hostname=a.home.example&myip=';
  assert.is(await update(context, `${at}192.0.2.1`), 'good 192.0.2.1\n');
  assert.equal(await recordsOf(context, 'a'), ['A 192.0.2.1 60']);
  assert.is(await update(context, `${at}192.0.2.1`), 'nochg 192.0.2.1\n');
  assert.is(await update(context, `${at}192.0.2.2,2001:db8::2`), 'good 192.0.2.2,2001:db8::2\n');
  assert.is(await update(context, '?hostname=a.home.example&myipv6=2001:db8::3'), 'good 2001:db8::3\n');
  assert.equal(await recordsOf(context, 'a'), ['A 192.0.2.2 60', 'AAAA 2001:db8::3 60']);
  const { body } = await context.daemon.call('GET', '/api/v1/audit', { token: context.token });
  const updates = listOf(body.audit ?? body.entries).filter(({ action }) => String(action) === 'dns.update');
  assert.equal(
    updates.map(({ detail }) => [detail.name, detail.addresses]),
    [
      ['a.home.example.', ['2001:db8::3']],
      ['a.home.example.', ['192.0.2.2', '2001:db8::2']],
      ['a.home.example.', ['192.0.2.1']],
    ] as never,
  );
});

test('without an address, that of the client; empty parameters of routers are none', async (context) => {
  assert.is(await update(context, '?system=dyndns&hostname=b.home.example'), 'good 127.0.0.1\n');
  assert.is(await update(context, '?hostname=b.home.example&myip=&myipv6=&ip6lanprefix='), 'nochg 127.0.0.1\n');
  assert.is(await update(context, '?hostname=b.home.example&myip=,2001:db8::b'), 'good 2001:db8::b\n');
  assert.is(await update(context, '?hostname=b.home.example&myip=::ffff:192.0.2.8'), 'good 192.0.2.8\n');
  const posted = await send(context, '', { body: 'hostname=b.home.example&myip=192.0.2.9' });
  assert.equal([posted.status, posted.text], [200, 'good 192.0.2.9\n']);
});

test('HEAD updates nothing', async (context) => {
  const headers = { authorization: basic(context.token) };
  const path = '/nic/update?hostname=head.home.example&myip=192.0.2.1';
  const answer = await context.daemon.call('HEAD', path, { token: null, headers });
  assert.equal([answer.status, answer.headers.get('allow')], [405, 'GET, OPTIONS, POST']);
  assert.equal(await recordsOf(context, 'head'), []);
});

test('existing records keep TTL, comment and id', async (context) => {
  await add(context, { name: 'kept', type: 'A', content: '192.0.2.1', ttl: 900, comment: 'router', proxied: false });
  const read = async () =>
    listOf(
      (await context.daemon.call('GET', `/api/v1/domains/${context.id}/records?name=kept`, context)).body.records,
    )[0];
  const before = await read();
  await update(context, '?hostname=kept.home.example&myip=192.0.2.77');
  const after = await read();
  for (const key of ['id', 'ttl', 'comment', 'proxied']) assert.is(after[key], before[key], key);
  assert.is(after.content, '192.0.2.77' as never);
});

test('one line for each host, in order', async (context) => {
  await add(context, { name: 'c', type: 'CNAME', content: 'a.home.example.' });
  const hosts = ['h1.home.example', 'other.example', 'home', 'c.home.example', 'x_.a b', 'a..b', 'H2.Home.Example.'];
  assert.equal((await update(context, `?hostname=${encodeURIComponent(hosts.join())}&myip=192.0.2.5`)).split('\n'), [
    'good 192.0.2.5',
    'nohost',
    'notfqdn',
    'nohost',
    'nohost',
    'notfqdn',
    'good 192.0.2.5',
    '',
  ]);
  assert.is(await update(context, '?myip=192.0.2.5'), 'notfqdn\n');
  const many = Array.from({ length: 21 }, (_, i) => `n${i}.home.example`);
  assert.is(await update(context, `?hostname=${many}&myip=192.0.2.5`), 'numhost\n');
  for (const wrong of ['192.0.2', 'x', '192.0.2.1/24', '2001:db8::/0', '2001:db8::/128', '::1%25eth0'])
    assert.is(await update(context, `?hostname=bad.home.example&myip=${wrong}`), 'dnserr\n', wrong);
  assert.equal(await recordsOf(context, 'bad'), []);
});

test('a prefix moves the addresses of hosts, and the router gets its own', async (context) => {
  await add(
    context,
    ...['2001:db8:1:2::10', 'fd00::10'].map((content) => ({ name: 'nas', type: 'AAAA', content, ttl: 300 })),
    { name: 'cam', type: 'AAAA', content: '2001:db8:1:2:aaaa:bbbb:cccc:dddd', ttl: 300 },
    { name: 'gw', type: 'AAAA', content: '2001:db8:ffff::1', ttl: 300 },
    { name: 'v4', type: 'A', content: '192.0.2.4', ttl: 300 },
  );
  const hosts = ['gw', 'nas', 'cam', 'v4'].map((name) => `${name}.home.example`);
  const query = `?hostname=${hosts}&myip=192.0.2.50,2001:db8:eeee::5&ip6lanprefix=2001:db8:9:8::/64`;
  assert.equal((await update(context, query)).split('\n'), [
    'good 192.0.2.50,2001:db8:eeee::5',
    'good 192.0.2.50,2001:db8:9:8::10,fd00::10',
    'good 192.0.2.50,2001:db8:9:8:aaaa:bbbb:cccc:dddd',
    'good 192.0.2.50',
    '',
  ]);
  assert.is(
    await update(context, '?hostname=nas.home.example&ip6lanprefix=2001:db8:7::/56'),
    'good 2001:db8:7:8::10,fd00::10\n',
  );
  assert.is(
    await update(context, '?hostname=cam.home.example&myipv6=2001:db8:7:6::/64'),
    'good 2001:db8:7:6:aaaa:bbbb:cccc:dddd\n',
  );
  assert.is(
    await update(context, '?hostname=cam.home.example&ip6lanprefix=2001:db8:7:6::'),
    'nochg 2001:db8:7:6:aaaa:bbbb:cccc:dddd\n',
  );
  assert.is(await update(context, '?hostname=v4.home.example&ip6lanprefix=2001:db8:7:6::'), 'nohost\n');
});

test('badauth asks for a password, for each token that cannot write these records', async (context) => {
  const { daemon, token } = context;
  const create = async (limits: object) =>
    String((await daemon.call('POST', '/api/v1/tokens', { token, json: { name: 'x', ...limits } })).body.token);
  const readOnly = await create({ scopes: ['dns:read'] });
  for (const authorization of ['', 'Basic', 'Basic ====', `Bearer ${token}`, basic('wrong'), basic(readOnly)]) {
    const answer = await send(context, '?hostname=a.home.example&myip=192.0.2.66', { authorization });
    assert.equal([answer.status, answer.text], [401, 'badauth\n'], authorization);
    assert.match(String(answer.headers.get('www-authenticate')), /^Basic realm="Waypost"/);
  }
  const json = { domain: 'second.example' };
  const second = (await daemon.call('POST', '/api/v1/domains', { token, json })).body.domain.id;
  const limited = { daemon, token: await create({ scopes: ['dns'], domains: [second] }), id: Number(second) };
  assert.is(await update(limited, '?hostname=a.home.example&myip=192.0.2.66'), 'nohost\n');
  assert.is(await update(limited, '?hostname=a.second.example&myip=192.0.2.66'), 'good 192.0.2.66\n');
  const policies = [{ names: ['gw2'], types: ['A', 'AAAA'], actions: ['create', 'update'] }];
  const router = { daemon, token: await create({ scopes: ['dns'], policies }), id: 0 };
  assert.is(
    await update(router, '?hostname=gw2.home.example,a.home.example&myip=192.0.2.7'),
    'good 192.0.2.7\nnohost\n',
  );
  assert.is(await update(router, '?hostname=gw2.home.example&myip=192.0.2.8'), 'good 192.0.2.8\n');
  const elsewhere = { daemon, token: await create({ scopes: ['dns'], networks: ['198.51.100.0/24'] }) };
  assert.equal((await send(elsewhere, '?hostname=a.home.example')).text, 'badauth\n');
  const stranger = { daemon, token: (await daemon.account('stranger')).token, id: 0 };
  assert.is(await update(stranger, '?hostname=a.home.example&myip=192.0.2.66'), 'nohost\n');
});

test('abuse for a host that is updated too often, and for no other', async (context) => {
  const answers = new Set<string>();
  for (let i = 0; i < 40; i++)
    answers.add((await update(context, '?hostname=often.home.example&myip=192.0.2.1')).trim());
  assert.equal([...answers], ['good 192.0.2.1', 'nochg 192.0.2.1', 'abuse']);
  assert.is(await update(context, '?hostname=seldom.home.example&myip=192.0.2.1'), 'good 192.0.2.1\n');
});

test.run();
