/**
 * A thread of UDP or TCP on Linux, whose loop blocks. Once a second its event loop runs, so that
 * timers of libraries do not pile up.
 */
import { isAny, loadLibc } from '../os/libc.ts';
import { TcpLoop } from './tcp-loop.ts';
import { UdpLoop } from './udp-batch.ts';
import { connectionLimits, openWorker, post } from './worker.ts';

const TURN_MS = 1000;

try {
  const { data, handler, proxies, stopping } = openWorker();
  const { fds, listen, wake, udpPayload } = data;
  const families = listen.map(({ family }) => family);
  const anyAddress = listen.some(({ address }) => isAny(address));
  const loop =
    data.transport === 'udp'
      ? new UdpLoop(loadLibc(), handler, { fds, families, anyAddress, udpPayload, proxies })
      : new TcpLoop({
          handler,
          fds,
          families,
          wake,
          openFds: new Int32Array(data.openFds),
          limits: data.tcp,
          proxies,
          connections: connectionLimits(data),
        });
  const turn = (): void => {
    const until = performance.now() + TURN_MS;
    loop.run(() => stopping() || performance.now() > until);
    if (stopping()) {
      loop.close();
      process.exit();
    }
    setImmediate(turn);
  };
  post({ kind: 'listening' });
  setImmediate(turn);
} catch (error) {
  post({ kind: 'failed', message: (error as Error).message });
}
