/**
 * A thread that serves TCP with its own loop. Once a second its event loop runs, so that timers of
 * libraries do not pile up.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Client } from '../net/address/client.ts';
import { DEFERRED } from '../zone/answer/responder.ts';
import { COLUMN } from './counters.ts';
import { TcpLoop } from './tcp-loop.ts';
import { connectionLimits, createDnsContext, type FromWorker, faultReporter, type WorkerData } from './worker-data.ts';

const TURN_MS = 1000;

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);

try {
  const { index, responder, counters, gate, deferred, deferredGate, stopping } = createDnsContext(data);
  const fault = faultReporter(post);
  const respond = (bytes: Uint8Array, start: number, length: number, client: Client, family: number): number => {
    index.enter();
    try {
      gate.receive(bytes, start, length, client);
      let size = responder.respond(bytes, start, length, client);
      if (size === DEFERRED) size = deferredGate.pass(bytes, start, client);
      if (size === 0) counters.count(COLUMN.notQuery);
      else if (size !== DEFERRED) return gate.pass(bytes, start, size, responder.query, client, family);
      return size;
    } catch (error) {
      counters.count(COLUMN.fault);
      fault(error);
      return 0;
    } finally {
      index.leave();
      counters.addIndexCounts(index);
    }
  };
  const refuse = (bytes: Uint8Array, start: number, client: Client, family: number): number => {
    return gate.pass(bytes, start, deferredGate.refuseBusy(), responder.query, client, family);
  };
  const loop = new TcpLoop({
    fds: data.fds,
    families: data.listen.map(({ family }) => family),
    wake: data.wake,
    openFds: new Int32Array(data.openFds),
    limits: data.tcp,
    connections: connectionLimits(data),
    counters,
    deferred,
    respond,
    refuse,
  });
  const turn = (): void => {
    const until = performance.now() + TURN_MS;
    loop.run(() => stopping() || performance.now() > until);
    if (!stopping()) {
      setImmediate(turn);
      return;
    }
    loop.close();
    process.exit();
  };
  post({ kind: 'listening' });
  setImmediate(turn);
} catch (error) {
  post({ kind: 'failed', message: (error as Error).message });
}
