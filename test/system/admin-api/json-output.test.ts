/** With log.format = "json", collectors get lines of JSON only, from the first start on. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../support/child.ts';
import { environment, MAIN, USUAL } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';

const test = suite('JSON output');

test('every line is JSON, and has the first password once', async () => {
  const [dnsPort, adminPort] = [await freePort(), await freePort()];
  const env = environment({
    ...USUAL,
    WAYPOST_ADMIN_PASSWORD: '',
    WAYPOST_LOG_FORMAT: 'json',
    WAYPOST_DATA_DIR: join(temporaryFolder('json'), 'data'),
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    WAYPOST_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
  });
  const child = startChild(process.execPath, [MAIN, 'serve'], env);
  await child.waitFor(/"message":"ready","seconds":/);
  assert.is(await child.stop(), 0);
  const lines = child.output().split('\n').filter(Boolean);
  for (const line of lines) assert.type((JSON.parse(line) as { message: unknown }).message, 'string', line);
  const password = /has the password (\S+) \(shown only once\)/.exec(child.output())?.[1] ?? '';
  assert.ok(password.length > 8, child.output());
  assert.is(child.output().split(password).length, 2);
});

test.run();
