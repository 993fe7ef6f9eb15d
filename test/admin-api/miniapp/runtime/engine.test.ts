/** The thread of an engine is ended if it does not end, and the next event has another. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CallHost,
  type Failed,
  type Outcome,
  QuickJsEngine,
  type RunOptions,
} from '../../../../admin-api/miniapp/runtime/index.ts';
import { eventOf, handler, noHost, programOf } from './events.ts';

const engine = new QuickJsEngine({ grace: 10 });
test.after(() => engine.close());

/** Milliseconds of what does not end. */
const SHORT = 20;

const run = (body: string, host: CallHost = noHost, options: RunOptions = {}): Promise<Outcome> =>
  engine.run(programOf(handler(body)), eventOf(), host, options);
const reasonOf = (outcome: Outcome): string => (outcome.state === 'failed' ? outcome.reason : outcome.state);

/** A loop of the engine itself, which looks at no clock. */
const DEAF = 'new Array(1e9).join("x");';

test('a thread that does not respond is terminated', async () => {
  assert.is(reasonOf(await run(DEAF, noHost, { time: SHORT })), 'timeout');
  assert.is(reasonOf(await run('return 1;')), 'finished');
});

test('a call that is never answered ends with the time of the event', async () => {
  let late: (value: unknown) => void = () => {};
  const answer = new Promise((resolve) => {
    late = resolve;
  });
  assert.is(reasonOf(await run("Host.call('storage.get', { key: 'a' });", () => answer, { time: SHORT })), 'timeout');
  late('late');
  // The answer of the first one is not taken for that of the second.
  const next = await run("return Host.call('storage.get', { key: 'a' });", () => 'own');
  assert.is((next as { readonly value: string }).value, '"own"');
});

test('events that run and wait are cancelled', async () => {
  const controller = new AbortController();
  const running = run(DEAF, noHost, { signal: controller.signal });
  const waiting = run('return 1;', noHost, { signal: controller.signal });
  const other = run('return 2;');
  setTimeout(() => controller.abort(), 5);
  assert.is(reasonOf(await running), 'cancelled');
  assert.is(reasonOf(await waiting), 'cancelled');
  assert.is(reasonOf(await other), 'finished');
});

test('a closed engine ends running events and accepts no more', async () => {
  const own = new QuickJsEngine({ time: 10_000 });
  const running = own.run(programOf(handler(DEAF)), eventOf(), noHost);
  setTimeout(() => void own.close(), 5);
  assert.is(((await running) as Failed).reason, 'cancelled');
  assert.is(((await own.run(programOf(handler('')), eventOf(), noHost)) as Failed).reason, 'cancelled');
});

test.run();
