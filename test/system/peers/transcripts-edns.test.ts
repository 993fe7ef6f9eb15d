/** What EDNS brings, as dig and kdig show it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { readExposition, sampleOf } from '../../support/exposition.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { type HttpsFront, startHttpsFront } from './https-front.ts';
import { messagesOf, option, request, server } from './transcript.ts';

const CLIENTS = ['kdig', 'dig'] as const;
type Client = (typeof CLIENTS)[number];
const APEX = 'edns.test';
const WWW = `www.${APEX}`;

const test = suite<{ daemon: Borrowed; front: HttpsFront }>('transcripts: EDNS');

test.before(async (context) => {
  const daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const zone = await daemon.api.createDomain(APEX);
  await daemon.api.createRecord(zone, 'www', 'A', '192.0.2.1', 120);
  Object.assign(context, { daemon, front: await startHttpsFront(daemon.adminPort) });
});
test.after(async ({ daemon, front }) => {
  await front.close();
  await daemon.giveBack();
});

/** Each client's own flags for the same thing. */
const flags = (program: Client, kdig: readonly string[], dig: readonly string[]): readonly string[] =>
  program === 'kdig' ? kdig : dig;

for (const program of CLIENTS) {
  const ask = (port: number, ...args: readonly string[]) => request(program, [...server(program, port), ...args]);

  test(`${program}: version and size; no OPT without one`, async ({ daemon: { dnsPort } }) => {
    const with0 = await ask(dnsPort, ...flags(program, ['+edns'], ['+nocookie']), WWW);
    assert.match(with0.edns?.join() ?? '', /version: 0.*(?:UDP size|udp): 1232/i);
    assert.is((await ask(dnsPort, ...flags(program, ['+noedns'], ['+noedns']), WWW)).edns, null);
    const with1 = await ask(dnsPort, ...flags(program, ['+edns=1'], ['+edns=1', '+noednsnegotiation']), WWW);
    assert.equal([with1.status, with1.answer], ['BADVERS', []]);
    assert.match(with1.edns?.join() ?? '', /version: 0/i);
  });

  test(`${program}: extended errors have the reason of a refusal`, async ({ daemon: { dnsPort } }) => {
    const refused = await ask(dnsPort, ...flags(program, ['+edns'], ['+nocookie']), 'elsewhere.test');
    assert.equal([refused.status, option(refused, 'EDE')], ['REFUSED', '20 (Not Authoritative)']);
    const plain = await ask(dnsPort, '+noedns', 'elsewhere.test');
    assert.equal([plain.status, plain.edns], ['REFUSED', null]);
    const good = await ask(dnsPort, ...flags(program, ['+edns'], ['+nocookie']), WWW);
    assert.is(option(good, 'EDE'), undefined);
  });

  test(`${program}: an unknown option is ignored`, async ({ daemon: { dnsPort } }) => {
    const response = await ask(dnsPort, ...flags(program, [], ['+nocookie']), '+ednsopt=65001:abcd', WWW);
    assert.equal([response.status, response.answer.length, response.edns?.length], ['NOERROR', 1, 1]);
  });

  test(`${program}: the idle timeout of a TCP connection (RFC 7828), not sent over UDP`, async ({
    daemon: { dnsPort },
  }) => {
    const keepalive = flags(program, ['+ednsopt=11'], ['+keepalive', '+nocookie']);
    const describe = (edns: readonly string[] | null): string | undefined =>
      edns?.find((line) => /keepalive|option \(11\)/i.test(line));
    const overTcp = describe((await ask(dnsPort, '+tcp', ...keepalive, WWW)).edns);
    // 10 s is the default, 100 units of 100 ms.
    assert.match(overTcp ?? '', program === 'kdig' ? /: 0064$/ : /: 10\.0 secs$/);
    assert.is(describe((await ask(dnsPort, ...keepalive, WWW)).edns), undefined);
  });

  test(`${program}: padded over HTTPS on request (RFC 7830, 8467), never over UDP`, async ({ daemon, front }) => {
    const padding = flags(program, ['+padding=64'], ['+padding=64', '+nocookie']);
    const padded = (edns: readonly string[] | null): string | undefined => edns?.find((line) => /^pad/i.test(line));
    for (const name of [WWW, `a.name.that.is.missing.${APEX}`]) {
      const response = await ask(front.port, '+https', ...padding, name);
      assert.ok(padded(response.edns) !== undefined, response.text);
      const size = Number(/(?:Received |rcvd: )(\d+)/.exec(response.text)?.[1]);
      assert.is(size % 468, 0, response.text);
    }
    assert.is(padded((await ask(daemon.dnsPort, ...padding, WWW)).edns), undefined);
    assert.is(
      padded((await ask(front.port, '+https', ...flags(program, ['+edns', '+nopadding'], []), WWW)).edns),
      undefined,
    );
  });
}

test('kdig +tcp +keepopen: many queries over one connection', async ({ daemon }) => {
  const accepted = async (): Promise<number> => {
    const { text } = await daemon.api.call('GET', '/metrics');
    return sampleOf(readExposition(text, 'prometheus'), 'waypost_dns_tcp_accepted_total', { transport: 'tcp' });
  };
  const before = await accepted();
  const names = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? WWW : `missing${i}.${APEX}`));
  const { output } = await runProgram('kdig', [...server('kdig', daemon.dnsPort), '+tcp', '+keepopen', ...names]);
  assert.equal(
    messagesOf(output).map(({ status }) => status),
    names.map((name) => (name === WWW ? 'NOERROR' : 'NXDOMAIN')),
  );
  assert.is(await accepted(), before + 1);
});

const why = whyNotPrograms('kdig', 'dig');
if (why === null) test.run();
else console.log(`skipped: transcripts of EDNS, ${why}`);
