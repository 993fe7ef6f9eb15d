/** Who is waited for before a group is cut. No step of these tests depends on how long something takes: those that are to wait have patience without end. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Gathering } from '../../../../core/journal/etcd/gathering.ts';

const FOREVER = 2 ** 30;

/** As a journal has it; `isCut` once it waits no longer. */
function gathering(crowd: number, patience = FOREVER) {
  const gathering = new Gathering();
  const state = { waiting: 0, isOver: false, isCut: false };
  gathering.noteGroup(crowd, 0);
  const cut = gathering
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
    gathering.update();
    await new Promise((done) => setImmediate(done));
    return state.isCut;
  };
  return { gathering, state, cut, changed };
}

test('almost as many as there were are waited for, and those who come right after them', async () => {
  const { changed, cut } = gathering(20);
  assert.not(await changed({ waiting: 1 }));
  assert.not(await changed({ waiting: 17 }));
  await changed({ waiting: 18 });
  await cut;
});

test('nobody is waited for once all are there', async () => {
  const { changed } = gathering(20);
  assert.not(await changed({ waiting: 19 }));
  assert.ok(await changed({ waiting: 20 }));
});

test('those that waited when the group was done count', async () => {
  const { gathering: one, changed, cut } = gathering(10);
  one.noteGroup(10, 10);
  assert.not(await changed({ waiting: 17 }));
  await changed({ waiting: 18 });
  await cut;
});

test('nobody is waited for when all are there already', async () => {
  const one = new Gathering();
  one.noteGroup(10, 0);
  await one.gather(
    () => 10,
    FOREVER,
    () => false,
  );
  // Nobody waits.
  one.update();
});

test('it ends when it is over, and with its patience', async () => {
  const { changed } = gathering(10);
  assert.not(await changed({ waiting: 2 }));
  assert.ok(await changed({ isOver: true }));
  await gathering(10, 5).cut;
});

test.run();
