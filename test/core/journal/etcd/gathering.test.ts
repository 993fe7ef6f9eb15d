/**
 * Which commits a group waits for. No test depends on durations: where a wait is expected, its
 * maximum is infinite.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Gathering } from '../../../../core/journal/etcd/forwarding.ts';

const FOREVER = 2 ** 30;

/** Used like the journal uses it; `isCut` is true once it waits no longer. */
function gathering(crowd: number, patience = FOREVER) {
  const slow = new Gathering();
  const state = { waiting: 0, isOver: false, isCut: false };
  slow.noteGroup(crowd, 0);
  const cut = slow
    .gather(
      () => state.waiting,
      patience,
      () => state.isOver,
    )
    .then(() => {
      state.isCut = true;
    });
  const changed = async (to: Partial<typeof state>): Promise<boolean> => {
    Object.assign(state, to);
    slow.update();
    await new Promise((done) => setImmediate(done));
    return state.isCut;
  };
  return { gathering: slow, state, cut, changed };
}

test('it waits for almost all earlier clients, and shortly for the rest', async () => {
  const { changed, cut } = gathering(20);
  assert.not(await changed({ waiting: 1 }));
  assert.not(await changed({ waiting: 17 }));
  await changed({ waiting: 18 });
  await cut;
});

test('it does not wait once all have returned', async () => {
  const { changed } = gathering(20);
  assert.not(await changed({ waiting: 19 }));
  assert.ok(await changed({ waiting: 20 }));
});

test('commits that waited when the group was done count', async () => {
  const { gathering: subject, changed, cut } = gathering(10);
  subject.noteGroup(10, 10);
  assert.not(await changed({ waiting: 17 }));
  await changed({ waiting: 18 });
  await cut;
});

test('it does not wait if all have returned already', async () => {
  const subject = new Gathering();
  subject.noteGroup(10, 0);
  await subject.gather(
    () => 10,
    FOREVER,
    () => false,
  );
  // No call waits at this point.
  subject.update();
});

test('the wait ends when it is over, and with the maximum wait', async () => {
  const { changed } = gathering(10);
  assert.not(await changed({ waiting: 2 }));
  assert.ok(await changed({ isOver: true }));
  await gathering(10, 5).cut;
});

test.run();
