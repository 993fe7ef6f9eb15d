/**
 * The constants and function types of native/library.ts are those of the headers that belong to the
 * running Node.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { C, DECLARED } from '../../../../../edge/http/tls/native/library.ts';
import { type Headers, openssl } from './c-headers.ts';

const test = suite('edge/http/tls/native/headers');
const headers = openssl();

test('docs/internals/openssl.md lists all functions, and no others', () => {
  const page = readFileSync(new URL('../../../../../../docs/internals/openssl.md', import.meta.url), 'utf8');
  const [, section] = /^## Symbols and versions$([\s\S]*?)^## /m.exec(page)!;
  const listed = [...section.matchAll(/`([A-Za-z0-9]+_\w+)`/g)].map(([, name]) => name);
  assert.equal(listed.sort(), Object.keys(DECLARED.functions).sort());
});

if (headers === null) {
  const why = `${process.execPath} was installed without its headers`;
  if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
  process.stdout.write(`  skipped: ${why}\n`);
} else testHeaders(headers);

function testHeaders(found: Headers): void {
  test('they belong to the OpenSSL of this Node', () => {
    const version = ['MAJOR', 'MINOR', 'PATCH'].map((part) => found.constant(`OPENSSL_VERSION_${part}`)[0]);
    assert.is(version.join('.'), process.versions.openssl.split('+')[0]);
  });

  for (const [name, value] of Object.entries(C))
    test(`constant ${name}`, () => assert.equal(found.constant(name), [value]));

  for (const [name, type] of Object.entries(DECLARED.functions))
    test(`function ${name}`, () => assertSameType(type, found.functionType(name)));

  // The type of `status` is in no header: SSL_CTX_set_tlsext_status_cb is a macro with a cast.
  for (const [name, setter, index] of [
    ['alpn', 'SSL_CTX_set_alpn_select_cb', 1],
    ['ticketKey', 'SSL_CTX_set_tlsext_ticket_key_evp_cb', 1],
    ['info', 'SSL_set_info_callback', 1],
  ] as const)
    test(`callback ${name}`, () => assertSameType(DECLARED.callbacks[name], found.callbackType(setter, index)));

  test('struct ossl_param_st, which tickets.ts writes', () => {
    assert.equal(found.members('ossl_param_st'), [
      'const char *key',
      'unsigned int data_type',
      'void *data',
      'size_t data_size',
      'size_t return_size',
    ]);
  });
}

/** Ours may say `bytes` and `string` for pointers to data. */
function assertSameType(ours: string, header: string): void {
  const [own, theirs] = [ours, header].map((type) => /^(.*)\((.*)\)$/.exec(type)!);
  assert.is(own[1], theirs[1], 'result');
  const [values, expected] = [own[2].split(', '), theirs[2].split(', ')];
  assert.is(values.length, expected.length, header);
  for (const [i, value] of values.entries()) {
    if (value === 'bytes') assert.match(expected[i], /^(void|char|unsigned char) \*$/, header);
    else if (value === 'string') assert.match(expected[i], /^(void|char) \*$/, header);
    else assert.is(value, expected[i], header);
  }
}

test.run();
