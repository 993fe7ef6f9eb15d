/** GET …/requests/tail: who may watch, what is sent, and when the stream ends. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../../../support/until.ts';
import { type Daemon, startDaemon } from '../../daemon.ts';
import { testedTransports } from '../../transports.ts';

interface Context {
  readonly daemon: Daemon;
  readonly alice: { readonly id: number; readonly token: string };
  readonly bob: { readonly id: number; readonly token: string };
}

class Watcher {
  text = '';
  isEnded = false;
  readonly response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.text += chunk;
    });
    for (const event of ['end', 'close', 'error'])
      response.on(event, () => {
        this.isEnded = true;
      });
  }
}

for (const transport of await testedTransports('admin-api/sites/tail')) {
  const test = suite<Context>(`live tail over ${transport}`);
  const open: Watcher[] = [];
  let names = 0;

  test.before(async (context) => {
    const daemon = await startDaemon(transport);
    Object.assign(context, { daemon, alice: await daemon.account('alice'), bob: await daemon.account('bob') });
  });
  test.after(({ daemon }) => daemon.stop());
  test.after.each(() => {
    for (const { response } of open.splice(0)) response.destroy();
  });

  const newDomain = async ({ daemon, alice }: Context): Promise<number> => {
    const json = { domain: `tail${++names}.example.net` };
    return Number((await daemon.call('POST', '/api/v1/domains', { token: alice.token, json })).body.domain.id);
  };
  const path = (domain: number): string => `/api/v1/domains/${domain}/requests/tail`;
  const watch = async (daemon: Daemon, domain: number, token: string): Promise<Watcher> => {
    const request = get(daemon.url + path(domain), { agent: false, headers: { authorization: `Bearer ${token}` } });
    const [response]: IncomingMessage[] = await once(request, 'response');
    assert.equal([response.statusCode, response.headers['content-type']], [200, 'text/event-stream']);
    const watcher = new Watcher(response);
    open.push(watcher);
    await until(() => watcher.text !== '', 'the first chunk');
    return watcher;
  };

  test('the owner and administrators watch; an account sees no requests of another', async (context) => {
    const { daemon, alice, bob } = context;
    const [own, other] = [await newDomain(context), await newDomain(context)];
    const watchers = [await watch(daemon, own, alice.token), await watch(daemon, own, daemon.adminToken)];
    const elsewhere = await watch(daemon, other, alice.token);
    assert.equal(daemon.tail.watched, [own, other]);
    daemon.tail.publish(own, ['{"path":"/a"}'], 2);
    for (const watcher of watchers) {
      await until(() => watcher.text.includes('/a'), 'the request');
      assert.ok(
        watcher.text.endsWith(
          `event: requests\ndata: {"node":"${daemon.nodeName}","omitted":2,"requests":[{"path":"/a"}]}\n\n`,
        ),
      );
    }
    assert.not.match(elsewhere.text, /\/a/);
    const denied = await daemon.call('GET', path(own), { token: bob.token });
    assert.equal([denied.status, denied.body.error.code], [404, 'no_such_domain']);
    const scoped = async (scopes: readonly string[]): Promise<string> =>
      String(
        (await daemon.call('POST', '/api/v1/tokens', { token: alice.token, json: { name: 'x', scopes } })).body.token,
      );
    const dns = await daemon.call('GET', path(own), { token: await scoped(['dns']) });
    assert.equal([dns.status, dns.body.error.code], [403, 'insufficient_scope']);
    await watch(daemon, own, await scoped(['proxy:read']));
  });

  test('the stream ends with its token, and with its domain; then nothing is watched', async (context) => {
    const { daemon, alice } = context;
    const domain = await newDomain(context);
    const made = await daemon.call('POST', '/api/v1/tokens', {
      token: alice.token,
      json: { name: 'x', scopes: ['proxy:read'] },
    });
    const token = String(made.body.token);
    const first = await watch(daemon, domain, token);
    await daemon.call('DELETE', `/api/v1/tokens/${Number(token.slice(3, 19))}`, { token: alice.token });
    daemon.tail.publish(domain, ['{"path":"/secret"}'], 0);
    await until(() => first.isEnded, 'the end of the stream');
    assert.not.match(first.text, /secret/);
    const second = await watch(daemon, domain, alice.token);
    await daemon.call('DELETE', `/api/v1/domains/${domain}`, { token: alice.token });
    daemon.tail.publish(domain, ['{"path":"/secret"}'], 0);
    await until(() => second.isEnded, 'the end of the stream');
    assert.not.match(second.text, /secret/);
    await until(() => daemon.tail.watched.length === 0, 'no watchers');
  });

  test('a client that goes away is not watched for', async (context) => {
    const { daemon, alice } = context;
    const domain = await newDomain(context);
    const watcher = await watch(daemon, domain, alice.token);
    watcher.response.destroy();
    await until(() => daemon.tail.watched.length === 0, 'no watchers');
  });

  test('streams of an account are limited, together with those of changes', async (context) => {
    const { daemon, alice } = context;
    const domain = await newDomain(context);
    for (let i = 0; i < 20; i++) await watch(daemon, domain, alice.token);
    const refused = await daemon.call('GET', path(domain), { token: alice.token });
    assert.equal([refused.status, refused.body.error.code], [429, 'too_many_streams']);
    const changes = await daemon.call('GET', '/api/v1/events', { token: alice.token });
    assert.equal([changes.status, changes.body.error.code], [429, 'too_many_streams']);
  });

  test.run();
}
