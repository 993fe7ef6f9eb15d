/** BIND's programs validate a zone in every state of its keys, with the DS that the parent has. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { nextPiece } from '../../../core/journal/signing/progress.ts';
import type { DnssecKey, DnssecState, Domain, ParentLook } from '../../../core/store/rows.ts';
import { readSignedZone, storeSignedZone } from '../../../core/upkeep/signing/store-zone.ts';
import { advance } from '../../../core/upkeep/signing/zone-lifecycle.ts';
import { FOREIGN_KEY } from '../../admin-api/contract/sample.ts';
import { finishSigning, setState } from '../../admin-api/contract/signed.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { addRecords, anchorFile, RECORDS, transferred, zoneText } from './rig.ts';

const missing = whyNotPrograms('delv', 'dnssec-verify');
const test = suite('states of keys');
let server: UpdateServer;
let domain: Domain;

test.before(async () => {
  if (missing !== null) return;
  server = await startUpdateServer();
  domain = await server.world.zone(undefined, 'signed.example');
  await addRecords(server.world.daemon, domain, RECORDS);
});
test.after(() => server?.stop());

async function call(method: string, path: string, json?: object): Promise<void> {
  const { status, text } = await server.world.daemon.call(method, `/api/v1/domains/${domain.id}/dnssec${path}`, {
    json,
  });
  assert.is(status, 200, text);
}

const keys = (): readonly DnssecKey[] => server.world.reader.dnssec(domain.id)!.keys;
const phase = (): string => server.world.reader.dnssecState(domain.id)!.phase;

/** Names of every kind, each with a type. */
const QUERIES: readonly (readonly [name: string, type: string])[] = [
  ['', 'SOA'],
  ['', 'DNSKEY'],
  ['', 'CDS'],
  ['www.', 'A'],
  ['x.wild.', 'A'],
  ['alias2.', 'A'],
  ['nothing.', 'A'],
  ['www.', 'MX'],
  ['secure.', 'DS'],
];

/** A resolver whose parent has the DS of this key validates everything. */
async function validates(key: DnssecKey, label: string, zone = domain, below = zone): Promise<void> {
  const row = server.world.reader.dnssec(zone.id)!;
  const anchors = anchorFile(zone, { ...row, keys: [key] });
  const apex = formatName(zone.apex);
  for (const [name, type] of below === zone ? QUERIES : [['', 'SOA'] as const]) {
    const owner = `${name}${formatName(below.apex)}`;
    const args = ['@127.0.0.1', '-p', `${server.port}`, '-a', anchors, `+root=${apex}`, owner, type];
    const { output } = await runProgram('delv', args);
    assert.match(output, /fully validated/, `${label}: ${owner} ${type}: ${output}`);
  }
}

async function verifies(label: string): Promise<void> {
  const file = join(temporaryFolder('verify'), 'zone');
  writeFileSync(file, zoneText(transferred(server.world.daemon, domain)));
  const { code, output } = await runProgram('dnssec-verify', ['-z', '-o', formatName(domain.apex), file]);
  assert.is(code, 0, `${label}: ${output}`);
}

/** Takes the step to the next phase, as time and the parent would. */
async function proceed(changes: Partial<DnssecState>): Promise<void> {
  const { daemon } = server.world;
  await setState(daemon, domain.id, changes);
  await write(daemon.environment, daemon.journal, '1', (draft) => {
    const now = Math.floor(Date.now() / 1000);
    storeSignedZone(draft, domain, advance(readSignedZone(draft, domain)!, domain.apex, now), [], now);
  });
}

const settled = (): Partial<DnssecState> => {
  const parent: ParentLook = {
    zone: 'example',
    sets: [[]],
    ttl: 60,
    servers: 1,
    answered: 1,
    checkedAt: 2_000_000_000,
  };
  return { servedSince: 1, settledSince: 1, parent };
};

test('a zone is enabled, with the key of another provider', async () => {
  if (missing !== null) return;
  await call('PUT', '', { enabled: true });
  await finishSigning(server.world.daemon, domain.id);
  const [key] = keys();
  await verifies('signing');
  await validates(key, 'signing');
  await call('POST', '/foreign-keys', { dnskey: FOREIGN_KEY });
  await validates(key, 'with a foreign key');
});

test('a rollover: the old DS, both, and the new one validate while the parent may have them', async () => {
  if (missing !== null) return;
  const [old] = keys();
  await setState(server.world.daemon, domain.id, { phase: 'secure', servedSince: 1, hasRequestedDs: true });
  await call('POST', '/rollover', {});
  const added = keys()[1];
  await validates(old, 'rolling_publish');
  await proceed({ servedSince: 1 });
  assert.is(phase(), 'rolling_ds');
  for (const key of [old, added]) await validates(key, 'rolling_ds');
  await proceed(settled());
  assert.is(phase(), 'rolling_resign');
  await validates(added, 'rolling_resign, at the beginning');
  await signSome(10);
  await validates(added, 'rolling_resign, in the middle');
  await finishSigning(server.world.daemon, domain.id);
  await validates(added, 'rolling_resign, at the end');
  await proceed({ servedSince: 1, parent: null });
  assert.is(phase(), 'secure');
  assert.equal(
    keys().map(({ id }) => id),
    [added.id],
  );
  await validates(added, 'secure');
  await verifies('secure');
});

async function signSome(count: number): Promise<void> {
  const { environment, journal } = server.world.daemon;
  await write(environment, journal, '1', (draft) => {
    const zone = readSignedZone(draft, domain)!;
    const row = nextPiece(environment, domain.apex, zone.row, { listed: count, signed: count })!;
    storeSignedZone(draft, domain, { ...zone, row }, [], 0);
  });
}

test('an emergency rollover that is cancelled', async () => {
  if (missing !== null) return;
  const [old] = keys();
  await call('POST', '/rollover', { emergency: true });
  for (const key of keys()) await validates(key, 'emergency');
  await call('POST', '/rollover/cancel');
  for (const key of keys()) await validates(key, 'cancelled');
  await proceed(settled());
  assert.equal(keys(), [old]);
  await validates(old, 'after the cancelled rollover');
});

test('a zone inside of it is validated from its key, through the DS that was set automatically', async () => {
  if (missing !== null) return;
  const { world } = server;
  const nested = await world.zone(undefined, 'nested.signed.example');
  const path = `/api/v1/domains/${nested.id}/dnssec`;
  assert.is((await world.daemon.call('PUT', path, { json: { enabled: true } })).status, 200);
  await setState(world.daemon, nested.id, { phase: 'awaiting_ds', servedSince: 1 });
  const { body } = await world.daemon.call('POST', `${path}/check`);
  assert.is(body.status, 'secure', JSON.stringify(body));
  await validates(keys()[0], 'nested', domain, nested);
});

test('the zone is unsigned', async () => {
  if (missing !== null) return;
  await call('PUT', '', { enabled: false });
  assert.is(phase(), 'removing_ds');
  await validates(keys()[0], 'removing_ds');
  await proceed(settled());
  await finishSigning(server.world.daemon, domain.id);
  assert.is(server.world.reader.dnssec(domain.id), undefined);
  const types = new Set(transferred(server.world.daemon, domain).map(({ type }) => type));
  assert.not(types.has(46) || types.has(48), 'no signatures, no keys');
});

test.run();
