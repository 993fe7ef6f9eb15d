/** The guard of the clock, over simulated clocks. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import {
  ClockGuard,
  formatDifference,
  type GuardOptions,
  type Witnessed,
} from '../../../../core/journal/clock/guard.ts';

const test = suite('core/journal/clock/guard');

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-11-28');
const MAX = 10 * MINUTE;
const SETTLE = 5 * MINUTE;

/** A machine: its true time, the error of its clock, and what else is known there. */
class Machine {
  true = START;
  error = 0;
  #startedAt = START;
  isSynchronised: boolean | null = false;
  /** By how much the clock of the kernel differs from that of the process. */
  kernelError = 0;
  readonly lines: string[] = [];
  /** The data folder. */
  witnessed: Witnessed | null = null;
  /** Errors of the clocks of others. */
  readonly others = new Map<string, number>();
  guard!: ClockGuard;

  constructor() {
    this.start();
  }

  start(options: Partial<GuardOptions> = {}): void {
    this.#startedAt = this.true;
    this.guard = new ClockGuard({
      now: () => this.true + this.error,
      steady: () => this.true - this.#startedAt,
      kernel: () =>
        this.isSynchronised === null
          ? null
          : { isSynchronised: this.isSynchronised, maxErrorMs: 1, time: this.true + this.error + this.kernelError },
      maxOffset: MAX,
      settle: SETTLE,
      // A start of the machine: its steady clock begins again.
      witnessed: this.witnessed && { from: this.witnessed.from, to: this.witnessed.to },
      builtAt: null,
      log: createLogger({ level: 'info', format: 'text', write: (line) => void this.lines.push(line) }),
      ...options,
    });
    this.tick();
  }

  tick(): void {
    for (const [name, error] of this.others) this.guard.noteReference(name, this.true + error);
    this.guard.report();
    this.witnessed = this.guard.witnessed ?? this.witnessed;
  }

  run(milliseconds: number): void {
    for (const end = this.true + milliseconds; this.true < end; ) {
      this.true += Math.min(10 * SECOND, end - this.true);
      this.tick();
    }
  }

  /** Whether a write is accepted. */
  get writes(): boolean {
    const { guard } = this;
    const refusal = guard.refusal();
    let time: number | null = null;
    try {
      time = guard.now();
    } catch (error) {
      assert.is((error as { code: string }).code, 'clock_off');
    }
    assert.is(time === null, refusal !== null);
    return time !== null;
  }
}

test('a process that was off for weeks on a machine that ran on: its clock is trusted, or not, at once', () => {
  const machine = new Machine();
  machine.run(DAY);
  const { witnessed, guard } = machine;
  const resume = (error: number): boolean => {
    machine.error = error;
    const sources = { now: () => machine.true + error, steady: () => machine.true - START };
    machine.start({ witnessed, ...sources });
    return machine.writes;
  };
  machine.true += 30 * DAY;
  assert.ok(guard.witnessed);
  assert.is(resume(0), true);
  for (const offset of OFFSETS) assert.is(resume(offset), !isFar(offset), `${offset} ms`);
});

const OFFSETS = [9 * SECOND, HOUR, DAY, 30 * DAY, 500 * DAY].flatMap((offset) => [offset, -offset]);
const isFar = (offset: number): boolean => Math.abs(offset) > MAX;

for (const offset of OFFSETS) {
  const label = formatDifference(offset, offset < 0 ? 'behind' : 'ahead');

  test(`${label} while the node runs: no writes, and at once again when the clock is right`, () => {
    const machine = new Machine();
    machine.run(2 * DAY);
    assert.is(machine.writes, true);
    machine.error = offset;
    // Without a look in between: the clock is judged with each write.
    assert.is(machine.writes, !isFar(offset));
    machine.run(25 * SECOND);
    assert.is(machine.writes, !isFar(offset));
    assert.is(machine.guard.warnings().length, isFar(offset) ? 1 : 0);
    if (isFar(offset)) assert.ok(Math.abs(machine.guard.estimate() - machine.true) < MAX);
    machine.error = 0;
    assert.is(machine.writes, true);
    assert.equal(machine.guard.warnings(), []);
    machine.tick();
    assert.is(machine.lines.length, isFar(offset) ? 2 : 0, machine.lines.join(''));
  });

  test(`${label} at the start: the same`, () => {
    const machine = new Machine();
    machine.run(2 * DAY);
    machine.error = offset;
    machine.start();
    assert.is(machine.writes, !isFar(offset));
    machine.run(25 * SECOND);
    assert.is(machine.writes, !isFar(offset));
    machine.start();
    machine.error = 0;
    assert.is(machine.writes, true);
    machine.run(HOUR);
    machine.start();
    assert.is(machine.writes, true);
  });

  test(`${label} at the first start of all, for 25 seconds: the right clock is accepted soon`, () => {
    const machine = new Machine();
    machine.error = offset;
    machine.start({ witnessed: null });
    // Nothing is known that the clock could be compared with.
    assert.is(machine.writes, true);
    machine.run(25 * SECOND);
    machine.error = 0;
    for (const restarts of [false, true]) {
      if (restarts) machine.start();
      assert.is(machine.writes, !isFar(offset));
    }
    machine.run(offset < 0 ? SETTLE : 30 * SECOND);
    assert.is(machine.writes, true);
    machine.start();
    assert.is(machine.writes, true);
  });

  test(`${label}, one of four: others and etcd decide, at once`, () => {
    const machine = new Machine();
    for (const name of ['b', 'c', 'd', 'etcd at 192.0.2.1:2379']) machine.others.set(name, 2 * SECOND);
    // Also a time service that is wrong is overruled.
    machine.isSynchronised = true;
    machine.witnessed = null;
    machine.error = offset;
    machine.start();
    machine.tick();
    assert.is(machine.writes, !isFar(offset));
    machine.run(2 * DAY);
    assert.is(machine.writes, !isFar(offset));
    if (isFar(offset)) assert.match(machine.guard.fault!.reason, / b, c, d and 1 others$/);
    machine.error = 0;
    assert.is(machine.writes, true);
    machine.error = offset;
    assert.is(machine.writes, !isFar(offset));
    machine.error = 0;
    // The others are right, although one is wrong.
    machine.others.set('b', offset);
    machine.run(MINUTE);
    assert.is(machine.writes, true);
  });
}

test('a node that was off for months accepts writes after a while, or at once with evidence', () => {
  for (const evidence of ['none', 'time service', 'etcd'] as const) {
    const machine = new Machine();
    machine.run(2 * DAY);
    machine.true += 60 * DAY;
    if (evidence === 'time service') machine.isSynchronised = true;
    if (evidence === 'etcd') machine.others.set('etcd', 0);
    machine.start();
    assert.is(machine.writes, evidence !== 'none', evidence);
    machine.run(SETTLE - 10 * SECOND);
    assert.is(machine.writes, evidence !== 'none', evidence);
    machine.run(10 * SECOND);
    assert.is(machine.writes, true, evidence);
  }
});

test('a time service that starts confirms the clock', () => {
  const machine = new Machine();
  machine.run(2 * DAY);
  machine.true += 60 * DAY;
  machine.start();
  machine.run(MINUTE);
  assert.is(machine.writes, false);
  machine.isSynchronised = true;
  assert.is(machine.writes, true);
  // It says nothing of a clock that the process sees elsewhere.
  machine.error = 30 * DAY;
  machine.kernelError = -30 * DAY;
  assert.is(machine.writes, false);
  machine.kernelError = 0;
  assert.is(machine.writes, true);
});

test('a clock that was set back is not accepted while the time before it has run for long', () => {
  const machine = new Machine();
  machine.run(2 * DAY);
  machine.error = -3 * HOUR;
  machine.run(HOUR);
  assert.is(machine.writes, false);
  machine.run(2 * HOUR + MINUTE);
  assert.is(machine.writes, true);
  machine.run(3 * DAY);
  machine.error = -100 * DAY;
  machine.run(2 * DAY);
  assert.is(machine.writes, false);
  assert.is(machine.guard.fault!.left, null);
  assert.match(
    machine.guard.refusal()!.message,
    /set back by 99\.9 days while the node ran.*The operator sets the clock/,
  );
  machine.start();
  machine.run(2 * DAY);
  assert.is(machine.writes, false);
  assert.match(machine.guard.fault!.reason, /^it is 9\d\.\d days behind the last moment that the data folder knows of/);
});

test('a clock that jumps about is not accepted', () => {
  const machine = new Machine();
  machine.run(2 * DAY);
  for (let i = 1; i < 20; i++) {
    machine.error = i * 30 * DAY;
    machine.run(SETTLE - MINUTE);
    assert.is(machine.writes, false);
  }
});

test('a clock that runs too fast is followed', () => {
  const machine = new Machine();
  for (let i = 0; i < 1000; i++) {
    machine.error += 5 * SECOND;
    machine.run(MINUTE);
    assert.is(machine.writes, true);
  }
});

test('a clock before the day of the build is named, and what it has written counts for little', () => {
  const machine = new Machine();
  machine.error = -500 * DAY;
  machine.start({ witnessed: null, builtAt: START - 10 * DAY });
  assert.is(machine.writes, true);
  assert.equal(machine.guard.warnings(), ['the clock shows 2025-07-16, before this version was built (2026-11-18)']);
  machine.run(2 * DAY);
  machine.error = 0;
  assert.is(machine.writes, true);
  assert.equal(machine.guard.warnings(), []);
});

test('references that are not heard any more, or do not trust their own clock, count no more', () => {
  const machine = new Machine();
  machine.others.set('b', 30 * DAY);
  machine.run(MINUTE);
  assert.is(machine.writes, false);
  machine.others.clear();
  machine.run(50 * SECOND);
  assert.is(machine.writes, false);
  machine.run(20 * SECOND);
  assert.is(machine.writes, true);
  machine.others.set('b', 30 * DAY);
  machine.tick();
  assert.is(machine.writes, false);
  machine.guard.forgetReference('b');
  assert.is(machine.writes, true);
});

test('with clock.max_offset 0 any clock is trusted', () => {
  const machine = new Machine();
  machine.start({ maxOffset: 0 });
  machine.error = 500 * DAY;
  machine.run(MINUTE);
  assert.is(machine.writes, true);
});

test.run();
