/** Many zones on one target: one look, and a change that comes to all of them in pieces. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../core/dns/wire/name.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { aliasTargets, domains, records } from '../../core/store/rows.ts';
import { newDomain } from '../core/journal/fixture.ts';
import { type AliasRig, recordOf, withAlias } from '../core/upkeep/alias/fixture.ts';
import { depth } from '../support/depth.ts';
import { newId } from '../support/ids.ts';

const ZONES = depth({ quick: 600, moderate: 1000, full: 10_000 });
const V4 = '93.184.215.14';
const OTHER_V4 = '93.184.215.15';
const TARGET = 'lb.target.example';
const AT_ONCE = 500;

async function addZones({ store }: AliasRig): Promise<void> {
  for (let i = 0; i < ZONES; i += AT_ONCE)
    await write(store.environment, store.journal, 'test', (draft) => {
      for (let n = i; n < Math.min(i + AT_ONCE, ZONES); n++) {
        const domain = newDomain(`z${n}.test`);
        draft.insert(domains, domain);
        draft.insert(records, { ...recordOf(domain, `@ ALIAS ${TARGET}.`), id: newId() });
      }
    });
}

const answers = ({ ask }: AliasRig): Set<string> =>
  new Set(Array.from({ length: ZONES }, (_, i) => ask(`z${i}.test`).addresses.join()));

test(`${ZONES} zones on one target`, () =>
  withAlias(async (rig) => {
    const { server, pass, refresher, store } = rig;
    server.set(TARGET, { addresses: [V4], ttl: 100 }, { rcode: 0, negativeTtl: 10_000 });
    await addZones(rig);
    await rig.settle();
    await pass(6);
    assert.equal(answers(rig), new Set([V4]));
    const writes = Math.ceil(ZONES / AT_ONCE);
    assert.ok(server.count(TARGET, 'AAAA') <= writes + 1, 'a look for each write at most, and one in six seconds');
    const { written } = refresher.counts;
    const { head } = store.journal;
    server.set(TARGET, { addresses: [OTHER_V4], ttl: 100 });
    // Somebody else writes all the time, and is not kept waiting for all pieces.
    rig.now += 100;
    refresher.tick();
    let others = 0;
    while (refresher.counts.written === written || store.journal.head - head - others < Math.ceil(ZONES / 200)) {
      await write(store.environment, store.journal, 'test', (draft) =>
        draft.insert(domains, newDomain(`o${others}.test`)),
      );
      others++;
    }
    await rig.settle();
    assert.equal(answers(rig), new Set([OTHER_V4]));
    assert.is(refresher.counts.written - written, Math.ceil(ZONES / 200), 'pieces');
    assert.ok(others > 1, 'others came in between');
  }));

test('a change that had not reached all names when the process ended continues at the next start', () =>
  withAlias(async (rig) => {
    const { server, store, restart } = rig;
    server.set(TARGET, { addresses: [V4], ttl: 100 }, { rcode: 0, negativeTtl: 10_000 });
    await addZones(rig);
    await rig.settle();
    await rig.pass(6);
    server.set(TARGET, { addresses: [OTHER_V4], ttl: 100 }, { rcode: 0, negativeTtl: 10_000 });
    const { written } = rig.refresher.counts;
    rig.now += 100;
    rig.refresher.tick();
    const row = () => store.reader.row(aliasTargets, aliasTargets.key({ name: parseName(TARGET) } as never));
    while (rig.refresher.counts.written === written) await new Promise((done) => setImmediate(done));
    await rig.refresher.stop();
    assert.ok(row()?.spread?.to !== null, 'it ended in the middle');
    assert.equal(answers(rig), new Set([V4, OTHER_V4]));
    server.set(TARGET, { rcode: 2 }, { rcode: 2 });
    await restart();
    assert.equal(answers(rig), new Set([OTHER_V4]), 'from what is stored, without anybody to ask');
    assert.is(row()?.spread?.to, null);
  }));

test.run();
