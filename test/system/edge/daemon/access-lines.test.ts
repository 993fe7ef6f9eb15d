/** Lines of the access log leave when they are read, and hold up no request when they are not. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeLines } from '../../../../edge/daemon/edge.ts';
import { ADMIN_PASSWORD, MAIN } from '../../../support/daemon.ts';
import { inheritedEnvironment } from '../../../support/inherited-environment.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { freePort } from '../../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

test('lines are released when they are written, also those that are not read', async () => {
  const waiting: ((error?: Error) => void)[] = [];
  const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void waiting.push(done) });
  stream.on('error', () => {});
  const taken = new SharedArrayBuffer(4);
  const count = (): number => Atomics.load(new Int32Array(taken), 0);
  for (const lines of ['a\n', 'b\n', 'c\n']) writeLines(stream, { kind: 'access-log', lines, writtenBatches: taken });
  await sleep(5);
  assert.is(count(), 0);
  waiting.shift()?.();
  await sleep(5);
  assert.is(count(), 1);
  waiting.shift()?.(new Error('EPIPE'));
  await sleep(5);
  assert.is(count(), 3, 'the reader has gone');
  writeLines(stream, { kind: 'access-log', lines: 'd\n', writtenBatches: taken });
  await sleep(5);
  assert.is(count(), 4);
});

/** A daemon with every request in its access log, which goes to `stdout`. */
async function withDaemon(
  stdout: 'pipe' | number,
  use: (child: ChildProcess, ask: (path: string) => Promise<number>) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder('stdout');
  const [dns, admin, http] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...inheritedEnvironment(),
    WAYPOST_DATA_DIR: join(folder, 'data'),
    // Without it, the first start needs a standard output that shows one.
    WAYPOST_ADMIN_PASSWORD: ADMIN_PASSWORD,
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dns}`,
    WAYPOST_ADMIN_LISTEN: `127.0.0.1:${admin}`,
    WAYPOST_DNS_WORKERS: '1',
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_HTTPS_LISTEN: 'off',
    WAYPOST_EDGE_ACCESS_LOG: '1',
    WAYPOST_ALIAS_RESOLVERS: '127.0.0.1:9',
  };
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', stdout, 'ignore'] });
  const ended = once(child, 'exit');
  const ask = async (path: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${http}${path}`);
    await answer.arrayBuffer();
    return answer.status;
  };
  try {
    const end = Date.now() + PATIENCE_MS;
    while ((await ask('/').catch(() => 0)) !== 404) assert.ok(Date.now() < end && child.exitCode === null, 'it serves');
    await use(child, ask);
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    const [code, signal] = await ended;
    clearTimeout(killer);
    assert.equal([code, signal], [0, null]);
  } finally {
    child.kill('SIGKILL');
    await ended;
    removeFolder(folder);
  }
}

/** More than a pipe holds, and some time for it to get there. */
async function fill(ask: (path: string) => Promise<number>): Promise<void> {
  const long = `/${'x'.repeat(2000)}`;
  for (let i = 0; i < 200; i++) assert.is(await ask(long), 404);
  await sleep(1000);
  assert.is(await ask('/'), 404);
}

test('the daemon serves and stops while its standard output is not read', () =>
  withDaemon('pipe', (_child, ask) => fill(ask)));

test('the daemon serves and stops after the reader of its standard output is gone', () =>
  withDaemon('pipe', async (child, ask) => {
    child.stdout?.destroy();
    await fill(ask);
  }));

test('the daemon serves and stops while the disk of its standard output is full', async () => {
  const full = openSync('/dev/full', 'w');
  try {
    await withDaemon(full, (_child, ask) => fill(ask));
  } finally {
    closeSync(full);
  }
});

test.run();
