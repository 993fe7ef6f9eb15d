import { createSocket, Socket as DatagramSocket } from 'node:dgram';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../../admin-api/http/errors.ts';
import {
  type Bounds,
  limitConcurrency,
  type Resolve,
  type ResolveFor,
} from '../../../../admin-api/sites/proxy/bounded.ts';
import { checkOrigin, type OriginOptions } from '../../../../admin-api/sites/proxy/origin.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { parseExemptions, parsePrefix } from '../../../../core/net/address/index.ts';
import { TABLE } from '../../../core/net/address/table.ts';

const test = suite('checkOrigin');

const answers =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;
const fails =
  (code?: string): Resolve =>
  async () => {
    throw Object.assign(new Error('queryA'), code === undefined ? {} : { code });
  };
const unasked: Resolve = async (name) => assert.unreachable(`${name} was resolved`) as never;

async function refusal(
  text: string,
  options: OriginOptions,
): Promise<{ code: string; message: string; status?: number }> {
  try {
    await checkOrigin(text, options);
  } catch (error) {
    if (error instanceof HttpError) return { code: error.code, message: error.message, status: error.status };
    assert.instance(error, InvalidError, String(error));
    assert.is((error as InvalidError).pointer, '/origin');
    return error as InvalidError;
  }
  return assert.unreachable(`${text} was taken`) as never;
}

/** Functions that open sockets in this process: counted, not executed. */
let opened: string[] = [];
const originals = {
  tcp: Socket.prototype.connect,
  bind: DatagramSocket.prototype.bind,
  send: DatagramSocket.prototype.send,
};

test.before.each(() => {
  opened = [];
  const count = (what: string): never => {
    opened.push(what);
    throw new Error(`${what} was called`);
  };
  Socket.prototype.connect = () => count('connect');
  DatagramSocket.prototype.bind = () => count('bind');
  DatagramSocket.prototype.send = () => count('send');
});

test.after.each(() => {
  Socket.prototype.connect = originals.tcp;
  DatagramSocket.prototype.bind = originals.bind;
  DatagramSocket.prototype.send = originals.send;
  // Cleared first: after a failure, uvu calls this again.
  assert.equal(opened.splice(0), [], 'no socket is opened');
});

test('the test detects opened sockets', () => {
  assert.throws(() => connect(9, '127.0.0.1'), /connect was called/);
  const socket = createSocket('udp4');
  assert.throws(() => socket.bind(0, '127.0.0.1'), /bind was called/);
  socket.close();
  assert.equal(opened.splice(0), ['connect', 'bind']);
});

test('checks literal addresses without resolution', async () => {
  const options = { resolve: unasked };
  assert.equal(await checkOrigin('1.1.1.1', options), { host: '1.1.1.1', addresses: ['1.1.1.1'] });
  assert.equal(await checkOrigin('[2606:4700::ABCD]', options), {
    host: '2606:4700::abcd',
    addresses: ['2606:4700::abcd'],
  });
  const private4 = await refusal('169.254.169.254', options);
  assert.is(private4.code, 'private_origin');
  assert.match(
    private4.message,
    /^The address 169\.254\.169\.254 is in 169\.254\.0\.0\/16, "Link Local" \(RFC 3927\)\./,
  );
});

test('the whole table: results as in core, and names are resolved only if allowed', async () => {
  let queries = 0;
  const resolve: Resolve = async () => {
    queries++;
    return ['1.1.1.1'];
  };
  let names = 0;
  for (const { text, verdict } of TABLE) {
    if (verdict !== 'public') assert.is((await refusal(text, { resolve })).code, `${verdict}_origin`, text);
    else if ((await checkOrigin(text, { resolve })).addresses[0] !== (await checkOrigin(text, { resolve })).host)
      names++;
  }
  // 1.1.1.1 itself is an own address; every name was resolved twice.
  assert.is(queries, names * 2);
  assert.ok(names > 10);
});

test('a name gives its canonical form and its addresses, canonical and without duplicates', async () => {
  const resolve = answers('93.184.215.14', '2606:2800:21F:0:0::1', '93.184.215.14');
  assert.equal(await checkOrigin('Origin.MÜNCHEN.de.', { resolve }), {
    host: 'origin.xn--mnchen-3ya.de',
    addresses: ['93.184.215.14', '2606:2800:21f::1'],
  });
});

test('resolves the canonical name', async () => {
  const queries: string[] = [];
  const resolve: Resolve = async (name) => {
    queries.push(name);
    return ['1.1.1.1'];
  };
  await checkOrigin('WWW.Example.COM.', { resolve });
  assert.equal(queries, ['www.example.com']);
});

test('every address must pass: one private address rejects the name, in any position', async () => {
  for (const bad of [
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    'fd00::1',
    '0.0.0.0',
  ])
    for (const list of [[bad], [bad, '1.1.1.1'], ['1.1.1.1', bad], ['1.1.1.1', '2606:4700::1111', bad, '8.8.8.8']]) {
      const { code, message } = await refusal('rebind.example.net', { resolve: answers(...list) });
      assert.is(code, 'private_origin');
      assert.match(message, /"rebind\.example\.net" resolves to an address in /);
      assert.match(message, /every address must be public/);
    }
});

test('the message has the range, not the address', async () => {
  const { message } = await refusal('db.example.net', { resolve: answers('10.83.12.9') });
  assert.match(message, /in 10\.0\.0\.0\/8, "Private-Use"/);
  assert.not.match(message, /10\.83/);
});

test('ignores invalid addresses', async () => {
  for (const junk of ['', 'example.com', '127.1', '1.1.1.1 ', '::1%lo', '1.1.1.1:80', '\u0131.1.1.1'])
    assert.is((await refusal('odd.example.net', { resolve: answers('1.1.1.1', junk) })).code, 'origin_unresolvable');
});

test('checks the current addresses of a name each time', async () => {
  let turn = 0;
  const resolve: Resolve = async () => [turn++ % 2 === 0 ? '1.1.1.1' : '127.0.0.1'];
  for (let i = 0; i < 3; i++) {
    assert.equal((await checkOrigin('rebind.example.net', { resolve })).addresses, ['1.1.1.1']);
    assert.is((await refusal('rebind.example.net', { resolve })).code, 'private_origin');
  }
});

test('checks all of many addresses', async () => {
  const many = Array.from({ length: 4_000 }, (_, i) => `8.${i >> 8}.${i & 255}.1`);
  assert.equal((await checkOrigin('many.example.net', { resolve: answers(...many) })).addresses, many);
  const { code } = await refusal('many.example.net', { resolve: answers(...many, '192.168.0.1') });
  assert.is(code, 'private_origin');
});

test('reports why a name cannot be resolved', async () => {
  for (const [resolve, words] of [
    [answers(), /"x\.example\.net" has no A or AAAA records/],
    [fails('ENODATA'), /has no A or AAAA records/],
    [fails('ENOTFOUND'), /does not exist \(NXDOMAIN\)/],
    [fails('ETIMEOUT'), /timeout/],
    [fails('ECANCELLED'), /timeout/],
    [fails('ESERVFAIL'), /SERVFAIL/],
    [fails('EBADRESP'), /is malformed/],
  ] as const) {
    const { code, message, status } = await refusal('x.example.net', { resolve });
    assert.is(code, 'origin_unresolvable');
    assert.is(status, undefined);
    assert.match(message, words);
  }
});

test('503 if our resolver is down', async () => {
  for (const code of ['ECONNREFUSED', 'EREFUSED', 'ENONAME', undefined]) {
    const got = await refusal('x.example.net', { resolve: fails(code) });
    assert.is(got.code, 'resolver_unavailable');
    assert.is(got.status, 503);
  }
  const thrown = (): never => {
    throw new Error('at once');
  };
  assert.is((await refusal('x.example.net', { resolve: thrown })).status, 503);
});

test('does not hide bugs', async () => {
  const resolve: Resolve = async () => {
    throw new TypeError('undefined is not a function');
  };
  const error = await checkOrigin('x.example.net', { resolve }).catch((reason: unknown) => reason);
  assert.instance(error, TypeError);
});

test('a missing answer ends with the timeout, and the signal aborts the resolver', async () => {
  let aborted = false;
  const resolve: Resolve = (_, signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise(() => {});
  };
  const from = performance.now();
  const { code, message } = await refusal('slow.example.net', { resolve, timeoutMs: 60 });
  const took = performance.now() - from;
  assert.is(code, 'origin_unresolvable');
  assert.match(message, /timeout/);
  assert.ok(aborted);
  assert.ok(took >= 55, `${took} ms`);
});

test('exemptions of the operator accept addresses and local names, but not odd spellings', async () => {
  const loopback4 = { resolve: answers('127.0.0.1'), allowPrivate: parseExemptions(['127.0.0.0/8']) };
  assert.equal((await checkOrigin('127.0.0.1', loopback4)).addresses, ['127.0.0.1']);
  assert.equal(await checkOrigin('origin', loopback4), { host: 'origin', addresses: ['127.0.0.1'] });
  assert.equal((await checkOrigin('app.test', loopback4)).addresses, ['127.0.0.1']);
  assert.is((await refusal('127.1', loopback4)).code, 'invalid_origin');
  assert.is((await refusal('::ffff:127.0.0.1', loopback4)).code, 'private_origin');
  assert.is((await refusal('10.0.0.1', loopback4)).code, 'private_origin');
  assert.is(
    (await refusal('origin', { ...loopback4, resolve: answers('127.0.0.1', '10.0.0.1') })).code,
    'private_origin',
  );
  const all = { resolve: answers('10.0.0.1', 'fd00::1'), allowPrivate: true } as const;
  assert.equal((await checkOrigin('nas.local', all)).addresses, ['10.0.0.1', 'fd00::1']);
});

test('localhost is loopback without resolution (RFC 6761 6.3), if it is exempted', async () => {
  const at = async (allowPrivate: OriginOptions['allowPrivate']) =>
    (await checkOrigin('LocalHost', { resolve: unasked, allowPrivate })).addresses;
  assert.equal(await at(true), ['127.0.0.1', '::1']);
  assert.equal(await at(parseExemptions(['127.0.0.0/8'])), ['127.0.0.1']);
  assert.equal(await at(parseExemptions(['::1'])), ['::1']);
  const other = { resolve: unasked, allowPrivate: parseExemptions(['10.0.0.0/8']) };
  assert.is((await refusal('localhost', other)).code, 'private_origin');
});

test('an address of the cluster is a loop', async () => {
  const own = [parsePrefix('1.2.3.4'), parsePrefix('2606:4700::/32')];
  for (const [text, resolve] of [
    ['1.2.3.4', unasked],
    ['2606:4700::1', unasked],
    ['www.example.net', answers('1.1.1.1', '1.2.3.4')],
  ] as const)
    assert.is((await refusal(text, { resolve, own })).code, 'origin_loop');
  assert.equal((await checkOrigin('1.2.3.5', { resolve: unasked, own })).addresses, ['1.2.3.5']);
  assert.equal((await checkOrigin('1.2.3.4', { resolve: unasked, own, allowPrivate: [own[0]] })).addresses, [
    '1.2.3.4',
  ]);
});

const forAccount =
  (resolve: ResolveFor, accountId: number): Resolve =>
  (name, signal) =>
    resolve(name, signal, accountId);
const limited = (resolve: Resolve, bounds: Bounds): Resolve => forAccount(limitConcurrency(resolve, bounds), 1);

test('limits concurrent resolutions; those of an account wait in order', async () => {
  let running = 0;
  let most = 0;
  const order: string[] = [];
  const slow: Resolve = async (name) => {
    order.push(name);
    most = Math.max(most, ++running);
    await sleep(5);
    running--;
    return ['1.1.1.1'];
  };
  const resolve = limited(slow, { slots: 6, queue: 100 });
  const names = Array.from({ length: 20 }, (_, i) => `n${i}.example.net`);
  await Promise.all(names.map((name) => checkOrigin(name, { resolve })));
  assert.is(most, 3);
  assert.equal(order, names);
});

test('an account leaves slots and places in the queue to others', async () => {
  const shared = limitConcurrency(
    (name) => (name.startsWith('own.') ? Promise.resolve(['1.1.1.1']) : new Promise(() => {})),
    {
      slots: 4,
      queue: 10,
    },
  );
  const slow = forAccount(shared, 1);
  const all = Array.from({ length: 20 }, (_, i) => refusal(`n${i}.example.net`, { resolve: slow, timeoutMs: 200 }));
  const own = await checkOrigin('own.example.net', { resolve: forAccount(shared, 2) });
  assert.equal(own.addresses, ['1.1.1.1']);
  await Promise.all(all);
});

test('503 if the queue is full or the wait is too long', async () => {
  const stuck = limited(() => new Promise(() => {}), { slots: 1, queue: 1 });
  const first = refusal('a.example.net', { resolve: stuck, timeoutMs: 80 });
  const second = refusal('b.example.net', { resolve: stuck, timeoutMs: 40 });
  const third = await refusal('c.example.net', { resolve: stuck, timeoutMs: 80 });
  assert.equal([third.code, third.status], ['busy', 503]);
  assert.equal([(await second).code, (await second).status], ['busy', 503]);
  assert.is((await first).code, 'origin_unresolvable');
});

test('a slot is free after its resolution fails or is cancelled', async () => {
  let call = 0;
  const resolve = limited(
    (_, signal) => {
      call++;
      if (call === 1) return Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
      if (call === 2)
        return new Promise((_item, reject) => signal.addEventListener('abort', () => reject(new Error('late'))));
      if (call === 3) return new Promise(() => {});
      return Promise.resolve(['1.1.1.1']);
    },
    { slots: 1, queue: 10 },
  );
  for (let i = 0; i < 3; i++) await refusal('x.example.net', { resolve, timeoutMs: 30 });
  for (let i = 0; i < 3; i++) assert.equal((await checkOrigin('x.example.net', { resolve })).addresses, ['1.1.1.1']);
});

test('rejected texts use no slot', async () => {
  const resolve = limited(unasked, { slots: 0, queue: 0 });
  assert.is((await refusal('router', { resolve })).code, 'private_origin');
  assert.is((await refusal('good.example.net', { resolve })).code, 'busy');
});

test.run();
