/** Feature levels: what a cluster may write while some of its nodes run an earlier version. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft/draft.ts';
import { ChangeWriter } from '../../../core/journal/entry-codec.ts';
import {
  type ClusterLevel,
  FEATURE_LEVEL,
  FIRST_LEVEL,
  LEVELS,
  levelOf,
  levelOfVersion,
  levelRefusal,
  OWN_LEVEL,
  risenLevel,
} from '../../../core/journal/feature-level.ts';
import {
  accounts,
  type DnssecState,
  dnssec,
  dnssecStates,
  type KeyUse,
  type Purge,
  purges,
  siteDocuments,
  TABLES,
} from '../../../core/store/rows.ts';
import { beginSigning } from '../../../core/upkeep/signing/zone-lifecycle.ts';
import { embedded, newAccount, withStore } from './fixture.ts';

test('each table has a level of the list, and the last one is that of this program', () => {
  const levels = LEVELS.map(({ level }) => level);
  assert.equal(
    levels,
    levels.map((_, i) => i + 1),
  );
  assert.is(levels.at(-1), FEATURE_LEVEL);
  for (const { name, level = FIRST_LEVEL } of TABLES.values()) assert.ok(levels.includes(level), name);
});

test('the level rises to the least of all nodes, and never falls', () => {
  assert.equal(
    [risenLevel(1, [2, 3]), risenLevel(2, [2, 3]), risenLevel(3, [2]), risenLevel(1, [])],
    [2, null, null, null],
  );
});

const nodes = [
  { name: 'c', version: '0.2.0', level: FEATURE_LEVEL },
  { name: 'b', version: '0.3.0', level: FEATURE_LEVEL + 1 },
  { name: 'a', version: '0.1' },
];
const cluster = (agreed: number | null): ClusterLevel => ({ agreed, nodes: () => nodes });

test('a purge with prefetch needs no level: a node without it executes the purge alone', () => {
  const targets = { urls: ['https://a.test/'], prefixes: [], tags: [], createdAt: 1 };
  const purge: Purge = { id: newAccount().id, domainId: newAccount().id, ...targets, prefetch: true };
  const changes = new ChangeWriter();
  changes.put(purges.number, purges.key(purge), purges.encode(purge));
  assert.is(levelOf(changes.content), FIRST_LEVEL);
  const { prefetch, ...others } = purges.decode(purges.key(purge), purges.encode(purge));
  const { prefetch: _, ...rest } = purge;
  assert.equal([prefetch, others], [true, rest]);
});

test('a rule that authenticates visitors needs nodes that do not skip it', () => {
  const levelWith = (type: string): number => {
    const document = { domainId: newAccount().id, kind: 'rules' as const, revision: 1, updatedAt: 1 };
    const row = { ...document, content: { rules: [{ action: { type: 'deny' } }, { action: { type } }] } };
    const changes = new ChangeWriter();
    changes.put(siteDocuments.number, siteDocuments.key(row), siteDocuments.encode(row));
    return levelOf(changes.content);
  };
  assert.equal([levelWith('bypass_cache'), levelWith('authenticate')], [2, 5]);
});

test('a zone that replaces its algorithm needs nodes that sign with both keys', () => {
  const levelWith = (use: KeyUse, phase: DnssecState['phase']): number[] => {
    const key = { id: 1, dnskey: '', sealed: '', isTrusted: true, createdAt: 1 };
    const keys = [
      { ...key, use: 'sign' as const },
      { ...key, use },
    ];
    const row = { domainId: 1, algorithm: 13, clock: 1, keys, foreign: [], parent: 'publish' as const };
    const { state } = beginSigning(row, 1, 1);
    const stored = { ...state, phase, dueAt: 0, hasProblem: false };
    return [new ChangeWriter(), new ChangeWriter()].map((changes, i) => {
      if (i === 0) changes.put(dnssec.number, dnssec.key(row), dnssec.encode(row));
      else changes.put(dnssecStates.number, dnssecStates.key(stored), dnssecStates.encode(stored));
      return levelOf(changes.content);
    });
  };
  assert.equal(levelWith('publish', 'rolling_ds'), [FIRST_LEVEL, FIRST_LEVEL]);
  assert.equal(levelWith('sign_unpublished', 'rolling_sign'), [6, 6]);
  assert.equal(levelWith('none', 'rolling_withdraw'), [6, 6]);
});

test('the level of a version is that of its newest feature', () => {
  assert.equal(['0.1', '0.2.0', '0.2.9'].map(levelOfVersion), [0, 1, 1]);
  const newest = LEVELS.at(-1)!;
  assert.is(levelOfVersion(newest.since), newest.level);
  assert.is(levelOfVersion(`${newest.since}-dev`), newest.level);
});

test('before the level has been read, what every version can store is written, and nothing else', async () => {
  const table = TABLES.get(accounts.number) as { level?: number };
  assert.is(table.level, undefined);
  const changes = new ChangeWriter();
  changes.put(accounts.number, Buffer.from('k'), Buffer.from('v'));
  assert.is(levelRefusal(changes.content, cluster(null)), null);
});

test('changes of a table that the level does not have are refused before anything is written', async () => {
  const table = TABLES.get(accounts.number) as { level?: number };
  const before = table.level;
  const changes = new ChangeWriter();
  changes.put(accounts.number, Buffer.from('k'), Buffer.from('v'));
  try {
    table.level = FEATURE_LEVEL + 1;
    assert.is(levelOf(changes.content), FEATURE_LEVEL + 1);
    const refusal = levelRefusal(changes.content, cluster(FEATURE_LEVEL - 1));
    assert.is(refusal?.code, 'feature_level');
    assert.match(refusal!.message, /do not have: a \(0\.1\), c \(0\.2\.0\)\. Nothing was written\. Update them/);
    assert.is(levelRefusal(changes.content, OWN_LEVEL), null, 'this program writes nothing above its level');
    const upToDate = { agreed: FEATURE_LEVEL - 1, nodes: () => [] };
    assert.match(levelRefusal(changes.content, upToDate)!.message, /have not agreed on feature level/);
    const unread = levelRefusal(changes.content, cluster(null));
    assert.is(unread?.code, 'feature_level');
    assert.match(unread!.message, /has not read the feature level of the cluster from etcd yet/);
    await withStore(
      (store, history) => embedded(store, history, () => cluster(FEATURE_LEVEL - 1)),
      async ({ environment, journal, reader }) => {
        const account = newAccount();
        const written = write(environment, journal, 'test', (draft) => draft.put(accounts, account));
        assert.is(await written.catch((error: { code: string }) => error.code), 'feature_level');
        const levels = [undefined, FEATURE_LEVEL - 1, FEATURE_LEVEL];
        assert.equal(
          levels.map((level) => journal.canStore(level === undefined ? {} : { level })),
          [true, true, false],
        );
        assert.equal([journal.head, reader.account(account.id)], [0, undefined]);
      },
    );
  } finally {
    table.level = before;
  }
});

test.run();
