/** Large imports next to other requests to the same domain, on this node and on others. */
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { objectChanges } from '../../../admin-api/events/object-changes.ts';
import { ConflictError, UnavailableError } from '../../../core/base/errors.ts';
import { importOf } from '../../../core/journal/apply/import-entries.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { ChangeWriter, decodeEntry, encodeEntry, NO_HASH } from '../../../core/journal/entry-codec.ts';
import { importsIn, withdrawImport } from '../../../core/journal/upkeep/abandoned-imports.ts';
import { eventsOfEntry } from '../../../core/observe/webhooks/entry-events.ts';
import { idKey } from '../../../core/store/keys.ts';
import { type Domain, domains, imports, records } from '../../../core/store/rows.ts';
import { decodeZoneState } from '../../../core/store/zone-state.ts';
import { deleteDomain } from '../../../core/upkeep/domains/bin.ts';
import { until } from '../../support/until.ts';
import { addressRecord, DEFAULTS, newDomain, withStore } from './fixture.ts';
import {
  apply,
  checkDerived,
  entriesAfter,
  importZone,
  LARGE,
  LINES,
  onOneClock,
  recordsOf,
  withFollower,
} from './imports.ts';

/** The changes of the first part of an import that another node makes. */
function firstPart(domain: Domain, node: string, firstId: number): Buffer {
  const changes = new ChangeWriter();
  const apex = Buffer.from(domain.apex).toString('hex');
  const row = { domainId: domain.id, firstId, count: 10, apex, node, written: 1, end: null };
  changes.put(imports.number, imports.key(row), imports.encode(row));
  const record = { ...addressRecord(domain, node), id: firstId };
  changes.put(records.number, records.key(record), records.encode(record));
  return changes.content;
}

test('an import waits for that of another node, which began while this one read the zone', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { journal, environment } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      let other: Promise<unknown> | null = null;
      const more = (): void => {
        const reads = { at: journal.head, ranges: [] };
        other ??= journal.commit({ reads, changes: firstPart(domain, 'b', 2_200_000_000), by: 'b' });
      };
      const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000, more });
      let isOver = false;
      const ended = (): void => {
        isOver = true;
      };
      imported.then(ended, ended);
      await until(() => other !== null, 'the other node begins');
      await other;
      assert.is(environment.hidden.find(domain.id, 'imported')?.firstId, 2_200_000_000);
      assert.is(isOver, false);
      const [row] = importsIn(environment);
      assert.is(row.node, 'b');
      await withdrawImport(environment, journal, row);
      await imported;
      await until(() => environment.hidden.read().length === 0, 'hidden records are deleted');
      assert.ok(
        recordsOf(environment, domain.id).every(({ key }) => key.readUInt32BE(key.length - 4) >= 2_100_000_000),
      );
      await checkDerived(store);
    },
    LARGE,
  ));

test('a node applies a log with two imports into one domain at a time', () =>
  withFollower(async (follower) => {
    const domain = newDomain('zone.test.');
    const entries = ['a', 'b'].map((node, i) =>
      encodeEntry({
        sequence: i + 1,
        time: 1_700_000_000_000,
        by: 'test',
        previousHash: NO_HASH,
        changes: firstPart(domain, node, 2_000_000_000 + i * 1000),
      }),
    );
    await apply(follower, entries);
    assert.equal(
      importsIn(follower.environment).map(({ node }) => node),
      ['a'],
    );
  }));

test('records that an import hides cannot be read by their ids', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { journal, environment, reader } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      while (environment.hidden.read()[0]?.state !== 'imported') await setImmediate();
      assert.is(reader.record(2_100_000_003), undefined);
      assert.is(reader.record(2_000_000_003)?.id, 2_000_000_003);
      while (environment.hidden.read()[0]?.state !== 'replaced') await setImmediate();
      assert.is(reader.record(2_000_000_200), undefined);
      assert.is(reader.record(2_100_000_003)?.id, 2_100_000_003);
      const key = records.key({ ...addressRecord(domain, 'n1001'), id: 2_000_000_200 });
      await write(environment, journal, 'other node', (draft) => {
        assert.is(draft.record(2_000_000_200), undefined);
        assert.is(environment.records.get(key), undefined);
      });
      await imported;
      const state = decodeZoneState(environment.zones.get(idKey(domain.id)));
      assert.is(state.recordCount, recordsOf(environment, domain.id).length);
      await checkDerived(store);
    },
    LARGE,
  ));

test('during an import its domain accepts no records, and other domains do', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { journal, environment } = store;
      const [domain, other] = [newDomain('zone.test.'), newDomain('other.test.')];
      await write(environment, journal, 'test', (draft) => draft.put(domains, other));
      let attempts = 0;
      const more = (): void => {
        attempts++;
      };
      const imported = importZone(store, { domain, variant: 1, firstId: 2_000_000_000, more });
      while (environment.hidden.read().length === 0) await setImmediate();
      const add = (to: Domain): Promise<unknown> =>
        write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(to, 'added')));
      await add(domain).then(
        () => assert.unreachable('the record is stored'),
        (error: Error) => {
          assert.instance(error, UnavailableError);
          assert.is((error as UnavailableError).code, 'import_in_progress');
        },
      );
      await add(other);
      await imported;
      assert.is(attempts, 1);
      await add(domain);
      assert.is(recordsOf(environment, domain.id).length, LINES + 10);
    },
    LARGE,
  ));

test('deleting the domain of an import does not conflict with its parts', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { journal, environment } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      imported.catch(() => {});
      while (environment.hidden.read().length === 0) await setImmediate();
      let attempts = 0;
      await write(environment, journal, 'other', async (draft) => {
        attempts++;
        deleteDomain({ environment, zoneSettings: DEFAULTS }, draft, domain, { by: null, now: 1, isPermanent: false });
        // More parts are applied before the commit.
        const { written } = importsIn(environment)[0];
        for (let i = 0; i < 200 && importsIn(environment)[0]?.written === written; i++) await setImmediate();
      });
      assert.is(attempts, 1);
      await imported.catch((error: Error) => assert.instance(error, ConflictError));
    },
    LARGE,
  ));

/** A journal whose imports wait for another node until the signal, or `release`. */
function withSlowPeer() {
  const peer = { isAwaited: false, release: (): void => {} };
  const open: typeof onOneClock = async (store, history) => {
    const journal = await onOneClock(store, history);
    Object.assign(journal, {
      waitForImport: (_: number, signal: AbortSignal) =>
        new Promise<void>((resolve) => {
          peer.isAwaited = true;
          peer.release = resolve;
          signal.addEventListener('abort', () => resolve());
        }),
    });
    return journal;
  };
  return { peer, open };
}

test('a stop does not wait for other nodes to serve an import', () => {
  const { peer, open } = withSlowPeer();
  return withStore(
    open,
    async (store) => {
      const imported = importZone(store, { domain: newDomain('zone.test.'), variant: 1, firstId: 2_000_000_000 });
      await until(() => peer.isAwaited, 'the import waits for the other node');
      await store.journal.close();
      await imported;
    },
    LARGE,
  );
});

test('other writes of an author do not wait for an import that was repeated', () => {
  const { peer, open } = withSlowPeer();
  return withStore(
    open,
    async (store) => {
      const { journal, environment } = store;
      const [domain, read, other] = ['zone.test.', 'read.test.', 'other.example.'].map((name) => newDomain(name));
      await write(environment, journal, 'test', (draft) => draft.put(domains, other));
      let attempts = 0;
      const imported = importZone(store, {
        domain,
        variant: 1,
        firstId: 2_000_000_000,
        more(draft) {
          attempts++;
          draft.domain(read.id);
        },
      });
      while (environment.hidden.read().length === 0) await setImmediate();
      await write(environment, journal, 'else', (draft) => draft.put(domains, read));
      await until(() => peer.isAwaited, 'the import waits for the other node');
      assert.is(attempts, 2);
      let tries = 0;
      await write(environment, journal, 'test', async (draft) => {
        draft.domain(other.id);
        if (tries++ === 0) await write(environment, journal, 'else', (again) => again.put(domains, other));
        draft.put(records, addressRecord(other, 'x'));
      });
      assert.is(tries, 2);
      peer.release();
      await imported;
    },
    LARGE,
  );
});

test('an import that conflicts again and again is given up', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { environment, journal } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      let attempts = 0;
      let isOver = false;
      const more = (draft: Draft): void => {
        attempts++;
        draft.put(domains, { ...draft.domain(domain.id)!, createdAt: draft.domain(domain.id)!.createdAt });
      };
      const outcome = importZone(store, { domain, variant: 2, firstId: 2_100_000_000, more }).then(
        () => 'imported',
        (error: unknown) => error,
      );
      void outcome.finally(() => {
        isOver = true;
      });
      // Another write changes the domain while the import has parts.
      for (let i = 2; !isOver; i++) {
        if (importsIn(environment).length === 0) await setImmediate();
        else
          await write(environment, journal, 'other', (draft) =>
            draft.put(domains, { ...draft.domain(domain.id)!, createdAt: i }),
          );
      }
      assert.instance(await outcome, ConflictError);
      assert.is(attempts, 4);
      await until(() => environment.hidden.read().length === 0, 'hidden records are deleted');
      assert.is(recordsOf(environment, domain.id).length, LINES + 9);
      await checkDerived(store);
    },
    LARGE,
  ));

test('an import that a full disk interrupts is logged and finished later', () => {
  const lines: string[] = [];
  const log = { warn: (text: string) => lines.push(text), info: (text: string) => lines.push(text) } as never;
  const storage = { isFull: false, refusalOf: () => null };
  return withStore(
    ({ environment, index }, history) =>
      openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, log, storage }),
    async (store) => {
      const { environment } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      while (environment.hidden.read()[0]?.state !== 'replaced') await setImmediate();
      storage.isFull = true;
      await until(() => lines.length > 0, 'the fault is logged');
      storage.isFull = false;
      await imported;
      assert.equal(lines, ['cannot finish an import; retrying', 'imports are finished again']);
      await checkDerived(store);
    },
    LARGE,
  );
});

test('an import gives the same events as one entry', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { journal, environment, reader } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const found: unknown[] = [];
      for (const isStaged of [true, false]) {
        const before = journal.head;
        await importZone(store, { domain, variant: 2, firstId: isStaged ? 2_100_000_000 : 2_300_000_000, isStaged });
        const entries = entriesAfter(environment, before).map(decodeEntry);
        assert.is(entries.length > 3, isStaged);
        assert.is(importOf(entries[0].changes) !== null, isStaged);
        const events = entries.map((entry) => [
          eventsOfEntry(entry, reader, () => true, new Map() as never).map(({ type }) => type),
          objectChanges(entry, reader)?.map(({ kind, id }) => `${kind} ${id}`),
        ]);
        assert.ok(events.slice(0, -1).every(([webhooks, live]) => webhooks?.length === 0 && live?.length === 0));
        found.push(events.at(-1));
      }
      assert.equal(found[0], [['records.changed'], [`records ${domain.id}`]]);
      assert.equal(found[0], found[1]);
    },
    LARGE,
  ));

test('a zone is not transferred from the last entry of an import until its answers are served', () => {
  const held = new Map<object, number>();
  const seen: string[] = [];
  const open: typeof onOneClock = ({ environment, index }, history) =>
    openEmbeddedJournal({
      environment,
      index,
      zoneSettings: DEFAULTS,
      history,
      zones: {
        follows: () => false,
        onChange: ({ domainId }) => seen.push(`changed ${[...held.values()].includes(domainId) ? 'held' : 'free'}`),
        hold: (reason, domainId) => held.set(reason, domainId),
        release(reason) {
          seen.push('released');
          held.delete(reason);
        },
      },
    });
  return withStore(
    open,
    async (store) => {
      await importZone(store, { domain: newDomain('zone.test.'), variant: 1, firstId: 2_000_000_000 });
      assert.equal(seen, ['changed held', 'released']);
      assert.is(held.size, 0);
    },
    LARGE,
  );
});

test.run();
