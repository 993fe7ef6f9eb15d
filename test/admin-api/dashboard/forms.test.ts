/** Forms of contents: both directions, compared with the rdata that the API stores. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formOf, formsOf } from '../../../admin-api/dashboard/records/forms/forms.ts';
import { quoteText, readText } from '../../../admin-api/dashboard/records/forms/strings.ts';
import { RECORD_TYPES } from '../../../admin-api/dashboard/records/types.ts';
import { parseType } from '../../../core/dns/wire/mnemonics.ts';
import { parseName, ROOT } from '../../../core/dns/wire/name.ts';
import { formatRdata, parseRdata } from '../../../core/dns/wire/rdata/index.ts';

const APEX = parseName('example.com', ROOT);
/** The content as the API returns it. */
function canonical(type: string, content: string): string {
  const number = parseType(type)!;
  return formatRdata(number, parseRdata(number, content, APEX));
}

/** A content that the form shows, and writes with the same meaning. */
const CASES: readonly (readonly [type: string, form: string, content: string])[] = [
  ['MX', 'mx', '10 mail.example.com'],
  ['MX', 'mx', '0 .'],
  ['SRV', 'srv', '10 5 5060 sip.example.com.'],
  ['CAA', 'caa', '0 issue "ca.example; account=\\"7\\""'],
  ['CAA', 'caa', '128 iodef "mailto:a@example.com"'],
  ['TLSA', 'tlsa', RECORD_TYPES.TLSA],
  ['SSHFP', 'sshfp', RECORD_TYPES.SSHFP],
  ['TXT', 'text', '" text \\\\ with \\"quotes\\" <b>&amp;"'],
  ['TXT', 'text', 'bare'],
  ['TXT', 'text', '"\\195\\188ber \\009 tab"'],
  [
    'TXT',
    'spf',
    '"v=spf1 mx a ip4:192.0.2.0/24 ip6:2001:db8::/32 include:_spf.example.net exists:%{i}.x.example ~all"',
  ],
  ['TXT', 'spf', '"v=spf1 redirect=_spf.example.net"'],
  ['TXT', 'text', '"v=spf1 -mx +all"'],
  ['TXT', 'dkim', '"v=DKIM1; k=ed25519; t=y; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="'],
  ['TXT', 'text', '"v=DKIM1; k=rsa; s=email; p=AAAA"'],
  ['TXT', 'dmarc', '"v=DMARC1; p=reject; sp=none; pct=50; rua=mailto:a@example.com,mailto:b@example.com; adkim=s"'],
  ['TXT', 'text', '"v=DMARC1; p=unknown"'],
  ['HTTPS', 'service', '1 . alpn="h3,h2" port=8443 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1'],
  ['HTTPS', 'service', '1 . ipv4hint=auto ipv6hint=auto'],
  ['HTTPS', 'service', '0 www.example.net.'],
  ['SVCB', 'service', '2 svc.example.com. alpn=h2 no-default-alpn mandatory=alpn key65400="a b"'],
];

test('a form shows a content, and writes what means the same', () => {
  for (const [type, id, content] of CASES) {
    for (const written of [content, canonical(type, content)]) {
      const form = formOf(type, written);
      assert.is(form?.id, id, `${type} ${written}`);
      const values = form!.parse(written)!;
      const formatted = form!.format(values);
      // Redundant parts have another order: the API compares what they mean.
      const sorted = (text: string) => (id === 'spf' ? text : canonical(type, text).split('; ').sort().join('; '));
      assert.is(sorted(formatted), sorted(written), `${type} ${written}`);
      assert.equal(form!.parse(formatted), values, formatted);
    }
  }
});

test('strings that mean something each are not joined', () => {
  assert.is(formOf('TXT', '"path=/" "v=1"'), undefined);
  assert.is(formOf('TXT', quoteText('x'.repeat(300)))?.id, 'text');
});

test('SPF: what the form writes is complete', () => {
  const [spf] = formsOf('TXT');
  const values = {
    ...{
      mx: 'true',
      a: '',
      addresses: '192.0.2.1\n2001:db8::/32',
      includes: '_spf.example.net',
      other: '',
      all: '-all',
    },
  };
  assert.is(spf.format(values), '"v=spf1 mx ip4:192.0.2.1 ip6:2001:db8::/32 include:_spf.example.net -all"');
});

test('a key is pasted as PEM', () => {
  const dkim = formsOf('TXT').find(({ id }) => id === 'dkim')!;
  const publicKey = '-----BEGIN PUBLIC KEY-----\nMIGf\nMA0G\n-----END PUBLIC KEY-----\n';
  assert.is(dkim.format({ keyType: 'rsa', publicKey, isTest: '' }), '"v=DKIM1; k=rsa; p=MIGfMA0G"');
});

test('every form starts with values that it can show', () => {
  for (const type of Object.keys(RECORD_TYPES))
    for (const form of formsOf(type)) {
      assert.equal(form.parse(form.format(form.initial)), form.initial, form.id);
      assert.equal(Object.keys(form.initial).sort(), form.fields.map(({ key }) => key).sort(), form.id);
    }
});

test('the examples of all types are valid', () => {
  for (const [type, example] of Object.entries(RECORD_TYPES)) if (type !== 'ALIAS') canonical(type, example);
});

test('text of any length and kind is quoted, and read again', () => {
  for (const text of ['', 'a', 'x'.repeat(600), 'ü'.repeat(200), '"\\', '\u0000\u007f\n', '</script><b>', '😀']) {
    const quoted = quoteText(text);
    assert.is(readText(quoted), text);
    assert.match(quoted, /^[\x20-\x7e]+$/);
    assert.is(canonical('TXT', quoted), canonical('TXT', canonical('TXT', quoted)));
  }
  for (const bad of ['"open', '"\\999"', '"\\255"', 'a"b" "']) assert.is(readText(bad), null, bad);
});

test.run();
