/**
 * Zones whose primary has signed them with too many iterations are not transferred, whole or as a
 * difference, and not as a member of a catalog; what was served stays.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { expensiveZone } from '../../support/expensive-zone.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { untilIs, untilMatches } from '../../support/until.ts';
import { ZonePrimary } from '../../support/zone-primary.ts';

interface State {
  readonly state: string;
  readonly serial: number | null;
  readonly error: string | null;
}

const test = suite('iterations of NSEC3 in zones of primaries');
const primaries: ZonePrimary[] = [];
let daemon: Borrowed;

test.before(async () => {
  daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  for (const primary of primaries) await primary.close();
  await daemon?.giveBack();
});

async function add(domain: string, records: readonly ResourceRecord[], kind = {}): Promise<[ZonePrimary, number]> {
  const primary = await ZonePrimary.start(records);
  primaries.push(primary);
  const body = { domain, kind: 'secondary', primaries: [{ address: `127.0.0.1:${primary.port}` }], ...kind };
  const { body: created } = await daemon.api.call('POST', '/api/v1/domains', body);
  return [primary, (created.domain as { id: number }).id];
}

async function stateOf(id: number): Promise<State> {
  const { body } = await daemon.api.call('GET', `/api/v1/domains/${id}`);
  return (body.domain as unknown as { secondary: State }).secondary;
}

async function transfer(id: number): Promise<void> {
  await daemon.api.call('POST', `/api/v1/domains/${id}/transfer`, {});
}

test('a zone with more than the limit is refused, and the error has the value and the limit', async () => {
  const apex = parseName('refused.test.');
  const [, id] = await add('refused.test', expensiveZone(apex, { iterations: 51, salt: 0, links: 2 }));
  await untilMatches(
    async () => (await stateOf(id)).error ?? '',
    /NSEC3PARAM has 51 additional iterations; the limit is 50/,
  );
  assert.equal((({ state, serial }) => [state, serial])(await stateOf(id)), ['pending', null]);
  await untilMatches(() => daemon.output(), /secondary zone not refreshed zone=refused\.test .*max_nsec3_iterations/);
});

test('a salt counts as iterations', async () => {
  const apex = parseName('salted.test.');
  const [, id] = await add('salted.test', expensiveZone(apex, { iterations: 20, salt: 255, links: 2 }));
  await untilMatches(async () => (await stateOf(id)).error ?? '', /salt of 255 bytes, which cost as much as 104/);
});

test('a zone that turns expensive is served as it was, until it is cheap again', async () => {
  const apex = parseName('turns.test.');
  const zone = (iterations: number, serial: number) => expensiveZone(apex, { iterations, salt: 0, links: 2, serial });
  const [primary, id] = await add('turns.test', zone(50, 1));
  await untilIs(async () => (await stateOf(id)).serial, 1);
  assert.is((await stateOf(id)).error, null);
  primary.replace(zone(100, 2));
  await transfer(id);
  const refused = await stateOf(id);
  assert.equal([refused.state, refused.serial], ['retrying', 1]);
  assert.match(refused.error!, '100 additional iterations');
  // By the difference, then whole.
  assert.ok(primary.requested.includes(TYPE.IXFR) && primary.requested.includes(TYPE.AXFR));
  primary.replace(zone(0, 3));
  await transfer(id);
  assert.equal(await stateOf(id).then(({ state, serial, error }) => [state, serial, error]), ['current', 3, null]);
});

test('members of a catalog are refused, too', async () => {
  const [catalog, member] = [parseName('catalog.test.'), parseName('member.test.')];
  const at = (owner: string, type: number, rdata: Uint8Array): ResourceRecord => ({
    name: owner === '@' ? catalog : parseName(owner, catalog),
    type,
    ttl: 0,
    rdata,
  });
  const list = [
    at('@', TYPE.SOA, Buffer.concat([catalog, catalog, Buffer.alloc(20, 1)])),
    at('@', TYPE.NS, parseName('invalid.')),
    at('version', TYPE.TXT, Buffer.from('\x012')),
    at('one.zones', TYPE.PTR, member),
  ];
  const primary = await ZonePrimary.start(list, expensiveZone(member, { iterations: 500, salt: 0, links: 2 }));
  primaries.push(primary);
  const body = { domain: 'catalog.test', kind: 'secondary', primaries: [{ address: `127.0.0.1:${primary.port}` }] };
  const { body: created } = await daemon.api.call('POST', '/api/v1/domains', { ...body, catalog: true });
  assert.ok(created.domain, JSON.stringify(created));
  await untilMatches(() => daemon.output(), /secondary zone not refreshed zone=member\.test .*500 additional/);
});

test.run();
