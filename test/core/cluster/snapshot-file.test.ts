/** Snapshots in files: what they hold, and that nothing else is taken for one. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BlobStore } from '../../../core/cluster/blobs/store.ts';
import { restoreSnapshot, type SnapshotHead, writeSnapshot } from '../../../core/cluster/snapshot-file.ts';
import { loadConfig } from '../../../core/config/index.ts';
import { readHead } from '../../../core/journal/applied-head.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { domains, idCounters, type UploadState, uploads } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { newId } from '../../support/ids.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { dump, embedded, newDomain } from '../journal/fixture.ts';

const FLIPS = 40;
const random = new Random(SEED);
const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => random.below(256)));
const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const [large, small, broken, gone, over] = [300_000, 0, 1000, 1000, 1000].map(bytes);
/** What rows name; `found`: what is under its name, null: nothing. */
const PACKAGES: readonly { state: UploadState; content: Buffer; found: Buffer | null }[] = [
  { state: 'published', content: large, found: large },
  { state: 'in_review', content: small, found: small },
  { state: 'suspended', content: broken, found: bytes(1000) },
  { state: 'approved', content: gone, found: null },
  { state: 'withdrawn', content: over, found: over },
];
const UPLOAD = {
  ...{ accountId: newId(), appId: 'com.example.notes', version: '1.0.0', notes: null, history: [], claim: null },
  ...{ listing: null },
  ...{ summary: null, createdAt: 1, updatedAt: 1 },
};
const ignore = (): void => {};
const configOf = (directory: string, name = 'one') =>
  loadConfig({ env: { WAYPOST_DATA_DIR: directory, WAYPOST_NODE_NAME: name } });
const failsWith = async (code: string, work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => assert.unreachable(`${code} was expected`),
    (thrown: Error & { code?: string }) => thrown,
  );
  assert.is((error as { code?: string }).code, code, String(error));
  return (error as Error).message;
};

let folder: string;
let file: string;
let head: SnapshotHead;
let missing: number;
let all: string[];
test.before(async () => {
  folder = temporaryFolder('snapshots');
  file = join(folder, 'one.snapshot');
  const data = join(folder, 'data');
  const environment = openEnvironment(data);
  const store = { folder: data, environment, index: new IndexWriter(1 << 20), reader: new StoreReader(environment) };
  const journal = await embedded(store, 1000);
  for (let i = 0; i < 20; i++)
    await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`n${i}.test.`)));
  const folderOfBlobs = join(data, 'blobs');
  mkdirSync(folderOfBlobs);
  for (const [i, { state, content, found }] of PACKAGES.entries()) {
    const sha256 = hashOf(content);
    if (found !== null) writeFileSync(join(folderOfBlobs, sha256), found);
    const row = { ...UPLOAD, id: newId(), versionCode: i + 1, sha256, size: content.length, state };
    await write(environment, journal, 'test', (draft) => draft.put(uploads, row));
  }
  all = dump(environment);
  await journal.close();
  await environment.close();
  ({ head, missing } = await writeSnapshot(configOf(data), file, '1.2.3', ignore));
});
test.after(() => removeFolder(folder));

test('a snapshot is the store at one moment, and is restored where there is no store', async () => {
  const data = join(folder, 'fresh');
  assert.equal([head.node, head.version], ['one', '1.2.3']);
  assert.is(head.sequence, 20 + PACKAGES.length);
  assert.equal([head.blobs.count, missing], [2, 2]);
  assert.equal(
    readdirSync(folder).filter((name) => name.startsWith('one')),
    ['one.snapshot'],
  );
  const steps: number[] = [];
  const { kept, log } = await restoreSnapshot(configOf(data), file, false, (done, size) => {
    assert.ok(size >= head.size + large.length && done <= size, `${done} of ${size}`);
    steps.push(done);
  });
  assert.equal([kept, log], [null, 'none']);
  assert.is(steps.at(-1), head.size + large.length);
  const store = new BlobStore(join(data, 'blobs'));
  for (const content of [large, small]) {
    const blob = await store.open(hashOf(content));
    assert.is(blob?.size, content.length);
    await blob?.file.close();
  }
  assert.is(readdirSync(join(data, 'blobs')).length, 2);
  const environment = openEnvironment(data);
  assert.equal(readHead(environment).sequence, head.sequence);
  assert.is(readHead(environment).hash.toString('hex'), head.hash);
  assert.equal(dump(environment), all);
  await environment.close();
});

test('data is replaced only with --force, and kept; a snapshot is never overwritten', async () => {
  const data = join(folder, 'used');
  const environment = openEnvironment(data);
  await environment.meta.put(Buffer.from('mark'), Buffer.from('mine'));
  const counter = { table: domains.number, next: 5000, lease: 'mine' };
  const counters = environment.rows.get(idCounters.number)!;
  await counters.put(idCounters.key(counter), idCounters.encode(counter));
  await environment.close();
  const before = readFileSync(join(data, 'waypost.mdb'));
  assert.match(await failsWith('has_data', restoreSnapshot(configOf(data), file, false, ignore)), /--force/);
  assert.ok(readFileSync(join(data, 'waypost.mdb')).equals(before));
  const { kept } = await restoreSnapshot(configOf(data), file, true, ignore);
  assert.ok(readFileSync(String(kept)).equals(before));
  const restored = openEnvironment(data);
  assert.equal(new StoreReader(restored).row(idCounters, idCounters.key(counter)), counter, 'no id again');
  await restored.close();
  await failsWith('file_exists', writeSnapshot(configOf(data), file, '1', ignore));
  await failsWith('no_data', writeSnapshot(configOf(join(folder, 'nothing')), `${file}.x`, '1', ignore));
});

test('files next to a snapshot stay, and two concurrent snapshots do not collide', async () => {
  const otherPath = join(folder, 'beside');
  for (const name of ['x.store', 'x.part']) {
    mkdirSync(join(otherPath, name), { recursive: true });
    writeFileSync(join(otherPath, name, 'mine'), 'mine');
  }
  const path = join(otherPath, 'x');
  const config = configOf(join(folder, 'data'));
  const both = await Promise.allSettled([1, 2].map(() => writeSnapshot(config, path, '1', ignore)));
  assert.equal(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const lost = both.find((outcome) => outcome.status === 'rejected');
  assert.is(lost?.reason.code, 'file_exists');
  assert.equal(readdirSync(otherPath).sort(), ['x', 'x.part', 'x.store']);
  assert.equal(readdirSync(join(otherPath, 'x.store')), ['mine']);
  await restoreSnapshot(configOf(join(folder, 'restored')), path, false, ignore);
});

test('a missing folder is named', async () => {
  const path = join(folder, 'nowhere', 'x');
  const error = await failsWith('ENOENT', writeSnapshot(configOf(join(folder, 'data')), path, '1', ignore));
  assert.match(error, /nowhere\/x/);
});

test('a truncated, damaged, foreign or newer file is refused, and nothing changes', async () => {
  const whole = readFileSync(file);
  const bad = join(folder, 'bad');
  const data = join(folder, 'untouched');
  const refuses = async (codes: RegExp, message: string): Promise<void> => {
    const error = await restoreSnapshot(configOf(data), bad, true, ignore).then(
      () => assert.unreachable(message),
      (thrown: Error & { code?: string }) => thrown,
    );
    assert.match(String((error as { code?: string }).code), codes, message);
    assert.not(existsSync(join(data, 'waypost.mdb')));
    assert.equal(readdirSync(data), [], message);
  };
  for (let i = 0; i < FLIPS; i++) {
    const damaged = Buffer.from(whole);
    // Half of them in the lines, which are the smaller part.
    const at = random.below(i % 2 === 0 ? 300 : whole.length);
    damaged[at] ^= 1 << random.below(8);
    writeFileSync(bad, damaged);
    await refuses(/^(damaged|newer|older|truncated|not_a)_snapshot$/, `byte ${at}, seed ${SEED}`);
  }
  for (const length of [0, 10, 200, 5000, whole.length - 1]) {
    writeFileSync(bad, whole);
    truncateSync(bad, length);
    await refuses(/^(damaged|truncated|not_a)_snapshot$/, `${length} bytes`);
  }
  writeFileSync(bad, Buffer.concat([whole, Buffer.from('x')]));
  await refuses(/^truncated_snapshot$/, 'one byte more');
  writeFileSync(bad, '$ORIGIN example.com.\n');
  await refuses(/^not_a_snapshot$/, 'a master file');
  writeFileSync(bad, Buffer.concat([Buffer.from('waypost-snapshot 0'), whole.subarray('waypost-snapshot 2'.length)]));
  await refuses(/^damaged_snapshot$/, 'a version that never was');
  const forged = Buffer.from(whole);
  forged[whole.length - 1] ^= 1;
  writeFileSync(bad, forged);
  await refuses(/^damaged_snapshot$/, 'a package');
  writeFileSync(bad, 'waypost-snapshot 4 0\n{}\n');
  await refuses(/^newer_snapshot$/, 'a newer version');
  writeFileSync(bad, 'waypost-snapshot 2 0\n{}\n');
  await refuses(/^older_snapshot$/, 'an older format');
});

test.run();
