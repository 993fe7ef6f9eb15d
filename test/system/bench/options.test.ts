/** The options of benchmarks: values, messages for invalid ones, and the usage of each program. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMON, parseOptions, usageText } from '../../../bench/options.ts';

const test = suite('bench/options');
const usage = {
  command: 'node some.js',
  about: 'Something.',
  options: {
    ...COMMON,
    only: { kind: 'choices', value: 'ROW', of: ['mix', 'large'], help: 'a row' },
    knot: { kind: 'text', value: 'KNOTD', help: 'another Knot' },
  },
} as const;

test('given and omitted options', () => {
  assert.equal(parseOptions(usage, []), {
    ...{ quick: false, rounds: undefined, seconds: undefined, only: undefined, knot: undefined },
  });
  assert.equal(
    parseOptions(usage, [
      '--quick',
      '--seconds=0.5',
      '--only',
      'mix',
      '--only',
      'large',
      '--knot',
      'a',
      '--rounds',
      '9',
    ]),
    { quick: true, rounds: 9, seconds: 0.5, only: ['mix', 'large'], knot: 'a' },
  );
  for (const help of ['--help', '-h']) assert.is(parseOptions(usage, ['--quick', help]), 'help');
});

test('invalid values have a message', () => {
  for (const [args, expected] of [
    [['--fast'], /^Unknown option '--fast'\.$/],
    [['mix'], /^Unexpected argument 'mix'\.$/],
    [['--seconds'], /--seconds.* argument missing\.$/],
    [['--seconds', 'five'], /^--seconds five is no number above zero\.$/],
    [['--rounds', '0'], /^--rounds 0 is no number above zero\.$/],
    [['--quick=yes'], /--quick.* does not take an argument\.$/],
    [['--only', 'mix', '--only', 'small'], /^--only small: there is none; there are mix, large\.$/],
  ] as const)
    assert.match(String(parseOptions(usage, args)), expected);
});

test('the usage names every option', () => {
  const text = usageText(usage);
  for (const part of [/^node some\.js \[options\]\n\nSomething\.\n/, /^ +--quick /m, /^ +--seconds N /m, /^ +--help /m])
    assert.match(text, part);
  assert.match(text, /^ +--only ROW .*: mix, large$/m);
});

const run = (program: string, ...args: readonly string[]) =>
  new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const child = execFile(process.execPath, [join('dist', 'bench', program), ...args], (_, out, error) =>
      resolve({ code: child.exitCode ?? -1, out, error }),
    );
  });

const PROGRAMS = readdirSync('bench').filter((name) => name.endsWith('.ts') && name !== 'options.ts');

for (const program of [...PROGRAMS.map((name) => name.replace(/ts$/, 'js')), 'edge/many-sites.js'])
  test(`${program}: --help, and an unknown option`, async () => {
    const [help, unknown] = await Promise.all([run(program, '--help'), run(program, '--fast')]);
    assert.equal([help.code, help.error], [0, '']);
    assert.match(help.out, /^(npm run bench:|npm run results |node dist\/bench\/).* \[options\]\n/);
    assert.equal([unknown.code, unknown.out], [2, '']);
    assert.match(unknown.error, /^Unknown option '--fast'\.\nWhat there is: .* --help\n$/);
  });

test.run();
