/** Questions to the user: shared, in order, bounded, and ended by decisions elsewhere. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HostFault } from '../../../../admin-api/miniapp/bridge/errors.ts';
import {
  type PermissionState,
  Permissions,
  type PermissionsOptions,
  type PromptAnswer,
} from '../../../../admin-api/miniapp/host/index.ts';
import fc from '../../../support/fc.ts';
import { ALL_PERMISSIONS, appOf, openPage, settled } from './page.ts';

interface Question {
  readonly permission: string;
  readonly signal: AbortSignal;
  readonly answer: (answer: PromptAnswer) => void;
}

/** A user who answers when the test wants. */
function openPermissions(options: Partial<PermissionsOptions> = {}) {
  const questions: Question[] = [];
  const permissions = new Permissions(appOf(), {
    prompt: (permission, signal) =>
      new Promise((answer) => {
        questions.push({ permission, signal, answer });
      }),
    ...options,
  });
  const controllers: AbortController[] = [];
  const signalOfNewRequest = (): AbortSignal => {
    const controller = new AbortController();
    controllers.push(controller);
    return controller.signal;
  };
  const ask = async (permission: string, signal = signalOfNewRequest()): Promise<string> => {
    try {
      await permissions.request(permission, signal);
      return 'granted';
    } catch (error) {
      if (error instanceof HostFault) return error.code;
      throw error;
    }
  };
  const leave = (): void => {
    for (const controller of controllers) controller.abort();
  };
  return { permissions, questions, ask, leave };
}

test('storage and vibration are granted with the installation, the others are asked for', () => {
  assert.equal(Object.fromEntries(openPermissions().permissions.states), {
    storage: 'granted',
    vibrate: 'granted',
    camera: 'ask',
    'device.info': 'ask',
    network: 'ask',
    background: 'ask',
  });
});

test('requests that wait for the same permission are one question', async () => {
  const { questions, ask } = openPermissions();
  const answers = [ask('camera'), ask('camera'), ask('camera')];
  await settled();
  assert.is(questions.length, 1);
  questions[0].answer('granted');
  assert.equal(await Promise.all(answers), ['granted', 'granted', 'granted']);
  assert.is(await ask('camera'), 'granted');
  assert.is(questions.length, 1);
});

test('one question is shown at a time', async () => {
  const { questions, ask } = openPermissions();
  const answers = [ask('camera'), ask('network')];
  await settled();
  assert.equal(
    questions.map(({ permission }) => permission),
    ['camera'],
  );
  questions[0].answer('denied');
  assert.is(await answers[0], 'permission_denied');
  await settled();
  questions[1].answer('granted');
  assert.is(await answers[1], 'granted');
});

test('no more than 64 requests wait for the user', async () => {
  const { questions, ask } = openPermissions();
  const answers = Array.from({ length: 64 }, (_, i) => ask(i % 2 === 0 ? 'camera' : 'network'));
  assert.is(await ask('camera'), 'busy');
  questions[0].answer('granted');
  await settled();
  questions[1].answer('granted');
  assert.equal(new Set(await Promise.all(answers)), new Set(['granted']));
});

test('a decision elsewhere answers the question, and ends it', async () => {
  const { permissions, questions, ask } = openPermissions();
  for (const [state, outcome] of [
    ['denied_forever', 'permission_denied'],
    ['denied', 'permission_denied'],
    ['granted', 'granted'],
  ] as const) {
    permissions.set('camera', 'ask');
    const waiting = ask('camera');
    permissions.set('camera', state);
    assert.is(await waiting, outcome);
    const question = questions.at(-1)!;
    assert.is(question.signal.aborted, true);
    question.answer('granted');
    await settled();
    assert.is(permissions.stateOf('camera'), state);
  }
});

test('a question ends when nothing waits for its answer, and the next is shown', async () => {
  const { permissions, questions, ask, leave } = openPermissions();
  const left = [ask('camera'), ask('camera')];
  const stays = ask('network', new AbortController().signal);
  leave();
  assert.equal(await Promise.all(left), ['cancelled', 'cancelled']);
  assert.is(questions[0].signal.aborted, true);
  assert.is(permissions.stateOf('camera'), 'ask');
  questions[1].answer('granted');
  assert.is(await stays, 'granted');
  assert.is(await ask('background', AbortSignal.abort()), 'cancelled');
});

test('revocation ends requests that run with the permission, and no others', async () => {
  const signals: AbortSignal[] = [];
  let finish = (_photo: string): void => {};
  const page = openPage({
    services: {
      takePhoto: ({ signal }) => {
        signals.push(signal);
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
      fetch: () => new Promise(() => {}),
    },
  });
  const photo = page.request('camera.takePhoto');
  page.request('network.fetch', { url: 'https://example.com' });
  await settled();
  page.permissions.set('camera', 'denied_forever');
  assert.is((await page.answerTo(photo)).error?.code, 'permission_denied');
  assert.is(signals[0].aborted, true);
  assert.is(page.session.pending, 1);
  finish('AAAA');
  await settled();
  assert.is(page.sent.filter(({ id }) => id === photo).length, 1);
});

test('a question that waits is not ended by the denial of another', async () => {
  const { permissions, questions, ask } = openPermissions();
  const waiting = ask('camera');
  permissions.set('network', 'denied_forever');
  await settled();
  questions[0].answer('granted');
  assert.is(await waiting, 'granted');
});

test('faults of the prompt, the store and listeners deny, and are reported', async () => {
  const faults: unknown[] = [];
  const broken = (): never => {
    throw new Error('broken');
  };
  const { permissions, ask } = openPermissions({
    prompt: async () => broken(),
    store: { load: broken, save: broken },
    onFault: (error) => faults.push(error),
  });
  permissions.onChange(broken);
  assert.is(await ask('camera'), 'permission_denied');
  assert.is(permissions.stateOf('camera'), 'denied');
  assert.is(faults.length, 4);
  const odd = openPermissions({ prompt: async () => 'ask' as never });
  assert.is(await odd.ask('camera'), 'permission_denied');
});

test('what the store has is read strictly', () => {
  const stored = { camera: 'granted', network: 'always', nfc: 'granted', storage: 'denied' } as never;
  const store = { load: () => stored, save: () => {} };
  const { states } = openPermissions({ store }).permissions;
  assert.is(states.get('camera'), 'granted');
  assert.is(states.get('network'), 'ask');
  assert.is(states.get('storage'), 'denied');
  assert.is(states.has('nfc'), false);
});

test('a permission that is no name of the manifest cannot be set', async () => {
  const { permissions, ask } = openPermissions();
  permissions.set('__proto__', 'granted');
  permissions.set('clipboard', 'granted');
  assert.is(await ask('clipboard'), 'permission_denied');
  assert.is(await ask('__proto__'), 'permission_denied');
});

test('after any order of events every request has one outcome, and no question stays open', async () => {
  const event = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), permission: fc.constantFrom(...ALL_PERMISSIONS, 'other') }),
    fc.record({
      kind: fc.constant('set' as const),
      permission: fc.constantFrom(...ALL_PERMISSIONS),
      state: fc.constantFrom<PermissionState>('ask', 'granted', 'denied', 'denied_forever'),
    }),
    fc.record({
      kind: fc.constant('answer' as const),
      answer: fc.constantFrom<PromptAnswer>('granted', 'denied', 'denied_forever'),
    }),
    fc.record({ kind: fc.constant('leave' as const), request: fc.nat(20) }),
    fc.record({ kind: fc.constant('wait' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const { permissions, questions, ask } = openPermissions();
      const controllers: AbortController[] = [];
      const outcomes: Promise<string>[] = [];
      const open = (): Question[] => questions.filter(({ signal }) => !signal.aborted);
      for (const step of events) {
        if (step.kind === 'ask') {
          const controller = new AbortController();
          controllers.push(controller);
          outcomes.push(ask(step.permission, controller.signal));
        } else if (step.kind === 'set') permissions.set(step.permission, step.state);
        else if (step.kind === 'answer') open()[0]?.answer(step.answer);
        else if (step.kind === 'leave') controllers[step.request]?.abort();
        else await settled();
        assert.ok(open().length <= 1);
      }
      for (const controller of controllers) controller.abort();
      assert.is(open().length, 0);
      const codes = new Set(['granted', 'permission_denied', 'cancelled']);
      for (const outcome of await Promise.all(outcomes)) assert.ok(codes.has(outcome), outcome);
    }),
    { numRuns: 60 },
  );
});

test.run();
