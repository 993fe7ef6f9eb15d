/** BIND's delv validates the signals of RFC 9615 with the key of the nameservers' zone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { finishSigning, setState } from '../../admin-api/contract/signed.ts';
import { NO_DS } from '../../admin-api/daemon.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { anchorFile, signZone, transferred, zoneText } from './rig.ts';

const missing = whyNotPrograms('delv', 'dig', 'dnssec-verify');
const test = suite('bootstrapping');
let server: UpdateServer;
let holder: Domain;
let child: Domain;
let anchors: string;

test.before(async () => {
  if (missing !== null) return;
  server = await startUpdateServer();
  const { world } = server;
  holder = await world.zone(undefined, 'waypost.test');
  anchors = anchorFile(holder, await signZone(world.daemon, holder));
  child = await world.zone(undefined, 'child.example');
});
test.after(() => server?.stop());

async function call(method: string, path: string, json?: object): Promise<void> {
  const { status, text } = await server.world.daemon.call(method, `/api/v1/domains/${child.id}/dnssec${path}`, {
    json,
  });
  assert.is(status, 200, text);
}

async function validated(name: string, type: string): Promise<string> {
  const apex = formatName(holder.apex);
  const args = ['@127.0.0.1', '-p', `${server.port}`, '-a', anchors, `+root=${apex}`, `${name}.${apex}`, type];
  return (await runProgram('delv', args)).output;
}

async function dig(name: string, type: string): Promise<string[]> {
  const { output } = await runProgram('dig', ['@127.0.0.1', '-p', `${server.port}`, '+short', name, type]);
  return output.trim().split('\n').sort();
}

async function verifies(): Promise<string> {
  const file = join(temporaryFolder('verify'), 'zone');
  const text = zoneText(transferred(server.world.daemon, holder));
  writeFileSync(file, text);
  const { code, output } = await runProgram('dnssec-verify', ['-z', '-o', formatName(holder.apex), file]);
  assert.is(code, 0, output);
  return text;
}

test('a zone that awaits its DS is signalled, and others are proven absent', async () => {
  if (missing !== null) return;
  const { daemon } = server.world;
  daemon.parent.look = NO_DS;
  await call('PUT', '', { enabled: true });
  await finishSigning(daemon, child.id);
  assert.equal(await dig('child.example.', 'CDS'), [''], 'caches may have unsigned records');
  const absent = await validated('_dsboot.child.example._signal.ns1', 'CDS');
  assert.match(absent, /ncache nxdomain$/m);
  assert.match(absent, /^; negative.*validated/m);
  await setState(daemon, child.id, { phase: 'awaiting_ds', servedSince: 1, hasRequestedDs: true });
  for (const host of ['ns1', 'ns2'])
    for (const type of ['CDS', 'CDNSKEY']) {
      const name = `_dsboot.child.example._signal.${host}`;
      assert.match(await validated(name, type), /^; fully validated/);
      assert.equal(await dig(`${name}.waypost.test.`, type), await dig('child.example.', type));
    }
  assert.match(await validated('_dsboot.child.example._signal.ns1', 'TXT'), /negative response, fully validated/);
  assert.match(await validated('child.example._signal.ns1', 'CDS'), /negative response, fully validated/);
  assert.match(await validated('_dsboot.other.example._signal.ns1', 'CDS'), /negative response, fully validated/);
  assert.match(await verifies(), /^_dsboot\.child\.example\._signal\.ns2\.waypost\.test\. 3600 IN CDS /m);
});

test('without DNSSEC the signals are gone', async () => {
  if (missing !== null) return;
  await call('PUT', '', { enabled: false });
  assert.match(await validated('_dsboot.child.example._signal.ns1', 'CDS'), /negative response, fully validated/);
  assert.not.match(await verifies(), /_dsboot/);
});

test.run();
