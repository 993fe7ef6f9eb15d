/** Lookups of hosts for warnings: verdicts, how long they hold, and how many an account has. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HostChecks } from '../../../../admin-api/zones/targets/host-checks.ts';
import { parsePrefix } from '../../../../core/net/address/index.ts';

const OWN = [parsePrefix('198.51.101.80')];

function checksWith(resolve: (name: string) => Promise<readonly string[]>) {
  const queried: string[] = [];
  const checks = new HostChecks({
    resolve(name) {
      queried.push(name);
      return resolve(name);
    },
    allowPrivate: [],
    own: OWN,
  });
  return { checks, queried };
}

const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

const VERDICTS: readonly [what: string, result: () => Promise<readonly string[]>, fault: RegExp | null][] = [
  ['a public address', async () => ['198.51.101.7'], null],
  ['a private address', async () => ['10.0.0.1'], /^it resolves to an address in 10\.0\.0\.0\/8, "/],
  ['one of both', async () => ['10.0.0.1', '198.51.101.7'], null],
  ['the service itself', async () => ['198.51.101.80'], /^it resolves to this service itself$/],
  ['no addresses', async () => [], /^it has no A or AAAA records$/],
  ['no such name', () => failing('ENOTFOUND'), /^it does not exist$/],
  ['a timeout, which says nothing of the name', () => failing('ETIMEOUT'), null],
  ['a resolver that refuses', () => failing('EREFUSED'), null],
];

for (const [what, result, fault] of VERDICTS)
  test(`a host with ${what}`, async () => {
    const { checks, queried } = checksWith(result);
    assert.is(checks.peek('host.example', 1), null, 'not known yet');
    await checks.look('host.example', 1);
    const found = checks.peek('host.example', 1);
    if (fault === null) assert.is(found, null);
    else assert.match(String(found), fault);
    assert.equal(queried, ['host.example'], 'one lookup for both');
  });

test('an account has 16 lookups in flight, others have theirs', async () => {
  const ends: (() => void)[] = [];
  const { checks, queried } = checksWith(() => new Promise((done) => ends.push(() => done([]))));
  for (let i = 0; i < 100; i++) checks.peek(`host-${i}.example`, 1);
  assert.is(queried.length, 16);
  const other = checks.look('other.example', 2);
  assert.is(queried.length, 17);
  for (const end of ends) end();
  await other;
  checks.peek('host-99.example', 1);
  assert.is(queried.length, 18, 'a later list looks up the rest');
  assert.is(checks.peek('host-0.example', 1), 'it has no A or AAAA records');
});

test.run();
