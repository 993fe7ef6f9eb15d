/** Calls of sockets that are made together. Without io_uring there is nothing to test. */
import koffi from 'koffi';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CallBatch, loadEnter } from '../../../core/os/call-batch.ts';
import { AF_UNIX, SOCK_NONBLOCK, SOCK_STREAM } from '../../../core/os/socket-constants.ts';
import { TcpCalls } from '../../../core/os/tcp-calls.ts';

const EBADF = 9;
const EAGAIN = 11;
const EPIPE = 32;

/** Calls that the kernel takes in all; as many as there are at first. */
let accepted = Number.POSITIVE_INFINITY;
const enter = loadEnter();

/** io_uring_enter(2) as a kernel without memory makes it. */
const enterLimited: typeof enter = (number, fd, count, ...rest) => {
  const most = Math.min(Number(count), accepted);
  if (most === 0) return -1;
  accepted -= most;
  return enter(number, fd, most, ...rest);
};

function batchOf(capacity: number): CallBatch | null {
  try {
    return new CallBatch(capacity, enterLimited);
  } catch {
    return null;
  }
}

const batch = batchOf(8);
const libc = koffi.load(null);
const close = libc.func('int close(int)');
const memory = Buffer.allocUnsafeSlow(65_536);
const at = TcpCalls.address(memory);

function pair(): [number, number] {
  const fds = new Int32Array(2);
  assert.is(libc.func('int socketpair(int, int, int, void*)')(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
  return [fds[0], fds[1]];
}

function outcomes(made: CallBatch): number[] {
  const results = new Int32Array(made.capacity);
  const { count } = made;
  made.run(results);
  assert.is(made.count, 0);
  return [...results.subarray(0, count)];
}

if (batch !== null) {
  test('calls are made in order without blocking', () => {
    const [left, right] = pair();
    memory.write('hello, world', 0, 'latin1');
    batch.receive(right, at + 100, 50);
    batch.send(left, at, 5);
    batch.receive(right, at + 200, 50);
    batch.send(left, at + 5, 7);
    batch.receive(right, at + 300, 3);
    batch.receive(right, at + 303, 50);
    assert.equal(outcomes(batch), [-EAGAIN, 5, 5, 7, 3, 4]);
    assert.is(memory.toString('latin1', 200, 205), 'hello');
    assert.is(memory.toString('latin1', 300, 307), ', world');
    close(left);
    batch.receive(right, at, 50);
    batch.send(right, at, 5);
    batch.receive(-1, at, 50);
    assert.equal(outcomes(batch), [0, -EPIPE, -EBADF]);
    close(right);
  });

  test('a send writes as much as fits', () => {
    const [left, right] = pair();
    let sent = 0;
    for (let length = memory.length; length === memory.length; sent += Math.max(0, length)) {
      batch.send(left, at, memory.length);
      [length] = outcomes(batch);
    }
    batch.send(left, at, 1);
    assert.equal(outcomes(batch), [-EAGAIN]);
    let received = 0;
    for (let length = 1; length > 0; received += Math.max(0, length)) {
      batch.receive(right, at, memory.length);
      [length] = outcomes(batch);
    }
    assert.is(received, sent);
    close(left);
    close(right);
  });

  test('the ring wraps around', () => {
    const [left, right] = pair();
    for (let round = 0; round < 100; round++) {
      for (let i = 0; i < 3; i++) {
        memory[i] = round + i;
        batch.send(left, at + i, 1);
        batch.receive(right, at + 10 + i, 1);
      }
      assert.equal(outcomes(batch), [1, 1, 1, 1, 1, 1]);
      assert.equal([...memory.subarray(10, 13)], [round, round + 1, round + 2]);
    }
    batch.run(new Int32Array(8));
    close(left);
    close(right);
  });

  test('calls that the kernel rejects from the ring are made directly, once', () => {
    const [left, right] = pair();
    memory.write('abcdef', 0, 'latin1');
    for (const limit of [0, 1, 3, 5, 6]) {
      // Also across the end of the ring.
      for (let round = 0; round < 8; round++) {
        accepted = limit;
        for (let i = 0; i < 3; i++) batch.send(left, at + i, 1 + i);
        batch.receive(right, at + 100, 1);
        batch.receive(right, at + 101, 50);
        batch.receive(right, at + 300, 50);
        assert.equal(outcomes(batch), [1, 2, 3, 1, 5, -EAGAIN]);
        assert.is(memory.toString('latin1', 100, 106), 'abccde');
      }
    }
    accepted = 0;
    batch.receive(-1, at, 50);
    assert.equal(outcomes(batch), [-EBADF]);
    accepted = Number.POSITIVE_INFINITY;
    batch.send(left, at, 1);
    batch.receive(right, at, 50);
    assert.equal(outcomes(batch), [1, 1]);
    close(left);
    close(right);
  });

  test.after(() => {
    batch.close();
    close(batch.fd);
  });
}

test.run();
