/** The scripts of "waypost completion" in the shells that they are for. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { environment, runCommand } from '../../../support/daemon.ts';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const test = suite('completion');
const folder = temporaryFolder('completion');
test.after(() => removeFolder(folder));

/** What is typed, and words that must be offered, or with "!" must not be. */
const CASES: readonly (readonly [typed: string, ...words: string[]])[] = [
  ['', 'domain', 'record', 'completion', 'help', '!list'],
  ['do', 'domain', 'doctor', '!record'],
  ['domain ', 'add', 'list', 'rm', 'help', '!domain'],
  ['domains ', 'add', 'list'],
  ['domain rm --', '--yes', '--force', '--json', '--account', '!--catalog'],
  ['domain delete --', '--yes'],
  ['--json domain l', 'list', '!add'],
  ['dnssec foreign-keys ', 'add', 'list'],
  ['proxy set --protocol ', 'http', 'https', '!on'],
  ['completion ', 'bash', 'zsh', 'fish'],
  ['help dom', 'domain', '!record'],
];

/**
 * For each shell, its options, and a program that prints the offered words for its arguments, of
 * which the last is not complete. zsh completes at a prompt only, so its functions are replaced.
 */
const SHELLS = {
  bash: {
    options: ['--norc', '--noprofile'],
    driver: `COMP_WORDS=(waypost "$@")
COMP_CWORD=$#
_waypost
printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    options: ['-f'],
    driver: `_describe() {
  if [[ $1 == -o ]]; then shift; fi
  for entry in "\${(@P)2}"; do
    if [[ $entry == $PREFIX* ]]; then print -r -- "\${entry%%:*}"; fi
  done
}
_files() { }
complete_words() {
  local -a words=(waypost "$@")
  local CURRENT=$(( $# + 1 )) PREFIX=\${@[-1]}
  _waypost
}
complete_words "$@"`,
  },
  fish: {
    options: ['--no-config'],
    driver: `complete --do-complete "waypost $argv" | string replace -r '\\t.*' ''`,
  },
} as const;

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const why = whyNotPrograms(shell);
  if (why !== null) {
    test.skip(`${shell}: ${why}`);
    continue;
  }
  test(`${shell} completes commands, options and their values`, async () => {
    const { code, output: script } = await runCommand(['completion', shell], environment({}));
    assert.is(code, 0, script);
    const { options, driver } = SHELLS[shell];
    const file = join(folder, `driver.${shell}`);
    const before = shell === 'zsh' ? 'compdef() { }\n' : '';
    writeFileSync(file, `${before}${script}\n${driver}\n`);
    for (const [typed, ...words] of CASES) {
      const { code: status, output } = await runProgram(shell, [...options, file, ...typed.split(' ')], {
        HOME: folder,
      });
      const offered = output.split('\n').filter((word) => word !== '');
      for (const word of words) {
        const isWanted = !word.startsWith('!');
        assert.is(offered.includes(word.replace('!', '')), isWanted, `"${typed}", ${word}, ${status}: ${output}`);
      }
    }
  });
}

test.run();
