/** `waypost account reset` on a stopped node of a cluster: all nodes get the password. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiClient } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, runCommand } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { untilPasses } from '../../support/until.ts';
import { startCluster } from './rig.ts';

test('a node that is stopped and behind sets a password, and the others follow', async () => {
  const { nodes, close } = await startCluster(2);
  const [first, second] = nodes;
  try {
    await second.stop();
    // The stopped node applies what it lacks first.
    await first.api.createDomain('later.example');
    const { code, output } = await runCommand(['account', 'reset', 'admin', '--json'], second.env);
    assert.is(code, 0, output);
    const { password } = JSON.parse(output) as { password: string };
    const signIn = async (base: string, secret: string): Promise<number> =>
      (await new ApiClient(base).request('POST', '/api/v1/auth/token', { login: 'admin', password: secret, name: 'x' }))
        .status;
    await untilPasses(async () => assert.is(await signIn(first.api.base, password), 200));
    assert.is(await signIn(first.api.base, ADMIN_PASSWORD), 401);
    await second.start();
    assert.is(await signIn(second.api.base, password), 200);
    assert.is(await signIn(second.api.base, ADMIN_PASSWORD), 401);
    const { body } = await second.api.call('GET', '/api/v1/audit?limit=50');
    const actions = (body.entries as { action: string }[]).map(({ action }) => action);
    assert.ok(actions.includes('account.reset'), actions.join());
  } finally {
    await close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a reset in a cluster, ${why}`);
