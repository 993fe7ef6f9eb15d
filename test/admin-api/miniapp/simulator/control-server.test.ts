/** The control server accepts requests of its own page only. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CommandError,
  type ControlHandlers,
  ControlServer,
} from '../../../../admin-api/miniapp/simulator/control-server.ts';
import type { AppMessages } from '../../../../admin-api/miniapp/simulator/protocol.ts';
import { temporaryFolder } from '../../../support/temp.ts';

const test = suite('control server of the simulator');

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface World {
  readonly origin: string;
  readonly token: string;
  readonly server: ControlServer;
  readonly messages: AppMessages[];
  readonly connected: string[];
  send(sent: Sent): Promise<Received>;
  /** A request of the page. */
  post(path: string, body: string, headers?: Readonly<Record<string, string>>): Promise<Received>;
}

async function withServer(use: (world: World) => Promise<void>): Promise<void> {
  const folder = temporaryFolder('control');
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<meta name="simulator-token" content="{{token}}">');
  writeFileSync(join(folder, 'assets/app-1.js'), 'run()');
  writeFileSync(join(folder, 'assets/app-1.js.br'), 'packed');
  const server = new ControlServer({ port: 0, isExactPort: true, pageFolder: folder });
  const messages: AppMessages[] = [];
  const connected: string[] = [];
  const handlers: ControlHandlers = {
    connected: (client) => connected.push(client),
    disconnected: (client) => connected.splice(connected.indexOf(client), 1),
    messages: (received) => messages.push(received),
    async command(name, params) {
      if (name === 'fail') throw new CommandError('It cannot be done.');
      if (name === 'break') throw new Error('secret');
      return JSON.stringify(params);
    },
  };
  const origin = await server.listen();
  server.serve('http://localhost:1', handlers);
  const send = (sent: Sent): Promise<Received> => sendTo(origin, sent);
  const [, token] = /content="([^"]+)"/.exec((await send({})).text)!;
  const post: World['post'] = (path, body, headers = {}) =>
    send({
      method: 'POST',
      path,
      body,
      headers: { origin, 'content-type': 'application/json', 'x-simulator-token': token, ...headers },
    });
  try {
    await use({ origin, token, server, messages, connected, send, post });
  } finally {
    await server.close();
  }
}

function sendTo(origin: string, { method = 'GET', path = '/', headers, body }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      response.on('error', reject);
    });
    // The server closes the connection of a body that it does not read.
    sent.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
    );
    sent.end(body);
  });
}

const COMMAND = '/simulator/command/';
const MESSAGES = '/simulator/messages';
const EVENTS = '/simulator/events';

test('the page may load only its own files, and frame only the app', () =>
  withServer(async ({ send }) => {
    const { status, headers } = await send({});
    assert.is(status, 200);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /frame-src http:\/\/localhost:1;/);
    assert.match(policy, /frame-ancestors 'none';/);
    assert.not.match(policy, /unsafe/);
    assert.is(headers['x-frame-options'], 'DENY');
    assert.is(headers['access-control-allow-origin'], undefined);
    assert.is((await send({ path: '/assets/app-1.js' })).text, 'run()');
    for (const path of ['/assets/app-1.js.br', '/assets/../index.html', '/assets/%2e%2e/index.html', '/x'])
      assert.is((await send({ path })).status, 404, path);
  }));

test('another host name is refused, whatever it resolves to', () =>
  withServer(async ({ send, post, origin }) => {
    for (const host of [
      'evil.example',
      'evil.example:80',
      '127.0.0.1',
      '[::1]:1',
      `${new URL(origin).host}.evil.example`,
    ])
      assert.is((await send({ headers: { host } })).status, 421, host);
    assert.is((await post(`${COMMAND}echo`, '{}', { host: 'evil.example' })).status, 421);
    const { status, headers } = await send({ headers: { host: `localhost:${new URL(origin).port}` } });
    assert.equal([status, headers.location], [302, `${origin}/`]);
  }));

test('requests that a page of another site makes are refused', () =>
  withServer(async ({ send, post }) => {
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
    assert.is((await send({ headers: image })).status, 403);
    assert.is((await send({ path: '/assets/app-1.js', headers: image })).status, 403);
    const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
    assert.is((await send({ headers: frame })).status, 403);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    assert.is((await send({ headers: link })).status, 200);
    for (const origin of ['null', 'http://evil.example', 'http://localhost:1', ''])
      assert.is((await post(`${COMMAND}echo`, '{}', { origin })).status, 403, origin);
  }));

test('without the token there are neither events nor commands', () =>
  withServer(async ({ send, post, token, messages }) => {
    for (const wrong of ['', 'x', `${token}x`, token.slice(1)]) {
      assert.is((await post(`${COMMAND}echo`, '{}', { 'x-simulator-token': wrong })).status, 403);
      assert.is((await send({ path: EVENTS, headers: { 'x-simulator-token': wrong } })).status, 403);
    }
    const body = JSON.stringify({ client: '1', frame: 1, texts: ['{}'] });
    assert.is((await post(MESSAGES, body, { 'x-simulator-token': 'x' })).status, 403);
    assert.is((await send({ path: EVENTS })).status, 403);
    assert.equal(messages, []);
  }));

test('only JSON in POST is a command', () =>
  withServer(async ({ send, post, token, origin }) => {
    const headers = { 'x-simulator-token': token, origin };
    assert.is((await send({ path: `${COMMAND}echo`, headers })).status, 405);
    assert.is((await post(`${COMMAND}echo`, '{}', { 'content-type': 'text/plain' })).status, 415);
    for (const body of ['', '{', '1', 'null']) assert.is((await post(`${COMMAND}echo`, body)).status, 400, body);
    assert.equal(JSON.parse((await post(`${COMMAND}echo`, '{"a":1}')).text), { ok: true, value: '{"a":1}' });
    assert.equal(JSON.parse((await post(`${COMMAND}fail`, '{}')).text), { ok: false, message: 'It cannot be done.' });
    const broken = await post(`${COMMAND}break`, '{}');
    assert.is(broken.status, 500);
    assert.not.match(broken.text, /secret/);
  }));

test('a body past the limit is refused before it is read', () =>
  withServer(async ({ post }) => {
    assert.is((await post(`${COMMAND}echo`, '{}', { 'content-length': String(41 * 1024 * 1024) })).status, 400);
  }));

test('messages of the app arrive as they were sent', () =>
  withServer(async ({ post, messages, origin, token }) => {
    const sent = { client: '1', frame: 2, texts: ['{"type":"hello"}', '\u0000'] };
    assert.is((await post(MESSAGES, JSON.stringify(sent))).status, 409, 'a stream that was never there');
    const events = await fetch(`${origin}${EVENTS}`, { headers: { 'x-simulator-token': token } });
    assert.is((await post(MESSAGES, JSON.stringify(sent))).status, 204);
    assert.equal(messages, [sent]);
    const wrong = [
      { ...sent, client: 1 },
      { ...sent, frame: 'x' },
      { ...sent, texts: 'x' },
      { ...sent, texts: [1] },
      { ...sent, texts: new Array(1001).fill('') },
    ];
    for (const body of wrong) assert.is((await post(MESSAGES, JSON.stringify(body))).status, 400);
    assert.is(messages.length, 1);
    await events.body?.cancel();
  }));

test('events reach the page that they are for', () =>
  withServer(async ({ origin, token, server, connected }) => {
    const response = await fetch(`${origin}${EVENTS}`, { headers: { 'x-simulator-token': token } });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    assert.is((await reader.read()).value, 'data: {"type":"connected","client":"1"}\n\n');
    assert.equal(connected, ['1']);
    server.send('2', { type: 'reload' });
    server.send('1', { type: 'toast', text: 'a\n\nb' });
    assert.is((await reader.read()).value, 'data: {"type":"toast","text":"a\\n\\nb"}\n\n');
    await reader.cancel();
  }));

test.run();
