/** Blobs from other nodes, some of which cut them short, or send others. */
import { createHash } from 'node:crypto';
import { readdirSync, truncateSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { type BlobPeer, BlobPuller } from '../../../../core/cluster/blobs/puller.ts';
import { BlobStore } from '../../../../core/cluster/blobs/store.ts';
import { PeerServer } from '../../../../core/cluster/peer-server.ts';
import { SnapshotSender } from '../../../../core/cluster/snapshot.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const issuer = { name: 'authority.cluster.test', key: ecKey() };
const ca = certificate({ ...issuer, ca: true });
const tlsOf = (name: string) => {
  const key = ecKey();
  return { ca, certificate: certificate({ name, key, issuer, dnsNames: [name] }), key: pemOfKey(key) };
};
const bytes = Buffer.alloc(1 << 20, 'bytes of a blob ');
const hash = createHash('sha256').update(bytes).digest('hex');
async function* whole(): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const ends: (() => Promise<unknown>)[] = [];
test.after(async () => {
  for (const end of ends.reverse()) await end();
});
const folderOf = (name: string): string => {
  const folder = temporaryFolder(name);
  ends.push(async () => removeFolder(folder));
  return folder;
};

/** A node as it is; `has`: the blob is there. */
async function node(name: string, has: boolean): Promise<BlobPeer & { asked(): number }> {
  const folder = folderOf('node');
  const blobs = new BlobStore(join(folder, 'blobs'));
  if (has) await blobs.put(whole(), bytes.length);
  let count = 0;
  const { openUnchecked } = blobs;
  blobs.openUnchecked = (wanted) => {
    count++;
    return openUnchecked.call(blobs, wanted);
  };
  const server = new PeerServer({
    memberOf: () => 'node-1',
    tls: tlsOf(name),
    listen: { address: '127.0.0.1', port: 0 },
    watchRequests: () => () => {},
    head: () => 0,
    snapshots: new SnapshotSender(folder, async () => {}),
    blobs,
  });
  const port = await server.listen();
  ends.push(() => server.close());
  return { name, address: `127.0.0.1:${port}`, asked: () => count };
}

/** A node that answers as it likes. */
async function stranger(
  name: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<BlobPeer> {
  const { certificate: cert, key } = tlsOf(name);
  const server = createServer({ ca, cert, key, requestCert: true }, answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ends.push(
    () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  );
  return { name, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Gives the first `count` bytes of the blob, and hangs up. */
const cutting = (name: string, count: number, seen: string[] = []): Promise<BlobPeer> =>
  stranger(name, ({ headers }, response) => {
    seen.push(headers.range ?? '');
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, count), () => response.destroy());
  });

function puller(peers: readonly BlobPeer[], limit = bytes.length, deadline = 20_000) {
  const lines: string[] = [];
  const folder = folderOf('own');
  const store = new BlobStore(folder);
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const opened = new BlobPuller({ store, tls: tlsOf('self'), log, peers: () => peers, limit, deadline });
  return { one: opened, store, folder, lines };
}

async function gives(opened: BlobPuller): Promise<void> {
  const blob = await opened.open(hash);
  assert.ok(blob);
  assert.ok((await blob.file.readFile()).equals(bytes));
  await blob.file.close();
}

test('fetches a blob once for all callers, and stores it', async () => {
  const [without, has] = [await node('without', false), await node('has', true)];
  const { one: opened, store } = puller([without, has]);
  await Promise.all([gives(opened), gives(opened), gives(opened)]);
  assert.equal([without.asked(), has.asked()], [1, 1]);
  await gives(opened);
  assert.is(has.asked(), 1);
  assert.ok(await store.has(hash));
});

test('another node continues an interrupted transfer', async () => {
  const seen: string[] = [];
  const first = await cutting('first', 300_000);
  const rest = await stranger('rest', ({ headers }, response) => {
    seen.push(headers.range ?? '');
    const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length - from });
    response.end(bytes.subarray(from));
  });
  const { one: opened } = puller([first, rest]);
  await gives(opened);
  assert.is(seen.length, 1);
  assert.match(seen[0], /^bytes=[1-9]\d*-$/);
});

test('skips nodes that send wrong content, a wrong range or no size', async () => {
  const other = Buffer.alloc(bytes.length, 'x');
  const lying = await stranger('lying', (_, response) => {
    response.writeHead(200, { 'content-length': other.length });
    response.end(other);
  });
  const half = await stranger('half', (_, response) => {
    response.writeHead(200, { 'content-length': other.length });
    response.write(other.subarray(0, 1000), () => response.destroy());
  });
  const endless = await stranger('endless', (_, response) => {
    response.writeHead(200);
    response.write(other);
  });
  const { one: opened, lines } = puller([lying, endless, half, await node('honest', true)]);
  await gives(opened);
  assert.match(lines.join(''), /sent a blob with the wrong hash.*"node":"lying"/);
  assert.match(lines.join(''), /"node":"endless".*size is missing/);
});

test('without a complete copy there is no blob, nothing is left, and the next call asks again', async () => {
  const cut = await cutting('cut', 1000);
  const { one: opened, folder, store } = puller([cut, { name: 'gone', address: '127.0.0.1:9' }]);
  assert.is(await opened.open(hash), null);
  assert.not(await store.has(hash));
  assert.is(readdirSync(folder).length, 0);
  const small = puller([await node('large', true)], 1000);
  assert.is(await small.one.open(hash), null);
  assert.match(small.lines.join(''), /too large/);
});

test('leaves a node that hangs at the deadline, and at close', async () => {
  const hanging = await stranger('hanging', () => {});
  const { one: opened } = puller([hanging], bytes.length, 300);
  assert.is(await opened.open(hash), null);
  const other = puller([hanging]);
  const request = other.one.open(hash);
  await other.one.close();
  assert.is(await request, null);
});

test('fetches a damaged local blob again', async () => {
  const has = await node('again', true);
  const { one: opened, folder } = puller([has]);
  await gives(opened);
  truncateSync(join(folder, hash), 1000);
  await gives(opened);
  assert.is(has.asked(), 2);
});

test.run();
