/** Which zones are not published to secondaries: those with a target that was never looked up. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { Holds } from '../../../../core/nameserver/transfer/holds.ts';
import type { Lookup } from '../../../../core/net/resolver/resolver.ts';
import { domains, records } from '../../../../core/store/rows.ts';
import { untilIs } from '../../../support/until.ts';
import { newDomain } from '../../journal/fixture.ts';
import { type AliasRig, recordOf, withAlias } from './fixture.ts';

const FOUND = { kind: 'addresses', addresses: [parseRdata(TYPE.A, '93.184.215.14')], ttl: 60, chain: [] } as const;

const NONE = { kind: 'none', missing: false, ttl: 60, chain: [] } as const;
type Outcome = Awaited<ReturnType<Lookup>>;

/** A resolver that answers queries for A when the test says so, and those for AAAA at once. */
function slowLookup(): { lookup: Lookup; answer(outcome: Outcome): void } {
  let waiting: ((outcome: Outcome) => void)[] = [];
  return {
    lookup: (_, type) => new Promise((resolve) => (type === TYPE.A ? waiting.push(resolve) : resolve(NONE))),
    answer(outcome) {
      for (const resolve of waiting) resolve(outcome);
      waiting = [];
    },
  };
}

async function put(rig: AliasRig, apex: string, ...lines: string[]): Promise<number> {
  const domain = newDomain(apex);
  await write(rig.store.environment, rig.store.journal, 'test', (draft) => {
    draft.put(domains, domain);
    for (const line of lines) draft.put(records, recordOf(domain, line));
  });
  return domain.id;
}

test('a zone is held until its new target is resolved, and others are not', () => {
  const { lookup, answer } = slowLookup();
  return withAlias(
    async (rig) => {
      const other = await put(rig, 'other.test', 'www A 192.0.2.1');
      const held = await put(rig, 'one.test', 'al ALIAS slow.example.');
      const later = await put(rig, 'two.test', 'al ALIAS slow.example.');
      assert.equal([rig.holds.has(other), rig.holds.has(held), rig.holds.has(later)], [false, true, true]);
      answer(FOUND);
      await rig.settle();
      assert.equal([rig.holds.has(held), rig.holds.has(later)], [false, false]);
      assert.is(rig.holds.has(await put(rig, 'three.test', 'al ALIAS slow.example.')), false, 'it is known now');
    },
    { lookup },
  );
});

test('a lookup that fails ends the hold', () => {
  const { lookup, answer } = slowLookup();
  return withAlias(
    async (rig) => {
      const held = await put(rig, 'one.test', 'al ALIAS slow.example.', 'al2 ALIAS slow2.example.');
      assert.is(rig.holds.has(held), true);
      answer({ kind: 'failed', error: 'no' });
      await rig.settle();
      assert.is(rig.holds.has(held), false);
      assert.is(rig.state('slow.example').status, 'failed');
    },
    { lookup },
  );
});

test('a lookup that takes too long counts as failed, and its result is served later', () => {
  const { lookup, answer } = slowLookup();
  return withAlias(
    async (rig) => {
      const held = await put(rig, 'one.test', 'al ALIAS slow.example.');
      rig.now += 14;
      rig.refresher.tick();
      assert.is(rig.holds.has(held), true);
      rig.now += 2;
      rig.refresher.tick();
      await untilIs(() => rig.holds.has(held), false);
      assert.equal([rig.ask('al.one.test').rcode, rig.ask('al.one.test').addresses], [0, []]);
      answer(FOUND);
      await rig.settle();
      assert.equal(rig.ask('al.one.test').addresses, ['93.184.215.14']);
    },
    { lookup },
  );
});

test('a deleted ALIAS holds its zone no longer', () => {
  const { lookup, answer } = slowLookup();
  return withAlias(
    async (rig) => {
      const held = await put(rig, 'one.test', 'al ALIAS slow.example.');
      await write(rig.store.environment, rig.store.journal, 'test', (draft) => {
        for (const row of draft.recordsOf(held, null)) draft.delete(records, row);
      });
      assert.is(rig.holds.has(held), false);
      answer(FOUND);
      await rig.settle();
    },
    { lookup },
  );
});

test('a restart holds all zones until it knows the targets, then those that were never looked up', () => {
  const { lookup, answer } = slowLookup();
  return withAlias(
    async (rig) => {
      const known = await put(rig, 'one.test', 'al ALIAS known.example.');
      answer(FOUND);
      await rig.settle();
      const held = await put(rig, 'two.test', 'al ALIAS slow.example.');
      assert.is(new Holds().has(known), true);
      answer({ kind: 'failed', error: 'aborted' });
      await rig.refresher.stop();
      const before = rig.holds;
      const restarted = rig.restart();
      await untilIs(() => rig.holds !== before && !rig.holds.has(known), true);
      assert.is(rig.holds.has(held), true);
      answer(FOUND);
      await restarted;
      assert.is(rig.holds.has(held), false);
    },
    { lookup },
  );
});

test.run();
