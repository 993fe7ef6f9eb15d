/**
 * Zones that BIND, ldns and Knot DNS have signed, through our nameserver: BIND's delv validates
 * each kind of answer, and ldns-verify-zone and dnssec-verify accept our transfers of them, which
 * have the records of the primary.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { write } from '../../../core/journal/draft/draft.ts';
import { type Domain, domains, records } from '../../../core/store/rows.ts';
import { newDomain, newRecord } from '../../core/journal/fixture.ts';
import { recordKey } from '../../reference/compare.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { type PresignedZone, SIGNERS, signZones } from '../peers/presigning.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { transferred, zoneText } from './rig.ts';

const missing = whyNotPrograms(...SIGNERS, 'delv', 'ldns-verify-zone', 'dnssec-verify');

/** Each way to deny names, and several algorithms. */
const ZONES = [
  'bind-optout.test',
  'bind-two.test',
  'ldns-salt.test',
  'ldns-optout.test',
  'knot-nsec.test',
  'knot-nsec3.test',
];
/** Those that delv asks about. */
const VALIDATED: ReadonlySet<string> = new Set([
  'bind-optout.test',
  'bind-two.test',
  'ldns-salt.test',
  'knot-nsec.test',
]);

const ASKED: readonly (readonly [name: string, type: string])[] = [
  ['', 'SOA'],
  ['www2.', 'A'],
  ['x.y.w.', 'TXT'],
  ['x.c.', 'A'],
  ['ns1.', 'MX'],
  ['b.c.d.', 'A'],
  ['x.w.', 'A'],
  ['a.no.', 'A'],
  ['sec.', 'DS'],
  ['sub.', 'DS'],
  ['deep.sub.e.f.', 'DS'],
  ['a.b.c.dn.', 'A'],
  ['no.dn.', 'A'],
  ['to-no.', 'A'],
];

async function add({ world }: UpdateServer, zone: PresignedZone): Promise<Domain> {
  const { environment, journal, index } = world.daemon;
  const domain: Domain = { ...newDomain(`${zone.name}.`), kind: 'secondary' };
  await write(environment, journal, 'test', (draft) => {
    draft.put(domains, domain);
    for (const { name, type, ttl, rdata } of zone.records)
      draft.put(records, { ...newRecord(domain, '@', type, rdata, ttl), name });
  });
  index.unavailable.set(domain.apex, false);
  return domain;
}

/** A file with the keys of a zone as delv takes it. */
function anchorsOf({ name, records: own }: PresignedZone): string {
  const path = join(temporaryFolder('anchors'), 'anchors');
  const lines = own
    .filter(({ type, rdata }) => type === TYPE.DNSKEY && (rdata[1] & 1) === 1)
    .map(({ rdata }) => {
      const key = Buffer.from(rdata);
      return `"${name}." static-key ${key.readUInt16BE(0)} ${key[2]} ${key[3]} "${key.toString('base64', 4)}";`;
    });
  writeFileSync(path, `trust-anchors { ${lines.join(' ')} };\n`);
  return path;
}

async function checkAnswers(server: UpdateServer, zone: PresignedZone): Promise<void> {
  const anchors = anchorsOf(zone);
  for (const [name, type] of ASKED) {
    const owner = `${name}${zone.name}.`;
    const args = ['@127.0.0.1', '-p', `${server.port}`, '-a', anchors, `+root=${zone.name}.`, owner, type];
    const { output } = await runProgram('delv', args);
    // In an opt-out span, what is denied is not secure (RFC 5155 section 9.2).
    const isOptOut = zone.name.includes('optout');
    const expected = isOptOut ? /fully validated|unsigned answer|, unsigned/ : /fully validated/;
    assert.ok(expected.test(output), `${owner} ${type}: ${output}`);
  }
}

async function checkTransfer({ world }: UpdateServer, domain: Domain, zone: PresignedZone): Promise<void> {
  const own = transferred(world.daemon, domain);
  assert.equal(own.map(recordKey).sort(), [...new Set(zone.records.map(recordKey))].sort(), zone.name);
  const file = join(temporaryFolder('presigned'), 'zone');
  writeFileSync(file, zoneText(own));
  const { code, output } = await runProgram('dnssec-verify', ['-q', '-o', zone.name, file]);
  // ldns-signzone leaves one key for everything (-z).
  if (code !== 0) assert.is((await runProgram('dnssec-verify', ['-q', '-z', '-o', zone.name, file])).code, 0, output);
  const verified = await runProgram('ldns-verify-zone', [file]);
  assert.is(verified.code, 0, `${zone.name}: ${verified.output}`);
}

if (missing === null) {
  let server: UpdateServer;
  const zones = signZones(ZONES);
  const added = new Map<string, Domain>();
  test.before(async () => {
    server = await startUpdateServer();
    for (const zone of zones) added.set(zone.name, await add(server, zone));
  });
  test.after(() => server?.stop());
  for (const zone of zones) {
    test(`a transfer of ${zone.name}`, () => checkTransfer(server, added.get(zone.name)!, zone));
    if (VALIDATED.has(zone.name)) test(`delv validates ${zone.name}`, () => checkAnswers(server, zone));
  }
} else console.log(`skipped: ${missing}`);

test.run();
