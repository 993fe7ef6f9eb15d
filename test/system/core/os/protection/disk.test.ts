/**
 * A daemon whose data folder is on a small file system that fills up, and whose descriptors run
 * out.
 */
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../../support/daemon.ts';
import { queryTcp } from '../../../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../../../support/message.ts';
import { freePort } from '../../../../support/ports.ts';
import { FILLER, fill, withSmallDisk } from '../../../../support/small-disk.ts';
import { untilPasses } from '../../../../support/until.ts';

const MB = 1024 ** 2;
const SIZE = 64 * MB;
const RESERVE = 12 * MB;
const DESCRIPTORS = 300;

async function withDaemon(use: (daemon: Daemon, folder: string, edge: number) => Promise<void>): Promise<void> {
  await withSmallDisk(SIZE, async (folder) => {
    const edge = await freePort();
    const daemon = await startDaemon({
      WAYPOST_DATA_DIR: join(folder, 'data'),
      WAYPOST_PROTECTION_DISK_RESERVE: String(RESERVE),
      WAYPOST_PROTECTION_DESCRIPTORS: String(DESCRIPTORS),
      WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${edge}`,
      WAYPOST_EDGE_WORKERS: '1',
      WAYPOST_EDGE_CACHE_DISK: '0',
    });
    try {
      await use(daemon, folder, edge);
    } finally {
      await daemon.close();
    }
  });
}

async function metricsOf({ adminPort }: Daemon): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return new Map(text.split('\n').map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
}

/** Opens connections to the API until the process has `count` descriptors. */
async function holdDescriptors(daemon: Daemon, count: number): Promise<Socket[]> {
  const held: Socket[] = [];
  const open = (await metricsOf(daemon)).get('process_open_fds') ?? 0;
  while (open + held.length < count)
    held.push(
      await new Promise((resolve, reject) => {
        const socket = connect(daemon.adminPort, '127.0.0.1', () => resolve(socket));
        socket.on('error', reject);
      }),
    );
  return held;
}

const visit = (port: number): Promise<number> =>
  fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } }).then(
    ({ status }) => status,
    () => 0,
  );

test('without disk space the node is read-only, without descriptors it refuses visitors; DNS goes on', async () => {
  await withDaemon(async (daemon, folder, edge) => {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const path = `/api/v1/domains/${await api.createDomain('full.example')}/records`;
    const post = (name: string) => api.request('POST', path, { type: 'A', name, content: '192.0.2.1', ttl: 60 });
    assert.is((await post('before')).status, 200);
    const answers = async (): Promise<void> => {
      const question = { name: parseName('before.full.example.'), type: TYPE.A, class: CLASS_IN };
      const [response] = await queryTcp(daemon.dnsPort, [encodeQuery(question, 1)]);
      assert.is(decodeMessage(response).answer.length, 1);
    };

    // 1. Below the reserve.
    fill(folder, RESERVE - MB);
    await untilPasses(async () => {
      const { status, text, headers } = await post(`n${Math.random()}`.replace('.', ''));
      assert.is(status, 507);
      assert.match(text, /disk_full/);
      assert.is(headers.get('retry-after'), '30');
    });
    await answers();
    assert.is((await api.request('GET', path)).status, 200);
    const ready = await api.request('GET', '/readyz');
    assert.is(ready.status, 200);
    assert.match(ready.text, /disk is almost full, so writes are refused/);
    // A sign-in is a small write.
    const signIn = { login: 'admin', password: ADMIN_PASSWORD, name: 'again' };
    assert.is((await api.request('POST', '/api/v1/auth/token', signIn)).status < 300, true);

    // 2. Really full.
    fill(folder, 0);
    await untilPasses(async () => {
      assert.is((await metricsOf(daemon)).get('waypost_protection_disk_level'), 3);
      assert.is((await api.request('POST', '/api/v1/auth/token', signIn)).status, 507);
    });
    await answers();
    assert.is(await visit(edge), 404);

    // 3. Free again: it leaves by itself.
    rmSync(join(folder, FILLER));
    await untilPasses(async () => assert.is((await post('after')).status, 200));

    // 4. Too few descriptors.
    const held = await holdDescriptors(daemon, DESCRIPTORS);
    await untilPasses(async () => assert.is((await metricsOf(daemon)).get('waypost_protection_load_level'), 3));
    assert.is(await visit(edge), 503);
    await answers();
    const large = {
      post: Array.from({ length: 1000 }, (_, i) => ({ type: 'TXT', name: `t${i}`, content: 'x'.repeat(99) })),
    };
    const refused = await api.request('POST', `${path}/batch`, large);
    assert.equal([refused.status, /overloaded/.test(refused.text)], [503, true]);
    assert.is((await post('small')).status, 200);
    for (const socket of held) socket.destroy();
    await untilPasses(async () => assert.is(await visit(edge), 404));
    const output = daemon.child.output();
    assert.match(output, /overloaded; reducing work/);
    assert.not.match(output, /ENOSPC|MDB_/);
  });
});

test.run();
