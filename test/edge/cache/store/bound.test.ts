/** The cache while the process has too little memory or disk space. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';
import { cache, DOMAIN, filler, found, KB, MB, response, store } from './support.ts';

const test = suite('edge/cache/store/bound');
const urlOf = (i: number): string => `https://www.example.com/${i}`;
const FREE = { memoryShare: 1, diskExcess: 0, isDiskPaused: false };

test('the memory shrinks to its share while nothing is requested, and grows again', async () => {
  const node = await cache(temporaryFolder('cache'), { disk: 0 });
  const opened = store(node);
  const fill = (): void => {
    for (let i = 0; i < 60; i++) opened.put(response(urlOf(i), filler(100 * KB, i)), opened.mark());
  };
  fill();
  assert.ok(opened.stats().memoryBytes > 3 * MB);
  node.bound({ ...FREE, memoryShare: 0.5 });
  await until(() => opened.stats().memoryBytes < 2.2 * MB, 'the memory has shrunk');
  fill();
  assert.ok(opened.stats().memoryBytes < 2.2 * MB);
  node.bound(FREE);
  await until(() => {
    fill();
    return opened.stats().memoryBytes > 3 * MB;
  }, 'the memory has grown');
  await opened.close();
});

test('the disk gives up its oldest segments, and stores nothing new while it is paused', async () => {
  const node = await cache(temporaryFolder('cache'), { disk: 64 * MB, memoryObject: 1 });
  const opened = store(node);
  const put = async (i: number): Promise<void> => {
    opened.put(response(urlOf(i), filler(200 * KB, i)), opened.mark());
    await opened.flush();
  };
  for (let i = 0; i < 80; i++) await put(i);
  const before = opened.stats().diskBytes;
  node.bound({ memoryShare: 1, diskExcess: 8 * MB, isDiskPaused: true });
  assert.ok(opened.stats().diskBytes <= before - 8 * MB, `${opened.stats().diskBytes} of ${before}`);
  await put(100);
  assert.equal(await found(opened, urlOf(100)), []);
  assert.is(opened.write({ ...response(urlOf(101), '') }, 5 * MB, opened.mark()), undefined);
  // A removal is still recorded.
  opened.remove(DOMAIN, urlOf(79));
  await opened.flush();
  assert.equal(await found(opened, urlOf(79)), []);
  assert.is((await found(opened, urlOf(78))).length, 1);
  node.bound(FREE);
  await put(100);
  assert.is((await found(opened, urlOf(100))).length, 1);
  await opened.close();
});

test.run();
