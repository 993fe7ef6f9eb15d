/** The names and records that signal a zone's keys in the zones of its nameservers (RFC 9615). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { type Account, accounts, type Domain, dnssec, domains, records } from '../../../../core/store/rows.ts';
import { readSignedZone, signalName, storeSignedZone } from '../../../../core/upkeep/signing/store-zone.ts';
import { beginSigning, type SignedZone } from '../../../../core/upkeep/signing/zone-lifecycle.ts';
import { newAccount, newDomain, type Store, withStore } from '../../journal/fixture.ts';
import { checkRebuilt, newRow, signedStore } from '../../journal/signing/rig.ts';

const test = suite('core/upkeep/signing/bootstrap-signals');

const NOW = 1_800_000_000;
const NAMESERVERS = ['ns1.waypost.test', 'ns2.waypost.test'];

const nameOf = (apex: string, nameserver: string): string | null => {
  const name = signalName(parseName(apex), parseName(nameserver));
  return name && formatName(name);
};

test('the name has the zone and the nameserver', () => {
  assert.is(nameOf('example.co.uk.', 'ns1.example.net.'), '_dsboot.example.co.uk._signal.ns1.example.net.');
});

test('a nameserver inside the zone signals nothing', () => {
  assert.is(nameOf('example.net.', 'ns1.example.net.'), null);
  assert.is(nameOf('ns1.example.net.', 'ns1.example.net.'), null);
  assert.is(nameOf('other.example.net.', 'ns1.example.net.') === null, false);
});

test('a name of more than 255 bytes is left out', () => {
  const label = 'a'.repeat(60);
  const long = (last: number) => `${label}.${label}.${label}.${'b'.repeat(last)}.`;
  // _dsboot 8, the labels of the zone 183 + 1 + last, _signal 8, ns.test 9
  assert.is(nameOf(long(46), 'ns.test.') === null, false);
  assert.is(nameOf(long(47), 'ns.test.'), null);
});

async function store(rig: Store, domain: Domain, change: (zone: SignedZone) => SignedZone | null): Promise<void> {
  const { environment, journal } = rig;
  await write(environment, journal, '1', (draft) => {
    const zone = readSignedZone(draft, domain)!;
    storeSignedZone(draft, domain, change(zone), NAMESERVERS, NOW);
  });
}

const awaitDs = ({ row, state }: SignedZone): SignedZone => ({
  row: { ...row, parent: 'publish' },
  state: { ...state, phase: 'awaiting_ds' },
});

/** Adds zones that are signed, of an account with the role. */
async function addSigned(rig: Store, apexes: readonly string[], role: Account['role'] = 'admin'): Promise<Domain[]> {
  const { environment, journal } = rig;
  const account = { ...newAccount(), role };
  const added = apexes.map((apex) => ({ ...newDomain(apex), accountId: account.id }));
  await write(environment, journal, '1', (draft) => {
    draft.put(accounts, account);
    for (const domain of added) draft.put(domains, domain);
  });
  await write(environment, journal, '1', (draft) => {
    for (const domain of added) {
      const { row, state } = beginSigning(newRow(rig, domain), 300, NOW);
      draft.put(dnssec, row);
      storeSignedZone(draft, domain, { row, state }, NAMESERVERS, NOW);
    }
  });
  // Without pieces: all names are signed.
  await write(environment, journal, '1', (draft) => {
    for (const { id } of added) {
      const { progress: _progress, ...row } = draft.dnssec(id)!;
      draft.put(dnssec, row);
    }
  });
  return added;
}

const signalsOf = ({ reader }: Store, holder: Domain, apex: string): string[] =>
  NAMESERVERS.flatMap((host) =>
    reader
      .recordsAt(holder.id, signalName(parseName(apex), parseName(host))!)
      .map(({ type, name }) => `${formatName(name)} ${type}`),
  );

test('the innermost signed zone of ours has the records, and answers equal those of a rebuild', () =>
  withStore(signedStore, async (rig) => {
    const [holder, inner, child] = await addSigned(rig, ['waypost.test.', '_signal.ns2.waypost.test.', 'a.example.']);
    await store(rig, child, awaitDs);
    const [first, second] = NAMESERVERS.map((host) => `_dsboot.a.example._signal.${host}.`);
    assert.equal(signalsOf(rig, holder, 'a.example.'), [`${first} ${TYPE.CDS}`, `${first} ${TYPE.CDNSKEY}`]);
    assert.equal(signalsOf(rig, inner, 'a.example.'), [`${second} ${TYPE.CDS}`, `${second} ${TYPE.CDNSKEY}`]);
    await checkRebuilt(rig, 'with signals');
    await store(rig, child, ({ row, state }) => ({ row, state: { ...state, phase: 'secure' } }));
    assert.equal([...signalsOf(rig, holder, 'a.example.'), ...signalsOf(rig, inner, 'a.example.')], []);
    await checkRebuilt(rig, 'without signals');
  }));

test('a signal that would not be served is not written', () =>
  withStore(signedStore, async (rig) => {
    const { environment, journal } = rig;
    const [holder, child] = await addSigned(rig, ['waypost.test.', 'a.example.']);
    await write(environment, journal, '1', (draft) => {
      draft.put(records, {
        ...{ id: 900, domainId: holder.id, name: parseName('_signal.ns1.waypost.test.'), type: TYPE.NS },
        ...{ ttl: 300, rdata: parseName('ns.elsewhere.test.'), proxied: null, createdAt: 0, updatedAt: 0 },
      });
    });
    await store(rig, child, awaitDs);
    const name = `_dsboot.a.example._signal.${NAMESERVERS[1]}.`;
    assert.equal(signalsOf(rig, holder, 'a.example.'), [`${name} ${TYPE.CDS}`, `${name} ${TYPE.CDNSKEY}`]);
  }));

test("a customer's zone with the name of a nameserver gets no signals", () =>
  withStore(signedStore, async (rig) => {
    const [holder] = await addSigned(rig, ['waypost.test.']);
    const [inner] = await addSigned(rig, ['ns2.waypost.test.'], 'user');
    const [child] = await addSigned(rig, ['a.example.'], 'user');
    await store(rig, child, awaitDs);
    const name = `_dsboot.a.example._signal.${NAMESERVERS[0]}.`;
    assert.equal(signalsOf(rig, holder, 'a.example.'), [`${name} ${TYPE.CDS}`, `${name} ${TYPE.CDNSKEY}`]);
    assert.equal(signalsOf(rig, inner, 'a.example.'), []);
    await checkRebuilt(rig, 'without signals of a customer');
  }));

test.run();
