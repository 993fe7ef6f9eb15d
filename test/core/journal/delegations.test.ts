/**
 * A zone of ours around another has the delegation to it in its transfers: the NS records of the
 * nested zone, and the addresses of these nameservers. When they change, its serial rises.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import {
  type AliasTarget,
  aliasTargets,
  type Domain,
  domains,
  type RecordRow,
  records,
} from '../../../core/store/rows.ts';
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

test('it rises when glue changes at another name than that of the nameserver', () =>
  withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const parent = newDomain('parent.test.');
    const child = newDomain('child.parent.test.', KEPT);
    const commit = (edit: (draft: Draft) => void) =>
      rises(store, parent, () => write(environment, journal, 'test', edit));
    const nameserver = (host: string) => newRecord(child, '@', TYPE.NS, parseName(host, child.apex));
    const addresses = { addresses: ['c0000201'], ttl: 60, stale: false, goodAt: 1 };
    const target = (a: typeof addresses): AliasTarget => ({
      ...{ name: parseName('target.test.'), a, aaaa: null, error: null, checkedAt: 1 },
      spread: { from: '', to: null },
    });
    await commit((draft) => {
      draft.insert(domains, parent);
      draft.insert(domains, child);
      for (const host of ['ns.wild', 'ns.inner', 'ns']) draft.insert(records, nameserver(host));
      draft.insert(records, newRecord(child, 'ns', TYPE.ALIAS, parseName('target.test.')));
      draft.insert(records, addressRecord(child, 'ns.inner'));
    });
    const wildcard = addressRecord(child, '*.wild');
    assert.ok(await commit((draft) => draft.insert(records, wildcard)), 'a wildcard gives the address');
    const text = newRecord(child, 'ns.wild', TYPE.TXT, Uint8Array.of(1, 65));
    assert.ok(await commit((draft) => draft.insert(records, text)), 'the nameserver has a text instead');
    assert.not(await commit((draft) => draft.delete(records, wildcard)), 'the wildcard gives no address any more');
    const inner = newDomain('inner.child.parent.test.');
    assert.ok(await commit((draft) => draft.insert(domains, inner)), 'the nameserver is in a zone inside');
    assert.ok(await commit((draft) => draft.delete(domains, inner)), 'that zone is deleted');
    assert.ok(await commit((draft) => draft.insert(aliasTargets, target(addresses))), 'the ALIAS has an address');
    const moved = target({ ...addresses, addresses: ['c0000202'] });
    assert.ok(await commit((draft) => draft.put(aliasTargets, moved)), 'the address of the ALIAS changes');
  }));

test.run();
