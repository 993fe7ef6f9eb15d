/** Content that people typed: names with two readings, and what is not a name. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../../core/base/errors.ts';
import { parseType } from '../../../../../core/dns/wire/mnemonics.ts';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { RDATA_TABLE } from '../../../../../core/dns/wire/rdata/table.ts';

const APEX = parseName('example.com.');

function faultOf(type: string, content: string): InvalidError | null {
  try {
    parseRdata(parseType(type)!, content, APEX, true);
    return null;
  } catch (error) {
    if (error instanceof InvalidError) return error;
    throw error;
  }
}

/** Contents whose target `~` is one label. */
const TARGETS: readonly (readonly [type: string, content: string])[] = [
  ['MX', '10 ~'],
  ['CNAME', '~'],
  ['NS', '~'],
  ['SRV', '0 5 5060 ~'],
  ['PTR', '~'],
  ['DNAME', '~'],
  ['ALIAS', '~'],
  ['SVCB', '1 ~ alpn="dot" port=853'],
  ['HTTPS', '1 ~ alpn=h2'],
  ['NAPTR', '100 10 "s" "SIP+D2U" "" ~'],
  ['AFSDB', '1 ~'],
  ['LP', '10 ~'],
];

test('one label without a final dot has two readings, which are choices for the content', () => {
  for (const [type, content] of TARGETS) {
    const fault = faultOf(type, content.replace('~', 'Mail'));
    assert.equal([fault?.code, fault?.pointer], ['relative_target', '/content'], type);
    assert.match(fault!.message, '"Mail" has one label and no final dot');
    assert.match(fault!.message, '"mail.example.com."');
    assert.match(fault!.message, '"mail."');
    assert.equal(
      fault!.choices,
      ['mail.example.com.', 'mail.'].map((name) => content.replace('~', name)),
    );
    for (const choice of fault!.choices ?? []) assert.is(faultOf(type, choice), null, choice);
    for (const clear of ['mail.', 'mail.example.com', 'mail.example.net', '@', '.'])
      assert.is(faultOf(type, content.replace('~', clear)), null, `${type} ${clear}`);
    // Other clients of APIs, and zone files.
    const rdata = parseRdata(parseType(type)!, content.replace('~', 'mail'), APEX);
    assert.match(formatRdata(parseType(type)!, rdata), / ?mail\.( |$)/);
  }
  for (const content of ['3 1', '3 "x"', 'https://www.example.com 1']) {
    const fault = faultOf('CNAME', content);
    assert.equal([fault?.code, fault?.choices], ['invalid_content', undefined], content);
    assert.match(fault!.message, 'is unexpected');
  }
  assert.equal(faultOf('MX', '10 b\u00fccher')?.choices, ['10 xn--bcher-kva.example.com.', '10 xn--bcher-kva.']);
  assert.equal(faultOf('CNAME', 'a\\.b')?.choices, ['a\\.b.example.com.', 'a\\.b.']);
  assert.equal(faultOf('PTR', '0/25')?.choices, ['0/25.example.com.', '0/25.']);
  const part = faultOf('CNAME', '7.0/25');
  assert.equal([part?.code, part?.choices], ['relative_target', ['7.0/25.example.com.', '7.0/25.']]);
  assert.match(part!.message, '"7.0/25" has no top-level domain and no final dot');
});

test('what is not a name is named, with what to write', () => {
  const faults: readonly (readonly [
    type: string,
    content: string,
    code: string,
    message: RegExp,
    choices?: string[],
  ])[] = [
    [
      'CNAME',
      'https://www.example.net/',
      'invalid_content',
      /target must be a name without "https:/,
      ['www.example.net.'],
    ],
    ['MX', '10 http://mail.example.net', 'invalid_content', /exchange must be .* "http:/, ['10 mail.example.net.']],
    ['CNAME', 'http://', 'invalid_content', /without "http:/],
    ['ALIAS', 'www.example.net:8080', 'invalid_content', /without a port/, ['www.example.net.']],
    ['CNAME', 'www.example.net/path?a.b', 'invalid_content', /without a path/, ['www.example.net.']],
    ['RP', 'a.b@example.net .', 'invalid_content', /mailbox must be .*"@"/, ['a\\.b.example.net. .']],
    ['PTR', '192.0.2.1', 'invalid_host', /"192\.0\.2\.1" is an address; .* A record/],
    ['HTTPS', '1 2001:db8::1', 'invalid_host', /is an address; .* AAAA record/],
    ['MX', '10 [2001:db8::1]', 'invalid_host', /is an address/],
    ['CNAME', `${'a'.repeat(64)}.example.net`, 'invalid_name', /target "a+\.example\.net" is too long: a label has/],
    ['CNAME', `${'abcdefg.'.repeat(32)}example`, 'invalid_name', /is too long: a name has at most 255/],
    ['MX', '10 a..b', 'invalid_name', /exchange "a\.\.b" has an empty label/],
    ['A', '2001:db8::1', 'invalid_content', /must be an IPv4 address; an AAAA record holds/],
    ['AAAA', '192.0.2.1', 'invalid_content', /must be an IPv6 address; an A record holds/],
    ['A', '192.0.2.1 192.0.2.2', 'invalid_content', /"192\.0\.2\.2" is unexpected: each value is a record/],
    ['HTTPS', '1 . alpm=h2', 'invalid_content', /"alpm" is unknown: write mandatory, alpn,/],
  ];
  for (const [type, content, code, message, choices] of faults) {
    const fault = faultOf(type, content);
    assert.is(fault?.code, code, `${type} ${content}: ${fault?.message}`);
    assert.match(fault!.message, message);
    assert.equal(fault!.choices, choices, content);
  }
  // Names all the same, with the final dot.
  for (const content of [
    'www.example.net:8080.',
    'www.example.net/path.',
    '7.0/25.2.0.192.in-addr.arpa',
    'a\\@b.example',
  ])
    assert.is(faultOf('CNAME', content), null, content);
});

test('each wrong field of each type is named, and the example is that of the type', () => {
  for (const [type, { example, names }] of RDATA_TABLE) {
    const right = example.replace(/and (\d+) hexadecimal digits/, (_, digits) => 'a'.repeat(Number(digits)));
    const fields = right.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
    for (const [i, field] of fields.entries())
      for (const wrong of ['', '""', '-1', 'http://a.example/', `${'a'.repeat(64)}.example.`]) {
        const content = fields.map((other, j) => (i === j ? wrong : other)).join(' ');
        let message = '';
        try {
          parseRdata(type, content, APEX, true);
        } catch (error) {
          message = (error as Error).message;
        }
        if (message === '' || message.includes('has one label')) continue;
        assert.match(message, / content: the /, content);
        assert.ok(message.endsWith(`Write it like: ${example}`), message);
        if (names !== undefined && field.endsWith('.') && wrong.startsWith('http'))
          assert.match(message, 'without "http://"', content);
      }
  }
});

test.run();
