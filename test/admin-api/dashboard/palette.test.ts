/** What the command palette shows for a text. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Command, matchCommands } from '../../../admin-api/dashboard/palette.ts';

const command = (label: string, hint: string): Command => ({ id: label, label, hint, icon: 'plus', run: () => {} });
const COMMANDS = [command('Zone file', 'DNS'), command('Records', 'DNS'), command('Add a record', 'Action')];
const labels = (text: string): string[] => matchCommands(COMMANDS, text).map(({ label }) => label);

test('without a text, all commands are shown in their order', () => {
  assert.equal(labels('  '), ['Zone file', 'Records', 'Add a record']);
});

test('a label that begins with the text comes before one with a word that does', () => {
  assert.equal(labels('rec'), ['Records', 'Add a record']);
  assert.equal(labels('FILE'), ['Zone file']);
});

test('every word is in the label or the hint', () => {
  assert.equal(labels('record action'), ['Add a record']);
  assert.equal(labels('dns'), ['Zone file', 'Records']);
  assert.equal(labels('dns action'), []);
});

test('a long list is cut', () => {
  const many = Array.from({ length: 50 }, (_, i) => command(`Page ${i}`, 'DNS'));
  assert.is(matchCommands(many, 'page').length, 12);
});

test.run();
