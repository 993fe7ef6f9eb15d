/** Which names concern a chain, and what is due when. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Schedule } from '../../../core/alias/schedule.ts';
import { Watch } from '../../../core/alias/watch.ts';
import { parseName } from '../../../core/wire/name.ts';

const name = (text: string) => parseName(text);

test('a chain hangs on its names, what is above them, and the wildcards that may stand for them', () => {
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

test('an apex itself, and names of others', () => {
  const watch = new Watch<string>();
  watch.add('own', name('z.test.'), name('z.test.'));
  watch.add('other', name('www.example.'), undefined);
  assert.equal([...watch.at(name('z.test.'))], ['own']);
  assert.equal([...watch.at(name('example.'))], ['other'], 'a zone that comes');
  assert.equal([...watch.below(name('example.'))], ['other']);
  watch.remove('own');
  watch.remove('other');
  assert.equal([...watch.at(name('z.test.'))], []);
  assert.equal([...watch.below(name('example.'))], []);
});

test('several on one name', () => {
  const watch = new Watch<string>();
  watch.add('a', name('x.test.'), undefined);
  watch.add('b', name('x.test.'), undefined);
  watch.remove('a');
  assert.equal([...watch.at(name('x.test.'))], ['b']);
});

test('a schedule gives each once, when it is due, at the time that was said last', () => {
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
