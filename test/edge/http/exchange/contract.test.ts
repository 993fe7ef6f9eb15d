/**
 * What a handler sees and does, the same in every version of HTTP. Each sentence is held to all of
 * them.
 */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AbortCause, AbortError, type Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { bytesOf, type Call } from './client-call.ts';
import { type Rig, VERSIONS, withRig } from './rig.ts';

const PIECE = Buffer.alloc(65_536, 'p');
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

async function readAll(exchange: Exchange): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await exchange.body.read();
    if (part === null) return Buffer.concat(parts);
    parts.push(part);
  }
}

/** Of all that the client got: status, fields, body as text. */
async function replyOf(call: Call) {
  const { status, headers } = await call.head;
  const body = await bytesOf(await call.stream());
  return { status, headers, body: body.toString('latin1'), trailers: call.trailers() };
}

/** The client is not left with what looks like a whole response. */
async function breaks(call: Call): Promise<boolean> {
  try {
    await replyOf(call);
    return false;
  } catch {
    return true;
  }
}

function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

/** What waits for ever is said to, in place of keeping the run. */
async function inTime(test: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Not done after 20 seconds.')), 20_000);
  });
  await Promise.race([test, late]);
  clearTimeout(timer);
}

const drained = (exchange: Exchange): Promise<void> => new Promise((resolve) => exchange.onDrain(resolve));
/** Resolves when a number has stayed what it is for a while. */
async function still(read: () => number): Promise<void> {
  for (let same = 0, last = Number.NaN; same < 5; last = read()) {
    await settle();
    same = read() === last ? same + 1 : 0;
  }
}

/** Lets what is in flight arrive: both ends are in this process. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

const respondWith = (exchange: Exchange, status: number, text: string): void => {
  exchange.respond(status, []);
  exchange.end(bytes(text));
};

for (const version of VERSIONS) {
  const contract = suite(`contract of ${version}`);
  const it = (name: string, handler: (exchange: Exchange) => void | Promise<void>, use: (rig: Rig) => Promise<void>) =>
    contract(name, () => inTime(withRig(version, handler, use)));

  let seen: Exchange;
  it(
    'a request is given as it was sent, in one form',
    (exchange) => {
      seen = exchange;
      respondWith(exchange, 200, '');
    },
    async (rig) => {
      const headers = { 'X-One': 'a, b', 'x-two': '\xe9', cookie: 'a=1; b=2' };
      await replyOf(rig.call({ method: 'DELETE', path: '/a/%2F?b=|c', authority: 'Site.TEST:8443', headers }));
      assert.is(seen.method, 'DELETE');
      assert.is(seen.version, rig.isHttp2 ? '2' : '1.1');
      assert.is(seen.scheme, rig.isEncrypted ? 'https' : 'http');
      assert.is(seen.authority, 'site.test:8443');
      assert.is(seen.path, '/a/%2F?b=|c');
      assert.is(seen.protocol, '');
      assert.equal([...seen.headers], ['x-one', 'a, b', 'x-two', '\xe9', 'cookie', 'a=1; b=2']);
      assert.is(seen.client.address, '127.0.0.1');
      assert.is(seen.client.serverName, rig.isEncrypted ? 'site.test' : '');
      assert.is(seen.client.isEncrypted, rig.isEncrypted);
      assert.is(seen.body.length, 0);
      assert.is(seen.isEnded, true);
      assert.is(await seen.body.read(), null);
      assert.equal([...seen.body.trailers], []);
    },
  );

  it(
    'a body comes whole, its length known if it was announced, and is not read at twice',
    async (exchange) => {
      const first = exchange.body.read();
      let second = 'read';
      try {
        await exchange.body.read();
      } catch {
        second = 'refused';
      }
      const part = await first;
      const rest = await readAll(exchange);
      const length = (part?.length ?? 0) + rest.length;
      respondWith(exchange, 200, `${second} ${exchange.body.length} ${length} ${await exchange.body.read()}`);
    },
    async (rig) => {
      const announced = rig.call({ method: 'POST', hasBody: true, headers: { 'content-length': '131072' } });
      await announced.write(PIECE);
      announced.end(PIECE);
      assert.is((await replyOf(announced)).body, 'refused 131072 131072 null');
      const open = rig.call({ method: 'POST', hasBody: true });
      open.write(PIECE);
      open.end(PIECE);
      assert.is((await replyOf(open)).body, 'refused undefined 131072 null');
    },
  );

  it(
    'trailers of a request are available after its body',
    async (exchange) => {
      const before = exchange.body.trailers.length;
      await readAll(exchange);
      respondWith(exchange, 200, `${before} ${exchange.body.trailers.join()}`);
    },
    async (rig) => {
      const call = rig.call({ method: 'POST', hasBody: true, headers: { trailer: 'x-sum' } });
      call.end(PIECE, { 'X-Sum': '42' });
      assert.is((await replyOf(call)).body, '0 x-sum,42');
    },
  );

  const answers: Record<string, ReadyAnswer> = {
    '/small': new ReadyAnswer(200, ['content-type', 'text/plain', 'x-a', '1', 'x-a', '2'], bytes('ready')),
    '/large': new ReadyAnswer(200, [], Buffer.alloc(1_000_000, 'z')),
    '/empty': new ReadyAnswer(404, [], bytes('')),
    '/none': new ReadyAnswer(204, ['x-a', '1'], bytes('')),
    '/not-modified': new ReadyAnswer(304, ['etag', '"1"'], bytes('')),
    '/dated': new ReadyAnswer(200, [], bytes('old'), 'Tue, 15 Nov 1994 08:12:31 GMT'),
  };
  it(
    'a ready answer is the same however often it is given, and to HEAD without its body',
    (exchange) => exchange.answer(answers[exchange.path]),
    async (rig) => {
      for (const method of ['GET', 'GET', 'HEAD', 'GET'])
        for (const [path, { status, body }] of Object.entries(answers)) {
          const reply = await replyOf(rig.call({ method, path }));
          assert.is(reply.status, status);
          const isBodiless = status === 204 || status === 304;
          assert.is(reply.headers['content-length'], isBodiless ? undefined : String(body.length), path);
          assert.is(reply.body, method === 'HEAD' ? '' : Buffer.from(body).toString('latin1'));
          assert.match(String(reply.headers.date), /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
          if (path === '/small') assert.is(reply.headers['x-a'], '1, 2');
          if (path === '/dated') assert.is(reply.headers.date, 'Tue, 15 Nov 1994 08:12:31 GMT');
        }
    },
  );

  it(
    'a streamed response is sent as written, with a date if it has none',
    async (exchange) => {
      const own = exchange.path === '/date' ? ['date', 'Tue, 15 Nov 1994 08:12:31 GMT'] : [];
      exchange.respond(203, ['x-b', 'c', ...own, 'connection', 'x-b', 'transfer-encoding', 'gzip']);
      exchange.write(bytes('one '));
      await settle();
      exchange.write(bytes(''));
      exchange.write(PIECE);
      exchange.end(bytes(' end'));
    },
    async (rig) => {
      const plain = await replyOf(rig.call());
      assert.is(plain.status, 203);
      assert.is(plain.body, `one ${PIECE} end`);
      assert.is(plain.headers['x-b'], 'c');
      assert.is(plain.headers['content-length'], undefined);
      assert.is.not(plain.headers['transfer-encoding'], 'gzip');
      assert.match(String(plain.headers.date), / GMT$/);
      const dated = await replyOf(rig.call({ path: '/date' }));
      assert.is(dated.headers.date, 'Tue, 15 Nov 1994 08:12:31 GMT');
    },
  );

  it(
    'an announced length is enforced',
    (exchange) => {
      exchange.respond(200, ['content-length', '10']);
      if (exchange.path === '/right') exchange.end(bytes('0123456789'));
      else if (exchange.path === '/less') exchange.end(bytes('01234'));
      else if (exchange.path === '/more') {
        exchange.write(bytes('01234567'));
        exchange.end(bytes('89a'));
      }
    },
    async (rig) => {
      const right = await replyOf(rig.call({ path: '/right' }));
      assert.is(right.body, '0123456789');
      assert.is(right.headers['content-length'], '10');
      assert.ok(await breaks(rig.call({ path: '/less' })));
      assert.ok(await breaks(rig.call({ path: '/more' })));
      assert.equal(rig.errors, []);
    },
  );

  it(
    'a body to HEAD, 204 and 304 is dropped',
    (exchange) => {
      const status = Number(exchange.path.slice(1));
      exchange.respond(status, status === 200 ? ['content-length', '4'] : []);
      exchange.write(bytes('ab'));
      exchange.end(bytes('cd'));
    },
    async (rig) => {
      const head = await replyOf(rig.call({ method: 'HEAD', path: '/200' }));
      assert.is(head.body, '');
      assert.is(head.headers['content-length'], '4');
      for (const path of ['/204', '/304']) assert.is((await replyOf(rig.call({ path }))).body, '');
    },
  );

  it(
    'informational responses come before the final one, not after its head',
    async (exchange) => {
      exchange.inform(103, ['link', '</a.css>; rel=preload']);
      exchange.inform(102, []);
      await settle();
      exchange.respond(200, []);
      exchange.inform(103, []);
      exchange.end(bytes('final'));
    },
    async (rig) => {
      const call = rig.call();
      assert.is((await replyOf(call)).body, 'final');
      assert.equal(
        call.informational.map(({ status, headers }) => [status, headers.link]),
        [
          [103, '</a.css>; rel=preload'],
          [102, undefined],
        ],
      );
    },
  );

  it(
    'trailers of a response reach a client that accepts them',
    (exchange) => {
      exchange.respond(200, ['trailer', 'x-sum']);
      exchange.write(bytes('body'));
      exchange.end(undefined, ['x-sum', '7']);
    },
    async (rig) => {
      const reply = await replyOf(
        rig.call({ headers: { te: 'trailers', ...(rig.isHttp2 ? {} : { connection: 'TE' }) } }),
      );
      assert.is(reply.body, 'body');
      assert.is(reply.trailers['x-sum'], '7');
    },
  );

  it(
    'a handler that fails gives 500 before the head, and breaks off after it',
    (exchange) => {
      if (exchange.path === '/throws') throw new Error('thrown');
      if (exchange.path === '/rejects') return settle().then(() => Promise.reject(new Error('rejected')));
      exchange.respond(200, []);
      exchange.write(bytes('begun'));
      throw new Error('late');
    },
    async (rig) => {
      assert.is((await replyOf(rig.call({ path: '/throws' }))).status, 500);
      assert.is((await replyOf(rig.call({ path: '/rejects' }))).status, 500);
      assert.ok(await breaks(rig.call({ path: '/late' })));
      assert.equal(
        rig.errors.map((error) => (error as Error).message),
        ['thrown', 'rejected', 'late'],
      );
    },
  );

  const misuses: Record<string, (exchange: Exchange) => void> = {
    'a second head': (exchange) => exchange.respond(200, []),
    'a ready answer after the head': (exchange) => exchange.answer(answers['/small']),
    'a name without a value in trailers': (exchange) => exchange.end(undefined, ['x-a']),
    'an upgrade that was not requested': (exchange) => exchange.upgrade([]),
  };
  const badHeads: Record<string, (exchange: Exchange) => void> = {
    'a body before the head': (exchange) => exchange.write(bytes('a')),
    'an end before the head': (exchange) => exchange.end(),
    'a line break in a value': (exchange) => exchange.respond(200, ['x-a', 'b\r\nset-cookie: c']),
    'a name that is none': (exchange) => exchange.respond(200, ['x a', 'b']),
    'a pseudo-header': (exchange) => exchange.respond(200, [':status', '200']),
    'a name without a value': (exchange) => exchange.respond(200, ['x-a', 'b', 'x-c']),
    'a name without a value in information': (exchange) => exchange.inform(103, ['link']),
    'an informational final status': (exchange) => exchange.respond(103, []),
    '101 as information': (exchange) => exchange.inform(101, []),
    'a line break in information': (exchange) => exchange.inform(103, ['link', 'a\nb']),
  };
  it(
    'an invalid response is an error of the handler and never sent',
    (exchange) => {
      const results: string[] = [];
      const attempt = (name: string, act: () => void): void => {
        try {
          act();
          results.push(name);
        } catch {}
      };
      for (const [name, misuse] of Object.entries(badHeads)) attempt(name, () => misuse(exchange));
      exchange.respond(200, []);
      for (const [name, misuse] of Object.entries(misuses)) attempt(name, () => misuse(exchange));
      exchange.end(bytes(`let pass: ${results.join()}`));
      // After the end nothing is sent, and nothing thrown.
      exchange.respond(500, []);
      exchange.write(bytes('a'));
      exchange.end(bytes('b'));
      exchange.answer(answers['/small']);
      exchange.inform(103, []);
    },
    async (rig) => {
      const reply = await replyOf(rig.call());
      assert.is(reply.status, 200);
      assert.is(reply.body, 'let pass: ');
      assert.equal(rig.errors, []);
    },
  );

  let aborted: { resolve: (events: unknown[]) => void; promise: Promise<unknown[]> };
  /**
   * The handler waits for what its client does: what has not been read when that one leaves is
   * never handled.
   */
  let begun: { resolve: () => void; promise: Promise<void> };
  const tellAbort = (exchange: Exchange): void => {
    begun.resolve();
    exchange.onAbort((cause: AbortCause) => {
      // Nothing throws for what the other side did.
      const wasEnded = exchange.isEnded;
      exchange.respond(200, []);
      exchange.write(bytes('a'));
      exchange.end();
      exchange.body.read().then(
        (part) => aborted.resolve([cause, wasEnded, part]),
        (error: unknown) =>
          aborted.resolve([cause, wasEnded, (error as AbortError).reason, error instanceof AbortError]),
      );
    });
  };
  it('a client that disconnects is reported once, and its body ends with an error', tellAbort, async (rig) => {
    for (const written of [0, 1]) {
      [aborted, begun] = [promised(), promised()];
      const call = rig.call({ method: 'POST', hasBody: true, headers: { 'content-length': '100000' } });
      if (written > 0) await call.write(PIECE);
      await begun.promise;
      call.reset();
      assert.equal(await aborted.promise, ['client', true, 'client', true]);
    }
  });

  it(
    'a pending read ends when the client disconnects',
    async (exchange) => {
      await exchange.body.read();
      begun.resolve();
      try {
        await readAll(exchange);
      } catch (error) {
        aborted.resolve([error instanceof AbortError, exchange.isEnded]);
      }
    },
    async (rig) => {
      [aborted, begun] = [promised(), promised()];
      const call = rig.call({ method: 'POST', hasBody: true });
      await call.write(PIECE);
      await begun.promise;
      await settle();
      call.reset();
      assert.equal(await aborted.promise, [true, true]);
    },
  );

  it(
    'a client that disconnects is no error for a handler that ignores it',
    async (exchange) => {
      exchange.onAbort(() => aborted.resolve([]));
      begun.resolve();
      await readAll(exchange);
    },
    async (rig) => {
      [aborted, begun] = [promised(), promised()];
      const call = rig.call({ method: 'POST', hasBody: true });
      await call.write(PIECE);
      await begun.promise;
      await settle();
      call.reset();
      await aborted.promise;
      await settle();
      assert.equal(rig.errors, []);
    },
  );

  it(
    'abort breaks off, before the head and after it',
    (exchange) => {
      let event = false;
      exchange.onAbort(() => {
        event = true;
      });
      if (exchange.path === '/after') {
        exchange.respond(200, []);
        exchange.write(bytes('a'));
      }
      exchange.abort();
      assert.is(event, false);
      assert.is(exchange.isEnded, true);
    },
    async (rig) => {
      assert.ok(await breaks(rig.call({ path: '/before' })));
      assert.ok(await breaks(rig.call({ path: '/after' })));
      assert.equal(rig.errors, []);
    },
  );

  it(
    'a listener that throws affects no other',
    (exchange) => {
      if (exchange.path === '/fine') return respondWith(exchange, 200, 'fine');
      exchange.onAbort(() => {
        throw new Error('in onAbort');
      });
      exchange.onDrain(() => {
        throw new Error('in onDrain');
      });
      begun.resolve();
      if (exchange.path !== '/drain') return;
      exchange.respond(200, []);
      while (exchange.write(PIECE));
    },
    async (rig) => {
      begun = promised();
      const left = rig.call({ method: 'POST', hasBody: true });
      await begun.promise;
      left.reset();
      assert.ok(await breaks(rig.call({ path: '/drain' })));
      while (rig.errors.length < 2) await settle();
      assert.equal(rig.errors.map((error) => (error as Error).message).sort(), ['in onAbort', 'in onDrain']);
      assert.is((await replyOf(rig.call({ path: '/fine' }))).body, 'fine');
    },
  );

  let written = 0;
  const TOTAL = 24 * 1024 * 1024;
  it(
    'a response waits for a client that does not read, and then comes whole',
    async (exchange) => {
      exchange.respond(200, ['content-length', String(TOTAL)]);
      for (written = 0; written < TOTAL; ) {
        written += PIECE.length;
        if (!exchange.write(PIECE)) await drained(exchange);
      }
      exchange.end();
    },
    async (rig) => {
      const call = rig.call();
      const stream = await call.stream();
      await still(() => written);
      assert.ok(written < TOTAL / 2, `${written} bytes are under way`);
      assert.is((await bytesOf(stream)).length, TOTAL);
    },
  );

  const LENT = 5 * 1024 * 1024;
  /** Any byte tells where it belongs. */
  const byteAt = (at: number): number => (at * 7 + (at >> 8)) & 255;
  let lent = 0;
  it(
    'borrowed memory belongs to the caller again at once, sent or queued',
    async (exchange) => {
      const memory = Buffer.alloc(65_536);
      exchange.respond(200, []);
      for (lent = 0; lent < LENT; ) {
        const part = memory.subarray(0, Math.min(LENT - lent, 1 + ((lent * 31) % memory.length)));
        for (let i = 0; i < part.length; i++) part[i] = byteAt(lent + i);
        lent += part.length;
        const goesOn = exchange.lend(part);
        memory.fill(0);
        if (!goesOn) await drained(exchange);
      }
      exchange.end();
    },
    async (rig) => {
      const stream = await rig.call().stream();
      await settle();
      assert.ok(lent < LENT, 'the handler waits');
      const body = await bytesOf(stream);
      assert.is(body.length, LENT);
      assert.is(
        body.findIndex((byte, at) => byte !== byteAt(at)),
        -1,
      );
    },
  );

  const gate = { open: promised<void>() };
  it(
    'a body waits for a handler that does not read, and then comes whole',
    async (exchange) => {
      await gate.open.promise;
      respondWith(exchange, 200, String((await readAll(exchange)).length));
    },
    async (rig) => {
      gate.open = promised();
      const call = rig.call({ method: 'PUT', hasBody: true, headers: { 'content-length': String(TOTAL) } });
      let sent = 0;
      const sending = (async () => {
        for (; sent < TOTAL; sent += PIECE.length) await call.write(PIECE);
        call.end();
      })();
      await still(() => sent);
      assert.ok(sent < TOTAL / 2, `${sent} bytes are under way`);
      gate.open.resolve();
      await sending;
      assert.is((await replyOf(call)).body, String(TOTAL));
    },
  );

  it(
    'an echo responds while the body still arrives',
    async (exchange) => {
      exchange.respond(200, []);
      for (;;) {
        const part = await exchange.body.read();
        if (part === null) break;
        if (!exchange.write(part)) await drained(exchange);
      }
      exchange.end();
    },
    async (rig) => {
      const call = rig.call({ method: 'POST', hasBody: true });
      await call.write(bytes('first'));
      const stream = await call.stream();
      assert.is(String((await once(stream, 'data'))[0]), 'first');
      const rest = bytesOf(stream);
      call.end(PIECE);
      assert.is((await rest).length, PIECE.length);
    },
  );

  it(
    'a response may come before the body, which is then dropped',
    (exchange) => respondWith(exchange, 401, 'no'),
    async (rig) => {
      for (let i = 0; i < 2; i++) {
        const call = rig.call({ method: 'POST', hasBody: true, headers: { 'content-length': '1000000' } });
        call.write(PIECE).catch(() => {});
        const reply = await replyOf(call);
        assert.is(reply.status, 401);
        assert.is(reply.body, 'no');
      }
    },
  );

  it(
    'a discarded body reads as ended',
    async (exchange) => {
      const waiting = exchange.body.read();
      exchange.body.discard();
      exchange.body.discard();
      respondWith(exchange, 200, `${await waiting} ${await exchange.body.read()}`);
    },
    async (rig) => {
      const call = rig.call({ method: 'POST', hasBody: true, headers: { 'content-length': '65536' } });
      call.end(PIECE);
      assert.is((await replyOf(call)).body, 'null null');
    },
  );

  const tunnelEnd = { told: promised<string>() };
  it(
    'a tunnel carries bytes both ways, and each way ends by itself',
    async (exchange) => {
      assert.is(exchange.protocol, 'websocket');
      exchange.upgrade(['sec-websocket-accept', 'x']);
      if (exchange.path === '/server-first') {
        exchange.end(bytes('over'));
        tunnelEnd.told.resolve(String(await readAll(exchange)));
        return;
      }
      for (;;) {
        const part = await exchange.body.read();
        if (part === null) break;
        if (!exchange.write(part)) await drained(exchange);
      }
      exchange.end(bytes(' bye'));
    },
    async (rig) => {
      const { status, headers, tunnel } = await rig.tunnel('/echo');
      assert.is(status, rig.isHttp2 ? 200 : 101);
      assert.is(headers['sec-websocket-accept'], 'x');
      assert.ok(tunnel);
      tunnel.write('hello');
      await settle();
      tunnel.end(PIECE);
      assert.is((await bytesOf(tunnel)).toString(), `hello${PIECE} bye`);

      tunnelEnd.told = promised();
      const other = await rig.tunnel('/server-first');
      assert.ok(other.tunnel);
      // Not by bytesOf: an iterator would close both ways at the end of one.
      let heard = '';
      other.tunnel.on('data', (part) => {
        heard += part;
      });
      await once(other.tunnel, 'end');
      assert.is(heard, 'over');
      other.tunnel.end('still heard');
      assert.is(await tunnelEnd.told.promise, 'still heard');
      assert.equal(rig.errors, []);
    },
  );

  it(
    'a refused tunnel is an ordinary response',
    (exchange) => respondWith(exchange, 403, 'not here'),
    async (rig) => {
      const { status, tunnel } = await rig.tunnel('/');
      assert.is(status, 403);
      assert.is(tunnel, undefined);
    },
  );

  it(
    'a broken tunnel is reported, over HTTP/1.1 on a write',
    async (exchange) => {
      exchange.upgrade([]);
      tellAbort(exchange);
      while (!exchange.isEnded) {
        exchange.write(bytes('ping'));
        await settle();
      }
    },
    async (rig) => {
      [aborted, begun] = [promised(), promised()];
      const { tunnel } = await rig.tunnel('/');
      assert.ok(tunnel);
      tunnel.write('a');
      await settle();
      tunnel.destroy();
      assert.is((await aborted.promise)[0], 'client');
    },
  );

  contract.run();
}
