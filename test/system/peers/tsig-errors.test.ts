/**
 * The errors of TSIG (RFC 8945 5.2) as real clients tell them: a clock that is off (libfaketime), a
 * key that is not there, an algorithm that the key has not, a wrong secret. Each for updates,
 * queries and transfers.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { type Run, runProgram, whyNotPrograms } from '../../support/programs.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { server } from './transcript.ts';

const ZONE = 'signed.example.net';
const NAME = 'updater';
const HOUR = 3600;

interface Context {
  daemon: Borrowed;
  secret: string;
  /** File of what nsupdate is to do. */
  script: string;
}

const test = suite<Context>('TSIG errors');
test.before(async (context) => {
  const daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  await daemon.api.createDomain(ZONE);
  const { body } = await daemon.api.call('POST', '/api/v1/tsig-keys', { name: NAME });
  const script = join(temporaryFolder('tsig'), 'script.txt');
  const lines = [`server 127.0.0.1 ${daemon.dnsPort}`, `zone ${ZONE}`, `update add www.${ZONE} 60 A 192.0.2.1`, 'send'];
  writeFileSync(script, [...lines, 'answer', ''].join('\n'));
  Object.assign(context, { daemon, secret: String(body.secret), script });
});
test.after(({ daemon }) => daemon.giveBack());

/**
 * Environment of a program whose clock is off by `seconds`. Timers stay as they are. libc before
 * the rest: BIND's programs are linked with jemalloc, which asks for the time before libfaketime is
 * ready to tell it.
 */
const clock = (seconds: number): NodeJS.ProcessEnv => ({
  LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1:libc.so.6',
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

interface Wrong {
  readonly what: string;
  readonly key: (secret: string) => string;
  readonly env: NodeJS.ProcessEnv;
  readonly error: 'BADTIME' | 'BADKEY' | 'BADSIG';
}

const right = (secret: string): string => `hmac-sha256:${NAME}:${secret}`;
const WRONG: readonly Wrong[] = [
  { what: 'a clock an hour slow', key: right, env: clock(-HOUR), error: 'BADTIME' },
  { what: 'a clock an hour fast', key: right, env: clock(HOUR), error: 'BADTIME' },
  { what: 'a clock just past the fudge', key: right, env: clock(-310), error: 'BADTIME' },
  { what: 'a key that is not there', key: (secret) => `hmac-sha256:nobody:${secret}`, env: {}, error: 'BADKEY' },
  { what: 'another algorithm', key: (secret) => `hmac-sha512:${NAME}:${secret}`, env: {}, error: 'BADKEY' },
  {
    what: 'a wrong secret',
    key: () => `hmac-sha256:${NAME}:${Buffer.alloc(32, 7).toString('base64')}`,
    env: {},
    error: 'BADSIG',
  },
];

/** The error field and the length of the code of the TSIG record that was printed. */
function tsigOf({ output }: Run): { error: string; size: number } {
  const [, size, error] =
    [...output.matchAll(/\sTSIG\s+hmac-sha\d+\. \d+ \d+ (\d+) (?:\S+ )?\d+ (\w+) /g)].at(-1) ?? [];
  if (error === undefined) throw new Error(`no TSIG record:\n${output}`);
  return { error, size: Number(size) };
}

for (const { what, key, env, error } of WRONG) {
  const isSigned = error === 'BADTIME';

  for (const transport of ['udp', 'tcp'])
    test(`nsupdate over ${transport}, ${what}: ${error}`, async ({ daemon, secret, script }) => {
      const args = ['-t', '10', ...(transport === 'tcp' ? ['-v'] : []), '-y', key(secret), script];
      const run = await runProgram('nsupdate', args, env);
      assert.is(run.code, 2, run.output);
      // It verifies the response: with BADTIME that is signed, and its complaint is the clocks, not
      // the signature.
      assert.match(run.output, isSigned ? 'clocks are unsynchronized' : `update failed: NOTAUTH(${error})`);
      assert.match(run.output, /opcode: UPDATE, status: NOTAUTH/);
      assert.equal(tsigOf(run), { error, size: isSigned ? 32 : 0 });
      const { output } = await runProgram('dig', [...server('dig', daemon.dnsPort), '+short', `www.${ZONE}`, 'A']);
      assert.is(output, '', 'nothing has changed');
    });

  test(`dig, ${what}: a query and a transfer are ${error}`, async ({ daemon, secret }) => {
    const ask = (type: string) =>
      runProgram('dig', [...server('dig', daemon.dnsPort), '-y', key(secret), ZONE, type], env);
    const query = await ask('SOA');
    assert.match(query.output, 'status: NOTAUTH');
    assert.equal(tsigOf(query), { error, size: isSigned ? 32 : 0 });
    const transfer = await ask('AXFR');
    assert.match(transfer.output, '; Transfer failed.');
    assert.is(tsigOf(transfer).error, error);
    for (const { output } of [query, transfer])
      assert.match(output, isSigned ? "Couldn't verify signature: clocks are unsynchronized" : 'tsig indicates error');
  });

  test(`kdig, ${what}: a query and a transfer are ${error}`, async ({ daemon, secret }) => {
    const ask = (type: string) =>
      runProgram('kdig', [...server('kdig', daemon.dnsPort), '-y', key(secret), ZONE, type], env);
    const query = await ask('SOA');
    assert.match(query.output, `status: ${error};`);
    // RFC 8945 5.2.3: our time, by which it could set its clock.
    if (isSigned) {
      const ours = Number(/ BADTIME 6 (\d+)/.exec(query.output)?.[1]);
      assert.ok(Math.abs(ours - Date.now() / 1000) < 60, query.output);
    }
    assert.match(query.output, isSigned ? 'TSIG out of time window' : 'failed to verify TSIG');
    assert.match((await ask('AXFR')).output, `server replied with error '${error}'`);
  });
}

test('a clock that is off by less than the fudge is accepted', async ({ daemon, secret }) => {
  for (const seconds of [-200, 200]) {
    const args = [...server('kdig', daemon.dnsPort), '-y', right(secret), ZONE, 'SOA'];
    const { output } = await runProgram('kdig', args, clock(seconds));
    assert.match(output, 'status: NOERROR;');
    assert.not.match(output, 'WARNING');
  }
});

const why = whyNotPrograms('nsupdate', 'dig', 'kdig', 'faketime');
if (why === null) test.run();
else console.log(`skipped: TSIG errors, ${why}`);
