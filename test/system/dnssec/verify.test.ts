/** Programs that verify whole zones accept what a transfer has. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dsRdata } from '../../../core/dns/dnssec/dnskey.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { World } from '../../admin-api/zones/update/world.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { addRecords, RECORDS, signZone, transferred, zoneText } from './rig.ts';

const missing = whyNotPrograms('ldns-verify-zone', 'dnssec-verify');
const test = suite('whole zones');
let world: World;
let domain: Domain;

test.before(async () => {
  if (missing !== null) return;
  world = await World.start();
  domain = await world.zone(undefined, 'signed.example');
});
test.after(() => world?.stop());

async function verify(zone = domain): Promise<void> {
  const file = join(temporaryFolder('verify'), 'zone');
  writeFileSync(file, zoneText(transferred(world.daemon, zone)));
  const ldns = await runProgram('ldns-verify-zone', [file]);
  assert.is(ldns.code, 0, ldns.output);
  const bind = await runProgram('dnssec-verify', ['-z', '-o', formatName(zone.apex), file]);
  assert.is(bind.code, 0, bind.output);
}

test('a zone that is signed while it is empty, and gets records', async () => {
  if (missing !== null) return;
  await signZone(world.daemon, domain);
  await verify();
  await addRecords(world.daemon, domain, RECORDS);
  await verify();
});

test('a zone that is signed with all its records', async () => {
  if (missing !== null) return;
  await world.daemon.call('DELETE', `/api/v1/domains/${domain.id}`);
  domain = await world.zone(undefined, 'signed.example');
  await addRecords(world.daemon, domain, RECORDS);
  await signZone(world.daemon, domain, 15);
  await verify();
});

test('zones of ours inside a signed zone are delegations', async () => {
  if (missing !== null) return;
  const { daemon } = world;
  const nested = await world.zone(undefined, 'nested.empty.signed.example');
  await world.zone(undefined, 'deep.nested.empty.signed.example');
  await verify();
  const row = await signZone(daemon, nested);
  await verify(nested);
  const ds = dsRdata(nested.apex, Buffer.from(row.keys[0].dnskey, 'base64'));
  await addRecords(daemon, domain, [['nested.empty', 'DS', formatRdata(TYPE.DS, ds)]]);
  await verify();
  const types = transferred(daemon, domain)
    .filter(({ name }) => formatName(name) === 'nested.empty.signed.example.')
    .map(({ type }) => typeName(type));
  assert.equal(types, ['NS', 'NS', 'DS', 'RRSIG']);
  const { serial } = world.reader.zoneState(domain.id);
  await daemon.call('DELETE', `/api/v1/domains/${nested.id}`);
  assert.ok(world.reader.zoneState(domain.id).serial > serial, 'secondaries learn of it');
  await verify();
});

test.run();
