/** BIND's delv validates every variant of steered record sets of a signed zone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { anchorFile, signZone } from './rig.ts';

const missing = whyNotPrograms('delv');
const test = suite('delv, steering');
let server: UpdateServer;
let domain: Domain;
let anchors: string;

const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  AAAA: ['2001:db8::1', '2001:db8::2', '2001:db8::3'],
  CNAME: ['a.example.', 'b.example.', 'c.example.'],
};

test.before(async () => {
  if (missing !== null) return;
  server = await startUpdateServer();
  const { world } = server;
  domain = await world.zone(undefined, 'signed.example');
  for (const [name, type] of [
    ['www', 'A'],
    ['www', 'AAAA'],
    ['*.wild', 'A'],
    ['cdn', 'CNAME'],
  ]) {
    const answers = CONTENTS[type].map((content) => ({ content }));
    const json = { pools: [{ name: 'all', answers }] };
    const path = `/api/v1/domains/${domain.id}/steering/${encodeURIComponent(name)}/${type}`;
    const { status, text } = await world.daemon.call('PUT', path, { json });
    if (status !== 200) throw new Error(text);
  }
  anchors = anchorFile(domain, await signZone(world.daemon, domain));
});
test.after(() => server?.stop());

async function verdict(name: string, type: string): Promise<string> {
  const apex = formatName(domain.apex);
  const args = ['@127.0.0.1', '-p', `${server.port}`, '-a', anchors, `+root=${apex}`, `${name}.${apex}`, type];
  return (await runProgram('delv', args)).output;
}

for (const [name, type] of [
  ['www', 'A'],
  ['www', 'AAAA'],
  ['x.wild', 'A'],
  ['cdn', 'CNAME'],
])
  test(`${name} ${type}: each variant is fully validated`, async () => {
    if (missing !== null) return;
    const seen = new Set<string>();
    // All variants are picked with the same chance: a hundred queries miss one of three never.
    for (let i = 0; i < 100 && seen.size < CONTENTS[type].length; i++) {
      const output = await verdict(name, type);
      assert.match(output, /^; fully validated/);
      for (const content of CONTENTS[type]) if (output.includes(`\t${content}\n`)) seen.add(content);
    }
    assert.equal([...seen].sort(), CONTENTS[type]);
  });

test('types that a steered name does not have are denied', async () => {
  if (missing !== null) return;
  assert.match(await verdict('www', 'MX'), /negative response, fully validated/);
  assert.match(await verdict('x.wild', 'MX'), /negative response, fully validated/);
});

test.run();
