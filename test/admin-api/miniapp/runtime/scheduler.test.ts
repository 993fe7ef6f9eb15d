/** The scheduler: against a slow and obvious one, and rule by rule. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LIMITS } from '../../../../admin-api/miniapp/bridge/operations.ts';
import {
  type Outcome,
  type RunEvent,
  Scheduler,
  type SchedulerEvent,
  type Task,
  TaskFileError,
  type TaskStorage,
  taskFile,
} from '../../../../admin-api/miniapp/runtime/index.ts';
import { type FailureReason, notRun } from '../../../../admin-api/miniapp/runtime/outcome.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { ManualClock } from './manual-clock.ts';

const RUNS = depth({ quick: 30, moderate: 60, full: 3000 });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const FINISHED: Outcome = { state: 'finished', value: null, milliseconds: 1, calls: [], omittedCalls: 0 };
const failed = (reason: FailureReason = 'threw'): Outcome => notRun(reason, 'no');

/** Runs all that is ready: nothing here waits for more than promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A disk that remembers what was written last. */
class MemoryStorage implements TaskStorage {
  tasks: readonly Task[] = [];
  isBroken = false;
  writes = 0;

  async read(): Promise<readonly Task[]> {
    return structuredClone(this.tasks) as Task[];
  }

  async write(tasks: readonly Task[]): Promise<void> {
    if (this.isBroken) throw new Error('The disk is full.');
    this.writes++;
    this.tasks = structuredClone(tasks) as Task[];
  }
}

interface Setting {
  readonly clock: ManualClock;
  readonly storage: MemoryStorage;
  readonly scheduler: Scheduler;
  readonly events: SchedulerEvent[];
}

async function open(run: RunEvent, setting: Partial<Setting> = {}, parallel = 4): Promise<Setting> {
  const { clock = new ManualClock(), storage = new MemoryStorage() } = setting;
  const scheduler = await Scheduler.open({ storage, run, clock, parallel });
  const events: SchedulerEvent[] = [];
  scheduler.onEvent((event) => events.push(event));
  scheduler.start();
  await settle();
  return { clock, storage, scheduler, events };
}

const typesOf = (events: readonly SchedulerEvent[]) =>
  events.map(({ type }) => type).filter((type) => type !== 'tasks');

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}

test('runs when it is due, not before, and once', async () => {
  const delivered: unknown[] = [];
  const { clock, scheduler, events } = await open(async (event) => {
    delivered.push(event);
    return FINISHED;
  });
  const task = await scheduler.schedule('app', 'sync', MINUTE);
  assert.is(task.dueAt, clock.now() + MINUTE);
  clock.advance(MINUTE - 1);
  await settle();
  assert.equal(delivered, []);
  clock.advance(1);
  await settle();
  assert.equal(delivered, [{ type: 'schedule', timestamp: clock.now(), appId: 'app' }]);
  assert.equal(scheduler.list(), []);
  assert.equal(typesOf(events), ['started', 'finished']);
  clock.advance(HOUR);
  await settle();
  assert.is(delivered.length, 1);
});

test('delays and ids have limits', async () => {
  const { clock, scheduler } = await open(async () => FINISHED);
  assert.is((await scheduler.schedule('app', 'a', 0)).dueAt, clock.now() + LIMITS.delayMin);
  assert.is((await scheduler.schedule('app', 'a', LIMITS.delayMax)).dueAt, clock.now() + LIMITS.delayMax);
  for (const delay of [-1, LIMITS.delayMax + 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1' as unknown as number])
    assert.is(await codeOf(scheduler.schedule('app', 'a', delay)), 'invalid_argument', String(delay));
  for (const id of ['', 'x'.repeat(LIMITS.taskId + 1), 1 as unknown as string, null as unknown as string])
    assert.is(await codeOf(scheduler.schedule('app', id, 0)), 'invalid_argument', String(id));
});

test('a task of the same ids is replaced, and each app has a limit', async () => {
  const { scheduler } = await open(async () => FINISHED);
  for (let i = 0; i < LIMITS.tasks; i++) await scheduler.schedule('app', `task ${i}`, HOUR);
  assert.is(await codeOf(scheduler.schedule('app', 'one more', HOUR)), 'quota_exceeded');
  await scheduler.schedule('app', 'task 0', 2 * HOUR);
  await scheduler.schedule('other', 'one more', HOUR);
  assert.is(scheduler.list('app').length, LIMITS.tasks);
  assert.is(scheduler.list('app').at(-1)?.taskId, 'task 0');
});

test('a failed event is retried with growing delays, and given up', async () => {
  const { clock, scheduler, events } = await open(async () => failed());
  await scheduler.schedule('app', 'a', 0);
  const gaps: (number | null)[] = [];
  for (let attempt = 0; attempt < 12; attempt++) {
    clock.advance(6 * HOUR);
    await settle();
    const last = events.findLast((event) => event.type === 'failed');
    if (gaps.length === events.filter((event) => event.type === 'failed').length) break;
    gaps.push(last?.type === 'failed' && last.retryAt !== null ? last.retryAt - clock.now() : null);
  }
  assert.equal(gaps, [...[1, 2, 4, 8, 16, 32, 64, 128, 256].map((times) => times * 30_000), null]);
  assert.equal(scheduler.list(), []);
});

test('an event that fails for good is not retried', async () => {
  for (const reason of ['refused', 'no_handler'] as const) {
    const { clock, scheduler, events } = await open(async () => failed(reason));
    await scheduler.schedule('app', 'a', 0);
    clock.advance(MINUTE);
    await settle();
    assert.equal(typesOf(events), ['started', 'failed']);
    assert.equal(scheduler.list(), []);
  }
});

test('an app has one event at a time, others run meanwhile', async () => {
  const running: string[] = [];
  let most = 0;
  const finish: (() => void)[] = [];
  const { clock, scheduler } = await open(({ appId }) => {
    running.push(appId);
    most = Math.max(most, running.filter((id) => id === appId).length);
    return new Promise((resolve) =>
      finish.push(() => {
        running.splice(running.indexOf(appId), 1);
        resolve(FINISHED);
      }),
    );
  });
  for (const id of ['a', 'b', 'c']) await scheduler.schedule('one', id, 0);
  await scheduler.schedule('two', 'a', 0);
  clock.advance(MINUTE);
  await settle();
  assert.equal([...running].sort(), ['one', 'two']);
  assert.ok(scheduler.isRunning('one', 'a'));
  while (finish.length > 0) {
    finish.shift()!();
    await settle();
  }
  assert.is(most, 1);
  assert.equal(scheduler.list(), []);
});

test('a task that is scheduled again while it runs runs again', async () => {
  let runs = 0;
  let finish: () => void = () => {};
  const { clock, scheduler } = await open(() => {
    runs++;
    return new Promise((resolve) => {
      finish = () => resolve(failed());
    });
  });
  await scheduler.schedule('app', 'a', 0);
  clock.advance(MINUTE);
  await settle();
  const again = await scheduler.schedule('app', 'a', HOUR);
  finish();
  await settle();
  // The failure of the first one does not touch the second.
  assert.equal(scheduler.list(), [again]);
  clock.advance(HOUR);
  await settle();
  assert.is(runs, 2);
});

test('cancelled tasks do not run, and their events end', async () => {
  const signals: AbortSignal[] = [];
  const untilAborted: RunEvent = (_event, signal) => {
    signals.push(signal);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed('cancelled'))));
  };
  const { clock, scheduler, storage } = await open(untilAborted);
  await scheduler.schedule('app', 'a', 0);
  assert.is(await scheduler.cancel('app', 'a'), true);
  assert.is(await scheduler.cancel('app', 'a'), false);
  clock.advance(MINUTE);
  await settle();
  assert.is(signals.length, 0);
  for (const id of ['a', 'b', 'c']) await scheduler.schedule('app', id, 0);
  await scheduler.schedule('other', 'a', HOUR);
  clock.advance(MINUTE);
  await settle();
  await scheduler.cancelApp('app');
  await settle();
  assert.equal([signals.length, signals[0].aborted], [1, true]);
  assert.equal(
    storage.tasks.map(({ appId }) => appId),
    ['other'],
  );
});

test('a scheduled task runs at once on request', async () => {
  const { scheduler, events } = await open(async () => FINISHED);
  await scheduler.schedule('app', 'a', HOUR);
  assert.is(await scheduler.runNow('app', 'b'), false);
  assert.is(await scheduler.runNow('app', 'a'), true);
  await settle();
  assert.equal(typesOf(events), ['started', 'finished']);
});

test('an acknowledged task is on disk; if the disk fails, nothing changes', async () => {
  const { scheduler, storage } = await open(async () => FINISHED);
  await scheduler.schedule('app', 'a', HOUR);
  assert.is(storage.tasks.length, 1);
  const before = storage.writes;
  await Promise.all(['b', 'c', 'd', 'e'].map((id) => scheduler.schedule('app', id, HOUR)));
  assert.is(storage.writes, before + 1);
  storage.isBroken = true;
  const results = await Promise.allSettled([scheduler.schedule('app', 'f', HOUR), scheduler.cancel('app', 'a')]);
  assert.equal(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.is(scheduler.list().length, 5);
});

test('an event waits while the file cannot be written', async () => {
  let runs = 0;
  const { clock, scheduler, storage, events } = await open(async () => {
    runs++;
    return FINISHED;
  });
  await scheduler.schedule('app', 'a', 0);
  storage.isBroken = true;
  clock.advance(MINUTE);
  await settle();
  assert.equal(typesOf(events), ['fault']);
  storage.isBroken = false;
  clock.advance(MINUTE);
  await settle();
  assert.is(runs, 1);
});

test('after a restart overdue tasks run once, and the rest when due', async () => {
  const first = await open(async () => FINISHED);
  await first.scheduler.schedule('app', 'soon', MINUTE);
  await first.scheduler.schedule('app', 'late', 10 * HOUR);
  await first.scheduler.close();
  first.clock.advance(5 * HOUR);
  const second = await open(async () => FINISHED, first);
  assert.equal(typesOf(second.events), ['started', 'finished']);
  assert.equal(
    second.scheduler.list().map(({ taskId }) => taskId),
    ['late'],
  );
});

test('an event that was ended by close is delivered again, and does not count as an attempt', async () => {
  const first = await open(
    (_event, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed('cancelled')))),
  );
  await first.scheduler.schedule('app', 'a', 0);
  first.clock.advance(MINUTE);
  await settle();
  await first.scheduler.close();
  assert.equal(
    first.storage.tasks.map(({ attempts }) => attempts),
    [0],
  );
  const second = await open(async () => FINISHED, first);
  assert.equal(typesOf(second.events), ['started', 'finished']);
});

test('an event that crashes the process is given up', async () => {
  const clock = new ManualClock();
  const storage = new MemoryStorage();
  let runs = 0;
  // Nothing of a process that ended is heard again.
  const never: RunEvent = () => {
    runs++;
    return new Promise(() => {});
  };
  storage.tasks = [{ appId: 'app', taskId: 'b', id: 9, scheduledAt: 0, dueAt: 0, attempts: 0 }];
  for (let i = 0; i < 20; i++) await open(never, { clock, storage });
  assert.is(runs, 10);
  assert.equal(storage.tasks, []);
});

test('ids are data', async () => {
  const folder = temporaryFolder('tasks');
  const path = join(folder, 'tasks.json');
  const clock = new ManualClock();
  const storage = taskFile(path);
  const run: RunEvent = async () => FINISHED;
  const ids = [
    '__proto__',
    'constructor',
    '../x',
    '/etc/passwd',
    '\u0000',
    '\ud800',
    '\u{1f600}',
    'a"b\\',
    'toString',
    ' ',
  ];
  const first = await Scheduler.open({ storage, run, clock });
  for (const appId of [...ids, 'x'.repeat(10_000)]) for (const taskId of ids) await first.schedule(appId, taskId, HOUR);
  const before = first.list();
  await first.close();
  const second = await Scheduler.open({ storage: taskFile(path), run, clock });
  assert.equal(second.list(), before);
  assert.is(second.list().length, (ids.length + 1) * ids.length);
  await second.cancelApp('__proto__');
  assert.is(second.list('__proto__').length, 0);
  assert.is(second.list('constructor').length, ids.length);
  await second.close();
  assert.equal(readdirSync(folder), ['tasks.json']);
});

test('a file that is no list of tasks is not overwritten', async () => {
  const path = join(temporaryFolder('tasks'), 'tasks.json');
  for (const text of ['', '{', 'null', '[]', '{"version":2,"tasks":[]}', '{"version":1,"tasks":[{"appId":1}]}']) {
    writeFileSync(path, text);
    try {
      await Scheduler.open({ storage: taskFile(path), run: async () => FINISHED });
      assert.unreachable(text);
    } catch (error) {
      assert.instance(error, TaskFileError);
    }
    assert.is(readFileSync(path, 'utf8'), text);
  }
});

/** The rules as a list and a loop. One event runs at a time, and takes no time. */
class Reference {
  tasks: { appId: string; taskId: string; id: number; dueAt: number; attempts: number }[] = [];
  log: string[] = [];
  now = 0;
  #nextId = 1;

  schedule(appId: string, taskId: string, delay: number): void {
    const others = this.tasks.filter((other) => other.appId !== appId || other.taskId !== taskId);
    this.tasks = [
      ...others,
      { appId, taskId, id: this.#nextId++, dueAt: this.now + Math.max(delay, 1000), attempts: 0 },
    ];
  }

  cancel(appId: string, taskId?: string): void {
    this.tasks = this.tasks.filter(
      (other) => other.appId !== appId || (taskId !== undefined && other.taskId !== taskId),
    );
  }

  runNow(appId: string, taskId: string): void {
    for (const task of this.tasks)
      if (task.appId === appId && task.taskId === taskId) task.dueAt = Math.min(task.dueAt, this.now);
  }

  runDue(): void {
    for (;;) {
      const [task] = this.tasks
        .filter(({ dueAt }) => dueAt <= this.now)
        .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
      if (task === undefined) return;
      task.attempts++;
      this.log.push(`${this.now} ${task.appId} ${task.attempts}`);
      if (isGood(task.appId, task.attempts) || task.attempts === 10) this.tasks.splice(this.tasks.indexOf(task), 1);
      else {
        task.dueAt = this.now + 30_000;
        for (let i = 1; i < task.attempts; i++) task.dueAt = this.now + Math.min((task.dueAt - this.now) * 2, 5 * HOUR);
      }
    }
  }
}

/** App `a` fails never, `b` always, `__proto__` twice. */
const isGood = (appId: string, attempts: number): boolean => appId === 'a' || (appId === '__proto__' && attempts > 2);

const fieldsOf = ({ appId, taskId, dueAt, attempts }: Omit<Task, 'id' | 'scheduledAt'>) => [
  appId,
  taskId,
  dueAt,
  attempts,
];

const app = fc.constantFrom('a', 'b', '__proto__');
const task = fc.constantFrom('x', 'y', 'constructor');
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('schedule' as const),
      app,
      task,
      delay: fc.integer({ min: 0, max: 10 * MINUTE }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('advance' as const), by: fc.integer({ min: 1, max: 6 * HOUR }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('run now' as const), app, task }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), app, task }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('uninstall' as const), app }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const), by: fc.integer({ min: 0, max: HOUR }) }) },
);

test('behaves like a reference scheduler', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 30 }), async (commands) => {
      const reference = new Reference();
      const log: string[] = [];
      const clock = new ManualClock(0);
      let attempts = 0;
      const run: RunEvent = async ({ appId }) => (isGood(appId, attempts) ? FINISHED : failed());
      const listen = (event: SchedulerEvent): void => {
        if (event.type !== 'started') return;
        ({ attempts } = event.task);
        log.push(`${event.at} ${event.task.appId} ${attempts}`);
      };
      let setting = await open(run, { clock }, 1);
      setting.scheduler.onEvent(listen);
      for (const step of commands) {
        const { scheduler } = setting;
        if (step.type === 'schedule') {
          await scheduler.schedule(step.app, step.task, step.delay);
          reference.schedule(step.app, step.task, step.delay);
        } else if (step.type === 'run now') {
          await scheduler.runNow(step.app, step.task);
          reference.runNow(step.app, step.task);
        } else if (step.type === 'cancel') {
          await scheduler.cancel(step.app, step.task);
          reference.cancel(step.app, step.task);
        } else if (step.type === 'uninstall') {
          await scheduler.cancelApp(step.app);
          reference.cancel(step.app);
        } else {
          if (step.type === 'restart') await scheduler.close();
          clock.advance(step.by);
          reference.now += step.by;
          if (step.type === 'restart') {
            const opened = await Scheduler.open({ storage: setting.storage, run, clock, parallel: 1 });
            opened.onEvent(listen);
            opened.start();
            setting = { ...setting, scheduler: opened };
          }
        }
        await settle();
        reference.runDue();
        const tasks = setting.scheduler.list().map(fieldsOf);
        const expected = reference.tasks.sort((a, b) => a.dueAt - b.dueAt || a.id - b.id).map(fieldsOf);
        assert.equal(tasks, expected);
        assert.equal(log, reference.log);
      }
      await setting.scheduler.close();
    }),
    { numRuns: RUNS },
  );
});

test.run();
