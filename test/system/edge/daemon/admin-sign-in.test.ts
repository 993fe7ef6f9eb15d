/** Sign-in through the edge, over TLS: the cookie and its flags, passkeys, and attacks on them. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { Client } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mintToken } from '../../../../admin-api/people/auth/token.ts';
import { Authenticator } from '../../../support/authenticator.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { ADMIN_PASSWORD, type ServingDaemon } from '../../../support/daemon.ts';
import { borrowDaemon } from '../../../support/shared-daemon.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const test = suite('sign-in through the edge');

const HOST = 'admin.waypost.test';
const COOKIE = '__Host-waypost_session';
const SESSION = '/api/v1/session';
const LOGIN = { login: 'admin', password: ADMIN_PASSWORD };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, never>>;
}

interface Call {
  readonly cookie?: string;
  readonly csrf?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface World {
  readonly daemon: ServingDaemon;
  readonly http: number;
  readonly origin: string;
  call(method: 'GET' | 'POST' | 'DELETE', path: string, json?: object, call?: Call): Promise<Answer>;
}

interface Connection {
  send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    fields: Readonly<Record<string, string>>,
    body: string | null,
  ): Promise<Omit<Answer, 'body'> & { readonly text: string }>;
  close(): Promise<void>;
}

function overHttp1(port: number, ca: string): Connection {
  const client = new Client(`https://127.0.0.1:${port}`, { connect: { ca, servername: HOST } });
  return {
    async send(method, path, fields, body) {
      const headers = { host: `${HOST}:${port}`, ...fields };
      const response = await client.request({ method, path, headers, body });
      return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
    },
    close: () => client.close(),
  };
}

function overHttp2(port: number, ca: string): Connection {
  const session = connect(`https://${HOST}:${port}`, { ca, servername: HOST, host: '127.0.0.1' });
  return {
    async send(method, path, fields, body) {
      const stream = session.request({ ':method': method, ':path': path, ...fields }, { endStream: body === null });
      if (body !== null) stream.end(body);
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      return { status: Number(headers[':status']), headers, text: await readText(stream) };
    },
    close: () => new Promise((resolve) => session.close(() => resolve())),
  };
}

const folder = temporaryFolder('certificate');
const key = ecKey();
const pem = certificate({ name: HOST, key, dnsNames: [HOST] });
const [certificateFile, keyFile] = [join(folder, 'admin.pem'), join(folder, 'admin.key')];
writeFileSync(certificateFile, pem);
writeFileSync(keyFile, pemOfKey(key), { mode: 0o600 });
test.after(() => removeFolder(folder));

async function withWorld(isHttp2: boolean, use: (world: World) => Promise<void>): Promise<void> {
  const daemon = await borrowDaemon('edge', {
    WAYPOST_ADMIN_HOSTNAME: HOST,
    WAYPOST_ADMIN_HOSTNAME_CERTIFICATE: certificateFile,
    WAYPOST_ADMIN_HOSTNAME_KEY: keyFile,
  });
  const [http, https] = ['HTTP', 'HTTPS'].map((name) =>
    Number(daemon.env[`WAYPOST_EDGE_${name}_LISTEN`]?.split(':')[1]),
  );
  const connection = isHttp2 ? overHttp2(https, pem) : overHttp1(https, pem);
  const call: World['call'] = async (method, path, json, { cookie, csrf, headers } = {}) => {
    const fields = {
      ...(cookie === undefined ? {} : { cookie }),
      ...(csrf === undefined ? {} : { 'x-waypost-csrf': csrf }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const body = json === undefined ? null : JSON.stringify(json);
    const answer = await connection.send(method, path, fields, body);
    return { ...answer, body: JSON.parse(answer.text) as Answer['body'] };
  };
  try {
    await use({ daemon, http, origin: `https://${HOST}:${https}`, call });
  } finally {
    await connection.close();
  }
  await daemon.giveBack();
}

interface SignedIn {
  /** Name and value. */
  readonly cookie: string;
  readonly csrf: string;
}

/** The session of a sign-in, whose cookie has every flag. */
function sessionOf({ status, headers, body }: Answer): SignedIn {
  assert.is(status, 200, JSON.stringify(body));
  const cookies = [headers['set-cookie'] ?? []].flat();
  assert.is(cookies.length, 1);
  const [pair, ...flags] = cookies[0].split('; ');
  assert.match(pair, new RegExp(`^${COOKIE}=wps_[0-9]{16}[0-9a-f]{56}$`));
  assert.equal(flags, ['Path=/', 'Max-Age=604800', 'HttpOnly', 'SameSite=Strict', 'Secure']);
  return { cookie: pair, csrf: String(body.csrf_token) };
}

const codeOf = ({ status, body }: Answer): string =>
  status === 200 ? '200' : `${status} ${(body.error as { code: string }).code}`;

for (const isHttp2 of [false, true]) {
  const version = isHttp2 ? 'HTTP/2' : 'HTTP/1.1';

  test(`the cookie has __Host-, Secure, HttpOnly and SameSite=Strict, over ${version}`, () =>
    withWorld(isHttp2, async ({ call, daemon, http }) => {
      const { cookie, csrf } = sessionOf(await call('POST', SESSION, LOGIN));
      assert.is(codeOf(await call('GET', '/api/v1/account', undefined, { cookie })), '200');
      assert.is(codeOf(await call('DELETE', SESSION, undefined, { cookie })), '403 csrf');

      // A cookie without the prefix could come from a neighbouring host or a page without TLS.
      const text = cookie.slice(COOKIE.length + 1);
      const plain = `waypost_session=${text}`;
      assert.is(codeOf(await call('GET', '/api/v1/account', undefined, { cookie: plain })), '401 missing_token');
      const both = `waypost_session=${mintToken(1, 'wps_')}; ${cookie}`;
      assert.is(codeOf(await call('GET', '/api/v1/account', undefined, { cookie: both })), '200');

      // Nothing is answered without TLS, and no header of a client changes how the API sees it.
      const redirected = await fetch(`http://127.0.0.1:${http}/api/v1/session`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(LOGIN),
      });
      assert.is.not(redirected.status, 200);
      assert.is(redirected.headers.get('set-cookie'), null);
      const lies = { 'x-forwarded-proto': 'http', 'x-waypost-client': 'guess 192.0.2.1', 'x-forwarded-host': 'x.test' };
      sessionOf(await call('POST', SESSION, LOGIN, { headers: lies }));

      // Next to the edge, on loopback, the cookie has no prefix.
      const direct = await fetch(`http://127.0.0.1:${daemon.adminPort}${SESSION}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(LOGIN),
      });
      assert.match(direct.headers.get('set-cookie') ?? '', /^waypost_session=wps_.*; HttpOnly; SameSite=Strict$/);
      assert.is(codeOf(await call('DELETE', SESSION, undefined, { cookie, csrf })), '200');
      assert.is(codeOf(await call('GET', '/api/v1/account', undefined, { cookie })), '401 invalid_session');
    }));

  test(`fixation: a cookie from before the sign-in is never adopted, over ${version}`, () =>
    withWorld(isHttp2, async ({ call }) => {
      const attacker = sessionOf(await call('POST', SESSION, LOGIN));
      for (const planted of [`${COOKIE}=${mintToken(99, 'wps_')}`, attacker.cookie, `${COOKIE}=x`]) {
        const victim = sessionOf(await call('POST', SESSION, LOGIN, { cookie: planted }));
        assert.is.not(victim.cookie, planted);
        assert.is(codeOf(await call('GET', '/api/v1/account', undefined, { cookie: planted })), '401 invalid_session');
        assert.is(codeOf(await call('GET', '/api/v1/account', undefined, { cookie: victim.cookie })), '200');
      }
    }));

  test(`a passkey belongs to the host name of the dashboard, over ${version}`, () =>
    withWorld(isHttp2, async ({ call, origin }) => {
      const { cookie, csrf } = sessionOf(await call('POST', SESSION, LOGIN));
      const own = { cookie, csrf };
      const password = ADMIN_PASSWORD;
      const begun = await call('POST', '/api/v1/account/passkeys/options', { password }, own);
      assert.is(codeOf(begun), '200');
      const options = begun.body.options as Parameters<Authenticator['create']>[0];
      assert.is(options.rp.id, HOST);
      const authenticator = new Authenticator(origin);
      const wrong = authenticator.create(options, 'a key', { origin: `http://${new URL(origin).host}` });
      assert.is(codeOf(await call('POST', '/api/v1/account/passkeys', wrong, own)), '422 bad_passkey');
      const created = await call('POST', '/api/v1/account/passkeys', authenticator.create(options, 'a key'), own);
      assert.is(codeOf(created), '200');
      const { id } = created.body.passkey as { id: number };

      const enter = async (deviations: Parameters<Authenticator['signIn']>[1] = {}) => {
        const { body } = await call('GET', `${SESSION}/passkey`);
        const json = authenticator.signIn(body.options as Parameters<Authenticator['signIn']>[0], deviations);
        return call('POST', `${SESSION}/passkey`, json);
      };
      for (const other of ['https://waypost.test', 'https://evil.test', `http://${HOST}`])
        assert.is(codeOf(await enter({ origin: other })), '401 bad_passkey');
      const session = sessionOf(await enter());
      const removed = await call('DELETE', `/api/v1/account/passkeys/${id}`, { password }, session);
      assert.is(codeOf(removed), '200', 'a DELETE with a body');
      assert.is(codeOf(await enter()), '401 bad_passkey');
    }));
}

test.run();
