/** The overview of an account: what needs attention, for few and for many domains. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { untilPasses } from '../../../support/until.ts';
import { listOf, startDaemon } from '../../daemon.ts';

const test = suite('overview of an account');

test('it has the state of each domain, and the next step for each problem', async () => {
  const daemon = await startDaemon();
  try {
    const owner = await daemon.account('owner');
    const stranger = await daemon.account('stranger');
    const { token } = owner;
    const read = async () => (await daemon.call('GET', '/api/v1/overview', { token })).body.overview;
    const create = async (domain: string): Promise<string> => {
      const { body } = await daemon.call('POST', '/api/v1/domains', { token, json: { domain } });
      return `/api/v1/domains/${body.domain.id}`;
    };
    const none = { live: 0, partial: 0, elsewhere: 0, none: 0, unknown: 0 };
    assert.equal((await read()) as unknown, {
      ...{ domains: 0, checked: 0, is_complete: true, delegation: none, signed: 0, proxied: 0, certificates: 0 },
      ...{ problems: [], problem_count: 0 },
    });

    const good = await create('good.example.net');
    const moved = await create('moved.example.net');
    await create('new.example.net');
    const check = async (path: string, names: string[]): Promise<void> => {
      daemon.parent.delegation = { zone: 'example.net', sets: [names] };
      await daemon.call('POST', `${path}/delegation/check`, { token });
    };
    await check(good, ['ns1.waypost.test', 'ns2.waypost.test']);
    await check(moved, ['ns.elsewhere.test']);
    await daemon.call('POST', `${good}/proxy/toggle`, { token, json: { enable: true } });
    const overview = await read();
    assert.equal(overview.delegation as unknown, { ...none, live: 1, elsewhere: 1, unknown: 1 });
    assert.equal([overview.domains, overview.checked, overview.proxied] as unknown, [3, 3, 1]);
    assert.equal(listOf(overview.problems).map(({ domain, kind }) => [domain, kind]) as unknown, [
      ['moved.example.net', 'delegation'],
    ]);
    assert.match(
      String(overview.problems[0].message),
      'It is delegated to ns.elsewhere.test; enter ns1.waypost.test, ns2.waypost.test at your registrar instead.',
    );

    const foreign = `/api/v1/overview?account=${owner.id}`;
    assert.is((await daemon.call('GET', foreign, { token: stranger.token })).status, 403);
    const byAdmin = await daemon.call('GET', foreign, { token: daemon.adminToken });
    assert.equal(byAdmin.body.overview as unknown, overview as unknown);
  } finally {
    await daemon.stop();
  }
});

test('many domains are summed in the background, and the sums are complete in the end', async () => {
  const daemon = await startDaemon();
  try {
    const token = daemon.adminToken;
    const domains = Array.from({ length: 250 }, (_, i) => ({ domain: `d${i}.example.net` }));
    assert.is((await daemon.call('POST', '/api/v1/domains/batch', { token, json: { domains } })).status, 200);
    await untilPasses(async () => {
      const { overview } = (await daemon.call('GET', '/api/v1/overview', { token })).body;
      assert.equal([overview.is_complete, overview.checked] as unknown, [true, 250]);
      assert.equal(overview.delegation.unknown as unknown, 250);
    });
  } finally {
    await daemon.stop();
  }
});

test.run();
