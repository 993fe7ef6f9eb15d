/**
 * One row of each table is damaged, all of one domain and one account: the daemon starts, serves
 * the other domain, and accepts writes to it.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../core/dns/wire/types.ts';
import { openEnvironment } from '../../core/store/environment.ts';
import { ADMIN_PASSWORD, startDaemon } from '../support/daemon.ts';
import { queryTcp } from '../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../support/message.ts';

const DAMAGED = Buffer.from([0xff, 0xff, 0xff]);
/** Without its counter, a table can have no new rows: the daemon must not guess. */
const ID_COUNTERS = 22;

test('damaged rows do not stop the rest', async () => {
  const daemon = await startDaemon({ WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: 'true' });
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const create = async (domain: string): Promise<string> => {
      const id = await api.createDomain(domain);
      await api.createRecord(id, 'www', 'A', '192.0.2.1');
      await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
      await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin_host: '203.0.113.9' });
      return id;
    };
    const sound = await create('sound.example');
    await create('damaged.example');
    const account = { username: 'other', password: 'correct horse battery 2', email: 'a@b.example' };
    assert.is((await api.request('POST', '/api/v1/accounts', account)).status, 200);
    await daemon.stop();

    const environment = openEnvironment(daemon.env.WAYPOST_DATA_DIR ?? '');
    let damaged = 0;
    for (const [number, table] of environment.rows) {
      const keys = [...table.getKeys({})].map((key) => Buffer.from(key as Buffer));
      if (keys.length < 2 || number === ID_COUNTERS) continue;
      await table.put(keys[keys.length - 1], DAMAGED);
      damaged++;
    }
    await environment.close();
    assert.ok(damaged >= 6, `${damaged} tables`);

    await daemon.start();
    await api.logIn('admin', ADMIN_PASSWORD);
    await api.createRecord(sound, 'later', 'A', '192.0.2.2');
    for (const name of ['www', 'later']) {
      const question = { name: parseName(`${name}.sound.example.`), type: TYPE.A, class: CLASS_IN };
      const [response] = await queryTcp(daemon.dnsPort, [encodeQuery(question, 1)]);
      assert.is(decodeMessage(response).answer.length, 1, name);
    }
    assert.match(daemon.child.output(), /damaged row skipped/);
    assert.is(await daemon.stop(), 0);
  } finally {
    await daemon.close();
  }
});

test.run();
