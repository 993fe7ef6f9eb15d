/**
 * `waypost completion`: prints a script that completes commands, options and their values in a
 * shell. The script has everything that the tree of commands knows, so that it starts no process.
 */
import { Argument, type Command, type Option } from 'commander';
import type { CommandContext } from '../base/command.ts';
import { print } from '../base/io.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const INSTALL = `The Debian package installs the scripts of all three shells. Elsewhere:

  bash   waypost completion bash > /etc/bash_completion.d/waypost
  zsh    waypost completion zsh > "\${fpath[1]}/_waypost"
  fish   waypost completion fish > ~/.config/fish/completions/waypost.fish`;

export function addCompletionCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('completion')
    .description('print the completion script of bash, zsh or fish')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', `\n${INSTALL}\n\nExamples:\n  $ source <(waypost completion bash)\n`)
    .action(
      action(async ({ json }, [shell]) => {
        const script = SCRIPTS[shell as Shell](placesOf(program, ''));
        if (json) print(io.stdout, JSON.stringify({ ok: true, shell, script }));
        else io.stdout.write(script);
      }),
    );
}

/** What may follow on a command line after a command. */
interface Place {
  /** The words of the command, each after a space; '' for none. */
  readonly at: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  readonly arguments: readonly Argument[];
}

function placesOf(command: Command, at: string): readonly Place[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const commands = help.visibleCommands(command);
  const own = { at, commands, options, arguments: command.registeredArguments };
  if (command.commands.length === 0) return [own];
  const topics = { at: `${at} help`, commands: command.commands, options: [], arguments: [] };
  return [own, topics, ...command.commands.flatMap((next) => placesOf(next, `${at} ${next.name()}`))];
}

/** All words that lead from a command to one of its commands. */
const wordsOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

const flagsOf = ({ short, long }: Option): readonly string[] => [short, long].filter((flag) => flag !== undefined);

/** The values of the arguments; empty if they are free. */
const valuesOf = (place: Place): readonly string[] => place.arguments.flatMap(({ argChoices = [] }) => argChoices);

/** One word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `case` branches of bash and zsh that set `at` by the next word. */
const branches = (places: readonly Place[], indent: string): string =>
  places
    .flatMap(({ at, commands }) =>
      commands.map((command) => {
        const patterns = wordsOf(command).map((word) => quoted(`${at} ${word}`));
        return `${indent}${patterns.join('|')}) at=${quoted(`${at} ${command.name()}`)} ;;\n`;
      }),
    )
    .join('');

/** `case` branches for the values of options. `write`: the command of a branch. */
const valueBranches = (
  places: readonly Place[],
  indent: string,
  write: (values: readonly string[]) => string,
): string =>
  places
    .flatMap(({ at, options }) =>
      options
        .filter(({ argChoices }) => argChoices !== undefined)
        .map((option) => {
          const patterns = flagsOf(option).map((flag) => quoted(`${at} ${flag}`));
          return `${indent}${patterns.join('|')}) ${write(option.argChoices ?? [])} ;;\n`;
        }),
    )
    .join('');

/** Without words of ours, bash completes file names. */
const bash = (places: readonly Place[]): string => `# bash completion for waypost
_waypost() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' words='' flags='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
${branches(places, '      ')}    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${valueBranches(places, '    ', (values) => `words=${quoted(values.join(' '))}`)}    *)
      case "$at" in
${places
  .map((place) => {
    const names = [...place.commands.map((command) => command.name()), ...valuesOf(place)];
    const flags = place.options.flatMap(flagsOf);
    return `        ${quoted(place.at)}) words=${quoted(names.join(' '))} flags=${quoted(flags.join(' '))} ;;\n`;
  })
  .join('')}      esac
      ;;
  esac
  if [[ $current == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _waypost waypost
`;

/** An entry of _describe: "name:description". */
const described = (name: string, about: string): string => quoted(`${name.replaceAll(':', '\\:')}:${about}`);

const zsh = (places: readonly Place[]): string => `#compdef waypost
_waypost() {
  local at='' word
  local -a choices flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${branches(places, '      ')}    esac
  done
  case "$at \${words[CURRENT-1]}" in
${valueBranches(places, '    ', (values) => `choices=(${values.map(quoted).join(' ')})`)}    *)
      case "$at" in
${places
  .map((place) => {
    const choices = [
      ...place.commands.map((command) => described(command.name(), command.description())),
      ...valuesOf(place).map(quoted),
    ];
    const flags = place.options.flatMap((option) => flagsOf(option).map((flag) => described(flag, option.description)));
    return `        ${quoted(place.at)}) choices=(${choices.join(' ')}) flags=(${flags.join(' ')}) ;;\n`;
  })
  .join('')}      esac
      ;;
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option flags
  elif (( $#choices )); then _describe word choices
  else _files
  fi
}
if [[ "\${funcstack[1]}" == _waypost ]]; then _waypost "$@"; else compdef _waypost waypost; fi
`;

/** Between single quotes, a backslash of fish escapes only itself and the quote. */
const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const fish = (places: readonly Place[]): string => `# fish completion for waypost
function __waypost_at
  set -l at ''
  for word in (commandline -opc)
    switch "$at $word"
${places
  .flatMap(({ at, commands }) =>
    commands.map((command) => {
      const patterns = wordsOf(command).map((word) => fishQuoted(`${at} ${word}`));
      return `      case ${patterns.join(' ')}\n        set at ${fishQuoted(`${at} ${command.name()}`)}\n`;
    }),
  )
  .join('')}    end
  end
  test "$at" = "$argv[1]"
end
${places.flatMap(fishLines).join('')}`;

function fishLines(place: Place): readonly string[] {
  const condition = `-n ${fishQuoted(`__waypost_at ${fishQuoted(place.at)}`)}`;
  const choices = [
    ...place.commands.map((command) => [command.name(), command.description()] as const),
    ...valuesOf(place).map((value) => [value, ''] as const),
  ];
  const options = place.options.map(({ short, long, required, optional, argChoices, description }) => {
    const names = [...(short ? [`-s ${short.slice(1)}`] : []), ...(long ? [`-l ${long.slice(2)}`] : [])];
    const value = argChoices ? [`-x -a ${fishQuoted(argChoices.join(' '))}`] : required || optional ? ['-r'] : [];
    return ['complete -c waypost', condition, ...names, ...value, `-d ${fishQuoted(description)}`].join(' ');
  });
  return [
    ...choices.map(([name, about]) => `complete -c waypost ${condition} -f -a ${name} -d ${fishQuoted(about)}`),
    ...options,
  ].map((line) => `${line}\n`);
}

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };
