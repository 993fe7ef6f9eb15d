/** `$GENERATE`. Expected names and content are those that named-checkzone 9.18 prints. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  compileTemplate,
  MAX_GENERATED,
  mayGenerate,
  readRange,
} from '../../../../../core/dns/wire/master/generate.ts';
import { parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../../core/dns/wire/mnemonics.ts';
import { formatRelative } from '../../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { ORIGIN } from '../arbitrary.ts';

function read(text: string) {
  const { records, errors, warnings } = parseMaster(Buffer.from(text), { origin: ORIGIN, defaultTtl: 5 });
  return {
    records: records.map(
      ({ line, name, ttl, type, rdata }) =>
        `${line} ${formatRelative(name, ORIGIN)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`,
    ),
    errors: errors.map(({ line, message }) => `${line} ${message}`),
    warnings: warnings.map(({ line, code }) => `${line} ${code}`),
  };
}

test('a record for each number, all at the line of the directive', () => {
  const { records, errors } = read(
    `a A 192.0.2.9\n$GENERATE 1-2 h$ 60 IN A 192.0.2.$\n A 192.0.2.8\n$generate 0-10/5 x\${1,3,d} CNAME @\n`,
  );
  assert.equal(errors, []);
  assert.equal(records, [
    '1 a 5 A 192.0.2.9',
    '2 h1 60 A 192.0.2.1',
    '2 h2 60 A 192.0.2.2',
    // The owner is that of the entry before the directive.
    '3 a 60 A 192.0.2.8',
    '4 x001 60 CNAME example.com.',
    '4 x006 60 CNAME example.com.',
    '4 x011 60 CNAME example.com.',
  ]);
});

test('content of several fields, in quotes as for BIND or without', () => {
  assert.equal(read('$GENERATE 1-1 h$ MX "10 m$"\n$GENERATE 1-1 h$ MX 10 m$ ; x\n').records, [
    '1 h1 5 MX 10 m1.example.com.',
    '2 h1 5 MX 10 m1.example.com.',
  ]);
  assert.equal(read('$GENERATE 1-1 h TXT "\\"a $\\" \\"b\\""\n$GENERATE 1-1 h TXT "a $" "b"\n').records, [
    '1 h 5 TXT "a 1" "b"',
    '2 h 5 TXT "a 1" "b"',
  ]);
});

test('numbers with an offset, a width and a base', () => {
  const cases: readonly (readonly [template: string, value: number, filled: string])[] = [
    ['a%b%', 7, 'a7b7'],
    ['%{0}', 7, '7'],
    ['%{-8}', 7, '-1'],
    ['%{3,4}', 7, '0010'],
    ['%{-8,4,d}', 7, '-001'],
    ['%{0,0,d}', 7, '7'],
    ['%{0,3,o}', 9, '011'],
    ['%{0,2,x}', 255, 'ff'],
    ['%{0,4,X}', 255, '00FF'],
    ['%{0,0,n}', 0x1f, 'f.1'],
    ['%{0,5,n}', 5, '5.0.0'],
    ['%{0,3,N}', 0xa, 'A.0'],
    ['%%', 7, '$'],
    ['%%%', 7, '$7'],
    ['\\%%', 7, '\\$7'],
    ['\\\\%', 7, '\\\\7'],
    ['{%}', 7, '{7}'],
    ['', 7, ''],
  ];
  // A percent sign stands for a dollar sign, which the linter takes for a template string.
  const compile = (text: string) => compileTemplate(text.replaceAll('%', '$'));
  for (const [template, value, filled] of cases) assert.is(compile(template)?.(value), filled, template);
  for (const wrong of ['%{', '%{}', '%{x}', '%{1,}', '%{1,2,y}', '%{1,64,d}', '%{1', '%{99999999999}'])
    assert.is(compile(wrong), undefined, wrong);
});

test('finds files that may generate records', () => {
  for (const text of ['$GENERATE 1-2 a A x', 'x\r\n$generate\t']) assert.ok(mayGenerate(Buffer.from(text)), text);
  for (const text of ['', '$TTL 5', ' $GENERATE 1-2', '$GENERATED '])
    assert.not.ok(mayGenerate(Buffer.from(text)), text);
});

test('a range has a start, a stop and a step, or is refused', () => {
  assert.equal(readRange('1-10'), { start: 1, stop: 10, step: 1 });
  assert.equal(readRange('0-0/3'), { start: 0, stop: 0, step: 3 });
  for (const wrong of ['1', '1-', '-1-2', '2-1', '1-2/0', '1-2/', '1-2/x', '1 - 2', '0-2147483648', '1-2/99999999999'])
    assert.is(readRange(wrong), undefined, wrong);
});

test('names the first error of a directive at its line', () => {
  const cases: readonly (readonly [text: string, message: RegExp])[] = [
    ['$GENERATE 1-3', /^1 \$GENERATE requires a range/],
    ['$GENERATE x h$ A 192.0.2.$', /"x" is not a range/],
    [`$GENERATE 1-3 h\${ A 192.0.2.$`, /has a wrong \$\{…\}/],
    ['$GENERATE 255-300 h$ A 192.0.2.$', /IPv4/],
    ['$GENERATE 1-3 h$ FOO x', /"FOO" is not a type/],
    ['$GENERATE 1-3 h$ ANY x', /query type/],
    ['$GENERATE 1-3 h$ TKEY x', /TKEY is a query type/],
    ['$GENERATE 1-3 h$ TXT "\\"a"', /entry with an error/],
    ['$GENERATE 1-3 h$. A 192.0.2.$', /^$/],
  ];
  for (const [text, message] of cases) {
    const { errors, warnings } = read(`${text}\n`);
    if (message.source === '^$') assert.equal([errors, warnings.length], [[], 3]);
    else assert.equal([errors.length, message.test(errors[0])], [1, true], `${text}: ${errors}`);
  }
  assert.equal(read('$GENERATE 1-2 h$ A x\nb A 192.0.2.1\n').records, ['2 b 5 A 192.0.2.1']);
});

test('all directives of a file are limited together', () => {
  const errorsOf = (text: string) => parseMaster(Buffer.from(text), { origin: ORIGIN, defaultTtl: 5 }).errors;
  const half = MAX_GENERATED / 2;
  const [error, ...others] = errorsOf(
    `$GENERATE 1-${half} h$ A 192.0.2.1\n$GENERATE 1-${half} i$ A 192.0.2.1\n$GENERATE 1-1 j$ A 192.0.2.1\n`,
  );
  assert.equal([error.line, others], [3, []]);
  assert.match(error.message, new RegExp(`more than ${MAX_GENERATED} records, the limit`));
  assert.is(errorsOf('$GENERATE 0-2147483647 h$ A 192.0.2.1\n').length, 1);
  const long = 'x'.repeat(60_000);
  assert.match(errorsOf(`$GENERATE 1-2000 h TXT "${long}"\n`)[0].message, /bytes of text, the limit/);
});

test.run();
