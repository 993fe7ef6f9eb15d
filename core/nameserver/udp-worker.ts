/**
 * A thread that serves UDP in batches. Once a second its event loop runs, so that timers of
 * libraries do not pile up.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isAny, loadLibc } from '../os/libc.ts';
import { UdpLoop } from './udp-batch.ts';
import { createDnsContext, type FromWorker, faultReporter, type WorkerData } from './worker-data.ts';

const TURN_MS = 1000;
/** Milliseconds to answer what has been received, at a stop under load. */
const DRAIN_MS = 1000;

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);

try {
  const anyAddress = data.listen.some((listen) => isAny(listen.address));
  const { index, responder, counters, gate, deferred, deferredGate, stopping } = createDnsContext(data);
  const { fds, udpPayload } = data;
  const families = data.listen.map(({ family }) => family);
  const sockets = { fds, families, anyAddress, udpPayload };
  const fault = faultReporter(post);
  const loop = new UdpLoop(loadLibc(), index, responder, counters, sockets, fault, deferred, gate, deferredGate);
  const turn = (): void => {
    const until = performance.now() + TURN_MS;
    loop.run(() => stopping() || performance.now() > until);
    if (stopping()) {
      loop.drain(performance.now() + DRAIN_MS);
      process.exit();
    }
    setImmediate(turn);
  };
  post({ kind: 'listening' });
  setImmediate(turn);
} catch (error) {
  post({ kind: 'failed', message: (error as Error).message });
}
