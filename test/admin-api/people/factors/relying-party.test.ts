/** For which hosts passkeys are made, by the settings and the Host header. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { relyingPartyOf } from '../../../../admin-api/people/factors/relying-party.ts';

const HOSTS = ['admin.example.net', 'dns.example.net'];

/** `id origin`, or the code of the error. */
function partyOf(host: string, isSecure = false): string {
  try {
    const { id, origin } = relyingPartyOf(HOSTS, { isSecure, header: (name) => (name === 'host' ? host : undefined) });
    return `${id} ${origin}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test('a name of admin.hostname, over TLS only', () => {
  assert.is(partyOf('admin.example.net', true), 'admin.example.net https://admin.example.net');
  assert.is(partyOf('ADMIN.example.net:8443', true), 'admin.example.net https://admin.example.net:8443');
  assert.is(partyOf('dns.example.net'), 'dns.example.net https://dns.example.net');
});

test('localhost, with and without TLS', () => {
  assert.is(partyOf('localhost:8300'), 'localhost http://localhost:8300');
  assert.is(partyOf('localhost', true), 'localhost https://localhost');
});

test('no other host, whatever the client sends', () => {
  for (const host of [
    ...['', '127.0.0.1:8300', '[::1]:8300', 'example.net', 'x.admin.example.net', 'admin.example.net.evil.test'],
    ...['admin.example.net@evil.test', 'admin.example.net:80:80', 'admin.example.net.', 'localhost.evil.test'],
    ...['evil.test, admin.example.net', 'localhost:x'],
  ])
    assert.is(partyOf(host, true), 'passkeys_unavailable', host);
});

test.run();
