/** What fails after DNS is answered ends the start as it always did. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../support/child.ts';
import { environment, MAIN, USUAL } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';

interface FailedStart {
  readonly code: number | null;
  readonly output: string;
  /** Whether DNS was answered; null: nothing was started. */
  readonly hasServed: boolean | null;
}

async function startAndFail(settings: Record<string, string>, dataDir: string): Promise<FailedStart> {
  const env = environment({
    ...USUAL,
    WAYPOST_DATA_DIR: dataDir,
    WAYPOST_DNS_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
    ...settings,
  });
  const child = startChild(process.execPath, [MAIN, 'serve'], env);
  const code = await child.ended();
  let hasServed: boolean | null = null;
  try {
    const starts = JSON.parse(readFileSync(join(dataDir, 'starts.json'), 'utf8')) as { hasServed: boolean }[];
    hasServed = starts[starts.length - 1].hasServed;
  } catch {}
  return { code, output: child.output(), hasServed };
}

const newFolder = () => join(temporaryFolder('start-order'), 'data');

test('a file of statistics that cannot be opened ends the start after DNS was answered', async () => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'counts.mdb'), { recursive: true });
  const { code, output, hasServed } = await startAndFail({ WAYPOST_STATISTICS_ENABLED: 'true' }, dataDir);
  assert.is(code, 1);
  assert.match(output, /Cannot open counts\.mdb in .*: .*\. Move the file away, or set statistics\.enabled to false/);
  assert.not.match(output, /waypost ready/);
  assert.is(hasServed, true);
});

test('an admin port in use ends the start after DNS was answered', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  try {
    const { port } = server.address() as { port: number };
    const settings = { WAYPOST_ADMIN_LISTEN: `127.0.0.1:${port}` };
    const { code, output, hasServed } = await startAndFail(settings, newFolder());
    assert.is(code, 1);
    assert.match(
      output,
      new RegExp(`The admin API cannot listen on 127\\.0\\.0\\.1 port ${port}: .*WAYPOST_ADMIN_LISTEN`),
    );
    assert.is(hasServed, true);
  } finally {
    server.close();
  }
});

test('faults of the edge and of DNS are found together, before anything starts', async () => {
  const settings = {
    WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_EDGE_ORIGIN_CA_FILE: '/nonexistent/roots.pem',
  };
  const { code, output, hasServed } = await startAndFail(settings, newFolder());
  assert.is(code, 1);
  assert.match(output, /dns\.tls_/);
  assert.match(output, /edge\.origin_ca_file/);
  assert.is(hasServed, null);
});

test.run();
