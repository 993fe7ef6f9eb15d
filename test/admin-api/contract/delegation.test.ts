/** The API contract: delegations. */
import * as assert from 'uvu/assert';
import type { CommitRequest } from '../../../core/journal/journal.ts';
import { APEX, listOf } from '../daemon.ts';
import { TIME } from './held.ts';
import { setState, sign } from './signed.ts';
import { everywhere, refused, succeeded } from './world.ts';

await everywhere(
  'contract, delegation',
  (test) => {
    test('GET …/delegation: unknown before the first check; POST …/delegation/check asks now', async ({ world }) => {
      const zone = await world.zone();
      const path = `${zone.path}/delegation`;
      const { body } = succeeded(await world.user.client.get(path));
      assert.equal(Object.keys(body).slice(1), [
        'domain',
        'expected',
        'state',
        'seen',
        'missing',
        'extra',
        'parent',
        'checked_at',
        'next_check_at',
        'error',
      ]);
      assert.equal(
        [body.domain, body.expected, body.state, body.checked_at],
        [{ id: zone.id, domain: zone.domain }, [...APEX.nameservers], 'unknown', null],
      );
      const { parent } = world.daemon;
      for (const [sets, state, missing, extra] of [
        [[[]], 'none', APEX.nameservers, []],
        [[['ns.other.test']], 'elsewhere', APEX.nameservers, ['ns.other.test']],
        [[[APEX.nameservers[0]]], 'partial', [APEX.nameservers[1]], []],
        [[[...APEX.nameservers]], 'live', [], []],
      ] as const) {
        parent.delegation = { zone: 'example.net', sets };
        const checked = succeeded(await world.user.client.post(`${path}/check`, undefined)).body;
        assert.equal([checked.state, checked.missing, checked.extra], [state, [...missing], [...extra]]);
        assert.equal([checked.parent, checked.error], ['example.net', null]);
        assert.match(String(checked.checked_at), TIME);
        const { sync: _, ...shown } = checked;
        assert.equal(succeeded(await world.user.client.get(path)).body, shown);
        const list = succeeded(await world.user.client.get(`/api/v1/domains?q=${zone.domain}`)).body;
        assert.is(listOf(list.domains)[0].delegation, state);
      }
      parent.delegation = { trouble: 'no nameserver of net answered' };
      const failed = succeeded(await world.user.client.post(`${path}/check`, undefined)).body;
      assert.equal([failed.state, failed.error], ['live', 'no nameserver of net answered']);
    });

    test('the same result again is no entry of the audit log', async ({ world }) => {
      const zone = await world.zone();
      world.daemon.parent.delegation = { zone: 'net', sets: [[]] };
      for (let i = 0; i < 3; i++) succeeded(await world.user.client.post(`${zone.path}/delegation/check`, undefined));
      const entries = await world.audit('&action=delegation.check');
      assert.is(entries.filter(({ target }) => Number(target) === zone.id).length, 1);
    });

    test('a domain with the nameservers of its zone file expects those', async ({ world }) => {
      const zone = await world.zone();
      const file = '@ SOA ns.own.test. h.own.test. 1 3600 600 86400 300\n@ NS ns.own.test.\n';
      succeeded(await world.user.client.upload(`${zone.zonefile}?apex=keep`, `$TTL 300\n${file}`));
      world.daemon.parent.delegation = { zone: 'net', sets: [['ns.own.test']] };
      const { body } = succeeded(await world.user.client.post(`${zone.path}/delegation/check`, undefined));
      assert.equal([body.expected, body.state], [['ns.own.test'], 'live']);
    });

    test('concurrent checks of one domain do not conflict', async ({ world }) => {
      const { client } = await world.member();
      const zone = await world.zone(client);
      const { journal } = world.daemon;
      const commit = journal.commit.bind(journal);
      const conflicts: Error[] = [];
      Object.assign(journal, {
        commit: (request: CommitRequest) =>
          commit(request).catch((error: Error) => {
            conflicts.push(error);
            throw error;
          }),
      });
      const checks = Array.from({ length: 10 }, () => client.post(`${zone.path}/delegation/check`, undefined));
      for (const checked of await Promise.all(checks)) succeeded(checked);
      Reflect.deleteProperty(journal, 'commit');
      assert.equal(conflicts, []);
    });

    test('a viewer reads the state, but cannot check', async ({ world }) => {
      const viewer = await world.member({ plan: 'unlimited' });
      const zone = await world.zone(viewer.client);
      succeeded(await world.admin.patch(`/api/v1/accounts/${viewer.id}`, { role: 'viewer' }));
      succeeded(await viewer.client.get(`${zone.path}/delegation`));
      refused(await viewer.client.post(`${zone.path}/delegation/check`, undefined), '403 forbidden');
    });

    test('lists show the state of DNSSEC', async ({ world }) => {
      const zone = await world.zone();
      const shown = async () => {
        const { body } = succeeded(await world.user.client.get(`/api/v1/domains?q=${zone.domain}`));
        const [domain] = listOf(body.domains);
        return [domain.dnssec_status, domain.dnssec_problem];
      };
      assert.equal(await shown(), ['off', false]);
      await sign(world, zone);
      assert.is((await shown())[0], 'awaiting_ds');
      await setState(world.daemon, zone.id, { phase: 'secure' });
      assert.is((await shown())[0], 'secure');
    });

    test('an account checks 30 times a minute at most', async ({ world }) => {
      const { client } = await world.member();
      const zone = await world.zone(client);
      const started = performance.now();
      const check = () => client.post(`${zone.path}/delegation/check`, undefined);
      // On a slow machine the account may check again before the test is done.
      let allowed = 0;
      let answer = await check();
      for (; answer.status === 200; answer = await check()) allowed++;
      const minutes = (performance.now() - started) / 60_000;
      assert.ok(allowed >= 30 && allowed <= 30 * (1 + minutes), `${allowed} checks in ${minutes} minutes`);
      refused(answer, '429 too_many_requests');
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
    });
  },
  { WAYPOST_RATE_LIMIT: '100000' },
);
