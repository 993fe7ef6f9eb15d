/**
 * What a node tells of itself when it is asked, and that it tells nothing unless a setting says so:
 * NSID (RFC 5001), class CHAOS (RFC 4892).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, type ServingDaemon, startDaemon } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { option, request, server, type Transcript } from './transcript.ts';

const PROGRAMS = ['kdig', 'dig'] as const;
const VERSIONS = ['version.bind', 'version.server', 'VERSION.BIND'];
const IDENTITIES = ['id.server', 'hostname.bind', 'Id.Server'];
const NSID = 'ns1.fra';
const VERSION = 'a "server"';
const IDENTITY = 'fra1';

const test = suite<{ open: Daemon; closed: Borrowed }>('transcripts: identity');

test.before(async (context) => {
  const settings = { WAYPOST_DNS_NSID: NSID, WAYPOST_DNS_VERSION: VERSION, WAYPOST_DNS_IDENTITY: IDENTITY };
  Object.assign(context, { open: await startDaemon(settings), closed: await borrowDaemon('plain') });
});
test.after(async ({ open, closed }) => {
  await open.close();
  await closed.giveBack();
});

for (const program of PROGRAMS) {
  const ask = ({ dnsPort }: ServingDaemon, ...args: readonly string[]): Promise<Transcript> =>
    request(program, [...server(program, dnsPort), ...args]);
  const chaos = (daemon: ServingDaemon, name: string, type = 'TXT') => ask(daemon, 'CH', type, name);

  test(`${program} +nsid: the configured value, also with an error and over TCP; else nothing`, async ({
    open,
    closed,
  }) => {
    // `6e 73 31 ("ns1")` and `6E7331 "ns1"`: both print the text.
    for (const flags of [[], ['+tcp']])
      assert.ok(option(await ask(open, '+nsid', ...flags, 'elsewhere.test'), 'NSID')?.includes(`"${NSID}"`));
    assert.is(option(await ask(open, '+nonsid', 'elsewhere.test'), 'NSID'), undefined);
    assert.is(option(await ask(closed, '+nsid', 'elsewhere.test'), 'NSID'), undefined);
  });

  test(`${program} CH TXT: version and identity when they are configured, else REFUSED`, async ({ open, closed }) => {
    for (const [names, text] of [
      [VERSIONS, '"a \\"server\\""'],
      [IDENTITIES, `"${IDENTITY}"`],
    ] as const)
      for (const name of names) {
        const { status, flags, answer } = await chaos(open, name);
        assert.equal([status, flags.includes('aa'), answer.length], ['NOERROR', true, 1], name);
        assert.equal([answer[0].class, answer[0].type, answer[0].ttl, answer[0].data], ['CH', 'TXT', 0, text], name);
        const other = await chaos(open, name, 'A');
        assert.equal([other.status, other.answer], ['NOERROR', []], name);
        const silent = await chaos(closed, name);
        assert.equal([silent.status, silent.answer], ['REFUSED', []], name);
      }
    for (const name of ['authors.bind', 'bind', '.', 'x.version.bind'])
      assert.is((await chaos(open, name)).status, 'REFUSED', name);
    // The same names in class IN are names as others.
    assert.is((await ask(open, 'IN', 'TXT', 'version.bind')).status, 'REFUSED');
  });
}

const why = whyNotPrograms(...PROGRAMS);
if (why === null) test.run();
else console.log(`skipped: transcripts of identity, ${why}`);
