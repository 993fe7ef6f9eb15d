/** The real resolver, with a nameserver on loopback whose answers depend on the name. */
import { createSocket, type Socket } from 'node:dgram';
import { decode, encode, type Packet, type RecordType } from 'dns-packet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../../admin-api/http/errors.ts';
import type { Resolve } from '../../../../admin-api/sites/proxy/bounded.ts';
import { checkOrigin } from '../../../../admin-api/sites/proxy/origin.ts';
import { codeOf, dnsResolve } from '../../../../admin-api/sites/proxy/resolve.ts';
import { InvalidError } from '../../../../core/base/errors.ts';

interface Context {
  server: Socket;
  address: string;
}

const test = suite<Context>('dnsResolve');

type Reply = { rcode: number; a?: readonly string[]; aaaa?: readonly string[] } | 'silence';

const NOERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;
const REFUSED = 5;

/** By the first label and the queried type. */
function replyTo(name: string, type: RecordType): Reply {
  switch (name.split('.')[0]) {
    case 'both':
      return { rcode: NOERROR, a: ['1.1.1.1', '1.0.0.1'], aaaa: ['2606:4700::1111'] };
    case 'four':
      return { rcode: NOERROR, a: ['8.8.8.8'] };
    case 'six':
      return { rcode: NOERROR, aaaa: ['2001:4860:4860::8888'] };
    case 'nodata':
      return { rcode: NOERROR };
    case 'nx':
      return { rcode: NXDOMAIN };
    case 'broken':
      return { rcode: SERVFAIL };
    case 'half':
      return type === 'A' ? { rcode: NOERROR, a: ['9.9.9.9'] } : { rcode: SERVFAIL };
    case 'worse':
      return type === 'A' ? { rcode: NOERROR } : { rcode: SERVFAIL };
    case 'refused':
      return { rcode: REFUSED };
    case 'mixed':
      return { rcode: NOERROR, a: ['9.9.9.9'], aaaa: ['fd00::1'] };
    default:
      return 'silence';
  }
}

test.before(async (context) => {
  const server = createSocket('udp4');
  server.on('message', (bytes, from) => {
    const query = decode(bytes);
    const [question] = query.questions ?? [];
    const reply = replyTo(question.name, question.type);
    if (reply === 'silence') return;
    const { rcode, a = [], aaaa = [] } = reply;
    const wanted = question.type === 'A' ? a : aaaa;
    const packet: Packet = {
      id: query.id,
      type: 'response',
      // RA and RD, then the code.
      flags: 0x0180 | rcode,
      questions: query.questions,
      answers: wanted.map((data) => ({ type: question.type as 'A', name: question.name, ttl: 60, data })),
    };
    server.send(encode(packet), from.port, from.address);
  });
  await new Promise<void>((listening) => server.bind(0, '127.0.0.1', listening));
  context.server = server;
  context.address = `127.0.0.1:${server.address().port}`;
});

test.after(({ server }) => {
  server.close();
});

/** The error of a rejected promise. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.unreachable('was not rejected');
}

const codeIn = async (promise: Promise<unknown>): Promise<string | undefined> => codeOf(await rejection(promise));

/** Resolves for the account 1. */
const resolver = (server: string): Resolve => {
  const resolve = dnsResolve([server]);
  return (name, signal) => resolve(name, signal, 1);
};

const ask = (servers: string, name: string): Promise<readonly string[]> =>
  dnsResolve([servers])(name, new AbortController().signal, 1);

test('returns the addresses of both families, or of the only one', async ({ address }) => {
  assert.equal(await ask(address, 'both.example.net'), ['1.1.1.1', '1.0.0.1', '2606:4700::1111']);
  assert.equal(await ask(address, 'four.example.net'), ['8.8.8.8']);
  assert.equal(await ask(address, 'six.example.net'), ['2001:4860:4860::8888']);
  assert.equal(await ask(address, 'nodata.example.net'), []);
});

test('a failure of one family does not hide the other', async ({ address }) => {
  assert.equal(await ask(address, 'half.example.net'), ['9.9.9.9']);
});

test('errors have the code of the failure', async ({ address }) => {
  const code = async (name: string): Promise<unknown> => codeIn(ask(address, name));
  assert.is(await code('nx.example.net'), 'ENOTFOUND');
  assert.is(await code('broken.example.net'), 'ESERVFAIL');
  assert.is(await code('worse.example.net'), 'ESERVFAIL');
  assert.is(await code('refused.example.net'), 'EREFUSED');
});

test('with checkOrigin: accepts, rejects, explains', async ({ address }) => {
  const resolve = resolver(address);
  const code = (text: string): Promise<unknown> => codeIn(checkOrigin(text, { resolve }));
  assert.equal((await checkOrigin('BOTH.example.net', { resolve })).addresses.length, 3);
  assert.is(await code('mixed.example.net'), 'private_origin');
  assert.is(await code('nx.example.net'), 'origin_unresolvable');
  assert.is(await code('nodata.example.net'), 'origin_unresolvable');
  assert.is(await code('refused.example.net'), 'resolver_unavailable');
});

test('a missing answer ends with the timeout', async ({ address }) => {
  const resolve = resolver(address);
  const error = await rejection(checkOrigin('silent.example.net', { resolve, timeoutMs: 100 }));
  assert.instance(error, InvalidError);
  assert.match((error as InvalidError).message, /timeout/);
});

test('the signal cancels queries', async ({ address }) => {
  const deadline = new AbortController();
  const pending = dnsResolve([address])('silent.example.net', deadline.signal, 1);
  setTimeout(() => deadline.abort(), 50);
  assert.is(await codeIn(pending), 'ECANCELLED');
});

test('503 if the resolver does not run', async () => {
  // A port that was free a moment ago.
  const probe = createSocket('udp4');
  await new Promise<void>((listening) => probe.bind(0, '127.0.0.1', listening));
  const { port } = probe.address();
  await new Promise<void>((closed) => probe.close(closed));
  const resolve = resolver(`127.0.0.1:${port}`);
  const error = await rejection(checkOrigin('both.example.net', { resolve }));
  assert.instance(error, HttpError);
  assert.is((error as HttpError).code, 'resolver_unavailable');
  assert.is((error as HttpError).status, 503);
});

test.run();
