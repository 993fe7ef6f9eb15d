/** What a connection of HTTP/1.1 does with its requests (RFC 9112 sections 7 to 9). */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { connected } from '../../../support/raw-http.ts';
import { describe, withServer } from './server.ts';

const HOST = 'Host: site.test\r\n';
const get = (path: string, lines = '', version = '1.1'): string => `GET ${path} HTTP/${version}\r\n${HOST}${lines}\r\n`;
const READY = new ReadyAnswer(200, [], Buffer.from('ready'));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const count = (text: string, part: string | RegExp): number => text.split(part).length - 1;

const echoPath = (exchange: Exchange): void => {
  exchange.respond(200, []);
  exchange.end(Buffer.from(`<${exchange.path}>`));
};

test('pipelined requests are handled one at a time and answered in order', async () => {
  let working = 0;
  const handler = async (exchange: Exchange): Promise<void> => {
    assert.is(++working, 1);
    if (exchange.path.endsWith('0')) await pause(1);
    working--;
    if (exchange.path.endsWith('5')) exchange.answer(READY);
    else echoPath(exchange);
  };
  await withServer(handler, async ({ send, errors }) => {
    const paths = Array.from({ length: 60 }, (_, i) => `/${i}`);
    const { text } = await send(paths.map((path) => get(path)).join('') + get('/last'), '</last>');
    const order = [...text.matchAll(/<(\/\d+)>|(ready)/g)].map((match) => match[1] ?? match[2]);
    assert.equal(
      order,
      paths.map((path) => (path.endsWith('5') ? 'ready' : path)),
    );
    assert.equal(errors, []);
  });
});

test('too many pipelined requests end the connection', async () => {
  await withServer(
    () => {},
    async ({ send, counters }) => {
      const { text, closed } = await send(get('/').repeat(6));
      assert.is(text, '');
      assert.ok(closed);
      assert.is(counters.get('pipelining'), 1);
      assert.is(counters.get('aborted'), 1);
    },
    { pipelined: 4 },
  );
});

test('a body between requests belongs to its request', async () => {
  await withServer(describe, async ({ send }) => {
    const body = 'GET /not HTTP/1.1\r\n\r\n';
    const post = `POST /a HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`;
    const { text } = await send(post + get('/b'), '"/b"');
    assert.is(count(text, 'HTTP/1.1 200'), 2);
    assert.ok(text.includes(JSON.stringify(body)));
  });
});

test('connections persist in HTTP/1.1 unless closed, and close in HTTP/1.0 unless kept alive', async () => {
  await withServer(
    (exchange) => (exchange.path === '/ready' ? exchange.answer(READY) : echoPath(exchange)),
    async ({ send }) => {
      const kept = await send(get('/a') + get('/b'), '</b>');
      assert.is(kept.closed, false);
      assert.not.match(kept.text, /connection:/);
      for (const path of ['/ready', '/a']) {
        const closed = await send(get(path, 'Connection: close\r\n') + get('/b'));
        assert.ok(closed.closed);
        assert.is(count(closed.text, 'connection: close\r\n'), 1);
        assert.is(count(closed.text, 'HTTP/1.1'), 1, 'what follows the last request is none');
        const old = await send(get(path, '', '1.0') + get('/b', '', '1.0'));
        assert.ok(old.closed);
        assert.match(old.text, /connection: close\r\n/);
        assert.is(count(old.text, 'HTTP/1.1'), 1);
      }
      const oldKept = await send(get('/ready', 'Connection: keep-alive\r\n', '1.0').repeat(2), 'ready', 2);
      assert.is(oldKept.closed, false);
      assert.is(count(oldKept.text, 'connection: keep-alive\r\n'), 2);
      // Without a length the connection's end is that of the body.
      const open = await send(get('/a', 'Connection: keep-alive\r\n', '1.0'));
      assert.ok(open.closed);
      assert.match(open.text, /connection: close\r\n\r\n<\/a>$/);
      assert.not.match(open.text, /transfer-encoding/);
    },
  );
});

test('close counts at any position in Connection, and in no other field', async () => {
  await withServer(
    (exchange) => exchange.answer(READY),
    async ({ send }) => {
      const ends = ['close, keep-alive', 'keep-alive,\tclose\t', 'a ,CLOSE', 'keep-alive\r\nConnection: Close'];
      for (const options of ends)
        for (const version of ['1.0', '1.1']) {
          const { text, closed } = await send(get('/', `Connection: ${options}\r\n`, version).repeat(2));
          assert.ok(closed, options);
          assert.is(count(text, 'HTTP/1.1'), 1, options);
          assert.is(count(text, 'connection: close\r\n'), 1, options);
        }
      const { closed } = await send(get('/', 'Connection: closed, x-close, close;a, clo se\r\n').repeat(2), 'ready', 2);
      assert.is(closed, false);
    },
  );
});

test('HTTP/1.0 gets no informational response, and trailers need TE: trailers', async () => {
  const handler = (exchange: Exchange): void => {
    exchange.inform(103, ['link', '</a>']);
    exchange.respond(200, []);
    exchange.end(Buffer.from('a'), ['x-sum', '1']);
  };
  await withServer(handler, async ({ send }) => {
    assert.not.match((await send(get('/', '', '1.0'))).text, / 103 |x-sum/);
    const { text } = await send(get('/'), '\r\n0\r\n\r\n');
    assert.match(text, /^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a>\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    assert.not.match(text, /x-sum/);
  });
});

test('framing fields of a handler are not sent where they are not allowed', async () => {
  const stray = ['content-length', '7', 'transfer-encoding', 'chunked', 'x-a', '1'];
  const handler = (exchange: Exchange): void => {
    exchange.inform(103, stray);
    if (exchange.protocol !== '') {
      exchange.upgrade(stray);
      exchange.end(Buffer.from('tunnel'));
      return;
    }
    exchange.respond(200, []);
    exchange.end(Buffer.from('a'), [...stray, 'host', 'evil.test']);
  };
  await withServer(handler, async ({ send }) => {
    const early = 'HTTP/1.1 103 Early Hints\r\nx-a: 1\r\n\r\n';
    const { text } = await send(get('/', 'TE: trailers\r\nConnection: TE\r\n'), '0\r\nx-a: 1\r\n\r\n');
    assert.ok(text.startsWith(`${early}HTTP/1.1 200 OK\r\n`));
    assert.ok(text.endsWith('\r\n\r\n1\r\na\r\n0\r\nx-a: 1\r\n\r\n'), text);
    assert.not.match(text, /content-length|evil/);
    const tunnel = await send(get('/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), 'tunnel');
    assert.is(
      tunnel.text,
      `${early}HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nx-a: 1\r\n\r\ntunnel`,
    );
  });
});

test('a malformed request is answered behind those before it', async () => {
  const handler = async (exchange: Exchange): Promise<void> => {
    await pause(5);
    echoPath(exchange);
  };
  await withServer(handler, async ({ send }) => {
    for (const bad of ['GET / HTTP/1.1\r\nHost : a\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
      const { text, closed } = await send(get('/a') + get('/b') + bad + get('/c'));
      assert.ok(closed);
      assert.match(text, /<\/a>[\s\S]*<\/b>[\s\S]*HTTP\/1\.1 400 Bad Request[\s\S]*400 Bad Request\n$/);
      assert.not.match(text, /\/c/);
    }
  });
});

test('100 (Continue) is sent when the body is read, and not otherwise', async () => {
  const handler = async (exchange: Exchange): Promise<void> => {
    if (exchange.path === '/read') await describe(exchange);
    else echoPath(exchange);
  };
  const head = (path: string): string =>
    `POST ${path} HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`;
  await withServer(handler, async ({ port, send }) => {
    const refused = await send(head('/refuse'));
    assert.ok(refused.closed, 'whether a body follows is not known');
    assert.match(refused.text, /^HTTP\/1\.1 200 OK[\s\S]*connection: close/);
    const socket = await connected(port);
    socket.write(head('/read'));
    let [data]: Buffer[] = await once(socket, 'data');
    assert.is(data.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('abcde');
    [data] = await once(socket, 'data');
    assert.match(data.toString(), /^HTTP\/1\.1 200 OK[\s\S]*"body":"abcde"/);
    assert.not.match(data.toString(), /connection: close|expect/);
    socket.destroy();
    // Nothing to wait for (RFC 9110 section 10.1.1).
    const bare = 'Expect: 100-continue\r\n';
    const kept = await send(`${get('/read', bare)}${head('/read').replace('5', '0')}${get('/last')}`, '</last>');
    assert.is(kept.closed, false);
    assert.not.match(kept.text, / 100 /);
    // A version that has none.
    assert.not.match((await send(`${head('/read').replace('1.1\r\n', '1.0\r\n')}abcde`)).text, / 100 /);
  });
});

test('an upgrade to HTTP, TLS or several protocols is ignored, and its request is the last', async () => {
  await withServer(echoPath, async ({ send }) => {
    for (const protocol of ['h2c', 'H2C', 'h2c-14', 'h2', 'HTTP/2.0', 'TLS/1.2', 'tcp, h2c', 'a b', 'a/b/c']) {
      const { text, closed } = await send(get('/a', `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`) + get('/b'));
      assert.match(text, /^HTTP\/1\.1 200 OK[\s\S]*connection: close[\s\S]*<\/a>/, protocol);
      assert.not.match(text, /<\/b>/);
      assert.ok(closed);
    }
    const old = await send(get('/a', 'Connection: Upgrade\r\nUpgrade: websocket\r\n', '1.0'));
    assert.match(old.text, /^HTTP\/1\.1 200 OK/);
  });
});

test('the body of a request for another protocol comes before the bytes of the tunnel', async () => {
  const handler = async (exchange: Exchange): Promise<void> => {
    let text = '';
    while (text.length < 5) text += await exchange.body.read();
    assert.equal([exchange.protocol, text], ['SPDY/3.1', 'abcde']);
    exchange.upgrade([]);
    let rest = '';
    while (rest.length < 6) rest += await exchange.body.read();
    exchange.write(Buffer.from(`[${rest}]`));
  };
  await withServer(handler, async ({ send }) => {
    const head = 'POST /exec HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';
    const { text } = await send(`${head}Content-Length: 5\r\n\r\nabcdetunnel`, '[tunnel]');
    assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: SPDY\/3\.1\r\n/);
  });
});

test('a refused request for another protocol leaves nothing to be read as a request', async () => {
  await withServer(echoPath, async ({ send }) => {
    const head = 'POST /exec HTTP/1.1\r\nHost: site.test\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n';
    const { text, closed } = await send(`${head}Content-Length: 5\r\n\r\nabcde${get('/smuggled')}`);
    assert.match(text, /^HTTP\/1\.1 200 OK[\s\S]*connection: close[\s\S]*<\/exec>/);
    assert.not.match(text, /smuggled/);
    assert.ok(closed);
  });
});

test('data behind the head of a WebSocket belongs to the tunnel, and waits for earlier requests', async () => {
  const handler = async (exchange: Exchange): Promise<void> => {
    if (exchange.protocol === '') {
      await pause(5);
      return echoPath(exchange);
    }
    exchange.upgrade([]);
    exchange.write(Buffer.from(`[${await exchange.body.read()}]`));
  };
  await withServer(handler, async ({ send, counters }) => {
    const upgrade = get('/ws', 'Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n');
    const { text } = await send(`${get('/a')}${upgrade}frame`, '[frame]');
    assert.match(
      text,
      /^HTTP\/1\.1 200 OK[\s\S]*<\/a>[\s\S]*HTTP\/1\.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n\[frame\]$/,
    );
    assert.is(counters.get('upgrades'), 1);
  });
});

test('frames that arrive while a tunnel waits for earlier requests or its handler are kept', async () => {
  let accept = (): void => {};
  let isAnswered = false;
  const handler = async (exchange: Exchange): Promise<void> => {
    if (exchange.protocol === '') {
      await pause(20);
      isAnswered = true;
      return echoPath(exchange);
    }
    await new Promise<void>((resolve) => {
      accept = resolve;
    });
    exchange.upgrade([]);
    for (let part = await exchange.body.read(); part !== null; part = await exchange.body.read()) exchange.write(part);
    exchange.end();
  };
  await withServer(handler, async ({ port }) => {
    const socket = await connected(port);
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.write(`${get('/a')}${get('/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')}`);
    await pause(5);
    socket.write('[one]');
    while (!isAnswered) await pause(1);
    socket.write('[two]');
    await pause(20);
    accept();
    while (!text.includes('101')) await once(socket, 'data');
    socket.end('[three]');
    await once(socket, 'end');
    assert.match(text, /\r\n\r\n\[one\]\[two\]\[three\]$/);
  });
});

test('a refused tunnel ends when the client ends it, whatever it has sent', async () => {
  await withServer(
    (exchange) => {
      exchange.respond(403, ['content-length', '0']);
      exchange.end();
    },
    async ({ port, counters }) => {
      const socket = await connected(port);
      socket.write(`${get('/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')}[one]`);
      assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 403 [\s\S]*connection: close/);
      socket.end('[two]');
      while (counters.get('connections_closed') === 0) await pause(1);
    },
    // Else it would end by this.
    { lingerTimeout: 3_600_000 },
  );
});

test('a client that half-closes after its requests gets the responses that are ready', async () => {
  await withServer(
    async (exchange) => {
      await null;
      echoPath(exchange);
    },
    async ({ port }) => {
      const socket = await connected(port);
      socket.end(get('/a') + get('/b'));
      let text = '';
      for await (const part of socket) text += part;
      assert.match(text, /<\/a>[\s\S]*<\/b>/);
    },
  );
});

test('data that was read before a connection was accepted comes first', async () => {
  await withServer(echoPath, async ({ http1 }) => {
    // As the code that looks for the preface of HTTP/2 hands it on.
    const server = createServer({ allowHalfOpen: true }, (connection) => {
      connection.once('data', (first: Buffer) => {
        connection.pause();
        connection.unshift(first);
        http1.accept(connection, { address: '127.0.0.1', port: 0, serverName: '', isEncrypted: false });
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = await connected((server.address() as AddressInfo).port);
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.write(get('/a').slice(0, 20));
    await pause(20);
    socket.write(`${get('/a').slice(20)}${get('/b')}`);
    while (!text.includes('</b>')) await once(socket, 'data');
    socket.destroy();
    server.close();
    assert.match(text, /<\/a>[\s\S]*<\/b>/);
  });
});

test('a connection ends after so many requests', async () => {
  await withServer(
    (exchange) => exchange.answer(READY),
    async ({ send, counters }) => {
      const { text, closed } = await send(get('/').repeat(5));
      assert.ok(closed);
      assert.is(count(text, 'HTTP/1.1 200'), 3);
      assert.is(count(text, 'connection: close'), 1);
      assert.is(counters.get('requests_reached'), 1);
    },
    { requests: 3 },
  );
});

test('waiting parts of a body use no more memory than their bytes', async () => {
  const held: number[] = [];
  const handler = async (exchange: Exchange): Promise<void> => {
    await pause(20);
    for (let part = await exchange.body.read(); part !== null; part = await exchange.body.read())
      held.push(part.buffer.byteLength);
    echoPath(exchange);
  };
  await withServer(handler, async ({ send }) => {
    const chunk = `258\r\n${'x'.repeat(600)}\r\n`;
    await send(`POST /p HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`, '</p>');
    assert.equal(held, [600, 600, 600]);
  });
});

test('an unread body is discarded, or ends the connection when it is long', async () => {
  await withServer(
    echoPath,
    async ({ send, counters }) => {
      const post = (length: number): string =>
        `POST /p HTTP/1.1\r\n${HOST}Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;
      const short = await send(post(5_000) + get('/next'), '</next>');
      assert.match(short.text, /<\/p>[\s\S]*<\/next>/);
      assert.not.match(short.text, /connection: close/);
      const chunked = `POST /p HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`;
      for (const request of [post(300_000) + get('/next'), chunked]) {
        const long = await send(request);
        assert.match(long.text, /^connection: close\r\n[\s\S]*<\/p>/m);
        assert.not.match(long.text, /next/);
      }
      assert.is(counters.get('unread_body'), 2);
    },
    { discardedBytes: 10_000 },
  );
});

test('a client that reads only when it has sent everything gets the response', async () => {
  await withServer(
    (exchange) => exchange.answer(new ReadyAnswer(413, [], Buffer.from('too large'))),
    async ({ port }) => {
      const socket = await connected(port);
      socket.pause();
      socket.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: 20000000\r\n\r\n`);
      await new Promise((resolve) => socket.write(Buffer.alloc(20_000_000), resolve));
      let text = '';
      for await (const part of socket) text += part;
      assert.match(text, /^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*too large$/);
    },
    { discardedBytes: 10_000 },
  );
});

test('a body that is discarded before its response has ended does not affect the response', async () => {
  let answer = (): void => {};
  const handler = async (exchange: Exchange): Promise<void> => {
    exchange.body.discard();
    if (exchange.path === '/begun') {
      exchange.respond(403, []);
      exchange.write(Buffer.from('<be'));
    }
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    if (exchange.path !== '/begun') return echoPath(exchange);
    exchange.end(Buffer.from('gun>'));
  };
  await withServer(
    handler,
    async ({ port, sockets }) => {
      for (const path of ['/begun', '/late']) {
        const socket = await connected(port);
        let text = '';
        socket.on('error', () => {});
        socket.on('data', (part) => {
          text += part;
        });
        const closed = once(socket, 'close');
        socket.write(`POST ${path} HTTP/1.1\r\n${HOST}Content-Length: 2000000\r\n\r\n`);
        const sent = Promise.race([new Promise((resolve) => socket.write(Buffer.alloc(1_000_000), resolve)), closed]);
        await sent;
        while ([...sockets].some(({ bytesRead }) => bytesRead < 1_000_000)) await pause(1);
        // Longer than a body may come slowly.
        await pause(300);
        answer();
        while (!/gun>|<\/late>/.test(text) && !socket.closed) await pause(1);
        assert.match(text, path === '/begun' ? /<be[\s\S]*gun>/ : /<\/late>/);
        socket.destroy();
        await closed;
      }
    },
    { discardedBytes: 10_000, bodyWindow: 100 },
  );
});

test('a response before the end of a long upload arrives whole, and the upload is not read further', async () => {
  const page = new ReadyAnswer(413, [], Buffer.alloc(20_000_000, 'p'));
  await withServer(
    (exchange) => exchange.answer(page),
    async ({ port, sockets }) => {
      const socket = await connected(port);
      let bytes = 0;
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: 40000000\r\n\r\n`);
      socket.write(Buffer.alloc(30_000_000));
      const [accepted] = sockets;
      await pause(50);
      socket.on('data', (part) => {
        bytes += part.length;
      });
      await closed;
      assert.ok(bytes > 20_000_000, `${bytes} bytes came`);
      assert.ok(accepted.bytesRead < 5_000_000, `${accepted.bytesRead} bytes were read`);
    },
    { lingerBytes: 50_000, lingerTimeout: 1_000 },
  );
});

test('draining closes idle connections, and others after their response', async () => {
  let finish = (): void => {};
  const handler = (exchange: Exchange): void => {
    if (exchange.path === '/idle') echoPath(exchange);
    else finish = () => echoPath(exchange);
  };
  await withServer(handler, async ({ port, http1, counters }) => {
    const texts = ['', ''];
    const sockets = await Promise.all([connected(port), connected(port)]);
    const ended = sockets.map((socket, i) => {
      socket.on('data', (part) => {
        texts[i] += part;
      });
      return once(socket, 'end');
    });
    sockets[0].write(get('/idle'));
    await once(sockets[0], 'data');
    sockets[1].write(get('/work') + get('/dropped'));
    while (counters.get('requests') < 2) await pause(1);
    const drained = http1.drain();
    await ended[0];
    assert.is(texts[1], '');
    finish();
    await Promise.all([ended[1], drained]);
    assert.match(texts[1], /connection: close[\s\S]*<\/work>/);
    assert.not.match(texts[1], /dropped/);
    assert.is(counters.get('connections_closed'), 2);
    // A late one gets the answer that it was opened for.
    // One that was in flight when this side stopped is served what it came for, and nothing more.
    const late = await connected(port);
    late.write(get('/idle') + get('/idle'));
    let text = '';
    for await (const part of late) text += part;
    assert.is(count(text, 'HTTP/1.1 200'), 1);
    assert.match(text, /connection: close/);
  });
});

test('a client that half-closes before its response is gone; one whose response has begun gets the rest', async () => {
  const causes: string[] = [];
  const handler = async (exchange: Exchange): Promise<void> => {
    exchange.onAbort((cause) => causes.push(`${exchange.path} ${cause}`));
    if (exchange.path === '/now') return echoPath(exchange);
    if (exchange.path !== '/begun') return;
    exchange.respond(200, []);
    exchange.write(Buffer.from('<be'));
    await pause(50);
    exchange.write(Buffer.from('gun>'));
    exchange.end();
  };
  await withServer(handler, async ({ port, counters }) => {
    const until = async (path: string, before: (socket: Socket) => Promise<void>): Promise<string> => {
      const socket = await connected(port);
      socket.on('error', () => {});
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      socket.write(get(path));
      await before(socket);
      socket.end();
      await once(socket, 'close');
      return text;
    };
    const handled = (amount: number) => async (): Promise<void> => {
      while (counters.get('requests') < amount) await pause(1);
    };
    assert.is(await until('/wait', handled(1)), '');
    assert.equal(causes, ['/wait client']);
    assert.is(counters.get('aborted'), 1);
    assert.match(await until('/now', async () => {}), /<\/now>/);
    assert.match(await until('/begun', async (socket) => void (await once(socket, 'data'))), /<be[\s\S]*gun>/);
    assert.equal(causes, ['/wait client']);
  });
});

test('a body whose memory was transferred ends its connection only', async () => {
  const part = new Uint8Array(8 << 20);
  const handler = (exchange: Exchange): void => {
    if (exchange.path !== '/lost') {
      echoPath(exchange);
      return;
    }
    exchange.respond(200, ['content-length', `${part.length}`]);
    exchange.end(part);
    structuredClone(part.buffer, { transfer: [part.buffer] });
  };
  await withServer(handler, async ({ send, errors }) => {
    const { text, closed } = await send(get('/lost') + get('/next'));
    assert.ok(closed);
    assert.ok(text.length < 8 << 20);
    assert.not.match(text, /next/);
    assert.is(errors.length, 1);
    assert.match((await send(get('/fine'), '</fine>')).text, /<\/fine>/);
  });
});

test.run();
