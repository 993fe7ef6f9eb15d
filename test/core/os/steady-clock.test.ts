import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SteadyClock } from '../../../core/os/clocks.ts';

const FILE = '/proc/uptime';
/** The file has hundredths of a second. */
const COARSE_MS = 20;
const uptime = (): number => Number.parseFloat(readFileSync(FILE, 'latin1')) * 1000;

function checkRead(clock: SteadyClock): void {
  const before = uptime();
  const read = clock.read();
  const after = uptime();
  assert.ok(read >= before - COARSE_MS && read <= after + COARSE_MS, `${read} is not between ${before} and ${after}`);
}

if (existsSync(FILE)) {
  test('it is the time since the start of the machine, whether the file was read just now or not', () => {
    const clock = new SteadyClock();
    for (let i = 0; i < 100; i++) checkRead(clock);
    clock.close();
  });

  test('setting the clock of the machine does not change it', () => {
    const clock = new SteadyClock();
    const { now } = Date;
    try {
      for (const days of [30, -30, 500, 0]) {
        Date.now = () => now() + days * 86_400_000;
        checkRead(clock);
        checkRead(clock);
      }
    } finally {
      Date.now = now;
      clock.close();
    }
  });

  test('it is right after the machine was suspended', () => {
    const clock = new SteadyClock();
    checkRead(clock);
    const { now } = performance;
    const at = now.call(performance);
    performance.now = () => at;
    try {
      // The clock of the machine has gone on meanwhile, for more than it may leave the other.
      const end = Date.now() + 100;
      while (Date.now() < end);
      checkRead(clock);
    } finally {
      performance.now = now;
      clock.close();
    }
  });
}

test.run();
