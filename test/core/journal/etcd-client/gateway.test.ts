/** What is known of a request to etcd that came to nothing. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdFull, EtcdRefused, EtcdUnavailable } from '../../../../core/journal/etcd-client/errors.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { put } from '../../../../core/journal/etcd-client/messages.ts';
import { freePort } from '../../../support/ports.ts';

const write = (gateway: EtcdGateway): Promise<unknown> =>
  gateway.transaction([], [put('/key', Buffer.alloc(1))]).then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );

test('a refused connection means that nothing happened', async () => {
  const gateway = new EtcdGateway({ endpoints: [`http://127.0.0.1:${await freePort()}`], timeout: 500 });
  const error = await write(gateway);
  assert.instance(error, EtcdUnavailable);
  assert.not((error as EtcdUnavailable).mayHappen);
  assert.match((error as Error).message, /ECONNREFUSED/);
  await gateway.close();
});

for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'])
  test(`${code} on an open connection leaves the outcome unknown`, async () => {
    const sockets: Socket[] = [];
    const connected = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('undici:client:connected', connected);
    // It has the request when the way to it ends.
    const server = createServer(() => {
      for (const socket of sockets) socket.destroy(Object.assign(new Error('the way has ended'), { code }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const gateway = new EtcdGateway({ endpoints: [`http://127.0.0.1:${port}`], timeout: 500 });
    const error = await write(gateway);
    assert.instance(error, EtcdUnavailable);
    assert.ok((error as EtcdUnavailable).mayHappen);
    unsubscribe('undici:client:connected', connected);
    await gateway.close();
    server.close();
    server.closeAllConnections();
  });

test('refusals of etcd are told apart from unknown outcomes', async () => {
  const answers: [object, (error: unknown) => boolean][] = [
    [{ code: 3, message: 'etcdserver: request is too large' }, (error) => error instanceof EtcdRefused],
    [{ code: 8, message: 'etcdserver: mvcc: database space exceeded' }, (error) => error instanceof EtcdFull],
    [{ code: 8, message: 'etcdserver: too many requests' }, (error) => !(error instanceof EtcdFull)],
    [{ code: 14, message: 'etcdserver: leader changed' }, (error) => (error as EtcdUnavailable).mayHappen],
    [{ code: 2, message: 'unknown' }, (error) => (error as EtcdUnavailable).mayHappen],
  ];
  let answer = {};
  const server = createServer((_, response) => response.writeHead(500).end(JSON.stringify(answer)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const gateway = new EtcdGateway({ endpoints: [`http://127.0.0.1:${port}`], timeout: 500 });
  for (const [given, isRight] of answers) {
    answer = given;
    assert.ok(isRight(await write(gateway)), JSON.stringify(given));
  }
  await gateway.close();
  server.close();
});

test.run();
