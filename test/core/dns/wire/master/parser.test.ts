import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatMaster, type MasterOptions, parseMaster } from '../../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../../core/dns/wire/mnemonics.ts';
import { formatName, nameId, parseName } from '../../../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { ORIGIN } from '../arbitrary.ts';

type Parsed = { records: string[]; errors: string[]; warnings: string[] };

/** Records as "line owner ttl type rdata", errors as "line message", warnings as "line code". */
function parse(text: string | Uint8Array, options: Partial<MasterOptions> = {}): Parsed {
  const { records, errors, warnings } = parseMaster(typeof text === 'string' ? Buffer.from(text) : text, {
    origin: ORIGIN,
    ...options,
  });
  return {
    records: records.map(
      (r) => `${r.line} ${formatName(r.name)} ${r.ttl} ${typeName(r.type)} ${formatRdata(r.type, r.rdata)}`,
    ),
    errors: errors.map((e) => `${e.line} ${e.message}`),
    warnings: warnings.map(({ line, code }) => `${line} ${code}`),
  };
}

/** One entry's record without its line, TTL 5 unless it says another; or its error. */
function item(entry: string): string {
  const { records, errors } = parse(entry, { defaultTtl: 5 });
  assert.is(records.length + errors.length, 1, `${entry}: ${records} ${errors}`);
  return (records[0] ?? errors[0]).replace(/^\d+ /, '');
}

test('the zone of RFC 1035 section 5.3', () => {
  const { records, errors } = parse(
    `
@   IN  SOA     VENERA      Action\\.domains (
                                 20     ; SERIAL
                                 7200   ; REFRESH
                                 600    ; RETRY
                                 3600000; EXPIRE
                                 60)    ; MINIMUM

        NS      A.ISI.EDU.
        NS      VENERA
        NS      VAXA
        MX      10      VENERA
        MX      20      VAXA

A       A       26.3.0.103

VENERA  A       10.1.0.52
        A       128.9.0.32

VAXA    A       10.2.0.27
        A       128.9.0.33
`,
  );
  assert.equal(errors, []);
  assert.equal(records, [
    '2 example.com. 60 SOA venera.example.com. action\\.domains.example.com. 20 7200 600 3600000 60',
    '9 example.com. 60 NS a.isi.edu.',
    '10 example.com. 60 NS venera.example.com.',
    '11 example.com. 60 NS vaxa.example.com.',
    '12 example.com. 60 MX 10 venera.example.com.',
    '13 example.com. 60 MX 20 vaxa.example.com.',
    '15 a.example.com. 60 A 26.3.0.103',
    '17 venera.example.com. 60 A 10.1.0.52',
    '18 venera.example.com. 60 A 128.9.0.32',
    '20 vaxa.example.com. 60 A 10.2.0.27',
    '21 vaxa.example.com. 60 A 128.9.0.33',
  ]);
});

test('one entry each', () => {
  const cases: [string, string][] = [
    ['a A 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['a IN A 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['a 300 IN A 192.0.2.1', 'a.example.com. 300 A 192.0.2.1'],
    ['a IN 300 A 192.0.2.1', 'a.example.com. 300 A 192.0.2.1'],
    ['a in 1h30m a 192.0.2.1', 'a.example.com. 5400 A 192.0.2.1'],
    ['a 0 A 192.0.2.1', 'a.example.com. 0 A 192.0.2.1'],
    ['a CLASS1 TYPE1 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['a\tTYPE1\t\\# 4 C0000201', 'a.example.com. 5 A 192.0.2.1'],
    ['a TYPE65280 \\# 2 ( 01\n ff )', 'a.example.com. 5 TYPE65280 \\# 2 01ff'],
    ['a A 192.0.2.1\r\n', 'a.example.com. 5 A 192.0.2.1'],
    ['a A 192.0.2.1;comment', 'a.example.com. 5 A 192.0.2.1'],
    ['\ufeffa A 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['a.example.com. A 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['EXAMPLE.com. A 192.0.2.1', 'example.com. 5 A 192.0.2.1'],
    ['@ A 192.0.2.1', 'example.com. 5 A 192.0.2.1'],
    ['\\@ A 192.0.2.1', '\\@.example.com. 5 A 192.0.2.1'],
    ['*.x A 192.0.2.1', '*.x.example.com. 5 A 192.0.2.1'],
    ['\\$x A 192.0.2.1', '\\$x.example.com. 5 A 192.0.2.1'],
    ['a\\.b A 192.0.2.1', 'a\\.b.example.com. 5 A 192.0.2.1'],
    ['a\\ b A 192.0.2.1', 'a\\032b.example.com. 5 A 192.0.2.1'],
    ['a\\;b A 192.0.2.1', 'a\\;b.example.com. 5 A 192.0.2.1'],
    ['A A 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['IN IN A 192.0.2.1', 'in.example.com. 5 A 192.0.2.1'],
    ['300 300 A 192.0.2.1', '300.example.com. 300 A 192.0.2.1'],
    ['( a\nA\n192.0.2.1 )', 'a.example.com. 5 A 192.0.2.1'],
    ['a (A) (((192.0.2.1)))', 'a.example.com. 5 A 192.0.2.1'],
    ['a AAAA ::1', 'a.example.com. 5 AAAA ::1'],
    ['a CNAME @', 'a.example.com. 5 CNAME example.com.'],
    ['a CNAME b', 'a.example.com. 5 CNAME b.example.com.'],
    ['a CNAME .', 'a.example.com. 5 CNAME .'],
    ['a CNAME B.Net.', 'a.example.com. 5 CNAME b.net.'],
    ['a TXT a b', 'a.example.com. 5 TXT "a" "b"'],
    ['a TXT "a b" c\\032d "e"f', 'a.example.com. 5 TXT "a b" "c d" "e" "f"'],
    ['a TXT "; ( ) \\" \\\\" ; (', 'a.example.com. 5 TXT "; ( ) \\" \\\\"'],
    ['a TXT ( "one"\n "two" ; three\n )', 'a.example.com. 5 TXT "one" "two"'],
    ['a TXT ü', 'a.example.com. 5 TXT "\\195\\188"'],
    ['a TXT ""', 'a.example.com. 5 TXT ""'],
    ['a TXT ( "b\nc"\n"d" )', 'a.example.com. 5 TXT "b\\010c" "d"'],
    ['a TXT ( "b\n\n" )', 'a.example.com. 5 TXT "b\\010\\010"'],
    ['a TXT \\# text', 'a.example.com. 5 TXT "#" "text"'],
    ['a TXT "\\#" 2 0145', 'a.example.com. 5 TXT "#" "2" "0145"'],
    ['$DATE 20260101000000\na A 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['"a" A 192.0.2.1', 'a.example.com. 5 A 192.0.2.1'],
    ['"a b;c" TXT x', 'a\\032b\\;c.example.com. 5 TXT "x"'],
    ['a A "192.0.2.1"', 'a.example.com. 5 A 192.0.2.1'],
    ['a MX 1 "b"', 'a.example.com. 5 MX 1 b.example.com.'],
    ['bücher A 192.0.2.1', 'b\\195\\188cher.example.com. 5 A 192.0.2.1'],
    ['a CNAME bücher', 'a.example.com. 5 CNAME b\\195\\188cher.example.com.'],
    ['a 2147483648 A 192.0.2.1', 'a.example.com. 0 A 192.0.2.1'],
    ['a 4294967295 A 192.0.2.1', 'a.example.com. 0 A 192.0.2.1'],
    [`a TXT ${'b'.repeat(300)}`, `a.example.com. 5 TXT "${'b'.repeat(255)}" "${'b'.repeat(45)}"`],
    [`a TXT "${'\\098'.repeat(256)}"c`, `a.example.com. 5 TXT "${'b'.repeat(255)}" "b" "c"`],
    ['a TXT A', 'a.example.com. 5 TXT "A"'],
    ['a CAA 0 issue "x; y=z"', 'a.example.com. 5 CAA 0 issue "x; y=z"'],
    ['a SRV 1 2 3 b', 'a.example.com. 5 SRV 1 2 3 b.example.com.'],
    ['a HINFO \\# 2 0000', 'a.example.com. 5 HINFO "" ""'],
    ['a HINFO PC Linux', 'a.example.com. 5 HINFO "PC" "Linux"'],
    ['a MINFO b c.', 'a.example.com. 5 MINFO b.example.com. c.'],
    ['a APL', 'a.example.com. 5 APL \\# 0'],
    ['a NULL \\# 2 0000', 'a.example.com. 5 NULL \\# 2 0000'],
    ['a NSAP-PTR b', 'a.example.com. 5 NSAP-PTR b.example.com.'],
    ['a L32 10 192.0.2.1', 'a.example.com. 5 L32 10 192.0.2.1'],
  ];
  for (const [entry, record] of cases) assert.is(item(entry), record, entry);
});

test('one wrong entry each', () => {
  const cases: [string, RegExp][] = [
    ['a', /no type/],
    ['a 300', /no type/],
    ['a A', /address is missing/],
    ['a A 127.1', /IPv4/],
    ['a A 192.0.2.1 x', /is unexpected/],
    ['a A \\049.2.3.4', /IPv4/],
    ['a "A" 192.0.2.1', /in the position of a TTL/],
    ['a AAAA 1.2.3.4', /IPv6/],
    ['a CH A 192.0.2.1', /Class CH is not supported/],
    ['a CLASS3 A 192.0.2.1', /Class CLASS3 is not supported/],
    ['a NONE A 192.0.2.1', /Class NONE/],
    ['a ANY 192.0.2.1', /ANY is a query type/],
    ['a OPT \\# 0', /OPT/],
    ['a AXFR x', /AXFR/],
    ['a FOO x', /"FOO" is not a type/],
    ['a TYPE65536 \\# 0', /"TYPE65536" is not a type/],
    ['a 1h30 A 192.0.2.1', /"1h30" is not a TTL/],
    ['a 4294967296 A 192.0.2.1', /is not a TTL/],
    ['a CAA "0" issue "x"', /quoted/],
    ['"" A 192.0.2.1', /is empty/],
    ['a TXT ( "b\nc', /not closed on its line/],
    ['a -1 A 192.0.2.1', /"-1" is not a type/],
    ['a 300 300 A 192.0.2.1', /"300" is not a type/],
    ['a IN IN A 192.0.2.1', /"IN" is not a type/],
    ['a..b A 192.0.2.1', /empty label/],
    [`${'a'.repeat(64)} A 192.0.2.1`, /63 bytes/],
    ['a\\256 A 192.0.2.1', /escape/],
    [' A 192.0.2.1', /has a valid owner/],
    ['a TXT "b', /not closed on its line/],
    ['a TXT "b\nc"', /not closed/],
    ['a TXT b\\', /backslash at the end/],
    ['a TXT b\\\r\n', /backslash at the end/],
    ['a TXT ( b', /never closed/],
    ['a TXT b )', /"\)" without/],
    ['a TXT b\0', /^Control character 0/],
    ['a TXT', /missing/],
    ['$INCLUDE other.zone', /\$INCLUDE is not supported/],
    ['$include other.zone', /\$INCLUDE is not supported/],
    ['$FOO', /"\$FOO" is not a directive/],
    ['$TTL', /exactly one time/],
    ['$TTL 1x', /"1x" is not a TTL/],
    ['$ORIGIN', /exactly one name/],
    ['$ORIGIN a b', /exactly one name/],
    ['$ORIGIN a..b', /empty label/],
  ];
  for (const [entry, message] of cases)
    if (entry === 'a TXT "b\nc"') assert.match(parse(entry).errors[0], message);
    else assert.match(item(entry), message, entry);
});

test('what it reads with a warning', () => {
  const cases: readonly (readonly [text: string, records: number, warnings: readonly string[]])[] = [
    ['b.example.org. A 192.0.2.1\n A 192.0.2.2\n', 0, ['1 name_outside', '2 name_outside']],
    ['com. A x\n. A 192.0.2.1\nxexample.com. A 192.0.2.1\n', 0, ['1 name_outside', '2 name_outside', '3 name_outside']],
    [`${'a.'.repeat(126)} A 192.0.2.1\n`, 0, ['1 name_outside']],
    ['bücher A 192.0.2.1\n', 1, ['1 not_ascii']],
    ['\\195\\188 A 192.0.2.1\n', 1, []],
    [`a TXT ${'b'.repeat(256)}\n`, 1, ['1 long_text']],
    [`a TXT ${'b'.repeat(255)} ${'\\098'.repeat(255)}\n`, 1, []],
    ['$TTL 4294967295\na A 192.0.2.1\n', 1, ['1 ttl_overflow']],
    ['a TYPE255 \\# 0\nb type0 \\# 1 00\n', 0, ['1 query_type', '2 query_type']],
    ['a TYPE00001 192.0.2.1\na TYPE65535 \\# 0\n', 2, []],
    ['a TXT "b\\\nc" x\n', 1, []],
  ];
  for (const [text, records, warnings] of cases) {
    const parsed = parse(text, { defaultTtl: 5 });
    assert.equal([parsed.errors, parsed.records.length], [[], records], text);
    assert.equal(
      parsed.warnings.filter((warning) => !warning.endsWith('no_ttl')),
      warnings,
      text,
    );
  }
});

test('keeps the capitals of owner names apart from the names', () => {
  const text = [
    'www A 192.0.2.1',
    'WWW.Sub AAAA ::1',
    'www.sub A 192.0.2.2',
    `Abs.${formatName(ORIGIN).toUpperCase()} A 192.0.2.1`,
    'A\\.B\\067x A 192.0.2.1',
    '@ MX 1 Mail',
    `$ORIGIN Lower.Down.${formatName(ORIGIN)}`,
    'h A 192.0.2.1',
    '@ A 192.0.2.1',
    `other.${formatName(ORIGIN)} A 192.0.2.1`,
    '$ORIGIN More',
    'X TXT x',
  ].join('\n');
  const { records, errors, spellings } = parseMaster(Buffer.from(text), { origin: ORIGIN, defaultTtl: 5 });
  assert.equal(errors, []);
  assert.ok(records.every(({ name }) => formatName(name) === formatName(name).toLowerCase()));
  const expected = ['WWW.Sub', 'Abs', 'A\\.BCx', 'h.Lower.Down', 'Lower.Down', 'X.More.Lower.Down'];
  assert.equal(
    [...spellings.values()].map(formatName),
    expected.map((name) => `${name}.${formatName(ORIGIN)}`),
  );
  for (const spelled of spellings.values()) {
    const name = parseName(formatName(spelled));
    assert.equal(formatName(spellings.get(nameId(name))!), formatName(spelled));
  }
});

test('the TTL of a record without one', () => {
  const soa = '@ SOA a b 1 2 3 4 77';
  const ttl = (text: string, defaultTtl?: number) =>
    parse(text, { defaultTtl }).records.map((record) => Number(record.split(' ')[2]));
  assert.equal(ttl(`${soa}\na A 1.2.3.4`), [77, 77]);
  assert.equal(ttl(`${soa}\na A 1.2.3.4`, 9), [77, 77]);
  // As named-checkzone -D prints them: the SOA minimum stands in for $TTL once it was used for the
  // SOA itself.
  assert.equal(ttl(`${soa}\na 5 A 1.2.3.4\nb A 1.2.3.4`, 9), [77, 5, 77]);
  assert.equal(ttl(`@ 60 SOA a b 1 2 3 4 77\nb A 1.2.3.4\nc 5 A 1.2.3.4\nd A 1.2.3.4`, 9), [60, 60, 5, 5]);
  assert.equal(ttl('a A 1.2.3.4\nb 5 A 1.2.3.4\nc A 1.2.3.4', 9), [9, 5, 5]);
  assert.equal(
    ttl(`a 5 A 1.2.3.4\n$TTL 6\nb A 1.2.3.4\nc 7 A 1.2.3.4\nd A 1.2.3.4\n$TTL 1m\ne A 1.2.3.4`, 9),
    [5, 6, 7, 6, 60],
  );
  assert.match(parse('a A 1.2.3.4').errors[0], /^1 The record has no TTL/);
});

test('warns once of a TTL that the file does not set', () => {
  const warnings = (text: string, defaultTtl?: number) =>
    parseMaster(Buffer.from(text), { origin: ORIGIN, defaultTtl }).warnings.map(
      ({ line, code, message }) => `${line} ${code} ${/(SOA minimum of|default of) \d+/.exec(message)?.[0]}`,
    );
  const soa = '@ SOA a b 1 2 3 4 77\n';
  assert.equal(warnings(`\n${soa}a A 1.2.3.4\n`), ['2 no_ttl SOA minimum of 77']);
  assert.equal(warnings('a A 1.2.3.4\nb A 1.2.3.4\n', 9), ['1 no_ttl default of 9']);
  assert.equal(warnings(`$TTL 1\n${soa}a A 1.2.3.4\n`), []);
  // The last explicit TTL is what RFC 1035 5.1 says.
  assert.equal(warnings('@ 60 SOA a b 1 2 3 4 77\na A 1.2.3.4\n'), []);
});

test('counts and leaves out what is to be dropped, whatever its rdata', () => {
  const text = `$TTL 60
@ SOA a b 1 2 3 4 5
  RRSIG SOA 13 2 60 (
    20300101000000 20200101000000 1 example.com. AAAA )
a A 192.0.2.1
a 9 NSEC b A RRSIG NSEC
a TYPE46 \\# 1 00
  AAAA ::1
`;
  const drops = new Set([46, 47]);
  const { records, errors, dropped } = parseMaster(Buffer.from(text), { origin: ORIGIN, drops });
  assert.equal(errors, []);
  assert.equal(
    records.map((record) => `${record.line} ${typeName(record.type)} ${record.ttl}`),
    ['2 SOA 60', '5 A 60', '8 AAAA 60'],
  );
  assert.equal(
    [...dropped],
    [
      [46, { line: 3, count: 2 }],
      [47, { line: 6, count: 1 }],
    ],
  );
  // Its owner is held to the rules of all.
  const outside = parseMaster(Buffer.from('x.example.net. 5 RRSIG x\n'), { origin: ORIGIN, drops });
  assert.equal([outside.warnings[0].code, outside.dropped.size], ['name_outside', 0]);
});

test('$ORIGIN completes the names after it', () => {
  const { records, errors, warnings } = parse(
    `$ORIGIN sub
a A 192.0.2.1
@ A 192.0.2.2
$ORIGIN deep
a CNAME @
$ORIGIN net.
a A 192.0.2.3
a.example.com. CNAME b
$ORIGIN com.
example NS ns.example
example.com A 192.0.2.4
$ORIGIN .
b.example.com A 192.0.2.5
`,
    { defaultTtl: 1 },
  );
  assert.equal(records, [
    '2 a.sub.example.com. 1 A 192.0.2.1',
    '3 sub.example.com. 1 A 192.0.2.2',
    '5 a.deep.sub.example.com. 1 CNAME deep.sub.example.com.',
    '8 a.example.com. 1 CNAME b.net.',
    '10 example.com. 1 NS ns.example.com.',
    '13 b.example.com. 1 A 192.0.2.5',
  ]);
  assert.equal([errors, warnings], [[], ['2 no_ttl', '7 name_outside', '11 name_outside']]);
});

test('a zone whose origin is the root', () => {
  assert.equal(parse('com NS a.gtld-servers.net\n@ A 192.0.2.1', { origin: parseName('.'), defaultTtl: 1 }).records, [
    '1 com. 1 NS a.gtld-servers.net.',
    '2 . 1 A 192.0.2.1',
  ]);
});

test('every bad line is named, and what follows is read', () => {
  const { records, errors } = parse(`$TTL 60
a A 192.0.2.1
b A 192.0.2.256
c A (
  192.0.2.1
  x )
d TXT ( "open
  "closed" )
e A 192.0.2.2
f..g A 192.0.2.3
  A 192.0.2.4
$INCLUDE x
h A 192.0.2.5 )
i A 192.0.2.6
  TXT "open
  A 192.0.2.7
j A ( 192.0.2.8
`);
  assert.equal(records, [
    '2 a.example.com. 60 A 192.0.2.1',
    '9 e.example.com. 60 A 192.0.2.2',
    '14 i.example.com. 60 A 192.0.2.6',
    '16 i.example.com. 60 A 192.0.2.7',
  ]);
  assert.equal(
    errors.map((error) => error.split(' ')[0]),
    ['3', '4', '7', '10', '11', '12', '13', '15', '17'],
  );
});

test('a blank owner never falls back to the one before a broken line', () => {
  const { records } = parse('$TTL 1\na A 192.0.2.1\nout.example.net. A 192.0.2.2\n A 192.0.2.3\n');
  assert.equal(records, ['2 a.example.com. 1 A 192.0.2.1']);
  // A broken line whose owner can be read keeps it.
  assert.equal(parse('$TTL 1\na A 192.0.2.1\nb TXT "x\n A 192.0.2.3\n').records[1], '4 b.example.com. 1 A 192.0.2.3');
});

test('reading ends after maxErrors', () => {
  const text = 'a A x\n'.repeat(500);
  assert.is(parse(text).errors.length, 100);
  assert.is(parse(text, { maxErrors: 7 }).errors.length, 7);
});

test('an empty file has no records', () => {
  for (const text of ['', '\n', '\n\n  \n', '; only a comment', '\r\n\r\n', '()\n', '(\n)\n'])
    assert.equal(parse(text), { records: [], errors: [], warnings: [] }, JSON.stringify(text));
});

test('the printed form', () => {
  const { records } = parseMaster(
    Buffer.from('$TTL 60\n@ SOA ns1 hostmaster 1 2 3 4 5\n@ NS ns1\nns1 30 A 192.0.2.1\n\\$a.b TXT "x;y"\n'),
    { origin: ORIGIN },
  );
  assert.is(
    [...formatMaster(ORIGIN, records)].join(''),
    [
      '$ORIGIN example.com.',
      '$TTL 60',
      '@\t60\tIN\tSOA\tns1.example.com. hostmaster.example.com. 1 2 3 4 5',
      '@\t60\tIN\tNS\tns1.example.com.',
      'ns1\t30\tIN\tA\t192.0.2.1',
      '\\$a.b\t60\tIN\tTXT\t"x;y"',
      '',
    ].join('\n'),
  );
  assert.is([...formatMaster(ORIGIN, [])].join(''), '$ORIGIN example.com.\n$TTL 300\n');
});

test.run();
