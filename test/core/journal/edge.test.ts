/**
 * The notifications of the journal to the edge: one for each kind of change that concerns it, none
 * for others.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import type { EdgeChanges } from '../../../core/journal/journal.ts';
import {
  accounts,
  automaticCertificates,
  certificates,
  domains,
  proxies,
  purges,
  records,
  ticketKeys,
} from '../../../core/store/rows.ts';
import { newId } from '../../support/ids.ts';
import { addressRecord, embedded, newAccount, newDomain, newProxy, withStore } from './fixture.ts';

const plain = newDomain('plain.test.');
const proxied = newDomain('proxied.test.');
const other = newDomain('other.test.');
const ofDomain = { chain: '', sealedKey: '', notBefore: 0, notAfter: 0, createdAt: 0 };
const onPlain = addressRecord(plain, 'www');
const onProxied = addressRecord(proxied, 'www');
const purge = { id: newId(), domainId: plain.id, urls: [], prefixes: [], tags: ['a'], createdAt: 0 };

/**
 * The expected notification: domain ids, tags of purges, whether ticket keys were written. Null:
 * none.
 */
type Notice = readonly [domainIds: readonly number[], tags: readonly string[], hasTicketKeys: boolean] | null;

const STEPS: readonly (readonly [what: string, work: (draft: Draft) => void, expected: Notice])[] = [
  ['an account', (draft) => draft.put(accounts, newAccount()), null],
  ['a domain that comes', (draft) => draft.put(domains, plain), [[plain.id], [], false]],
  ['records of a domain without proxy', (draft) => draft.put(records, onPlain), null],
  [
    'a domain with its proxy',
    (draft) => {
      draft.put(domains, proxied);
      draft.put(proxies, newProxy(proxied));
    },
    [[proxied.id], [], false],
  ],
  ['records of a domain behind the proxy', (draft) => draft.put(records, onProxied), [[proxied.id], [], false]],
  ['a record that goes', (draft) => draft.delete(records, onProxied), [[proxied.id], [], false]],
  [
    'certificates',
    (draft) => {
      draft.put(certificates, { ...ofDomain, domainId: proxied.id });
      draft.put(automaticCertificates, { ...ofDomain, names: [], domainId: plain.id });
    },
    [[plain.id, proxied.id], [], false],
  ],
  [
    'a deleted certificate',
    (draft) => draft.delete(certificates, { ...ofDomain, domainId: proxied.id }),
    [[proxied.id], [], false],
  ],
  ['a purge', (draft) => draft.put(purges, purge), [[], ['a'], false]],
  ['an expired purge that is deleted', (draft) => draft.delete(purges, purge), null],
  ['the keys of tickets', (draft) => draft.put(ticketKeys, { sealed: '', rotatedAt: 0 }), [[], [], true]],
  ['a proxy that is turned off', (draft) => draft.put(proxies, newProxy(proxied, false)), [[proxied.id], [], false]],
  ['records after that', (draft) => draft.put(records, onProxied), null],
  [
    'a proxy that is turned on in the same commit as a record',
    (draft) => {
      draft.put(domains, other);
      draft.put(records, addressRecord(other, 'a'));
      draft.put(proxies, newProxy(other));
      draft.put(records, onPlain);
    },
    [[other.id], [], false],
  ],
  [
    'a domain that is deleted with all its rows',
    (draft) => {
      draft.delete(records, onProxied);
      draft.delete(proxies, newProxy(proxied));
      draft.delete(domains, proxied);
    },
    [[proxied.id], [], false],
  ],
];

test('each change that concerns the edge is reported once, after it can be read', () =>
  withStore(embedded, async ({ journal, environment, reader }) => {
    let notifications: EdgeChanges[] = [];
    let proxyRead: boolean | undefined;
    journal.onEdge((changes) => {
      notifications.push(changes);
      proxyRead = reader.proxy(proxied.id)?.enabled;
    });
    for (const [what, work, expected] of STEPS) {
      notifications = [];
      await write(environment, journal, 'test', (draft) => work(draft));
      assert.is(notifications.length, expected === null ? 0 : 1, what);
      if (expected === null) continue;
      const [{ domainIds, purges: purged, hasTicketKeys }] = notifications;
      assert.equal([[...domainIds].sort(), purged.flatMap(({ tags }) => tags), hasTicketKeys], expected, what);
      if (what === 'a proxy that is turned off') assert.is(proxyRead, false, 'a reported change can be read');
    }
  }));

test('a group of commits is reported in one notification', () =>
  withStore(embedded, async ({ journal, environment }) => {
    const groups: number[][] = [];
    journal.onEdge(({ domainIds }) => groups.push([...domainIds].sort()));
    await Promise.all(
      [plain, proxied, other].map((domain) =>
        write(environment, journal, 'test', (draft) => {
          draft.put(domains, domain);
          draft.put(proxies, newProxy(domain));
        }),
      ),
    );
    assert.equal(groups.flat().sort(), [plain.id, proxied.id, other.id].sort());
    assert.ok(groups.length <= 2, 'concurrent commits form one group');
  }));

test.run();
