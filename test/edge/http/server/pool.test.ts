import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import type { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { Pool, type PoolOptions } from '../../../../edge/http/server/pool.ts';
import { until } from '../../../support/until.ts';
import { dial, dialTls, GET, getHttp2, HOST, limitsOf, PEM, readAll } from './rig.ts';
import type { ConnectTo, SiteData, SiteReply } from './site-application.ts';

const test = suite('edge/http/server/pool');
const PATIENCE_MS = 15_000;
const data: SiteData = { host: HOST, pem: PEM, text: 'first' };

interface Running {
  readonly pool: Pool;
  readonly port: number;
  readonly clearPort: number;
  /** Messages of applications, with their thread. */
  readonly heard: readonly [unknown, number][];
  readonly workers: readonly (readonly [Worker, number])[];
  log(): string;
  /** Has requests for /late answered. */
  answerLate(): void;
}

async function startPool(options: Partial<PoolOptions> = {}): Promise<Running> {
  const heard: [unknown, number][] = [];
  const workers: [Worker, number][] = [];
  let log = '';
  const late = new Int32Array(new SharedArrayBuffer(4));
  const pool = await Pool.start({
    tlsListen: [{ address: '127.0.0.1', port: 0, family: 4 }],
    clearListen: [{ address: '127.0.0.1', port: 0, family: 4 }],
    threads: 2,
    limits: limitsOf({ drainTimeout: 5000 }),
    application: new URL('./site-application.js', import.meta.url).href,
    data: { ...data, late },
    ticketRotation: 3600,
    transport: 'auto',
    tls: 'auto',
    log: createLogger({
      level: 'info',
      format: 'text',
      write: (line) => {
        log += line;
      },
    }),
    onMessage: (message, thread) => heard.push([message, thread]),
    onWorker: (worker, thread) => workers.push([worker, thread]),
    ...options,
  });
  const [{ port }, { port: clearPort }] = [pool.tlsListen[0], pool.clearListen[0]];
  return { pool, port, clearPort, heard, workers, log: () => log, answerLate: () => Atomics.store(late, 0, 1) };
}

async function withPool(use: (running: Running) => Promise<void>, options: Partial<PoolOptions> = {}): Promise<void> {
  const running = await startPool(options);
  try {
    await use(running);
  } finally {
    await running.pool.stop();
  }
}

/** Of the first tests, which leave its threads as they are, up to the one that stops it. */
let shared: Running;
test.before(async () => {
  shared = await startPool();
});
test.after(() => shared.pool.stop());

/** Resolves when the threads have handled their earlier messages. */
async function taken({ pool, heard }: Running): Promise<void> {
  const answers = (): number => heard.filter(([message]) => message === 'heard news').length;
  const before = answers();
  pool.send('news');
  await until(() => answers() === before + pool.threads, 'all answer');
}

const reloadBroken = (pool: Pool): Promise<string> =>
  pool.reload({ ...data, isBroken: true }).then(
    () => 'started',
    () => 'failed',
  );

const ask = async (port: number, path = '/'): Promise<SiteReply> =>
  JSON.parse((await getHttp2(`https://${HOST}`, port, path)).body) as SiteReply;

interface Visit {
  readonly thread: number;
  readonly isResumed: boolean;
  readonly session: Buffer | undefined;
}

/** One connection with a request of HTTP/1.1, and the ticket that came with it. */
async function visit(port: number, options: ConnectionOptions): Promise<Visit> {
  const socket = await dialTls(port, options);
  let session: Buffer | undefined;
  socket.on('session', (bytes: Buffer) => {
    session = bytes;
  });
  const isResumed = socket.isSessionReused();
  socket.write(GET);
  const { thread } = JSON.parse((await readAll(socket)).replace(/^[\s\S]*\r\n\r\n/, '')) as SiteReply;
  session ??= socket.getSession();
  socket.destroy();
  return { thread, isResumed, session };
}

/** Until a session that thread `from` began is offered to the other one. */
async function resumeElsewhere(port: number, first: Visit, options: ConnectionOptions): Promise<Visit> {
  for (let i = 0; i < 200; i++) {
    const next = await visit(port, { ...options, session: first.session });
    if (next.thread !== first.thread) return next;
  }
  return assert.unreachable('200 connections in a row came to one thread') as never;
}

test('messages reach every thread, and messages of applications name their thread', async () => {
  const { pool, port, heard } = shared;
  pool.send('news');
  await until(() => heard.length === 2, 'both answer');
  assert.equal(heard.map(([message, thread]) => `${message} ${thread}`).sort(), ['heard news 0', 'heard news 1']);
  assert.equal((await ask(port)).event, ['news']);
});

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
  test(`${maxVersion}: a session is resumed on the other thread, also over a new key, not over two`, async () => {
    const { pool, port } = shared;
    const options = { maxVersion };
    const first = await visit(port, options);
    assert.is(first.isResumed, false);
    const second = await resumeElsewhere(port, first, options);
    assert.is(second.isResumed, true);
    pool.rotateTickets();
    await taken(shared);
    const third = await resumeElsewhere(port, second, options);
    assert.is(third.isResumed, true, 'the last key opens');
    pool.rotateTickets();
    await taken(shared);
    assert.is((await visit(port, { ...options, session: third.session })).isResumed, true, 'it was renewed');
    pool.rotateTickets();
    pool.rotateTickets();
    await taken(shared);
    assert.is((await visit(port, { ...options, session: third.session })).isResumed, false);
    const { server } = pool.counters;
    assert.ok(server.sum('handshakes_full') >= 2 && server.sum('handshakes_resumed') >= 3);
  });

test('a stop answers requests in flight', async () => {
  const { pool, port, heard, workers } = shared;
  const reply = ask(port, '/wait');
  reply.catch(() => {});
  await until(() => heard.some(([message]) => message === 'waits'), 'the request came');
  pool.send('answer');
  const ended = workers.map(([worker]) => once(worker, 'exit'));
  await pool.stop();
  assert.is((await Promise.all(ended)).length, 2);
  assert.is((await reply).text, 'first');
});

test('ticket keys that arrive while threads are replaced reach the new ones', async () => {
  let onWorker = (): void => {};
  await withPool(
    async (running) => {
      const { pool, port } = running;
      // The first of the two has its keys already, the second has not.
      onWorker = () => {
        onWorker = () => {};
        pool.rotateTickets();
        pool.rotateTickets();
      };
      await pool.reload({ ...data, text: 'second' });
      await taken(running);
      for (let i = 0; i < 4; i++)
        assert.is((await resumeElsewhere(port, await visit(port, {}), {})).isResumed, true, 'keys are the same');
    },
    { onWorker: () => onWorker() },
  );
});

for (const tls of ['auto', 'node'] as const)
  test(`TLS ${tls}: connections of a terminated thread are closed, and its port is served again`, async () => {
    await withPool(
      async ({ pool, port, workers }) => {
        const sessions = Array.from({ length: 8 }, () =>
          connectHttp2(`https://${HOST}`, { host: '127.0.0.1', port, servername: HOST, rejectUnauthorized: false }),
        );
        const closed = sessions.map((session) => {
          // A reset is an error first; the end is what counts.
          session.on('error', () => {});
          return new Promise<void>((done) => session.once('close', done));
        });
        await until(() => pool.counters.server.sum('http2') === 8, 'all are served');
        // In the middle of whatever they do, and without a chance to release anything.
        await Promise.all(workers.map(([worker]) => worker.terminate()));
        await Promise.all(closed);
        await until(() => pool.counters.restarts === 2 && pool.isListening, 'both are back');
        assert.is((await ask(port)).text, 'first');
      },
      { tls },
    );
  });

test('a thread that is terminated closes what its application holds', async () => {
  const origin = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const open = (): Promise<number> => new Promise((done) => origin.getConnections((_, count) => done(count)));
  const awaitOpen = async (count: number): Promise<void> => {
    for (const end = Date.now() + PATIENCE_MS; (await open()) !== count; await sleep(10))
      if (Date.now() > end) assert.unreachable(`${await open()} are open, not ${count}`);
  };
  const { port } = origin.address() as AddressInfo;
  await withPool(
    async ({ pool, workers }) => {
      const message: ConnectTo = { connectTo: port, connections: 8 };
      pool.send(message);
      await awaitOpen(16);
      await workers[0][0].terminate();
      await awaitOpen(8);
      await workers[1][0].terminate();
      await awaitOpen(0);
    },
    { descriptors: 8 },
  );
  origin.close();
});

test('a thread that dies is restarted, and only its own connections are lost', async () => {
  await withPool(async ({ pool, port, workers, log }) => {
    const before = await Promise.all(Array.from({ length: 8 }, () => ask(port)));
    assert.is(before.length, 8);
    await workers[0][0].terminate();
    // Its socket stays: connections wait in it for the thread to be back, none is refused.
    const during = await Promise.all(Array.from({ length: 40 }, () => ask(port)));
    assert.ok(
      during.some(({ thread }) => thread === workers[0][1]) && during.some(({ thread }) => thread !== workers[0][1]),
    );
    assert.is(pool.counters.restarts, 1);
    assert.is(pool.isListening, true);
    assert.match(log(), /edge thread exited; restarting/);
    // Counts outlive the thread, but for its connections.
    assert.is(pool.counters.http2.sum('streams'), 48);
    await until(() => pool.counters.connections === 0, 'no connection is left');
  });
});

test('a thread that an exception ends is restarted, too', async () => {
  await withPool(
    async ({ pool, port, log }) => {
      pool.send('die');
      await until(() => pool.counters.restarts === 1 && pool.isListening, 'it is back');
      assert.match(log(), /edge thread failed/);
      assert.is((await ask(port)).text, 'first');
    },
    { threads: 1 },
  );
});

test('a reload serves new requests at once, finishes those in flight, and refuses no client', async () => {
  await withPool(async ({ pool, port, clearPort, heard, workers, answerLate }) => {
    const late = ask(port, '/late');
    await until(() => heard.some(([message]) => message === 'late'), 'the request came');
    let isDone = false;
    const texts = new Set<string>();
    const failures: unknown[] = [];
    const knocking = (async (): Promise<void> => {
      while (!isDone) {
        const { body } = await getHttp2(`http://${HOST}`, clearPort).catch((error: unknown) => {
          failures.push(error);
          return { body: '{}' };
        });
        texts.add((JSON.parse(body) as Partial<SiteReply>).text ?? 'failed');
      }
    })();
    await pool.reload({ ...data, text: 'second' });
    // The old threads may still take one that came to them before they heard of it.
    await until(() => heard.some(([message]) => message === 'closed'), 'the thread without a request has ended');
    for (let i = 0; i < 10; i++) assert.is((await ask(port)).text, 'second');
    isDone = true;
    await knocking;
    assert.equal(
      [...texts].filter((text) => text !== 'first' && text !== 'second'),
      [],
      String(failures[0]),
    );
    answerLate();
    assert.is((await late).text, 'first');
    assert.is(workers.length, 4);
    await pool.reload({ ...data, text: 'third' });
    await until(() => heard.filter(([message]) => message === 'closed').length === 4, 'all old threads have ended');
    assert.is((await ask(port)).text, 'third');
  });
});

test('an exception of a handler gives 500, and is logged at intervals', async () => {
  await withPool(
    async ({ port, log }) => {
      for (let i = 0; i < 5; i++) assert.is((await getHttp2(`https://${HOST}`, port, '/throw')).status, 500);
      const socket = await dialTls(port);
      socket.write(GET.replace('/', '/throw'));
      assert.match(await readAll(socket), /^HTTP\/1\.1 500 /);
      await until(() => /thrown on purpose/.test(log()), 'it is logged');
      assert.is(log().match(/thrown on purpose/g)?.length, 1, 'once a thread');
    },
    { threads: 1 },
  );
});

test('exceeded limits are counted each time and logged at intervals', async () => {
  const { server } = limitsOf({ maxConnections: 1 });
  await withPool(
    async ({ pool, clearPort, log }) => {
      const held = await dial(clearPort);
      await until(() => pool.counters.connections === 1, 'one is taken');
      for (let i = 0; i < 12; i++) assert.is(await readAll(await dial(clearPort)), '');
      await until(() => pool.counters.server.sum('refused_total') === 12, 'the others are refused');
      await until(() => /connection exceeded a limit/.test(log()), 'it is logged');
      assert.match(log(), /refused_total[^\n]*127\.0\.0\.1|127\.0\.0\.1[^\n]*refused_total/);
      assert.ok((log().match(/refused_total/g)?.length ?? 0) <= 2, 'once a thread');
      held.destroy();
    },
    { limits: { ...limitsOf(), server } },
  );
});

test('a reload that fails leaves the threads as they were', async () => {
  await withPool(
    async ({ pool, port }) => {
      try {
        await pool.reload({ ...data, isBroken: true });
        assert.unreachable('it started');
      } catch (error) {
        assert.match((error as Error).message, /broken on purpose/);
      }
      assert.is((await ask(port)).text, 'first');
      await pool.reload({ ...data, text: 'second' });
      assert.is((await ask(port)).text, 'second');
    },
    { threads: 1 },
  );
});

test('connections are counted correctly after a failed and a successful reload', async () => {
  const { server } = limitsOf({ maxConnections: 2 });
  await withPool(
    async ({ pool, port, clearPort, heard, workers, answerLate }) => {
      const late = ask(port, '/late');
      await until(() => heard.some(([message]) => message === 'late'), 'the request came');
      assert.is(await reloadBroken(pool), 'failed');
      const ended = once(workers[0][0], 'exit');
      await pool.reload({ ...data, text: 'second' });
      const held = await dial(clearPort);
      await until(() => pool.counters.connections === 2, 'the new thread has one, too');
      // What the old one held is forgotten when it ends: of the new one nothing.
      answerLate();
      await Promise.all([late, ended]);
      const next = await dial(clearPort);
      await until(() => pool.counters.connections === 2, 'there is room for one');
      assert.is(await readAll(await dial(clearPort)), '');
      assert.is(pool.counters.server.sum('refused_total'), 1);
      held.destroy();
      next.destroy();
    },
    { threads: 1, limits: { ...limitsOf(), server } },
  );
});

test('threads that cannot start leave no socket behind', async () => {
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  await withPool(
    async ({ pool, port }) => {
      assert.is(await reloadBroken(pool), 'failed');
      const before = descriptors();
      for (let i = 0; i < 3; i++) assert.is(await reloadBroken(pool), 'failed');
      // A thread's own descriptors go a little after it; those of the sockets would stay.
      await until(() => descriptors() <= before, 'no descriptor is left');
      await pool.stop();
      assert.match(await dialTls(port).then(String, String), /ECONNREFUSED/);
    },
    { threads: 1 },
  );
});

test('a stopping pool refuses new connections at once, while a request is in flight', async () => {
  await withPool(async ({ pool, port, clearPort, heard, answerLate }) => {
    let isAnswered = false;
    const late = ask(port, '/late').finally(() => {
      isAnswered = true;
    });
    await until(() => heard.some(([message]) => message === 'late'), 'the request came');
    const stopped = pool.stop();
    // Who comes to a thread that has not heard of it yet is still served, or sent away by the
    // GOAWAY of a session that drains.
    let refusal = '';
    while (!/ECONNREFUSED|ECONNRESET/.test(refusal))
      await getHttp2(`http://${HOST}`, clearPort).catch((error: unknown) => {
        refusal = String(error);
      });
    assert.is(isAnswered, false);
    answerLate();
    assert.is((await late).text, 'first');
    await stopped;
  });
});

test('a reload during a stop starts nothing', async () => {
  await withPool(
    async ({ pool, port, heard, workers, answerLate }) => {
      const late = ask(port, '/late');
      await until(() => heard.some(([message]) => message === 'late'), 'the request came');
      const stopped = pool.stop();
      const refused = await pool.reload(data).then(
        () => '',
        (error: Error) => error.message,
      );
      assert.match(refused, /stopping/);
      answerLate();
      assert.is((await late).text, 'first');
      await stopped;
      assert.is(workers.length, 1);
    },
    { threads: 1 },
  );
});

test('an application that cannot be created, or a port in use, is an error at the start', async () => {
  await withPool(
    async ({ pool }) => {
      const start = (options: Partial<PoolOptions>): Promise<string> =>
        withPool(async () => {}, { threads: 1, ...options }).then(
          () => 'started',
          (error: Error) => `${error.name}: ${error.message}`,
        );
      assert.match(await start({ data: { ...data, isBroken: true } }), /^ConfigError: .*broken on purpose/);
      const occupied = { tlsListen: pool.tlsListen, transport: 'portable' } as const;
      assert.match(await start(occupied), /^ConfigError: .*EADDRINUSE/);
    },
    { threads: 1 },
  );
});

test('where sockets cannot be shared, one thread listens and reloads', async () => {
  await withPool(
    async ({ pool, port }) => {
      assert.is(pool.threads, 1);
      assert.equal([(await ask(port)).thread, (await ask(port)).text], [0, 'first']);
      await pool.reload({ ...data, text: 'second' });
      assert.is((await ask(port)).text, 'second');
      assert.is(await reloadBroken(pool), 'failed');
      assert.is((await ask(port)).text, 'second');
    },
    { transport: 'portable' },
  );
});

test.run();
