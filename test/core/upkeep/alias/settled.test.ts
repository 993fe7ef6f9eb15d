/** Waiting for the first look at a target, as the answers to writes do. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { withAlias } from './fixture.ts';

const TARGET = parseName('target.example.org.');

test('a write waits for the lookup of its target, and for no other', () => {
  const ends: (() => void)[] = [];
  return withAlias(
    async (rig) => {
      const zone = rig.zone('z.test.', '@ ALIAS target.example.org.');
      while (ends.length < 2) await new Promise(setImmediate);
      let isSettled = false;
      const settled = rig.states.settled(TARGET, 0, new AbortController().signal).then(() => {
        isSettled = true;
      });
      await rig.states.settled(parseName('unknown.example.org.'), 0, new AbortController().signal);
      assert.is(isSettled, false);
      for (const end of ends.splice(0)) end();
      await settled;
      assert.equal(rig.state('target.example.org.').addresses, []);
      assert.is(rig.state('target.example.org.').error, 'the target does not exist');
      await zone;
      await rig.states.settled(TARGET, 0, new AbortController().signal);
    },
    {
      lookup: () =>
        new Promise((done) => ends.push(() => done({ kind: 'none', chain: [], ttl: 60, missing: true } as never))),
    },
  );
});

test('a lookup that does not end delays no other past the deadline', () => {
  let cancel = (): void => {};
  return withAlias(
    async (rig) => {
      void rig.zone('z.test.', '@ ALIAS target.example.org.');
      const controller = new AbortController();
      while (!rig.states.live.values().next().value?.isRunning) await new Promise(setImmediate);
      const settled = rig.states.settled(TARGET, 0, controller.signal);
      controller.abort();
      await settled;
      assert.is(rig.state('target.example.org.').status, 'pending');
      cancel();
    },
    {
      lookup: () =>
        new Promise((done) => {
          const before = cancel;
          cancel = () => {
            before();
            done({ kind: 'failed', error: 'timeout' } as never);
          };
        }),
    },
  );
});

test.run();
