/**
 * If a zone is signed, groups of entries are compiled while the groups before them are written. The
 * store is then the same as after a rebuild, also if some groups cannot be compiled or written.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Applier } from '../../../core/journal/apply/applier.ts';
import { Signers } from '../../../core/journal/apply/signers.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import { ChangeWriter } from '../../../core/journal/entry-codec.ts';
import { type Domain, dnssec, domains, type RecordRow, records } from '../../../core/store/rows.ts';
import { depth } from '../../support/depth.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { addressRecord, DEFAULTS, newDomain, newRecord, type Store, withStore } from './fixture.ts';
import { checkRebuilt, newRow } from './signing/rig.ts';

const test = suite('groups that are prepared during a write');
const COMMITS = depth({ quick: 100, moderate: 200, full: 10_000 });
const ROUND = 50;
const OWNERS = ['@', 'a', 'b', 'x.a', '*.a', 'y.x.a', 'n', 'a.n', 'z'];

/** Of writes of several entries, one of so many fails. */
const FAILS = 4;

/** What the journal has done. */
class Observed {
  prepared = 0;
  failedWrites = 0;
  /** Called when that many entries begin to be written. */
  onWrite: (entries: number) => void = () => {};
  #writing = 0;
  #writes = 0;

  watch(applier: Applier): void {
    const [rehearse, apply] = [applier.rehearse.bind(applier), applier.apply.bind(applier)];
    applier.rehearse = (links) => {
      if (this.#writing > 0) this.prepared++;
      return rehearse(links);
    };
    applier.apply = async (links, hash) => {
      this.#writing++;
      const fails = links.length > 1 && ++this.#writes % FAILS === 0;
      try {
        // The head cannot be written without a hash.
        const applied = apply(links, fails ? (null as unknown as Buffer) : hash);
        this.onWrite(links.length);
        return await applied;
      } catch (error) {
        this.failedWrites++;
        throw error;
      } finally {
        this.#writing--;
      }
    };
  }
}

const brokenEntry = (): Buffer => {
  const out = new ChangeWriter();
  out.put(200, Buffer.from('key'), Buffer.from('value'));
  return out.content;
};

/** Adds or deletes records at random; each owner has at most two addresses and a delegation. */
class Changes {
  readonly #rows = new Map<string, RecordRow>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(zones: readonly Domain[]): Buffer {
    const random = this.#random;
    const out = new ChangeWriter();
    const zone = random.pick(zones);
    const owner = random.pick(OWNERS);
    const isDelegation = owner !== '@' && random.below(6) === 0;
    const last = random.below(2);
    const id = `${zone.id} ${owner} ${isDelegation ? 'NS' : last}`;
    const old = this.#rows.get(id);
    if (old !== undefined) {
      this.#rows.delete(id);
      out.delete(records.number, records.key(old));
      return out.content;
    }
    const row = isDelegation
      ? newRecord(zone, owner, TYPE.NS, Buffer.from('\x02ns\x07example\0', 'latin1'))
      : addressRecord(zone, owner, last);
    this.#rows.set(id, row);
    out.put(records.number, records.key(row), records.encode(row));
    return out.content;
  }
}

for (const inThreads of [false, true])
  test(`${COMMITS} commits, ${inThreads ? 'signed in threads, ' : ''}seed ${SEED}`, async () => {
    const random = new Random(SEED);
    const observed = new Observed();
    let signers: Signers | undefined;
    const journalOf = ({ environment, index, folder }: Omit<Store, 'journal'>, history: number) => {
      signers = new Signers(openSecrets(`${folder}/key`), { inThreads });
      const journal = openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, signers });
      observed.watch((journal as unknown as { readonly applier: Applier }).applier);
      return journal;
    };
    await withStore(journalOf, async (store) => {
      const { environment, journal } = store;
      const zones = ['a.test.', 'n.a.test.', 'b.test.', 'unsigned.test.'].map((apex) => newDomain(apex));
      const changes = new Changes(random);
      await write(environment, journal, 'test', (draft) => {
        for (const zone of zones) draft.insert(domains, zone);
        for (const zone of zones.slice(0, 3)) draft.insert(dnssec, newRow(store, zone));
      });
      for (let done = 0; done < COMMITS; done += ROUND) {
        const commits: Promise<unknown>[] = [];
        const commit = (content: Buffer) =>
          journal.commit({ reads: { at: journal.head, ranges: [] }, changes: content, by: 'test' });
        const commitSome = (count: number): void => {
          for (let i = 0; i < count && commits.length < ROUND; i++)
            commits.push(
              random.below(10) > 0
                ? commit(changes.next(zones))
                : commit(brokenEntry()).then(
                    () => assert.unreachable(),
                    () => {},
                  ),
            );
        };
        observed.onWrite = (entries) => commitSome(entries + random.below(3));
        while (commits.length < ROUND) {
          commitSome(1 + random.below(4));
          await (random.below(2) === 0 ? setImmediate() : sleep(random.below(3)));
        }
        await Promise.all(commits);
        await checkRebuilt(store, `seed ${SEED}, after ${done + ROUND} commits`);
      }
    });
    await signers?.close();
    assert.ok(observed.prepared > 0, 'groups are prepared during writes');
    assert.ok(observed.failedWrites > 0, 'some writes fail');
  });

test.run();
