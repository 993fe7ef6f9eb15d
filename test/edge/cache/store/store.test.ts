import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CacheStore } from '../../../../edge/cache/store/cache-store.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { bytesOf, cache, DOMAIN, filler, found, KB, MB, response, shown, store } from './support.ts';

const test = suite('edge/cache/store');
const URL = 'https://www.example.com/a?b';
const all = { domainId: DOMAIN, urls: [], prefixes: [], tags: [] };

/** Puts and waits until it is on the disk. */
async function put(to: CacheStore, one: ReturnType<typeof response>): Promise<void> {
  to.put(one, to.mark());
  await to.flush();
}

for (const disk of [0, 64 * MB]) {
  const on = disk === 0 ? 'memory' : 'memory and disk';

  test(`${on}: what was put is found, as it was, and under its URL and domain alone`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const one = store(node);
    assert.equal(one.lookup(DOMAIN, URL), []);
    const given = response(URL, 'body', { tags: ['a', 'b'], selecting: ['accept-language', 'de'] });
    one.put(given, one.mark());
    const variants = one.lookup(DOMAIN, URL);
    assert.ok(Array.isArray(variants), 'at once');
    assert.equal(
      await shown(variants[0]),
      await shown({ response: given, attached: 0, isHot: false, encoding: () => undefined }),
    );
    assert.equal(one.lookup(DOMAIN, `${URL}c`), []);
    assert.equal(one.lookup('00000000000000a2', URL), []);
    await one.close();
  });

  test(`${on}: variants stand side by side, the newest first, 32 at most; the same one is replaced`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const one = store(node);
    for (let i = 0; i < 40; i++) await put(one, response(URL, `v${i}`, { selecting: ['accept-language', `l${i}`] }));
    let variants = await found(one, URL);
    assert.is(variants.length, 32);
    assert.is(variants[0].response.selecting[1], 'l39');
    await put(one, response(URL, 'again', { selecting: ['accept-language', 'l20'] }));
    variants = await found(one, URL);
    assert.is(variants.filter(({ response: { selecting } }) => selecting[1] === 'l20').length, 1);
    assert.is((await bytesOf(variants[0].response.body))?.toString(), 'again');
    await put(one, response(URL, 'for all'));
    assert.is((await found(one, URL)).length, 32);
    await one.close();
  });

  test(`${on}: a removal, and a purge by domain, URL, prefix or tag, holds at once, and for what was requested before it`, async () => {
    const folder = temporaryFolder('cache');
    const node = await cache(folder, { disk });
    const one = store(node);
    const purges = [
      all,
      { ...all, urls: [URL] },
      { ...all, prefixes: ['www.example.com/a'] },
      { ...all, prefixes: ['www.example.com/'] },
      { ...all, tags: ['other', 'red'] },
      undefined,
    ];
    for (const purge of purges) {
      const mark = one.mark();
      await put(one, response(URL, 'old', { tags: ['blue', 'red'] }));
      assert.is((await found(one, URL)).length, 1);
      const done = purge === undefined ? one.remove(DOMAIN, URL) : node.purge(purge);
      const after = one.mark();
      assert.equal(await one.lookup(DOMAIN, URL), []);
      assert.is(one.put(response(URL, 'late', { tags: ['red'] }), mark), undefined);
      assert.equal(await one.lookup(DOMAIN, URL), []);
      one.put(response(URL, 'new', { tags: ['red'] }), after);
      assert.is((await bytesOf((await found(one, URL))[0].response.body))?.toString(), 'new');
      await done;
      one.remove(DOMAIN, URL);
    }
    await one.close();
  });

  test(`${on}: a purge leaves what it does not name`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const one = store(node);
    await put(one, response(URL, 'kept', { tags: ['red', 'blue'] }));
    await node.purge({ ...all, domainId: '00000000000000a2' });
    await node.purge({ ...all, urls: ['https://www.example.com/a', 'http://www.example.com/a?b'] });
    await node.purge({ ...all, prefixes: ['www.example.com/a?b/', 'ww.example.com/', 'www.example.com/A'] });
    await node.purge({ ...all, tags: ['re', 'redd', 'Red'] });
    one.remove(DOMAIN, `${URL}c`);
    assert.is((await found(one, URL)).length, 1);
    await one.close();
  });

  test(`${on}: a response is freshened with its body and its codings; what was attached goes`, async () => {
    const node = await cache(temporaryFolder('cache'), { disk });
    const one = store(node);
    await put(one, response(URL, filler(3000, 1)));
    one.attachEncoding((await found(one, URL))[0], 'br', Buffer.from('coded'));
    let [old] = await found(one, URL);
    for (let i = 0; i < 4 && !old.isHot; i++) [old] = await found(one, URL);
    assert.ok(old.isHot);
    assert.is(Buffer.from(old.encoding('br')!).toString(), 'coded');
    assert.is(old.encoding('gzip'), undefined);
    one.attach(old, { ready: true }, 500);
    assert.equal((await found(one, URL))[0].attached, { ready: true });
    const headers = ['content-type', 'text/html'];
    one.freshen(old, { ...old.response, headers, responseTime: old.response.responseTime + 1 }, one.mark());
    const [fresh] = await found(one, URL);
    assert.equal(fresh.response.headers, headers);
    assert.ok((await bytesOf(fresh.response.body))?.equals(filler(3000, 1)));
    assert.is(Buffer.from(fresh.encoding('br')!).toString(), 'coded');
    assert.is(fresh.attached, undefined);
    await one.close();
  });
}

test('a restart with other threads finds what lay on the disk, with codings and variants; not what was purged or removed', async () => {
  const folder = temporaryFolder('cache');
  const node = await cache(folder);
  const one = store(node);
  const late = one.mark();
  await put(one, response(URL, filler(5000, 2), { selecting: ['accept-language', 'de'] }));
  await put(one, response(URL, filler(6000, 3), { selecting: ['accept-language', 'fr'] }));
  one.attachEncoding((await found(one, URL))[0], 'gzip', filler(100, 4));
  await put(one, response('https://www.example.com/tagged', 'x', { tags: ['red'] }));
  await put(one, response('https://www.example.com/removed', 'x'));
  await put(one, response('https://www.example.com/large', filler(3 * MB, 5)));
  await put(one, response('https://www.example.com/large', filler(3 * MB, 6)));
  await put(one, response('https://www.example.com/again', 'x', { tags: ['red'] }));
  await node.purge({ ...all, tags: ['red'] });
  await put(one, response('https://www.example.com/again', 'y', { tags: ['red'] }));
  one.put(response('https://www.example.com/late', 'x', { tags: ['red'] }), late);
  one.remove(DOMAIN, 'https://www.example.com/removed');
  const before = await Promise.all((await found(one, URL)).map(shown));
  await one.close();

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

test('a purge that is told again, however many restarts later, is not done again', async () => {
  const folder = temporaryFolder('cache');
  await (await cache(folder)).purge(all, 'told');
  for (let i = 0; i < 3; i++) {
    const node = await cache(folder);
    const one = store(node);
    await one.flush();
    if (i === 0) await put(one, response(URL, 'x'));
    await node.purge(all, 'told');
    assert.is((await found(one, URL)).length, 1, `restart ${i}`);
    await one.close();
  }
});

test('what was removed does not come back, though the index of the disk had no room for it', async () => {
  const folder = temporaryFolder('cache');
  const options = { disk: MB, memory: MB };
  const one = store(await cache(folder, options));
  // More than the index has slots, and less than the disk has room for.
  const urls = Array.from({ length: 2000 }, (_, i) => `https://www.example.com/${i}`);
  for (let i = 0; i < urls.length; i += 100) {
    for (const url of urls.slice(i, i + 100)) one.put(response(url, 'x'), one.mark());
    await one.flush();
  }
  assert.ok(one.stats().diskBytes < MB && one.stats().diskObjects < urls.length);
  for (const url of urls) one.remove(DOMAIN, url);
  await one.close();
  const other = store(await cache(folder, options));
  await other.flush();
  for (const url of urls) assert.equal(await found(other, url), [], url);
  await other.close();
});

test('a body in parts: small, large, of unknown length, too large, of another length than announced, broken off', async () => {
  const node = await cache(temporaryFolder('cache'));
  const one = store(node);
  const bodies = [filler(10, 1), filler(200 * KB, 2), filler(5 * MB, 3)];
  for (const [i, body] of bodies.entries())
    for (const length of [undefined, body.length]) {
      const key = `${URL}${i}${length}`;
      const { body: _, ...head } = response(key, '');
      const writer = one.write(head, length, one.mark())!;
      for (let at = 0; at < body.length; at += 70_001) {
        assert.ok(writer.push(body.subarray(at, at + 70_001)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      writer.end();
      await one.flush();
      assert.ok((await bytesOf((await found(one, key))[0].response.body))?.equals(body), key);
    }
  const { body: _, ...head } = response(`${URL}no`, '');
  assert.is(one.write(head, 17 * MB, one.mark()), undefined);
  const tooLarge = one.write(head, undefined, one.mark())!;
  let taken = 0;
  while (taken < 40 && tooLarge.push(filler(MB, taken))) {
    taken++;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.ok(taken <= 16, String(taken));
  const wrong = one.write(head, 10, one.mark())!;
  wrong.push(filler(9, 1));
  assert.is(wrong.end(), undefined);
  const broken = one.write(head, undefined, one.mark())!;
  broken.push(filler(4 * MB, 1));
  broken.abort();
  assert.not(broken.push(filler(1, 1)));
  const early = one.write(head, undefined, one.mark())!;
  early.push(filler(4 * MB, 1));
  await node.purge({ domainId: DOMAIN, urls: [], prefixes: ['www.example.com/'], tags: [] });
  early.end();
  await one.flush();
  assert.equal(await found(one, `${URL}no`), []);
  await one.close();
});

test('a head that cannot be told from another when it is packed is not kept', async () => {
  const node = await cache(temporaryFolder('cache'));
  const one = store(node);
  assert.is(one.put(response(URL, 'x', { headers: ['a', 'b\nc'] }), one.mark()), undefined);
  assert.equal(await found(one, URL), []);
  await one.close();
});

test.run();
