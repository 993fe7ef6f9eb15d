/** The dnstap thread: reads the rings of the DNS threads, and writes frames to the socket. */
import { parentPort, workerData } from 'node:worker_threads';
import { maintainThread } from '../../os/thread-upkeep.ts';
import { TapDrain } from './drain.ts';
import { FrameEncoder } from './encode.ts';
import { FrameStream } from './frame-stream.ts';
import type { DnstapData, FromDnstap, ToDnstap } from './messages.ts';

/**
 * Poll intervals of the rings in milliseconds: after a poll that found messages, and after others.
 */
const SOON_MS = 5;
const LATER_MS = 25;

const { path, identity, version, rings, locals, pulse } = workerData as DnstapData;
const post = (message: FromDnstap): void => parentPort?.postMessage(message);

maintainThread(pulse);
const drain = new TapDrain(rings, new FrameEncoder(identity, version, locals));
const stream = new FrameStream({
  path,
  onState: (fault) => post({ kind: 'state', fault }),
  onLost: (frames) => post({ kind: 'lost', frames }),
});
let timer: NodeJS.Timeout;
const look = (): void => {
  const frames = drain.drain(stream);
  timer = setTimeout(look, frames > 0 ? SOON_MS : LATER_MS);
};
look();

parentPort?.on('message', async (_: ToDnstap) => {
  clearTimeout(timer);
  drain.drain(stream);
  await stream.close();
  process.exit();
});
post({ kind: 'listening' });
