/**
 * Addresses that cannot be listened on are reported before a thread starts, each with what to do.
 */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import type { ListenAddress } from '../../../core/config/index.ts';
import { assertFree } from '../../../edge/http/server/listening.ts';

const at = (port: number, address = '127.0.0.1'): ListenAddress => ({ address, port, family: 4 });

async function refusalOf(listen: readonly ListenAddress[]): Promise<string> {
  try {
    await assertFree(listen, 'WAYPOST_EDGE_HTTP_LISTEN');
    return '';
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as Error).message;
  }
}

test('a port in use, and an address of another machine', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  assert.match(
    await refusalOf([at(0), at(port)]),
    new RegExp(`127\\.0\\.0\\.1:${port}: address in use .*WAYPOST_EDGE_HTTP_LISTEN=off`),
  );
  await new Promise((resolve) => server.close(resolve));
  assert.is(await refusalOf([at(port)]), '');
  assert.match(await refusalOf([at(port, '192.0.2.77')]), /this machine does not have that address/);
});

test.run();
