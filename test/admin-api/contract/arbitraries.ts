/**
 * Valid and invalid requests for fast-check. JSON is generated as text, because many errors cannot
 * be expressed as a value.
 */
import type { TSchema } from '@sinclair/typebox';
import fc, { ANY_CHARACTER } from '../../support/fc.ts';
import { formBytes, type Order, packageText } from '../miniapp/packages/package.ts';

/** Part of all sent texts where possible: no response header may contain it. */
export const CANARY = 'canary7q';

const DEEP = 10_000;
const LONG = 70_000;

const quoted = (text: string): string => JSON.stringify(text);

/** Valid and nearly valid JSON. */
const ODD = [
  'null',
  'true',
  '0',
  '-0',
  '1',
  '-1',
  '1.5',
  '29',
  '30',
  '604801',
  '65536',
  '1e308',
  '-1e308',
  '1e400',
  '5e-324',
  '9007199254740993',
  '18446744073709551616',
  '1'.repeat(400),
  'NaN',
  'Infinity',
  'undefined',
  '01',
  '0x10',
  '+1',
  '.5',
  '"NaN"',
  '""',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  "'x'",
  '/*c*/1',
  '"a\tb"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\u0007\\u001b[31m"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\r\\nX-Injected: 1"',
  '"\u2028\u2029"',
  '"\ufeff"',
  '"\u202e"',
  '"\\',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"../../etc/passwd"',
  '"\' OR 1=1 --"',
  '"%s%n%00"',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"valueOf":null,"length":-1}',
  `"${CANARY}"`,
  `"${'x'.repeat(LONG)}"`,
  `"${'ü'.repeat(300)}"`,
  `"${'a.'.repeat(400)}"`,
  `"${'\\\\000'.repeat(200)}"`,
  `[${'0,'.repeat(20_000)}0]`,
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
];

const far: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 60 }).map(quoted) },
  { weight: 1, arbitrary: fc.double().map((value) => String(value)) },
);

/** Texts by the name of a property: valid and nearly valid ones. */
const NEAR: Readonly<Record<string, readonly unknown[]>> = {
  name: [
    'www',
    '@',
    '',
    '*',
    '*.a',
    'a.b.c',
    '_sip._tcp',
    'bücher',
    'mail',
    'd',
    'x.d',
    'a\\.b',
    '-a',
    'www.',
    'x'.repeat(64),
  ],
  type: [
    'A',
    'AAAA',
    'CNAME',
    'ALIAS',
    'MX',
    'TXT',
    'NS',
    'SRV',
    'CAA',
    'PTR',
    'HTTPS',
    'TLSA',
    'DS',
    'NAPTR',
    'DNAME',
    'LOC',
    'URI',
    'SSHFP',
    'TYPE65280',
    'SOA',
    'ANY',
    'a',
  ],
  content: [
    '192.0.2.1',
    '192.0.2.2',
    '2001:db8::1',
    'target.example.org',
    'mail',
    '@',
    '10 mail.example.org',
    '10 5 5060 sip.example.org.',
    'text',
    '"a" "b"',
    '"\\000\\255"',
    '0 issue "ca.example"',
    '1 . alpn=h2,h3 port=8443',
    '3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    '1 8 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855',
    '100 10 "u" "E2U+sip" "!^.*$!sip:a@b!" .',
    '52 22 23 N 4 53 32 E -2m 0m 10000m 10m',
    '10 1 "https://example.org/"',
    '\\# 4 c0000201',
    '\\# 0',
    'a\\.b.example.org',
  ],
  ttl: [1, 30, 60, 300, 604_800, 29, 604_801, null],
  priority: [0, 10, 65_535, null, -1],
  proxied: [true, false, null],
  domain: [
    'fuzz.example.org',
    'sub.fuzz.example.org',
    'bücher.example.org',
    'com',
    'a..b',
    '192.0.2.1',
    'x.example.org.',
  ],
  login: ['admin', 'nobody', 'ADMIN'],
  password: ['wrong password', 'short', ''],
  username: ['fuzzed', 'admin', 'a b', 'x.y-z_0'],
  email: ['a@example.org', 'nowhere', null],
  role: ['user', 'viewer', 'root'],
  plan: ['free', 'pro', 'unlimited', '__proto__'],
  api_enabled: [true, false],
  scopes: [['dns'], ['dns:read', 'account'], ['root'], []],
  expires_at: ['2099-01-01 00:00:00', '2001-01-01 00:00:00', '2099-13-01 00:00:00', null],
  origin: ['1.1.1.1', '127.0.0.1', '2606:4700::1111', '0x7f.1', '10.0.0.1', '[::1]'],
  port: [443, 80, 8443, 0],
  protocol: ['http', 'https', 'ftp'],
  enable: [true, false],
  urls: [['https://www.example.org/'], ['javascript:x'], []],
  prefixes: [['www.example.org/a'], ['/'], []],
  tags: [['a'], ['a,b'], []],
};

const EXTRA = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'id', '', '\u0000', 'ok', 'name', 'toJSON'];

/** A value as JSON text, mostly nearly valid. `ids`: of existing objects. */
function valueFor(name: string, schema: TSchema, ids: () => readonly string[]): fc.Arbitrary<string> {
  const nearValues = NEAR[name === 'origin_host' ? 'origin' : name.replace('origin_', '')];
  const near: fc.Arbitrary<string> =
    nearValues !== undefined
      ? fc.constantFrom(...nearValues).map((value) => JSON.stringify(value))
      : name === 'id' || name === 'delete'
        ? fc.nat().map((i) => jsonOf(ids()[i % ids().length]))
        : fromSchema(schema, ids);
  return fc.oneof({ weight: 9, arbitrary: near }, { weight: 1, arbitrary: far });
}

/** Ids are numbers, except those of apps. */
const jsonOf = (id: string): string => (/^\d+$/.test(id) ? id : quoted(id));

function fromSchema(schema: TSchema, ids: () => readonly string[], name = ''): fc.Arbitrary<string> {
  if (schema.type === 'object') return objectOf(schema, ids);
  if (schema.type === 'array')
    return fc.array(valueFor(name, schema.items, ids), { maxLength: 4 }).map((items) => `[${items.join()}]`);
  if (schema.type === 'boolean') return fc.boolean().map(String);
  if (schema.type === 'integer') return fc.integer({ min: -2, max: 70_000 }).map(String);
  if (schema.anyOf !== undefined)
    return fc.oneof(...(schema.anyOf as TSchema[]).map((choice) => fromSchema(choice, ids)));
  return fc.string({ unit: ANY_CHARACTER, maxLength: 40 }).map(quoted);
}

/** Required fields mostly exist once. Others are sometimes present, some unknown, some repeated. */
function objectOf(schema: TSchema, ids: () => readonly string[]): fc.Arbitrary<string> {
  const required = new Set(schema.required as string[] | undefined);
  const fields = Object.entries(schema.properties as Record<string, TSchema>).map(([name, inner]) => {
    const items =
      inner.type === 'array' && NEAR[name] === undefined ? fromSchema(inner, ids, name) : valueFor(name, inner, ids);
    const value = items.map((text) => `${quoted(name)}:${text}`);
    const absent = fc.constant('');
    return fc.oneof({ weight: required.has(name) ? 19 : 1, arbitrary: value }, { weight: 1, arbitrary: absent });
  });
  const extra = fc.tuple(fc.constantFrom(...EXTRA), far).map(([name, text]) => `${quoted(name)}:${text}`);
  const more = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: extra });
  return fc.tuple(...fields, more).map((parts) => `{${parts.filter((piece) => piece !== '').join()}}`);
}

/** Ways to damage the bytes of a body. */
const damage: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((bytes: Buffer) => bytes) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(), fc.nat({ max: 255 })).map(([at, byte]) => (bytes: Buffer) => {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at % copy.length] = byte;
      return copy;
    }),
  },
  { weight: 1, arbitrary: fc.nat().map((at) => (bytes: Buffer) => bytes.subarray(0, at % (bytes.length + 1))) },
  { weight: 1, arbitrary: fc.constant((bytes: Buffer) => Buffer.concat([Buffer.from('\ufeff'), bytes])) },
  { weight: 1, arbitrary: fc.constant((bytes: Buffer) => Buffer.concat([bytes, bytes])) },
  { weight: 1, arbitrary: fc.constant((bytes: Buffer) => Buffer.from(`[${bytes.toString('latin1')}]`, 'latin1')) },
  { weight: 1, arbitrary: fc.constant((bytes: Buffer) => Buffer.from(bytes.toString(), 'utf16le')) },
);

export function jsonBody(schema: TSchema, ids: () => readonly string[]): fc.Arbitrary<Buffer> {
  const text = fc.oneof({ weight: 9, arbitrary: objectOf(schema, ids) }, { weight: 1, arbitrary: far });
  return fc.tuple(text, damage).map(([body, damaged]) => damaged(Buffer.from(body)));
}

/** Zone files, line by line. */
export function zoneFile(): fc.Arbitrary<Buffer> {
  const pick = (name: string) => fc.constantFrom(...NEAR[name].map((value) => String(value)));
  const line = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(pick('name'), pick('ttl'), pick('type'), pick('content')).map((parts) => parts.join(' ')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '$ORIGIN x',
        '$TTL 60',
        '$INCLUDE /etc/passwd',
        '$GENERATE 1-9 a$ A 1',
        '(',
        ')',
        '; c',
        '"',
        '@ SOA a b 1 2 3 4 5',
        '@ NS ns',
        '\u0000',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 60 }) },
  );
  const file = fc.array(line, { maxLength: 8 }).map((lines) => Buffer.from(`${lines.join('\n')}\n`));
  return fc.tuple(file, damage).map(([bytes, damaged]) => damaged(bytes));
}

const TEXTS = [
  '__proto__',
  'constructor',
  'toString',
  '0',
  '-1',
  '1',
  '1000',
  'x'.repeat(3000),
  '\u0000',
  '\r\nX-Injected: 1',
  '%',
  '"',
  '<>',
  'A',
  'www',
  '*',
  CANARY,
  'keep',
  '\ufffd',
];

/** For a part of a path or a query; not `..`, which clients resolve. */
export const part: fc.Arbitrary<string> = fc
  .oneof(fc.constantFrom(...TEXTS), fc.string({ unit: ANY_CHARACTER, maxLength: 40 }))
  .filter((text) => !/^(\.|%2e){0,2}$/i.test(text));

const HEADERS = [
  'if-match',
  'if-none-match',
  'idempotency-key',
  'accept',
  'range',
  'x-request-id',
  'x-forwarded-for',
  'origin',
  'accept-encoding',
  'prefer',
  'x-http-method-override',
];
const VALUES = [
  '*',
  '"1"',
  '"0", "2"',
  'W/"1"',
  '',
  'x',
  CANARY,
  'DELETE',
  'bytes=0-1',
  'x'.repeat(2000),
  '"',
  'application/xml;q=0.1',
  '\u00ff',
  '1e3',
  '"unclosed',
  '__proto__',
];

/** Characters that clients allow in a header. */
const headerValue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...VALUES) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0x20, max: 0x7e }), { maxLength: 30 })
      .map((codes) => String.fromCharCode(...codes).trim()),
  },
);

export const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { maxKeys: 3, noNullPrototype: true }),
  },
);

/** Forms with packages: valid, invalid and damaged ones. */
export function packageUpload(): fc.Arbitrary<Buffer> {
  const order = fc.constantFrom<Order>('approve', 'reject', 'review');
  const sound = fc
    .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 2 ** 31 }), order)
    .map(([app, code, what]) => packageText(`com.example.a${app}`, code, what));
  const content = fc.oneof({ weight: 3, arbitrary: sound }, { weight: 1, arbitrary: part });
  const name = fc.oneof({ weight: 6, arbitrary: fc.constant('package') }, { weight: 1, arbitrary: part });
  const file = fc
    .tuple(name, content)
    .map(([label, text]) => ({ name: label.replaceAll(/[\r\n"]/g, '_'), filename: 'a.pkg', content: text }));
  const notes = fc.array(
    part.map((text) => ({ name: 'notes', content: text })),
    { maxLength: 2 },
  );
  const whole = fc
    .tuple(fc.array(file, { minLength: 1, maxLength: 2 }), notes)
    .map(([files, fields]) => formBytes([...fields, ...files]));
  const cut = fc.tuple(whole, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % bytes.length));
  return fc.oneof({ weight: 4, arbitrary: whole }, { weight: 1, arbitrary: cut });
}
