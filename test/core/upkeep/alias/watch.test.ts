/** Which names concern a chain, and what is due when. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { Schedule } from '../../../../core/upkeep/alias/looks.ts';
import { Watch } from '../../../../core/upkeep/alias/watch.ts';

const name = (text: string) => parseName(text);

test('a chain depends on its names, their ancestors, and the wildcards that may match', () => {
  const watch = new Watch<string>();
  watch.add('t', name('a.b.z.test.'), name('z.test.'));
  const concerns = (text: string) => [...watch.at(name(text))].length > 0;
  for (const text of ['a.b.z.test.', 'b.z.test.', '*.b.z.test.', '*.z.test.']) assert.ok(concerns(text), text);
  // The node of the apex changes with each serial.
  for (const text of ['z.test.', 'x.b.z.test.', 'c.z.test.', '*.a.b.z.test.']) assert.not(concerns(text), text);
  assert.equal([...watch.below(name('z.test.'))], ['t']);
  assert.equal([...watch.below(name('b.z.test.'))], ['t']);
  assert.equal([...watch.below(name('c.z.test.'))], []);
});

test('the apex, and names of other accounts', () => {
  const watch = new Watch<string>();
  watch.add('own', name('z.test.'), name('z.test.'));
  watch.add('other', name('www.example.'), undefined);
  assert.equal([...watch.at(name('z.test.'))], ['own']);
  assert.equal([...watch.below(name('example.'))], ['other'], 'a zone that comes');
  watch.remove('own');
  watch.remove('other');
  assert.equal([...watch.at(name('z.test.'))], []);
  assert.equal([...watch.below(name('example.'))], []);
});

/** Strings that the watch holds for one name of an item. */
function held(text: string, apex: string | undefined): number {
  const watch = new Watch<string>();
  watch.add('t', name(text), apex === undefined ? undefined : name(apex));
  return Object.values(watch)
    .filter((map: unknown): map is Map<string, Set<string>> => map instanceof Map && !map.has('t'))
    .reduce((sum, map) => sum + map.size, 0);
}

test('a name with many labels uses no more memory, and is found', () => {
  const deep = `${'a.'.repeat(100)}z.test.`;
  assert.ok(held(deep, 'z.test.') <= 20);
  assert.ok(held(deep, undefined) <= 4);
  const watch = new Watch<string>();
  watch.add('own', name(deep), name('z.test.'));
  watch.add('other', name(`${'a.'.repeat(100)}example.`), undefined);
  const concerns = (text: string) => [...watch.at(name(text))].includes('own');
  for (let labels = 100; labels > 0; labels--) {
    assert.ok(concerns(`${'a.'.repeat(labels)}z.test.`), `${labels}`);
    if (labels < 100) assert.ok(concerns(`*.${'a.'.repeat(labels)}z.test.`), `wildcard ${labels}`);
    assert.equal([...watch.below(name(`${'a.'.repeat(labels)}example.`))], ['other'], `apex ${labels}`);
  }
  assert.not(concerns('b.z.test.'));
  const zone = `${'a.'.repeat(50)}z.test.`;
  watch.add('nested', name(`b.${zone}`), name(zone));
  assert.ok([...watch.at(name(`*.${zone}`))].includes('nested'));
});

test('several on one name', () => {
  const watch = new Watch<string>();
  watch.add('a', name('x.test.'), name('test.'));
  watch.add('b', name('x.test.'), name('test.'));
  watch.remove('a');
  assert.equal([...watch.at(name('x.test.'))], ['b']);
});

test('a schedule returns each entry once, at its latest due time', () => {
  const schedule = new Schedule<string>();
  schedule.put('a', 10);
  schedule.put('b', 10.5);
  schedule.put('c', 12);
  schedule.put('c', 30);
  schedule.put('d', 5);
  schedule.remove('d');
  assert.equal(schedule.take(9), []);
  assert.equal(schedule.take(10), ['a']);
  assert.equal(schedule.take(11), ['b']);
  assert.equal(schedule.take(29), []);
  assert.equal(schedule.take(100), ['c']);
  assert.equal(schedule.take(1000), []);
});

test.run();
