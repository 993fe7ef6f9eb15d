/** Which names are the service's own, from the settings, and who has them already. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { accounts, domains } from '../../../../core/store/rows.ts';
import {
  findForeignOwners,
  findNameFault,
  reportForeignOwners,
  ServiceNames,
} from '../../../../core/upkeep/domains/domain-names.ts';
import { embedded, newAccount, newDomain, withStore } from '../../journal/fixture.ts';

const test = suite('core/upkeep/domains/domain-names');

const config = loadConfig({
  env: {
    WAYPOST_NAMESERVERS: 'ns1.dns.example.net,ns.co.uk,ns.example.org',
    WAYPOST_ADMIN_HOSTNAME: 'api.example.com',
    WAYPOST_NODE_NAME: 'node-1.nodes.example.edu',
    WAYPOST_ETCD_ENDPOINTS: 'https://etcd.example.edu:2379,https://192.0.2.1:2379',
    WAYPOST_PEER_ADVERTISE: 'peer.example.info:8301',
  },
});
const NAMES = new ServiceNames(config);

const codeOf = (text: string, owner: 'admin' | 'user', by: 'admin' | 'user' = owner): string | null =>
  findNameFault(NAMES, parseName(text), { role: owner }, { role: by })?.code ?? null;

const OWN = [
  // The domain of a nameserver, with all above and below it.
  ...['ns1.dns.example.net.', 'dns.example.net.', 'example.net.', 'x.dns.example.net.', 'a.ns1.dns.example.net.'],
  ...['example.org.', 'any.example.org.'],
  // Below a public suffix, the host alone.
  ...['ns.co.uk.', 'x.ns.co.uk.'],
  ...['api.example.com.', 'example.com.', 'x.api.example.com.'],
  ...['node-1.nodes.example.edu.', 'nodes.example.edu.', 'etcd.example.edu.', 'peer.example.info.'],
];
const FREE = [
  ...['other.example.net.', 'shop.co.uk.', 'shop.example.com.', 'node-2.nodes.example.edu.', 'x.example.info.'],
  ...['example.test.', 'corp.internal.', '2.0.192.in-addr.arpa.', 'printer.home.arpa.'],
  ...['a/b.example.net.', '0/25.2.0.192.in-addr.arpa.', 'a\\.b.example.net.', '\\000.example.net.'],
];

test('the names of hosts, those above and those below belong to administrators', () => {
  for (const name of OWN) {
    assert.is(codeOf(name, 'user'), 'service_name', name);
    assert.is(codeOf(name, 'user', 'admin'), 'service_name', `${name} given away`);
    assert.is(codeOf(name, 'admin'), null, name);
  }
  for (const name of FREE) assert.is(codeOf(name, 'user'), null, name);
});

test('administrators decide about public suffixes and special-use names, not about spelling', () => {
  for (const [name, code] of [
    ['ac.uk.', 'public_suffix'],
    ['de.', 'public_suffix'],
    // A copy of the root zone.
    ['.', 'public_suffix'],
    ['x.localhost.', 'special_use_name'],
    ['onion.', 'special_use_name'],
  ]) {
    assert.is(codeOf(name, 'user'), code, name);
    assert.is(codeOf(name, 'user', 'admin'), null, name);
    assert.is(codeOf(name, 'admin'), null, name);
  }
  for (const name of ['*.example.net.', '192.0.2.1.', '10.']) assert.is(codeOf(name, 'admin'), 'invalid_domain', name);
});

test('names of a cluster are none without one', () => {
  const alone = new ServiceNames({ ...config, etcd: { ...config.etcd, endpoints: [] } });
  assert.is(alone.find(parseName('peer.example.info.')), undefined);
  assert.is(alone.find(parseName('node-1.nodes.example.edu.')), undefined);
});

test('a start reports who has such names already', () =>
  withStore(embedded, async ({ environment, journal, reader }) => {
    const [user, admin] = [newAccount(), { ...newAccount(), role: 'admin' as const }];
    const make = (apex: string, accountId: number) => ({ ...newDomain(apex), accountId });
    const foreign = [make('example.net.', user.id), make('x.ns.co.uk.', user.id), make('api.example.com.', user.id)];
    await write(environment, journal, 'test', (draft) => {
      for (const account of [user, admin]) draft.put(accounts, account);
      for (const domain of foreign) draft.put(domains, domain);
      for (const apex of ['any.example.org.', 'ns.co.uk.']) draft.put(domains, make(apex, admin.id));
      draft.put(domains, make('shop.example.com.', user.id));
    });
    const apexes = findForeignOwners(reader, NAMES).map(({ apex }) => formatName(apex));
    assert.equal(apexes.sort(), ['api.example.com.', 'example.net.', 'x.ns.co.uk.']);
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', format: 'text', write: (line) => lines.push(line) });
    reportForeignOwners({ config, environment, log });
    assert.is(lines.length, 1);
    assert.match(lines[0], /count=3/);
    assert.match(lines[0], new RegExp(`example\\.net \\(account ${user.id}\\)`));
  }));

test.run();
