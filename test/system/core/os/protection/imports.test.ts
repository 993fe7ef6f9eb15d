/** A node with little memory refuses a large import before it begins, and goes on serving. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, startDaemon } from '../../../../support/daemon.ts';

test('an import that needs more memory than the budget is 507, and creates and changes nothing', async () => {
  const daemon = await startDaemon({ WAYPOST_PROTECTION_MEMORY: '320MB' });
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const send = (method: string, path: string, records: number) => {
      const lines = Array.from({ length: records }, (_, i) => `n${i} 300 A 192.0.2.1\n`);
      return api.request(method, path, lines.join(''), 'text/dns');
    };
    const id = await api.createDomain('old.example');
    assert.is((await send('PUT', `/api/v1/domains/${id}/zonefile`, 2)).status, 200);
    for (const [method, path] of [
      ['PUT', `/api/v1/domains/${id}/zonefile`],
      ['POST', '/api/v1/domains/zonefile?domain=new.example'],
    ]) {
      const { status, text } = await send(method, path, 100_000);
      assert.is(status, 507, text);
      assert.match(
        text,
        /"insufficient_memory","message":"The import needs about 2\d\d MB of memory, .* 218 MB for it;/,
      );
    }
    const { body } = await api.call('GET', '/api/v1/domains');
    assert.equal(
      (body.domains as { domain: string; record_count: number }[]).map((row) => [row.domain, row.record_count]),
      [['old.example', 2]],
    );
    assert.is((await send('POST', '/api/v1/domains/zonefile?domain=new.example', 100)).status, 200);
  } finally {
    await daemon.close();
  }
});

test.run();
