/** A thread that serves UDP in batches. Every second it lets its event loop turn, so that timers of its libraries don't pile up. */
import { parentPort, workerData } from 'node:worker_threads';
import { isAny, loadLibc } from './linux.ts';
import { UdpLoop } from './udp-batch.ts';
import { type FromWorker, faultReporter, openReader, type WorkerData } from './worker-data.ts';

const TURN_MS = 1000;
/** recvmmsg gives up after this long without a packet, so that a stop is noticed. */
const RECEIVE_TIMEOUT_MS = 200;

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);

try {
  const libc = loadLibc();
  const fds = data.listen.map((listen) => libc.openUdp(listen, RECEIVE_TIMEOUT_MS));
  const anyAddress = data.listen.some((listen) => isAny(listen.address));
  const { index, responder, stopping } = openReader(data);
  const loop = new UdpLoop(libc, index, responder, data.udpPayload, faultReporter(post));
  const turn = (): void => {
    const until = performance.now() + TURN_MS;
    loop.run(fds, anyAddress, () => stopping() || performance.now() > until);
    if (stopping()) {
      for (const fd of fds) libc.close(fd);
      process.exit();
    }
    setImmediate(turn);
  };
  post({ kind: 'listening' });
  setImmediate(turn);
} catch (error) {
  post({ kind: 'failed', message: (error as Error).message });
}
