/** Folders and buckets for backups: the same rules for both, and the faults of a service. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FolderTarget } from '../../../../core/cluster/backup/folder-target.ts';
import { S3Target } from '../../../../core/cluster/backup/s3-target.ts';
import { readAll, type Target } from '../../../../core/cluster/backup/target.ts';
import { S3_KEYS, type S3Fault, type S3Server, startS3Server } from '../../../support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const PART = 64 << 10;
const contentOf = (size: number): Buffer => Buffer.alloc(size, 'waypost-backup ');
async function* piecesOf(bytes: Buffer, piece = 30_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
}
const errorOf = (work: Promise<unknown>): Promise<Error & { code?: string }> =>
  work.then(
    () => new Error('no error'),
    (error: Error) => error,
  );

let folder: string;
let s3: S3Server;
const openS3 = (timeout = 10_000): Promise<S3Target> =>
  S3Target.open({
    ...{ endpoint: s3.endpoint, region: 'test-1', bucket: s3.bucket, prefix: 'ab c/' },
    ...{ isPathStyle: true, ...S3_KEYS, timeout, firstRetry: 1, partSize: PART },
  });
test.before(async () => {
  folder = temporaryFolder('targets');
  s3 = await startS3Server({ pageSize: 2, minPart: PART });
});
test.before.each(() => {
  s3.fault = () => undefined;
});
test.after(async () => {
  await s3.close();
  removeFolder(folder);
});

const KINDS: Readonly<Record<string, () => Promise<Target>>> = {
  folder: async () => new FolderTarget(join(folder, 'target')),
  s3: () => openS3(),
};
for (const [kind, open] of Object.entries(KINDS))
  test(`${kind}: files are written whole, listed by prefix, read and deleted`, async () => {
    const target = await open();
    assert.equal(await target.list('2'), []);
    const large = contentOf(2 * PART + 12_345);
    assert.is(await target.write('2026-b', piecesOf(large), large.length), large.length);
    const size = PART;
    assert.is(await target.write('2026-a', piecesOf(large.subarray(0, size)), size), size);
    assert.is(await target.write('2025-c', piecesOf(Buffer.alloc(0)), 10), 0);
    await target.write('journal/1', piecesOf(Buffer.from('x')), 1);
    const names = (await target.list('2')).map(({ name }) => name);
    assert.equal(names, ['2025-c', '2026-a', '2026-b']);
    assert.equal(await target.list('journal/'), [{ name: 'journal/1', size: 1 }]);
    assert.ok((await readAll(target, { name: '2026-b', size: large.length })).equals(large));
    await target.write('2026-b', piecesOf(Buffer.from('replaced')), 8);
    assert.is((await readAll(target, { name: '2026-b', size: 8 })).toString(), 'replaced');
    for (const name of [...names, 'journal/1', 'never']) await target.delete(name);
    assert.equal(await target.list('2'), []);
    await target.cleanUp();
  });

for (const [kind, open] of Object.entries(KINDS))
  test(`${kind}: a source that fails leaves nothing`, async () => {
    const target = await open();
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* piecesOf(contentOf(PART + 20_000));
      throw new Error('the disk fails');
    }
    assert.is((await errorOf(target.write('2026-x', failing(), PART + 20_000))).message, 'the disk fails');
    assert.equal(await target.list('2'), []);
    assert.is(s3.uploads.size, 0);
    if (kind === 'folder') assert.equal(readdirSync(join(folder, 'target')), ['journal']);
  });

test('s3: everything is written and read although each request fails once, in every way', async () => {
  const bytes = contentOf(PART + 1000);
  for (const fault of ['error', 'slow-down', 'lost', 'damage', 'cut'] satisfies S3Fault[]) {
    const target = await openS3();
    const seen = new Set<string>();
    s3.fault = (method, path) => {
      const what = `${method} ${path.replace(/uploadId=\w+/, '')}`;
      if (seen.has(what)) return undefined;
      seen.add(what);
      // Reading has no checksum here: readBackup checks the SHA-256.
      return fault === 'damage' && method === 'GET' ? undefined : fault;
    };
    await target.write('2026-f', piecesOf(bytes), bytes.length);
    assert.ok((await readAll(target, { name: '2026-f', size: bytes.length })).equals(bytes), fault);
    assert.is((await target.list('2')).length, 1);
    await target.delete('2026-f');
    assert.is(s3.objects.size, 0, fault);
    assert.ok(seen.size >= 6, `${fault}: ${[...seen].join(', ')}`);
  }
});

test('s3: a permanent failure is reported, and nothing is left behind', async () => {
  const bytes = contentOf(PART + 20_000);
  const target = await openS3();
  s3.fault = (method, path) => (method === 'PUT' && path.includes('partNumber=2') ? 'error' : undefined);
  // The response to the beginning of an upload was lost: its id is unknown.
  const lost = s3.uploads.size;
  assert.is((await errorOf(target.write('2026-g', piecesOf(bytes), bytes.length))).code, 's3_failed');
  assert.equal([s3.objects.size, s3.uploads.size], [0, lost]);
  s3.fault = () => 'denied';
  const before = s3.requests.length;
  assert.is((await errorOf(target.list('2'))).code, 's3_failed');
  assert.is(s3.requests.length, before + 1, 'no retry');
});

test('s3: a service that hangs runs into the timeout', async () => {
  const target = await openS3(50);
  let hung = 0;
  s3.fault = () => (hung++ === 0 ? 'hang' : undefined);
  assert.equal(await target.list('2'), []);
  assert.is(hung, 2);
});

test('s3: wrong keys, regions and buckets are reported', async () => {
  const options = { endpoint: s3.endpoint, region: 'test-1', bucket: s3.bucket, prefix: '', isPathStyle: true };
  for (const [wrong, pattern] of [
    [{ secretAccessKey: 'other' }, /SignatureDoesNotMatch/],
    [{ accessKeyId: 'other' }, /InvalidAccessKeyId/],
    [{ region: 'test-2' }, /AuthorizationHeaderMalformed/],
    [{ bucket: 'others' }, /does not exist/],
  ] as const) {
    const target = await S3Target.open({ ...options, ...S3_KEYS, timeout: 10_000, firstRetry: 1, ...wrong });
    assert.match((await errorOf(target.list('2'))).message, pattern);
  }
});

test('folder: remains of a process that was killed are removed after a day', async () => {
  const target = new FolderTarget(join(folder, 'remains'));
  await target.write('2026-a', piecesOf(Buffer.from('a')));
  writeFileSync(target.path('2026-b.77.part'), 'b');
  await target.cleanUp();
  assert.ok(existsSync(target.path('2026-b.77.part')));
  assert.equal((await target.list('2')).length, 1);
});

test.run();
