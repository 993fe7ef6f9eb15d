/** How what a target answers comes to its owners. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newFamily } from '../../../core/alias/family-state.ts';
import { Target } from '../../../core/alias/target.ts';
import { TargetWriter } from '../../../core/alias/target-writer.ts';
import { write } from '../../../core/journal/draft.ts';
import { type AliasTarget, aliasTargets, domains, newId, records } from '../../../core/store/rows.ts';
import { parseName } from '../../../core/wire/name.ts';
import { embedded, newDomain, type Store, withStore } from '../journal/fixture.ts';
import { recordOf } from './fixture.ts';

const OWNERS = 900;

/** Every name of one zone is an ALIAS of one of `targets` in turns. */
async function addOwners({ environment, journal }: Store, targets: readonly string[]): Promise<void> {
  const domain = newDomain('many.test');
  await write(environment, journal, 'test', (draft) => {
    draft.put(domains, domain);
    for (let i = 0; i < OWNERS; i++) {
      const line = `w${i} ALIAS ${targets[i % targets.length]}.`;
      draft.insert(records, { ...recordOf(domain, line), id: newId() });
    }
  });
}

function serve(target: Target, address: string): void {
  target.a = newFamily({ addresses: [address], ttl: 60, stale: false, goodAt: 1 });
  target.aaaa = newFamily({ addresses: [], ttl: 60, stale: false, goodAt: 1 });
}

test('a target that changes while it is spread comes to all owners with each change that has begun', () =>
  withStore(embedded, async (store) => {
    await addOwners(store, ['t.example']);
    const { environment, journal, reader } = store;
    const writer = new TargetWriter(environment, journal, 3600);
    const target = new Target(parseName('t.example.'), null);
    const pieces: string[] = [];
    let bringing: Promise<void> | undefined;
    journal.onAnswers(() => {
      const row = reader.row(aliasTargets, aliasTargets.key({ name: target.name } as AliasTarget));
      if (row === undefined || row.spread === null) return;
      const place = row.spread.from === '' ? 'first' : row.spread.to === null ? 'last' : 'next';
      pieces.push(`${row.a?.addresses.join()} ${place}`);
      if (pieces.length !== 2) return;
      serve(target, '5db8d70f');
      bringing = writer.bring(target);
    });
    serve(target, '5db8d70e');
    await writer.bring(target);
    await bringing;
    const spread = (address: string) => ['first', 'next', 'next', 'next', 'last'].map((place) => `${address} ${place}`);
    assert.equal(pieces, [...spread('5db8d70e'), ...spread('5db8d70f')]);
  }));

test('many targets that change at once do not become one commit', () =>
  withStore(embedded, async (store) => {
    const names = Array.from({ length: 9 }, (_, i) => `t${i}.example`);
    await addOwners(store, names);
    const { environment, journal } = store;
    const writer = new TargetWriter(environment, journal, 3600);
    let most = 0;
    let all = 0;
    journal.onAnswers(({ names: changed }) => {
      const count = [...changed].length;
      most = Math.max(most, count);
      all += count;
    });
    await Promise.all(
      names.map((name) => {
        const target = new Target(parseName(`${name}.`), null);
        serve(target, '5db8d70e');
        return writer.bring(target);
      }),
    );
    assert.ok(all >= OWNERS, `${all} names`);
    assert.ok(most <= 401, `${most} names in one commit`);
  }));

test.run();
