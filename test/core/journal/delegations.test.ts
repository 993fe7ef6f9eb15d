/**
 * A zone of ours around another has the delegation to it in its transfers: the NS records of the
 * nested zone, and the addresses of these nameservers. When they change, its serial rises.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { type Domain, domains, type RecordRow, records } from '../../../core/store/rows.ts';
import { addressRecord, DEFAULTS, embedded, newDomain, newRecord, type Store, withStore } from './fixture.ts';

const test = suite('delegations to nested zones');
const KEPT = { ...DEFAULTS, serial: 1, mname: 'ns.test.', rname: 'h.test.', ttl: 240 };

async function rises(store: Store, parent: Domain, change: () => Promise<unknown>): Promise<boolean> {
  const before = store.reader.zoneState(parent.id).serial;
  await change();
  return store.reader.zoneState(parent.id).serial !== before;
}

test('the serial of the zone around a zone rises with its delegation, and with nothing else', () =>
  withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const parent = newDomain('parent.test.');
    const child = newDomain('child.parent.test.', KEPT);
    const commit = (add: readonly RecordRow[], remove: readonly RecordRow[] = []) =>
      write(environment, journal, 'test', (draft) => {
        for (const row of remove) draft.delete(records, row);
        for (const row of add) draft.insert(records, row);
      });
    await write(environment, journal, 'test', (draft) => {
      draft.insert(domains, parent);
      draft.insert(domains, child);
    });
    const nameserver = newRecord(child, '@', TYPE.NS, parseName('ns.child.parent.test.'));
    assert.ok(await rises(store, parent, () => commit([nameserver])), 'an NS record is added');
    const address = addressRecord(child, 'ns');
    assert.ok(await rises(store, parent, () => commit([address])), 'its address is added');
    const other = addressRecord(child, 'www');
    assert.not(await rises(store, parent, () => commit([other])), 'another address is added');
    const text = newRecord(child, 'ns', TYPE.TXT, Uint8Array.of(1, 65));
    assert.not(await rises(store, parent, () => commit([text])), 'a text at the nameserver is added');
    const below = newRecord(child, 'sub', TYPE.NS, parseName('ns.child.parent.test.'));
    assert.not(await rises(store, parent, () => commit([below])), 'a delegation below is added');
    const moved = addressRecord(child, 'ns', 2);
    assert.ok(await rises(store, parent, () => commit([moved], [address])), 'the address changes');
    assert.not(await rises(store, parent, () => commit([], [other, text, below])), 'the others are deleted');
    assert.ok(await rises(store, parent, () => commit([], [nameserver])), 'the NS record is deleted');
    assert.not(await rises(store, parent, () => commit([], [moved])), 'its address is deleted');
    const ours = { ...child, kept: null };
    const keep = () => write(environment, journal, 'test', (draft) => draft.put(domains, ours));
    assert.ok(await rises(store, parent, keep), 'the zone gets our nameservers');
  }));

test.run();
