/** The threads of the nameserver: restart, stop, and ports that are in use. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import { freePort } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import { a, ask, byteOf, putZone, type Served, serve, soa, TRANSPORTS, V4 } from './fixture.ts';

const SOON_MS = 10_000;

/**
 * Queries from many sockets, so that the kernel distributes them over the threads. Each packet is
 * sent once. Returns the number of correct answers.
 */
async function askFromMany(served: Served, count: number, ms: number): Promise<number> {
  const clients = await Promise.all(Array.from({ length: count }, () => UdpClient.connect(served.port)));
  const responses = await Promise.all(clients.map((client, i) => client.query(ask(`host${i}`), ms, 1)));
  for (const client of clients) client.close();
  return responses.filter((response, i) => byteOf(response) === i).length;
}

for (const [transport, name] of [
  ['batch', 'udp 1'],
  ['batch', 'udp 2'],
  ['portable', 'udp 1'],
] as const)
  test(`${transport}: thread ${name} dies and is restarted, and queries received meanwhile are answered`, async () => {
    const served = await serve({ transport, workers: 2 });
    try {
      assert.is(await askFromMany(served, 40, SOON_MS), 40);
      const first = served.threads.get(name)!;
      const others = [...served.threads].filter(([other]) => other !== name);
      void first.terminate();
      await once(first, 'exit');
      await until(() => !served.listening, 'readiness lost', SOON_MS);
      if (transport === 'batch') assert.is(await askFromMany(served, 40, SOON_MS), 40);
      else assert.is(byteOf((await queryTcp(served.port, [ask('host9')]))[0]), 9);
      await until(() => served.listening, `a new thread ${name}`, SOON_MS);
      assert.is.not(served.threads.get(name), first);
      for (const [other, worker] of others) assert.is(served.threads.get(other), worker);
      assert.ok(served.log.some((line) => line.includes('DNS thread exited; restarting') && line.includes(name)));
      assert.is(await askFromMany(served, 40, SOON_MS), 40);
      // The restarted thread receives later changes.
      putZone(served.index, [soa(2), a('new', 192, 0, 2, 77)]);
      const client = await UdpClient.connect(served.port);
      assert.is(byteOf(await client.query(ask('new'))), 77);
      client.close();
    } finally {
      await served.stop();
    }
  });

test('the TCP thread dies and is restarted', async () => {
  const served = await serve();
  try {
    const first = served.threads.get('tcp')!;
    void first.terminate();
    await once(first, 'exit');
    assert.is(await askFromMany(served, 10, SOON_MS), 10);
    await until(() => served.listening, 'a new TCP thread', SOON_MS);
    assert.is(byteOf((await queryTcp(served.port, [ask('host3')]))[0]), 3);
  } finally {
    await served.stop();
  }
});

test('a thread that dies repeatedly leaves no socket behind', async () => {
  const served = await serve({ transport: 'batch', workers: 2 });
  try {
    for (let round = 0; round < 3; round++) {
      const worker = served.threads.get('udp 1')!;
      void worker.terminate();
      await once(worker, 'exit');
      await until(() => served.listening && served.threads.get('udp 1') !== worker, 'a new thread', SOON_MS);
    }
    assert.is(await askFromMany(served, 60, SOON_MS), 60);
  } finally {
    await served.stop();
  }
});

for (const transport of ['batch', 'portable'] as const)
  test(`${transport}: stop ends all threads, also one that has just died, and frees the ports`, async () => {
    const served = await serve({ transport, workers: 2 });
    const terminated = served.threads.get('udp 1')!;
    void terminated.terminate();
    await once(terminated, 'exit');
    const workers = [...served.threads.values()].filter((worker) => worker !== terminated);
    const exits = Promise.all(workers.map((worker) => once(worker, 'exit')));
    await served.stop();
    assert.equal(
      (await exits).map(([code]) => code),
      workers.map(() => 0),
      'no thread had to be terminated',
    );
    await sleep(600);
    assert.is(served.threads.get('udp 1'), terminated);
    const udp = createSocket('udp4');
    udp.bind(served.port, '127.0.0.1');
    await once(udp, 'listening');
    const tcp = createServer().listen(served.port, '127.0.0.1');
    await once(tcp, 'listening');
    udp.close();
    tcp.close();
  });

async function failure(start: Promise<Served>): Promise<ConfigError> {
  try {
    await (await start).stop();
  } catch (error) {
    assert.instance(error, ConfigError);
    return error as ConfigError;
  }
  return assert.unreachable('the nameserver started') as never;
}

for (const transport of TRANSPORTS) {
  test(`${transport}: a UDP port in use: the error names the address and the setting`, async () => {
    const port = await freePort();
    const other = createSocket('udp4');
    other.bind(port, '127.0.0.2');
    await once(other, 'listening');
    // The first address is free, and its socket must be closed again.
    const listen = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, port, family: 4 as const }));
    const error = await failure(serve({ transport, listen })).finally(() => other.close());
    assert.match(error.message, new RegExp(`127\\.0\\.0\\.2:${port}`));
    assert.match(error.message, /in ?use/i);
    assert.match(error.message, /WAYPOST_DNS_LISTEN/);
    const served = await serve({ transport, listen });
    await served.stop();
  });

  test(`${transport}: a TCP port in use: the error names the problem and the setting`, async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const error = await failure(serve({ transport, listen: [{ ...V4, port }] })).finally(() => other.close());
    assert.match(error.message, /in ?use/i);
    assert.match(error.message, /WAYPOST_DNS_LISTEN/);
  });
}

test('an address that this machine does not have, also with port 0', async () => {
  for (const port of [0, 53_530]) {
    const error = await failure(serve({ listen: [{ address: '192.0.2.1', port, family: 4 }] }));
    assert.match(error.message, /192\.0\.2\.1/);
    assert.match(error.message, /WAYPOST_DNS_LISTEN/);
  }
});

test.run();
