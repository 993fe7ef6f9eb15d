/** Exports for BIND, Knot DNS and NSD, which their checkers load: each type, and ALIAS records. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findCheckers } from '../../../admin-api/cli/zone/compare.ts';
import { DNSSEC_TYPES } from '../../../admin-api/zones/records/rules/dnssec.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { RDATA_TABLE } from '../../../core/dns/wire/rdata/table.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { run } from '../../admin-api/cli/harness.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';

const SERVERS = [
  ['bind', 'named-checkzone'],
  ['knot', 'kzonecheck'],
  ['nsd', 'nsd-checkzone'],
] as const;

// The addresses of an ALIAS must be public.
const SOA = '$TTL 300\n@ SOA ns.example. h.example. 1 7200 900 604800 60\n@ NS ns.example.\n@ NS ns\nns A 192.0.2.53\n';

/** A record of each type, below a name of its own. */
const TYPES = [...RDATA_TABLE.values()]
  .filter(({ type }) => !DNSSEC_TYPES.has(type) && type !== TYPE.SOA && type !== TYPE.ALIAS)
  .map(({ type, example }) => {
    const content = example.replace(/and (\d+) hexadecimal digits/, (_, digits) => 'a'.repeat(Number(digits)));
    return `${typeName(type)}.types ${typeName(type)} ${content}\n`;
  })
  // A DS is at a delegation.
  .concat('ds.types NS ns.example.\n', 'dlv.types NS ns.example.\n');

/** What one of the servers does not load. */
const ODD = `cut DNAME example.org.
cut NS ns.example.
below.cut A 192.0.2.1
deep.BELOW.cut TXT x
@ DS 1 13 2 ${'ab'.repeat(32)}
`;
const LEFT_OUT = {
  bind: ['@ DS', 'MD.types MD', 'MF.types MF'],
  knot: ['cut NS', 'below.cut A', 'deep.BELOW.cut TXT'],
  nsd: ['below.cut A', 'deep.BELOW.cut TXT'],
};

const test = suite<{ daemon: Borrowed; folder: string }>('exports for other servers');
test.before(async (context) => {
  context.folder = temporaryFolder('zone-export');
  context.daemon = await borrowDaemon();
  const { api } = context.daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  for (const [zone, text] of [
    ['target.test', `${SOA}www A 1.2.3.4\nwww AAAA 2a00::1\n`],
    [
      'export.test',
      `${SOA}${TYPES.join('')}web ALIAS www.target.test.\n@ ALIAS www.target.test.\nlost ALIAS lost.target.test.\n${ODD}`,
    ],
  ]) {
    const { status, body } = await api.call(
      'PUT',
      `/api/v1/domains/${await api.createDomain(zone)}/zonefile?apex=keep`,
      text,
      'text/dns',
    );
    assert.is(status, 200, JSON.stringify(body));
  }
});
test.after(async ({ daemon, folder }) => {
  removeFolder(folder);
  await daemon.giveBack();
});

for (const [server, program] of SERVERS) {
  const checker = findCheckers().find((found) => found.program === program);
  if (checker === undefined) {
    console.log(`skipped: ${program} is not installed`);
    continue;
  }
  test(`${server} loads the export with the addresses of ALIAS records`, async ({ daemon, folder }) => {
    const env = { WAYPOST_URL: `http://127.0.0.1:${daemon.adminPort}`, WAYPOST_TOKEN: daemon.api.token };
    const read = async (...options: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(['zone', 'export', 'export.test', ...options], { env });
      assert.is(code, 0, stderr);
      return stdout;
    };
    await untilPasses(async () => assert.match(await read('--for', server), /^web\t300\tIN\tAAAA\t2a00::1$/m));
    const text = await read('--for', server);
    assert.match(text, /^@\t300\tIN\tA\t1\.2\.3\.4$/m);
    assert.match(text, /^; lost ALIAS lost\.target\.test\.: it has no address now$/m);
    assert.not.match(text, /^[^;]*\tALIAS\t/m);
    assert.match(await read(), /^web\t300\tIN\tALIAS\twww\.target\.test\.$/m);
    const left = [...text.matchAll(/^; (\S+ \S+) .*: .*$/gm)].map(([, record]) => record);
    assert.equal(left.sort(), [...LEFT_OUT[server], 'lost ALIAS'].sort());
    const file = join(folder, `export.test.${server}`);
    writeFileSync(file, text);
    const { loads, lines } = await checker.check({ file, zone: 'export.test' });
    assert.ok(loads, lines.join('\n'));
  });
}

test.run();
