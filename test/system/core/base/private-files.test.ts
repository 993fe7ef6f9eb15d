/**
 * Every file that a daemon makes is for its owner alone, whatever the umask and the modes of the
 * folders, which the operator has made.
 */
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZipFile } from 'yazl';
import { readIssued } from '../../../../admin-api/miniapp/sdk/issued-files.ts';
import { FORM_TYPE, packageForm } from '../../../admin-api/miniapp/packages/package.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../support/daemon.ts';
import { freePort } from '../../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { untilPasses } from '../../../support/until.ts';

/** Nothing is masked. */
const NO_MASK = ['/bin/sh', '-c', 'umask 000; exec "$@"', 'sh'];

const OF_OPERATOR = ['backups 755', 'data 755'];

/** Files and folders below a folder, with the modes that are too wide. */
function modesBelow(folder: string): { readonly files: string[]; readonly wide: string[] } {
  const files: string[] = [];
  const wide: string[] = [];
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (!found.isDirectory()) files.push(name);
    if ((found.mode & 0o077) !== 0) wide.push(`${name} ${(found.mode & 0o777).toString(8)}`);
  }
  return { files, wide };
}

const madeByOperator = (folder: string): string => {
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return folder;
};

async function visit(port: number, host: string): Promise<IncomingMessage> {
  const [answer] = (await once(get({ host: '127.0.0.1', port, headers: { host } }), 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
}

/** A package without errors, so that its bytes are kept. */
async function packageBytes(): Promise<Buffer> {
  const zip = new ZipFile();
  const id = 'com.example.private';
  const manifest = { id, name: 'Notes', version: '1.0', versionCode: 1, entry: 'index.html', permissions: [] };
  zip.addBuffer(Buffer.from(JSON.stringify({ minHostVersion: '1.0', ...manifest })), 'manifest.json');
  zip.addBuffer(Buffer.from('<!doctype html>\n<title>Notes</title>\n'), 'index.html');
  zip.addBuffer(Buffer.from(readIssued().script), 'host-sdk.js');
  zip.end();
  return buffer(zip.outputStream);
}

/** Makes the daemon write what it can: rows, a cached response, a package, a backup. */
async function use({ api, child }: Daemon, httpPort: number, originPort: number): Promise<void> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const id = await api.createDomain('private.example');
  await api.createRecord(id, '@', 'A', '192.0.2.1');
  await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '127.0.0.1', port: originPort, protocol: 'http' });
  await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
  await api.call('PUT', `/api/v1/domains/${id}/dnssec`, { enabled: true });
  await untilPasses(async () =>
    assert.match(String((await visit(httpPort, 'private.example')).headers['cache-status']), /hit/),
  );
  const { body } = packageForm(await packageBytes());
  const { status } = await fetch(`${api.base}/api/dev/apps/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': FORM_TYPE },
    body: new Uint8Array(body as Buffer),
  });
  assert.is(status, 200);
  await untilPasses(() => assert.match(child.output(), /backup made/));
}

test('files and folders of a running daemon are for their owner alone', async () => {
  const folder = temporaryFolder('private-files');
  const data = madeByOperator(join(folder, 'data'));
  const backups = madeByOperator(join(folder, 'backups'));
  const origin = createServer((_request, answer) => answer.setHeader('cache-control', 'max-age=3600').end('page'));
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const httpPort = await freePort();
  const settings = {
    WAYPOST_DATA_DIR: data,
    WAYPOST_BACKUP_FOLDER: backups,
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${await freePort()}`,
    WAYPOST_EDGE_CACHE_DISK: '64MB',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_CLUSTER_IPV4: '127.0.0.1',
  };
  const daemon = await startDaemon(settings, { prefix: NO_MASK });
  try {
    await use(daemon, httpPort, (origin.address() as AddressInfo).port);
    const running = modesBelow(folder);
    assert.equal(running.wide, OF_OPERATOR);
    for (const name of [
      'data/waypost.mdb',
      'data/waypost.mdb-lock',
      'data/counts.mdb',
      'data/secret.key',
      'data/starts.json',
    ])
      assert.ok(running.files.includes(name), `${name} is among ${running.files.join(', ')}`);
    for (const part of [/^data\/cache\//, /^data\/blobs\//, /^backups\//])
      assert.ok(
        running.files.some((name) => part.test(name)),
        String(part),
      );
    // An earlier version, or a restored copy, may have left a store that others can read.
    await daemon.stop();
    chmodSync(join(data, 'waypost.mdb'), 0o644);
    await daemon.start();
    assert.equal(modesBelow(folder).wide, OF_OPERATOR);
  } finally {
    await daemon.close();
    origin.closeAllConnections();
    origin.close();
    removeFolder(folder);
  }
});

test.run();
