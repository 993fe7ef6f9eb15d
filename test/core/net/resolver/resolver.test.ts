/**
 * Queries to a resolver, over real sockets: the case of names, which a forger has to guess.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { formatAddress } from '../../../../core/net/address/index.ts';
import { exchangeUdp } from '../../../../core/net/resolver/exchange.ts';
import { recursiveLookup } from '../../../../core/net/resolver/resolver.ts';
import { type Says, TargetServer } from '../../../support/target-server.ts';

const test = suite('ALIAS resolver');
const NAME = 'a-name-of-letters-enough.target.example';
const GOOD = '192.0.2.1';

async function withServers(count: number, work: (servers: TargetServer[]) => Promise<void>): Promise<void> {
  const servers = await Promise.all(Array.from({ length: count }, () => TargetServer.start()));
  try {
    await work(servers);
  } finally {
    for (const server of servers) await server.close();
  }
}

async function addresses(servers: readonly TargetServer[]): Promise<string[] | string> {
  const lookup = recursiveLookup(
    servers.map(({ address }) => address),
    new AbortController().signal,
  );
  const outcome = await lookup(parseName(`${NAME}.`), TYPE.A);
  return outcome.kind === 'addresses' ? outcome.addresses.map(formatAddress) : outcome.kind;
}

const says = (server: TargetServer, more: Says = {}): void => server.set(NAME, { addresses: [GOOD], ...more });

test('a name is queried in mixed case', () =>
  withServers(1, async ([server]) => {
    says(server);
    assert.equal(await addresses([server]), [GOOD]);
    assert.is(server.inMixedCase, 1);
    assert.equal(server.overTcp, []);
  }));

test('a response in the wrong case is not believed: the query is repeated over TCP', () =>
  withServers(1, async ([server]) => {
    says(server, { forged: ['203.0.113.66'] });
    assert.equal(await addresses([server]), [GOOD]);
    assert.equal(server.overTcp, [`${NAME} A`]);
  }));

test('a resolver that does not keep the case is queried over TCP', () =>
  withServers(1, async ([server]) => {
    says(server, { losesCase: true });
    assert.equal(await addresses([server]), [GOOD]);
    assert.equal(server.overTcp, [`${NAME} A`]);
  }));

test('if it does not answer over TCP, the next resolver is queried', () =>
  withServers(2, async ([loses, keeps]) => {
    says(loses, { losesCase: true, noTcp: true });
    says(keeps);
    assert.equal(await addresses([loses, keeps]), [GOOD]);
    assert.is(keeps.count(NAME), 1);
    assert.equal(keeps.overTcp, []);
  }));

test('an unreachable resolver fails at once, and the next one is queried', () =>
  withServers(1, async ([server]) => {
    says(server);
    // A broadcast address, to which no socket is connected that has not said so: nothing is sent.
    const nowhere = '255.255.255.255';
    const query = Buffer.alloc(12);
    const { signal } = new AbortController();
    try {
      await exchangeUdp({ address: nowhere, port: 53 }, query, () => true, 60_000, signal);
      assert.unreachable();
    } catch (error) {
      assert.is((error as Error).message, 'the resolver is unreachable');
    }
    const outcome = await recursiveLookup([nowhere, server.address], signal)(parseName(`${NAME}.`), TYPE.A);
    assert.is(outcome.kind, 'addresses');
  }));

test.run();
