/**
 * Knot's knsupdate, whose messages are libknot's own: over UDP and TCP, what it asks for happens,
 * and it says why not when it does not.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { Key } from '../../admin-api/zones/update/world.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { startUpdateServer, type UpdateServer } from './update-server.ts';

const test = suite<{ server: UpdateServer; key: Key; folder: string }>('knsupdate');
test.before(async (context) => {
  context.server = await startUpdateServer();
  context.key = await context.server.world.key(context.server.world.admin, { algorithm: 'hmac-sha512' });
  context.folder = temporaryFolder('knsupdate');
});
test.after(({ server }) => server.stop());

for (const transport of ['udp', 'tcp'] as const)
  test(`over ${transport}: changes, prerequisites, refusals`, async ({ server, key, folder }) => {
    const domain: Domain = await server.world.zone();
    const zone = formatName(domain.apex);
    /**
     * Runs it with a script, in which `~` is the zone; the error that it ends with, or `ok` for an
     * answer whose signature it has verified.
     */
    const run = async (lines: readonly string[], { row, secret } = key): Promise<string> => {
      const script = join(folder, `${transport}.txt`);
      const head = [`server 127.0.0.1 ${server.port}`, `zone ${zone}`];
      writeFileSync(script, [...head, ...lines.map((line) => line.replaceAll('~', zone)), 'send', ''].join('\n'));
      const signed = `${row.algorithm}:${row.name}:${Buffer.from(secret).toString('base64')}`;
      const args = ['-y', signed, '-r', '0', '-t', '10', ...(transport === 'tcp' ? ['-v'] : []), script];
      const { code, output } = await runProgram('knsupdate', args);
      if (code === 0 && !/ERROR|WARNING/.test(output)) return 'ok';
      return /ERROR/.test(output) ? (/status: (\w+)/.exec(output)?.[1] ?? output) : output;
    };
    const add = [
      'update add www.~ 300 A 192.0.2.1',
      'update add www.~ 300 A 192.0.2.2',
      'update add ~ 300 MX 10 WWW.~',
      'update add txt.~ 60 TXT "one string" "another"',
      'update add _sip._tcp.~ 60 SRV 1 2 5060 www.~',
    ];
    assert.is(await run(['prereq nxdomain www.~', 'prereq nxrrset ~ MX', ...add]), 'ok');
    assert.equal(server.world.records(domain), [
      `@ 300 MX 10 www.${zone}`,
      `_sip._tcp 60 SRV 1 2 5060 www.${zone}`,
      'txt 60 TXT "one string" "another"',
      'www 300 A 192.0.2.1',
      'www 300 A 192.0.2.2',
    ]);
    const change = 'update add www.~ 60 A 192.0.2.9';
    assert.is(await run(['prereq nxdomain www.~', change]), 'YXDOMAIN');
    assert.is(await run(['prereq yxdomain mail.~', change]), 'NXDOMAIN');
    assert.is(await run(['prereq nxrrset www.~ A', change]), 'YXRRSET');
    assert.is(await run(['prereq yxrrset www.~ A 192.0.2.1', change]), 'NXRRSET');
    assert.is(await run(['update add ~ 60 NS ns.elsewhere.example.']), 'REFUSED');
    assert.is(await run([change], { ...key, secret: Buffer.alloc(64, 7) }), 'BADSIG');
    assert.is(await run([change], { ...key, row: { ...key.row, name: 'nobody' } }), 'BADKEY');
    const away = ['update del www.~ A 192.0.2.1', 'update del txt.~', 'update del _sip._tcp.~ SRV', 'update del ~ MX'];
    assert.is(await run(['prereq yxrrset www.~ A', ...away]), 'ok');
    assert.equal(server.world.records(domain), ['www 300 A 192.0.2.2']);
  });

const why = whyNotPrograms('knsupdate');
if (why === null) test.run();
else console.log(`skipped: knsupdate, ${why}`);
