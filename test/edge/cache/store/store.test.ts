import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CacheStore } from '../../../../edge/cache/store/cache-store.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { bytesOf, cache, DOMAIN, filler, found, KB, MB, response, shown, store } from './support.ts';

const test = suite('edge/cache/store');
const URL = 'https://www.example.com/a?b';
const all = { domainId: DOMAIN, urls: [], prefixes: [], tags: [] };

/** Puts a response and waits until it is on disk. */
async function put(to: CacheStore, stored: ReturnType<typeof response>): Promise<void> {
  to.put(stored, to.mark());
  await to.flush();
}

for (const disk of [0, 64 * MB]) {
  const on = disk === 0 ? 'memory' : 'memory and disk';

  test(`${on}: a response is found unchanged, and under its URL and domain only`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const opened = store(node);
    assert.equal(opened.lookup(DOMAIN, URL), []);
    const given = response(URL, 'body', { tags: ['a', 'b'], selecting: ['accept-language', 'de'] });
    opened.put(given, opened.mark());
    const variants = opened.lookup(DOMAIN, URL);
    assert.ok(Array.isArray(variants), 'at once');
    assert.equal(
      await shown(variants[0]),
      await shown({ response: given, attached: 0, isHot: false, encoding: () => undefined }),
    );
    assert.equal(opened.lookup(DOMAIN, `${URL}c`), []);
    assert.equal(opened.lookup('00000000000000a2', URL), []);
    await opened.close();
  });

  test(`${on}: variants are returned newest first, at most 32; a variant with equal selecting fields is replaced`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const opened = store(node);
    for (let i = 0; i < 40; i++) await put(opened, response(URL, `v${i}`, { selecting: ['accept-language', `l${i}`] }));
    let variants = await found(opened, URL);
    assert.is(variants.length, 32);
    assert.is(variants[0].response.selecting[1], 'l39');
    await put(opened, response(URL, 'again', { selecting: ['accept-language', 'l20'] }));
    variants = await found(opened, URL);
    assert.is(variants.filter(({ response: { selecting } }) => selecting[1] === 'l20').length, 1);
    assert.is((await bytesOf(variants[0].response.body))?.toString(), 'again');
    await put(opened, response(URL, 'for all'));
    assert.is((await found(opened, URL)).length, 32);
    await opened.close();
  });

  test(`${on}: a removal, or a purge by domain, URL, prefix or tag, applies at once and to earlier requests`, async () => {
    const folder = temporaryFolder('cache');
    const node = await cache(folder, { disk });
    const opened = store(node);
    const purges = [
      all,
      { ...all, urls: [URL] },
      { ...all, prefixes: ['www.example.com/a'] },
      { ...all, prefixes: ['www.example.com/'] },
      { ...all, tags: ['other', 'red'] },
      undefined,
    ];
    for (const purge of purges) {
      const mark = opened.mark();
      await put(opened, response(URL, 'old', { tags: ['blue', 'red'] }));
      assert.is((await found(opened, URL)).length, 1);
      const done = purge === undefined ? opened.remove(DOMAIN, URL) : node.purge(purge);
      const after = opened.mark();
      assert.equal(await opened.lookup(DOMAIN, URL), []);
      assert.is(opened.put(response(URL, 'late', { tags: ['red'] }), mark), undefined);
      assert.equal(await opened.lookup(DOMAIN, URL), []);
      opened.put(response(URL, 'new', { tags: ['red'] }), after);
      assert.is((await bytesOf((await found(opened, URL))[0].response.body))?.toString(), 'new');
      await done;
      opened.remove(DOMAIN, URL);
    }
    await opened.close();
  });

  test(`${on}: a purge does not affect other responses`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const opened = store(node);
    await put(opened, response(URL, 'kept', { tags: ['red', 'blue'] }));
    await node.purge({ ...all, domainId: '00000000000000a2' });
    await node.purge({ ...all, urls: ['https://www.example.com/a', 'http://www.example.com/a?b'] });
    await node.purge({ ...all, prefixes: ['www.example.com/a?b/', 'ww.example.com/', 'www.example.com/A'] });
    await node.purge({ ...all, tags: ['re', 'redd', 'Red'] });
    opened.remove(DOMAIN, `${URL}c`);
    assert.is((await found(opened, URL)).length, 1);
    await opened.close();
  });

  test(`${on}: a freshened response keeps its body and codings, but not the attached value`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const opened = store(node);
    await put(opened, response(URL, filler(3000, 1)));
    opened.attachEncoding((await found(opened, URL))[0], 'br', Buffer.from('coded'));
    let [old] = await found(opened, URL);
    for (let i = 0; i < 4 && !old.isHot; i++) [old] = await found(opened, URL);
    assert.ok(old.isHot);
    assert.is(Buffer.from(old.encoding('br')!).toString(), 'coded');
    assert.is(old.encoding('gzip'), undefined);
    opened.attach(old, { ready: true }, 500);
    assert.equal((await found(opened, URL))[0].attached, { ready: true });
    const headers = ['content-type', 'text/html'];
    opened.freshen(old, { ...old.response, headers, responseTime: old.response.responseTime + 1 }, opened.mark());
    const [fresh] = await found(opened, URL);
    assert.equal(fresh.response.headers, headers);
    assert.ok((await bytesOf(fresh.response.body))?.equals(filler(3000, 1)));
    assert.is(Buffer.from(fresh.encoding('br')!).toString(), 'coded');
    assert.is(fresh.attached, undefined);
    await opened.close();
  });
}

test('a restart with other threads finds the responses on disk, without purged and removed ones', async () => {
  const folder = temporaryFolder('cache');
  const node = await cache(folder);
  const opened = store(node);
  const late = opened.mark();
  await put(opened, response(URL, filler(5000, 2), { selecting: ['accept-language', 'de'] }));
  await put(opened, response(URL, filler(6000, 3), { selecting: ['accept-language', 'fr'] }));
  opened.attachEncoding((await found(opened, URL))[0], 'gzip', filler(100, 4));
  await put(opened, response('https://www.example.com/tagged', 'x', { tags: ['red'] }));
  await put(opened, response('https://www.example.com/removed', 'x'));
  await put(opened, response('https://www.example.com/large', filler(3 * MB, 5)));
  await put(opened, response('https://www.example.com/large', filler(3 * MB, 6)));
  await put(opened, response('https://www.example.com/again', 'x', { tags: ['red'] }));
  await node.purge({ ...all, tags: ['red'] });
  await put(opened, response('https://www.example.com/again', 'y', { tags: ['red'] }));
  opened.put(response('https://www.example.com/late', 'x', { tags: ['red'] }), late);
  opened.remove(DOMAIN, 'https://www.example.com/removed');
  const before = await Promise.all((await found(opened, URL)).map(shown));
  await opened.close();

  const next = await cache(folder, { threads: 3 });
  const stores = [store(next), store(next), store(next)];
  for (const each of stores) await each.flush();
  for (const each of stores) {
    const variants = await found(each, URL);
    assert.equal(await Promise.all(variants.map(shown)), before);
    assert.ok(filler(100, 4).equals(variants[0].encoding('gzip')!));
    assert.equal(await found(each, 'https://www.example.com/tagged'), []);
    assert.equal(await found(each, 'https://www.example.com/removed'), []);
    assert.equal(await found(each, 'https://www.example.com/late'), []);
    const [large] = await found(each, 'https://www.example.com/large');
    assert.is(large.response.body.whole, undefined);
    assert.ok((await bytesOf(large.response.body))?.equals(filler(3 * MB, 6)));
    assert.ok(
      filler(3 * MB, 6)
        .subarray(300_000, 700_001)
        .equals(await large.response.body.slice(300_000, 700_001)),
    );
    assert.is((await found(each, 'https://www.example.com/again')).length, 1);
    await each.close();
  }
});

test('a repeated purge has no effect, even after restarts', async () => {
  const folder = temporaryFolder('cache');
  await (await cache(folder)).purge(all, 'told');
  for (let i = 0; i < 3; i++) {
    const node = await cache(folder);
    const opened = store(node);
    await opened.flush();
    if (i === 0) await put(opened, response(URL, 'x'));
    await node.purge(all, 'told');
    assert.is((await found(opened, URL)).length, 1, `restart ${i}`);
    await opened.close();
  }
});

test('a removed response stays removed, even if the disk index had no room for it', async () => {
  const folder = temporaryFolder('cache');
  const options = { disk: MB, memory: MB };
  const opened = store(await cache(folder, options));
  // More entries than the index has slots, but fewer than fit on the disk.
  const urls = Array.from({ length: 2000 }, (_, i) => `https://www.example.com/${i}`);
  for (let i = 0; i < urls.length; i += 100) {
    for (const url of urls.slice(i, i + 100)) opened.put(response(url, 'x'), opened.mark());
    await opened.flush();
  }
  assert.ok(opened.stats().diskBytes < MB && opened.stats().diskObjects < urls.length);
  for (const url of urls) opened.remove(DOMAIN, url);
  await opened.close();
  const other = store(await cache(folder, options));
  await other.flush();
  for (const url of urls) assert.equal(await found(other, url), [], url);
  await other.close();
});

test('a body in parts: small, large, of unknown length, too large, of a wrong length, aborted', async () => {
  const node = await cache(temporaryFolder('cache'));
  const opened = store(node);
  const bodies = [filler(10, 1), filler(200 * KB, 2), filler(5 * MB, 3)];
  for (const [i, body] of bodies.entries())
    for (const length of [undefined, body.length]) {
      const key = `${URL}${i}${length}`;
      const { body: _, ...head } = response(key, '');
      const writer = opened.write(head, length, opened.mark())!;
      for (let at = 0; at < body.length; at += 70_001) {
        assert.ok(writer.push(body.subarray(at, at + 70_001)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      writer.end();
      await opened.flush();
      assert.ok((await bytesOf((await found(opened, key))[0].response.body))?.equals(body), key);
    }
  const { body: _, ...head } = response(`${URL}no`, '');
  assert.is(opened.write(head, 17 * MB, opened.mark()), undefined);
  const tooLarge = opened.write(head, undefined, opened.mark())!;
  let taken = 0;
  while (taken < 40 && tooLarge.push(filler(MB, taken))) {
    taken++;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.ok(taken <= 16, String(taken));
  const wrong = opened.write(head, 10, opened.mark())!;
  wrong.push(filler(9, 1));
  assert.is(wrong.end(), undefined);
  const broken = opened.write(head, undefined, opened.mark())!;
  broken.push(filler(4 * MB, 1));
  broken.abort();
  assert.not(broken.push(filler(1, 1)));
  const early = opened.write(head, undefined, opened.mark())!;
  early.push(filler(4 * MB, 1));
  await node.purge({ domainId: DOMAIN, urls: [], prefixes: ['www.example.com/'], tags: [] });
  early.end();
  await opened.flush();
  assert.equal(await found(opened, `${URL}no`), []);
  await opened.close();
});

test('a head that is ambiguous when packed is not stored', async () => {
  const node = await cache(temporaryFolder('cache'));
  const opened = store(node);
  assert.is(opened.put(response(URL, 'x', { headers: ['a', 'b\nc'] }), opened.mark()), undefined);
  assert.equal(await found(opened, URL), []);
  await opened.close();
});

test.run();
