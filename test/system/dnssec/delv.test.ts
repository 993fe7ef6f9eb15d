/** BIND's delv validates every kind of answer of a signed zone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts';
import { addRecords, anchorFile, RECORDS, signZone } from './rig.ts';

const missing = whyNotPrograms('delv');
const test = suite('delv');
let server: UpdateServer;
let domain: Domain;
let anchors: string;

test.before(async () => {
  if (missing !== null) return;
  server = await startUpdateServer();
  const { world } = server;
  domain = await world.zone(undefined, 'signed.example');
  anchors = anchorFile(domain, await signZone(world.daemon, domain));
  await addRecords(world.daemon, domain, RECORDS);
});
test.after(() => server?.stop());

async function verdict(name: string, type: string): Promise<string> {
  const apex = formatName(domain.apex);
  const owner = name === '@' ? apex : `${name}.${apex}`;
  const args = ['@127.0.0.1', '-p', `${server.port}`, '-a', anchors, `+root=${apex}`, owner, type];
  const { output } = await runProgram('delv', args);
  return output;
}

const ASKED: readonly (readonly [name: string, type: string, expected: RegExp, error?: RegExp])[] = [
  ['@', 'SOA', /^; fully validated/],
  ['@', 'NS', /^; fully validated/],
  ['@', 'DNSKEY', /^; fully validated/],
  ['@', 'CDS', /^; fully validated/],
  ['@', 'A', /^; fully validated/],
  ['@', 'MX', /^; fully validated/],
  ['www', 'A', /^; fully validated/],
  ['alias', 'A', /^; fully validated/],
  ['alias2', 'AAAA', /^; fully validated/],
  ['x.wild', 'A', /^; fully validated/],
  ['x.y.wild', 'A', /^; fully validated/],
  ['to-wild', 'A', /^; fully validated/],
  ['x.cnames', 'A', /^; fully validated/],
  ['srv', 'SRV', /^; fully validated/],
  ['secure', 'DS', /^; fully validated/],
  ['www', 'MX', /negative response, fully validated/],
  ['empty.below', 'A', /negative response, fully validated/],
  ['below', 'A', /negative response, fully validated/],
  ['x.wild', 'MX', /negative response, fully validated/],
  ['nothing', 'A', /negative response, fully validated/],
  ['deep.nothing', 'A', /negative response, fully validated/],
  ['a.b.www', 'A', /negative response, fully validated/],
  ['sub', 'DS', /negative response, fully validated/],
  ['broken', 'A', /^; fully validated/m, /ncache nxdomain$/m],
  ['alias', 'MX', /^; fully validated/m, /ncache nxrrset$/m],
  ['x.old', 'A', /^; fully validated/],
  ['x.old', 'MX', /^; fully validated/m, /ncache nxrrset$/m],
  ['to-old', 'A', /^; fully validated/],
  ['x.to-nothing', 'A', /^; fully validated/m, /ncache nxdomain$/m],
];

// delv writes the error and the records to two streams, whose order is not defined.
for (const [name, type, expected, error = expected] of ASKED)
  test(`${name} ${type}`, async () => {
    if (missing !== null) return;
    const output = await verdict(name, type);
    for (const pattern of [expected, error]) assert.ok(pattern.test(output), `expected ${pattern}, got: ${output}`);
  });

test.run();
