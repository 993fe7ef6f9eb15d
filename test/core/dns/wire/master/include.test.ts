import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inlineIncludes, mayInclude, parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../../core/dns/wire/mnemonics.ts';
import { formatRelative } from '../../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { ORIGIN } from '../arbitrary.ts';

/** Records of the files as "file:line owner ttl type content". */
function read(files: Readonly<Record<string, string>>): string[] {
  const inlined = inlineIncludes({ file: 'main', bytes: Buffer.from(files.main) }, ORIGIN, (path, from) => {
    if (files[path] === undefined) throw new Error(`${from.file}:${from.line}: no ${path}`);
    return { file: path, bytes: Buffer.from(files[path]) };
  });
  const { records, errors } = parseMaster(inlined.bytes, { origin: ORIGIN, defaultTtl: 5 });
  assert.equal(errors, []);
  return records.map(({ line, name, ttl, type, rdata }) => {
    const at = inlined.locate(line);
    return `${at.file}:${at.line} ${formatRelative(name, ORIGIN)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`;
  });
}

test('inserts files, and restores origin and owner after each', () => {
  assert.equal(
    read({
      main: '$ORIGIN sub\na A 192.0.2.1\n$INCLUDE one\n  A 192.0.2.2\n\n$INCLUDE two deep ; x\nb A ( 192.0.2.3\n)\n@ TXT x',
      one: '  A 192.0.2.4\nx A 192.0.2.5\n$ORIGIN other\ny A 192.0.2.6',
      two: '$include "one"\n  TXT z\nz A 192.0.2.7\n',
    }),
    [
      'main:2 a.sub 5 A 192.0.2.1',
      // The owner of an included file starts as that of the file around it.
      'one:1 a.sub 5 A 192.0.2.4',
      'one:2 x.sub 5 A 192.0.2.5',
      'one:4 y.other.sub 5 A 192.0.2.6',
      'main:4 a.sub 5 A 192.0.2.2',
      'one:1 a.sub 5 A 192.0.2.4',
      'one:2 x.deep.sub 5 A 192.0.2.5',
      'one:4 y.other.deep.sub 5 A 192.0.2.6',
      'two:2 a.sub 5 TXT "z"',
      'two:3 z.deep.sub 5 A 192.0.2.7',
      'main:7 b.sub 5 A 192.0.2.3',
      'main:9 sub 5 TXT "x"',
    ],
  );
});

test('$TTL of an included file stays, as for BIND', () => {
  assert.equal(read({ main: 'a A 192.0.2.1\n$INCLUDE one\nb A 192.0.2.2\n', one: '$TTL 77\n' }), [
    'main:1 a 5 A 192.0.2.1',
    'main:3 b 77 A 192.0.2.2',
  ]);
});

test('a file without an include stays byte for byte', () => {
  const bytes = Buffer.from('a A 192.0.2.1\n; $INCLUDE x\n b TXT "\n');
  const inlined = inlineIncludes({ file: 'main', bytes }, ORIGIN, () => assert.unreachable() as never);
  assert.equal(Buffer.from(inlined.bytes), bytes);
  assert.equal(inlined.locate(3), { file: 'main', line: 3 });
});

test('rejects incomplete includes and loops', () => {
  const cases: readonly (readonly [main: string, message: RegExp])[] = [
    ['$INCLUDE\n', /^main:1: \$INCLUDE requires a file/],
    ['\n$INCLUDE a b c\n', /^main:2: \$INCLUDE requires a file/],
    ['$INCLUDE one a..b\n', /not a domain name/],
    ['$INCLUDE loop\n', /loop:1: files include each other more than 10 deep/],
    ['$INCLUDE missing\n', /main:1: no missing/],
  ];
  for (const [main, message] of cases)
    assert.throws(() => read({ main, one: '', loop: '$INCLUDE loop\n' }), message, main);
  const many = '$INCLUDE empty\n'.repeat(1001);
  assert.throws(() => read({ main: many, empty: '' }), /more than 1000 files/);
});

test('finds files that may have an include', () => {
  for (const text of ['$INCLUDE x', 'a A 192.0.2.1\n$include\tx', '\r\n$Include "x"\n'])
    assert.ok(mayInclude(Buffer.from(text)), text);
  for (const text of ['', '$TTL 5\n', ' $INCLUDE x', 'a$INCLUDE x', '$INCLUDED x'])
    assert.not.ok(mayInclude(Buffer.from(text)), text);
});

test.run();
