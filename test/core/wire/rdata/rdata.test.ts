import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import { parseType, typeName } from '../../../../core/wire/mnemonics.ts';
import { checkRdata, formatRdata, parseRdata, parseRdataFields } from '../../../../core/wire/rdata/index.ts';
import { RDATA_TABLE } from '../../../../core/wire/rdata/table.ts';
import { TYPE } from '../../../../core/wire/types.ts';
import fc from '../../../support/fc.ts';
import { anyName, ORIGIN, RDATA, typeAndRdata } from '../arbitrary.ts';

const type = (name: string): number => parseType(name) as number;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const d = (digits: number) => 'ab'.repeat(digits / 2);

/** Type, content as people write it, canonical form. */
const GOOD: [string, string, string][] = [
  ['A', '192.0.2.1', '192.0.2.1'],
  ['A', '  192.0.2.1\n', '192.0.2.1'],
  ['A', '\\# 4 c0000201', '192.0.2.1'],
  ['A', '\\# 4 C0 00 02 01', '192.0.2.1'],
  ['AAAA', '2001:DB8:0::1', '2001:db8::1'],
  ['CNAME', 'WWW.Example.NET', 'www.example.net.'],
  ['CNAME', 'www.example.net.', 'www.example.net.'],
  ['CNAME', '@', 'example.com.'],
  ['CNAME', '_x.a\\.b.example.net', '_x.a\\.b.example.net.'],
  ['CNAME', '\\# 5 0341424300', 'abc.'],
  ['PTR', '.', '.'],
  ['MX', '10 mail.example.net', '10 mail.example.net.'],
  ['MX', '0 .', '0 .'],
  ['MX', '065535\t@', '65535 example.com.'],
  ['SRV', '0 5 5060 sip.example.net', '0 5 5060 sip.example.net.'],
  ['TXT', 'v=spf1 include:_spf.example.net -all', '"v=spf1 include:_spf.example.net -all"'],
  ['TXT', 'v=DKIM1; k=rsa; p=(x)', '"v=DKIM1; k=rsa; p=(x)"'],
  ['TXT', 'say "hi"', '"say \\"hi\\""'],
  ['TXT', 'a\\"b\\\\c\\059', '"a\\"b\\\\c;"'],
  ['TXT', '""', '""'],
  ['TXT', '"a" "b c"', '"a" "b c"'],
  ['TXT', '"a""b"', '"a" "b"'],
  ['TXT', '"; (not a comment)"', '"; (not a comment)"'],
  ['TXT', '"a" b', '"a" "b"'],
  ['TXT', 'ü', '"\\195\\188"'],
  ['TXT', '"\u{1f600}"', '"\\240\\159\\152\\128"'],
  ['TXT', 'tab\there', '"tab\\009here"'],
  ['TXT', '\\#hash', '"#hash"'],
  ['TXT', '\\# 2 0161', '"a"'],
  ['TXT', 'a'.repeat(300), `"${'a'.repeat(255)}" "${'a'.repeat(45)}"`],
  ['TXT', '\\097'.repeat(255), `"${'a'.repeat(255)}"`],
  ['CAA', '0 issue "ca.example.net"', '0 issue "ca.example.net"'],
  ['CAA', '128 ISSUE ca.example.net', '128 issue "ca.example.net"'],
  ['CAA', '0 issue ";"', '0 issue ";"'],
  ['CAA', '0 issue ""', '0 issue ""'],
  ['CAA', `0 iodef "${'m'.repeat(400)}"`, `0 iodef "${'m'.repeat(400)}"`],
  ['CAA', '\\# 9 00054953535545 4142', '0 issue "AB"'],
  ['SOA', 'ns1 host\\.master.x 1 1h 15M 2w 300', 'ns1. host\\.master.x. 1 3600 900 1209600 300'],
  ['SOA', '. . 4294967295 4294967295 0 0 0', '. . 4294967295 4294967295 0 0 0'],
  ['DS', `12345 13 2 ${d(32)} ${d(32)}`, `12345 13 2 ${d(64)}`],
  ['DS', `1 8 1 ${d(40).toUpperCase()}`, `1 8 1 ${d(40)}`],
  ['SSHFP', `4 2 ${d(64)}`, `4 2 ${d(64)}`],
  ['TLSA', `3 1 1 ${d(64)}`, `3 1 1 ${d(64)}`],
  ['TLSA', '3 0 0 0a', '3 0 0 0a'],
  ['NAPTR', '100 10 "S" "SIP+D2U" "" _sip._udp.X', '100 10 "S" "SIP+D2U" "" _sip._udp.x.'],
  ['NAPTR', '1 2 u E2U+sip "!^.*$!sip:a@b!" .', '1 2 "u" "E2U+sip" "!^.*$!sip:a@b!" .'],
  // RFC 3403 6.2, RFC 3402 3.2: a backslash protects the delimiter.
  ['NAPTR', '100 50 "a" "z3950+N2L+N2C" "" cidserver.example', '100 50 "a" "z3950+N2L+N2C" "" cidserver.example.'],
  ['NAPTR', '1 2 "u" "" "/a\\\\/b/c/i" .', '1 2 "u" "" "/a\\\\/b/c/i" .'],
  ['NAPTR', '1 2 "" "" "" .', '1 2 "" "" "" .'],
  // Both rewrites: RFC 3403 4.1 forbids it, other servers load it. The API's own rule refuses it.
  ['NAPTR', '1 1 "u" "" "!a!b!" x.example', '1 1 "u" "" "!a!b!" x.example.'],
  ['NAPTR', '\\# 15 000100010000052161216221017800', '1 1 "" "" "!a!b!" x.'],
  ['NAPTR', '1 2 "" "é" "" ü.example', '1 2 "" "\\195\\169" "" xn--tda.example.'],
  ['URI', '10 1 "ftp://x/y%20z"', '10 1 "ftp://x/y%20z"'],
  ['URI', '10 1 mailto:a@b', '10 1 "mailto:a@b"'],
  ['ALIAS', 'WWW.Example.NET', 'www.example.net.'],
  ['TYPE65401', '\\# 5 0341424300', 'abc.'],
  ['CNAME', 'münchen.de', 'xn--mnchen-3ya.de.'],
  ['CNAME', '_x.ü.', '_x.xn--tda.'],
  ['MX', '10 bücher.example', '10 xn--bcher-kva.example.'],
  ['SRV', '0 5 5060 ü.example.', '0 5 5060 xn--tda.example.'],
  ['DS', `12345 ecdsap256sha256 2 ${d(64)}`, `12345 13 2 ${d(64)}`],
  ['DS', `1 8 6 ${d(64)}`, `1 8 6 ${d(64)}`],
  [
    'CAA',
    '0 issue "ca1.example.net; policy=ev; account = 230123"',
    '0 issue "ca1.example.net; policy=ev; account = 230123"',
  ],
  ['CAA', '0 issue " ca.example.net ; "', '0 issue " ca.example.net ; "'],
  ['CAA', '0 issuewild "; a=b"', '0 issuewild "; a=b"'],
  ['CAA', '0 tbs "Unknown, and not checked;"', '0 tbs "Unknown, and not checked;"'],
  ['CAA', '0 iodef "mailto:security@example.com"', '0 iodef "mailto:security@example.com"'],
  ['TYPE65280', '\\# 0', '\\# 0'],
  ['TYPE65280', '\\# 3 01 02 0f', '\\# 3 01020f'],
  ['HINFO', '\\# 2 0000', '\\# 2 0000'],
];

test('content in, canonical content out', () => {
  for (const [name, content, canonical] of GOOD) {
    const rdata = parseRdata(type(name), content, ORIGIN);
    assert.is(formatRdata(type(name), rdata), canonical, `${name} ${content}`);
    assert.is(hex(parseRdata(type(name), canonical)), hex(rdata), `${name} ${canonical}`);
    checkRdata(type(name), rdata);
  }
});

/** Type, content, what the message must say. */
const BAD: [string, string, RegExp][] = [
  ['A', '', /missing/],
  ['A', '127.1', /IPv4/],
  ['A', '192.0.2.01', /leading zeros/],
  ['A', '192.0.2.1 192.0.2.2', /is unexpected/],
  ['A', '"192.0.2.1"', /quoted/],
  ['A', '::1', /IPv4/],
  ['A', '\\# 3 c00002', /missing/],
  ['A', '\\# 5 c000020100', /extra bytes at the end/],
  ['A', '\\# 4 c00002', /says 4 bytes, but 3/],
  ['A', '\\# 4 c00002zz', /hexadecimal/],
  ['A', '\\# 4 c000020', /hexadecimal/],
  ['A', '\\#', /missing/],
  ['A', '\\# 65536 00', /65535/],
  ['AAAA', 'fe80::1%eth0', /zone id/],
  ['AAAA', '192.0.2.1', /IPv6/],
  ['CNAME', '', /missing/],
  ['CNAME', 'a..b', /empty label/],
  ['CNAME', 'a b', /is unexpected/],
  ['CNAME', 'a\u2000.example', /international/],
  ['CNAME', '\u4e00\u4e8c'.repeat(50_000), /longer than 255 bytes/],
  ['CNAME', '"a.b"', /quoted/],
  ['CNAME', 'a.example;', /outside of quotes/],
  ['CNAME', '\\# 2 c00c', /compression/],
  ['CNAME', '\\# 3 026161', /missing/],
  ['CNAME', '\\# 2 0000', /extra bytes at the end/],
  ['MX', 'mail.example.net', /preference.*Write it like: 10 mail/],
  ['MX', '10', /exchange is missing/],
  ['MX', '-1 a', /0 to 65535/],
  ['MX', '65536 a', /0 to 65535/],
  ['MX', '1e2 a', /whole number/],
  ['MX', '0x10 a', /whole number/],
  ['MX', '1.5 a', /whole number/],
  ['MX', '\u0661 a', /whole number/],
  ['MX', '99999999999999999999 a', /whole number/],
  ['MX', '10 mail.example.net 20', /is unexpected/],
  ['SRV', '0 5 sip.example.net', /port/],
  ['TXT', '', /missing/],
  ['TXT', '"abc', /not closed/],
  ['TXT', 'abc\\', /escape/],
  ['TXT', '"abc\\"', /not closed/],
  ['TXT', '\\300', /escape/],
  ['TXT', '"\\25"', /escape/],
  ['TXT', `"${'a'.repeat(256)}"`, /256 bytes, but the maximum is 255/],
  ['TXT', 'a'.repeat(65_280), /65535 bytes/],
  ['TXT', '\\# 0', /missing/],
  ['TXT', '\\# 2 0561', /missing/],
  ['CAA', '0 issue', /value is missing/],
  ['CAA', '256 issue "x"', /0 to 255/],
  ['CAA', '0 is-sue "x"', /letters and digits/],
  ['CAA', '0 "issue" "x"', /quoted/],
  ['CAA', '0 issue ca.example.net; policy=ev', /quotes/],
  ['CAA', '\\# 2 0000', /letters and digits/],
  ['CAA', `0 ${'a'.repeat(256)} "x"`, /letters and digits/],
  ['SOA', 'a b 1 2 3 4', /minimum is missing/],
  ['SOA', 'a b 1h 2 3 4 5', /serial/],
  ['SOA', 'a b 4294967296 2 3 4 5', /serial/],
  ['SOA', 'a b 1 4294967296 3 4 5', /refresh/],
  ['DS', `1 8 2 ${d(62)}`, /64 hexadecimal/],
  ['DS', '1 8 200', /missing/],
  ['DS', '1 8 200 abc', /pairs/],
  ['DS', `\\# 4 00010801`, /wrong length/],
  ['TLSA', `3 1 1 ${d(62)}`, /64 hexadecimal/],
  ['SSHFP', `1 1 ${d(64)}`, /40 hexadecimal/],
  ['URI', '1 1 ""', /absolute URI/],
  ['URI', '1 1 "/path"', /absolute URI/],
  ['URI', '1 1 "http://a b"', /absolute URI/],
  ['URI', '1 1 "http://ü/"', /absolute URI/],
  ['URI', '\\# 5 0001000161', /absolute URI/],
  ['NAPTR', '1 1 "-" "" "" .', /flags must be letters/],
  ['NAPTR', '1 1 "u" "" "!a!b" .', /substitution/],
  ['NAPTR', '1 1 "u" "" "!a!b!x" .', /substitution/],
  ['NAPTR', '1 1 "u" "" "iaibi" .', /substitution/],
  ['NAPTR', '\\# 9 000100010000016100', /substitution/],
  ['NAPTR', '\\# 9 00010001012d000000', /flags must be letters/],
  ['DS', '1 RSASHA257 2 00', /algorithm must be a whole number/],
  ['DS', '1 "RSASHA256" 2 00', /quoted/],
  ['DS', `1 8 5 ${d(62)}`, /64 hexadecimal/],
  ['ALIAS', '', /missing/],
  ['CAA', '0 issue "letsencrypt.org policy=ev"', /must be a CA such as/],
  ['CAA', '0 issue "https://ca.example.net"', /must be a CA such as/],
  ['CAA', '0 issue "ca.example.net."', /must be a CA such as/],
  ['CAA', '0 issue "ca.example.net; policy"', /must be a CA such as/],
  ['CAA', '0 issue "ca.example.net; a=b;"', /must be a CA such as/],
  ['CAA', '0 issuewild "*"', /must be a CA such as/],
  ['CAA', '\\# 8 0005697373756521', /must be a CA such as/],
  ['NAPTR', '1 1 "" "" ""', /replacement is missing/],
  ['TYPE65280', 'abc', /RFC 3597/],
  ['TYPE65280', '"\\#" 1 00', /RFC 3597/],
  ['TYPE65280', '\\# 1', /says 1 bytes, but 0/],
  ['TYPE65280', '', /RFC 3597/],
];

test('content that no record can hold', () => {
  for (const [name, content, message] of BAD)
    assert.throws(
      () => parseRdata(type(name), content, ORIGIN),
      (error: unknown) => {
        const right =
          error instanceof InvalidError &&
          /^invalid_(content|name)$/.test(error.code) &&
          error.pointer === '/content' &&
          error.message.length < 400 &&
          message.test(error.message);
        if (!right) console.error(name, content.slice(0, 40), error);
        return right;
      },
      `${name} ${content.slice(0, 40)}`,
    );
});

test('names are ASCII in master files', () => {
  const fields = [{ text: Buffer.from('münchen.de').toString('latin1'), quoted: false, adjacent: false }];
  assert.throws(() => parseRdataFields(TYPE.CNAME, fields, ORIGIN), /"münchen.de".*xn--/);
});

test('names in content are absolute in the API, relative in master files', () => {
  assert.is(formatRdata(TYPE.NS, parseRdata(TYPE.NS, 'ns1', ORIGIN)), 'ns1.');
  const fields = [{ text: 'ns1', quoted: false, adjacent: false }];
  assert.is(formatRdata(TYPE.NS, parseRdataFields(TYPE.NS, fields, ORIGIN)), 'ns1.example.com.');
  assert.throws(() => parseRdata(TYPE.NS, '@'), /complete name/);
});

test('the longest TXT that fits', () => {
  // 255 full strings and one of 254 bytes, with their 256 length bytes.
  const rdata = parseRdata(TYPE.TXT, 'a'.repeat(255 * 255 + 254));
  assert.is(rdata.length, 65_535);
  assert.is(hex(parseRdata(TYPE.TXT, formatRdata(TYPE.TXT, rdata))), hex(rdata));
});

test('every row has a generator, and its example starts like a right content', () => {
  assert.equal([...RDATA_TABLE.keys()].sort(), [...RDATA.keys()].sort());
  for (const [number, row] of RDATA_TABLE) {
    const example = row.example.replace(/and (\d+) hexadecimal digits/, (_, n) => '0'.repeat(Number(n)));
    assert.ok(parseRdata(number, example).length > 0, typeName(number));
  }
});

test('random rdata survives formatting and parsing, in both forms', () => {
  fc.assert(
    fc.property(typeAndRdata, ({ type: number, rdata }) => {
      checkRdata(number, rdata);
      const text = formatRdata(number, rdata);
      assert.match(text, /^[ -~]*$/);
      assert.is(hex(parseRdata(number, text)), hex(rdata), text);
      const generic = `\\# ${rdata.length} ${hex(rdata)}`;
      assert.is(hex(parseRdata(number, generic)), hex(rdata), generic);
    }),
    { numRuns: 5000 },
  );
});

test('cut, grown or random bytes are checked without harm', () => {
  fc.assert(
    fc.property(typeAndRdata, fc.nat(400), fc.uint8Array({ maxLength: 5 }), ({ type: number, rdata }, cut, more) => {
      const bytes = Uint8Array.from([...rdata.subarray(0, cut), ...more]);
      let text: string;
      try {
        checkRdata(number, bytes);
        text = formatRdata(number, bytes);
      } catch (error) {
        assert.instance(error, InvalidError);
        assert.throws(() => formatRdata(number, bytes), /./);
        return;
      }
      // Well-formed by chance: upper case in names is all that parsing changes.
      assert.is(latin1(parseRdata(number, text)).toLowerCase(), latin1(bytes).toLowerCase());
    }),
    { numRuns: 5000 },
  );
});

test('any text is content or an InvalidError', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom('0', '10', ' ', '"', '\\', '\\#', 'a.b', '@', '.', ';', '(', 'issue', '00', '\\065', '\n'),
        {
          maxLength: 14,
        },
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...RDATA.keys(), 65280), text, (number, content) => {
      let rdata: Uint8Array;
      try {
        rdata = parseRdata(number, content, ORIGIN);
      } catch (error) {
        assert.instance(error, InvalidError);
        return;
      }
      checkRdata(number, rdata);
      assert.is(hex(parseRdata(number, formatRdata(number, rdata))), hex(rdata));
    }),
    { numRuns: 10_000 },
  );
});

test('bare text is the same text after a round trip', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 700 }), (raw) => {
      const text = `x${raw.replaceAll('\\', '/')}x`;
      const rdata = Buffer.from(parseRdata(TYPE.TXT, text));
      const parts: Buffer[] = [];
      for (let p = 0; p < rdata.length; p += rdata[p] + 1) parts.push(rdata.subarray(p + 1, p + 1 + rdata[p]));
      assert.ok(parts.slice(0, -1).every((part) => part.length === 255));
      assert.is(Buffer.concat(parts).toString(), Buffer.from(text).toString());
    }),
  );
});

test('names inside rdata are lower-cased in the RFC 3597 form too', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const upper = name.map((c) => (c >= 0x61 && c <= 0x7a ? c - 32 : c));
      // A length byte is at most 63, so it is never changed.
      assert.is(hex(parseRdata(TYPE.NS, `\\# ${upper.length} ${hex(upper)}`)), hex(name));
    }),
  );
});

test.run();
