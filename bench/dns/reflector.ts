/**
 * The floor: sends every packet back with QR set and does no DNS at all. What it reaches is what
 * the kernel and the generator leave to a server on this machine. `node dist/bench/dns/reflector.js
 * PORT`
 */
import { addressOf, Batch, openSocket } from './udp.ts';

const MESSAGES = 64;
const ROOM = 1500;

const fd = openSocket('bind', Number(process.argv[2]));
const arena = Buffer.alloc(MESSAGES * ROOM);
const base = addressOf(arena);
const batch = new Batch(MESSAGES, true);
for (;;) {
  for (let i = 0; i < MESSAGES; i++) batch.point(i, base + i * ROOM, ROOM);
  const n = batch.receive(fd, true);
  for (let i = 0; i < n; i++) {
    arena[i * ROOM + 2] |= 0x80;
    batch.point(i, base + i * ROOM, batch.received(i));
  }
  batch.send(fd, n);
}
