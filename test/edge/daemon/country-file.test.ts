/** The file of countries: read at the start, again when it changes, and kept when it is damaged. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { CountryFile } from '../../../core/net/geography/country-file.ts';
import { Countries } from '../../../edge/policy/rules/countries.ts';
import { writeMmdb } from '../../support/mmdb.ts';

const test = suite<{ folder: string; path: string; lines: string[]; changes: number }>('file of countries');

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'waypost-countries-'));
  context.path = join(context.folder, 'countries.mmdb');
  context.lines = [];
  context.changes = 0;
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const country = (code: string) => ({ country: { iso_code: code, names: { en: `Country ${code}` } } });
const GERMAN = writeMmdb({ '192.0.2.0/24': country('DE'), '2001:db8::/32': country('FR') });
const FRENCH = writeMmdb({ '192.0.2.0/24': country('FR') });

function open(context: { path: string; lines: string[]; changes: number }): CountryFile {
  const log = createLogger({ level: 'info', format: 'text', write: (line) => context.lines.push(line) });
  const check = (content: SharedArrayBuffer): void => new Countries().load(content);
  return new CountryFile(context.path, { log, check }, () => context.changes++);
}

/** As it is written by an operator: each time is another one. */
let seconds = 1_700_000_000;
function write(path: string, content: Uint8Array): void {
  writeFileSync(path, content);
  utimesSync(path, ++seconds, seconds);
}

function countryOf(file: CountryFile, address: string): string {
  const countries = new Countries();
  countries.load(file.content);
  return countries.of(address);
}

test('countries of addresses', () => {
  const countries = new Countries();
  assert.is(countries.of('192.0.2.1'), '', 'there is no file');
  const content = writeMmdb({
    '192.0.2.0/25': country('DE'),
    '198.51.100.7': { registered_country: { iso_code: 'AT' } },
    '203.0.113.0/24': { continent: { code: 'EU' } },
    '2001:db8::/33': country('FR'),
  });
  const shared = new SharedArrayBuffer(content.length);
  Buffer.from(shared).set(content);
  countries.load(shared);
  for (const [address, code] of [
    ['192.0.2.1', 'DE'],
    ['192.0.2.127', 'DE'],
    ['192.0.2.128', ''],
    ['198.51.100.7', 'AT'],
    ['198.51.100.8', ''],
    ['203.0.113.1', ''],
    ['2001:db8::1', 'FR'],
    ['2001:db8:8000::1', ''],
    ['no address', ''],
  ])
    assert.is(countries.of(address), code, address);
  countries.load(null);
  assert.is(countries.of('192.0.2.1'), '', 'nothing is remembered of the file before');
});

test('without a setting there is no file', () => {
  const file = new CountryFile(
    undefined,
    { log: createLogger({ level: 'error', format: 'text' }), check: () => {} },
    () => assert.unreachable(),
  );
  file.look();
  assert.is(file.content, null);
});

test('the file is read at the start, and again when it has changed', (context) => {
  write(context.path, GERMAN);
  const file = open(context);
  assert.is(countryOf(file, '192.0.2.1'), 'DE');
  assert.is(countryOf(file, '2001:db8::1'), 'FR');
  file.look();
  assert.is(context.changes, 0, 'it is the same file');
  write(context.path, FRENCH);
  file.look();
  assert.is(context.changes, 1);
  assert.is(countryOf(file, '192.0.2.1'), 'FR');
  assert.is(context.lines.length, 2);
  assert.match(context.lines[1], `country file read file=${context.path} bytes=${FRENCH.length}`);
});

test('a damaged or missing file changes nothing, is logged once, and is read when it is whole', (context) => {
  const file = open(context);
  file.look();
  assert.is(file.content, null);
  assert.is(context.lines.length, 1);
  assert.match(context.lines[0], /cannot use the country file.*ENOENT/);
  write(context.path, GERMAN);
  file.look();
  write(context.path, GERMAN.subarray(0, 100));
  file.look();
  file.look();
  assert.is(context.changes, 1);
  assert.is(countryOf(file, '192.0.2.1'), 'DE');
  rmSync(context.path);
  file.look();
  write(context.path, FRENCH);
  file.look();
  assert.is(context.changes, 2);
  assert.is(countryOf(file, '192.0.2.1'), 'FR');
  assert.equal(
    context.lines.map((line) => /country file(?=[; ]| read)/.exec(line)?.[0]),
    Array(5).fill('country file'),
  );
});

test.run();
