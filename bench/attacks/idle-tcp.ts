/**
 * `node dist/bench/attacks/idle-tcp.js [--main FILE] [--seconds N]`: 64 client addresses that each
 * hold up to 32 idle TCP connections to the nameserver and open them again when they are closed,
 * and the queries of other addresses over TCP: on new connections, and on one that is kept.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { encodeQuery } from '../../test/support/message.ts';
import { customerOf } from './customers.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const ADDRESSES = 64;
const CONNECTIONS = 32;
/** Milliseconds until a closed connection is opened again. */
const AGAIN_MS = 100;
const KEPT_MS = 2000;
const ABOUT = 'Idle TCP connections of many networks, queries of others.';

function hold(port: number, localAddress: string): void {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).once('close', () => setTimeout(hold, AGAIN_MS, port, localAddress));
}

async function run(): Promise<void> {
  const options = attackOptions('idle-tcp', ABOUT, 20);
  const daemon = await startDaemon({}, { main: options.main });
  const port = daemon.dnsPort;
  const { seconds } = options;
  const message = encodeQuery({ name: parseName('tenant.test.'), type: TYPE.A, class: CLASS_IN }, 1);
  const query = Buffer.concat([Uint8Array.of(message.length >> 8, message.length & 0xff), message]);
  /** Resolves with the answer to a query, which it sends. */
  function ask(socket: Socket): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      socket.once('close', () => reject(new Error('closed'))).once('data', resolve);
      socket.write(query);
    });
  }

  async function askAnew(n: number): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.1.0.${1 + (n % 200)}` });
    try {
      await ask(socket.on('error', () => {}));
    } finally {
      socket.destroy();
    }
  }

  /** Fails if the kept connection was closed; the next probe opens another one. */
  let kept: Socket | null = null;
  let attacker: Worker | undefined;
  async function askAgain(): Promise<void> {
    if (kept?.closed) {
      kept = null;
      throw new Error('closed');
    }
    kept ??= connect({ port, host: '127.0.0.1', localAddress: '127.2.0.1' }).on('error', () => {});
    await ask(kept);
    kept.removeAllListeners('close');
  }

  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const tenant = await customerOf(daemon, 'tenant');
    await tenant.createRecord(await tenant.createDomain('tenant.test'), '@', 'A', '192.0.2.1');
    const measure = () =>
      Promise.all([
        probeFor(seconds, askAnew, { intervalMs: 50, patienceMs: 2000 }),
        probeFor(seconds, askAgain, { intervalMs: KEPT_MS, patienceMs: 2000 }),
      ]);
    const without = await measure();
    attacker = new Worker(new URL(import.meta.url), { workerData: port });
    await sleep(2000);
    const attacked = await measure();
    const { megabytes, descriptors } = processFigures(daemon.child.pid);
    const figures = [`${megabytes} MB`, `${descriptors} descriptors`];
    printRow('query on a new connection', without[0], attacked[0], figures);
    printRow(`query every ${KEPT_MS / 1000} s on a kept connection`, without[1], attacked[1], figures);
  } finally {
    await attacker?.terminate();
    await daemon.close();
  }
}

if (isMainThread) {
  await run();
  process.exit();
} else for (let i = 0; i < ADDRESSES * CONNECTIONS; i++) hold(workerData, `127.0.1.${1 + (i % ADDRESSES)}`);
