/** Copies of a store on their way to another node. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchSnapshot, SnapshotSender } from '../../../core/cluster/snapshot.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { unstalled } from '../../support/unstalled.ts';

const SIZE = 8 << 20;

interface Sending {
  readonly url: string;
  readonly sender: SnapshotSender;
  /** Copies made so far. */
  count(): number;
}

/** Runs `work` on a sender behind HTTP; each copy holds its number. */
async function withSender(fresh: number, work: (sending: Sending) => Promise<void>, pause = 0): Promise<void> {
  const folder = temporaryFolder('snapshot');
  let count = 0;
  const sender = new SnapshotSender(
    folder,
    async (path) => {
      const copy = Buffer.alloc(SIZE, ++count);
      await sleep(pause);
      writeFileSync(path, copy);
    },
    fresh,
  );
  const server = createServer((from, to) => {
    sender.answer(from, to).catch(() => to.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    await work({ url: `http://127.0.0.1:${port}/`, sender, count: () => count });
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await sender.close();
    removeFolder(folder);
  }
}

async function whole(url: string): Promise<{ etag: string; bytes: Buffer }> {
  const { headers, body } = await request(url);
  return { etag: String(headers.etag), bytes: Buffer.from(await body.arrayBuffer()) };
}

test('an interrupted transfer continues where it was', async () => {
  await withSender(60_000, async ({ url, count }) => {
    const stop = new AbortController();
    const { headers, body } = await request(url, { signal: stop.signal });
    for await (const _ of body) break;
    stop.abort();
    await sleep(200);
    const rest = await request(url, { headers: { range: 'bytes=1000-', 'if-range': String(headers.etag) } });
    assert.is(rest.statusCode, 206);
    assert.is(rest.headers['content-range'], `bytes 1000-${SIZE - 1}/${SIZE}`);
    assert.is((await rest.body.arrayBuffer()).byteLength, SIZE - 1000);
    assert.is(count(), 1);
  });
});

test(
  'each new transfer gets a new copy, since the log may not reach back to an older one',
  unstalled(20, () =>
    withSender(100, async ({ url, count }) => {
      const [item, same] = await Promise.all([whole(url), whole(url)]);
      assert.is(count(), 1);
      assert.is(same.etag, item.etag);
      await sleep(150);
      const other = await whole(url);
      assert.is(count(), 2);
      assert.is.not(other.etag, item.etag);
      assert.ok(other.bytes.equals(Buffer.alloc(SIZE, 2)));
    }),
  ),
);

test('a store of a format that this version does not read is not fetched', async () => {
  const issuer = { name: 'authority.cluster.test', key: ecKey() };
  const key = ecKey();
  const tls = {
    ca: certificate({ ...issuer, ca: true }),
    certificate: certificate({ name: 'b', key, issuer, dnsNames: ['b'] }),
    key: pemOfKey(key),
  };
  const folder = temporaryFolder('format');
  const store = Buffer.from('a store');
  const etag = `"${createHash('sha256').update(store).digest('hex')}"`;
  let format: string | undefined = '99';
  const server = createSecureServer({ cert: tls.certificate, key: tls.key }, (_, response) => {
    const field = format === undefined ? {} : { 'waypost-store-format': format };
    response.writeHead(200, { etag, 'content-length': store.length, ...field }).end(store);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = (): Promise<void> =>
    fetchSnapshot({
      ...{ member: { name: 'b', address, version: '9.0' }, tls, folder },
      signal: new AbortController().signal,
      onProgress: () => {},
    });
  try {
    const error = await fetch().then(
      () => 'fetched',
      (cause: Error) => cause.message,
    );
    assert.match(error, /the store of b has format 99, of version 9\.0; this version reads format \d+/);
    assert.equal(readdirSync(folder), []);
    for (format of [undefined, '1']) {
      await fetch();
      assert.equal(readFileSync(join(folder, 'snapshot.ready')), store);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    removeFolder(folder);
  }
});

test('close waits for the copy in progress, and leaves nothing behind', async () => {
  const folder = temporaryFolder('snapshot');
  let isMaking = false;
  const sender = new SnapshotSender(folder, async (path) => {
    isMaking = true;
    await sleep(200);
    writeFileSync(path, 'copy');
    isMaking = false;
  });
  const server = createServer((from, to) => {
    sender.answer(from, to).catch(() => to.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const question = request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).catch(() => null);
  while (!isMaking) await sleep(5);
  server.closeAllConnections();
  await sender.close();
  assert.not(isMaking);
  assert.throws(() => readFileSync(join(folder, 'snapshot.mdb')), /ENOENT/);
  await question;
  await new Promise((done) => server.close(done));
  removeFolder(folder);
});

test.run();
