/**
 * What a benchmark is called with. `--help` prints its usage; what cannot be read is an error that
 * says what to do. Both end the process, with 0 and 2.
 */
import { parseArgs } from 'node:util';

export type Option =
  | { readonly kind: 'flag'; readonly help: string }
  /** More than zero. */
  | { readonly kind: 'number'; readonly help: string }
  /** `value`: what stands for it in the usage, such as FILE. */
  | { readonly kind: 'text'; readonly value: string; readonly help: string }
  /** Any number of `of`, each with the option's name before it. */
  | { readonly kind: 'choices'; readonly value: string; readonly of: readonly string[]; readonly help: string };

type Value<One extends Option> = One['kind'] extends 'flag'
  ? boolean
  : One['kind'] extends 'number'
    ? number | undefined
    : One['kind'] extends 'choices'
      ? readonly string[] | undefined
      : string | undefined;

type Options = Readonly<Record<string, Option>>;
type Values<Given extends Options> = { readonly [Name in keyof Given]: Value<Given[Name]> };

export interface Usage<Given extends Options> {
  /** How it is started, such as `npm run bench:dns --`. */
  readonly command: string;
  /** What it measures: a sentence. */
  readonly about: string;
  readonly options: Given;
}

/** What nearly all have. */
export const COMMON = {
  quick: { kind: 'flag', help: 'short, to see that all is well; the figures are not for the record' },
  rounds: { kind: 'number', help: 'measurements of each row, of which the median counts' },
  seconds: { kind: 'number', help: 'of each measurement' },
} as const satisfies Options;

/** Of benchmarks that can add their figures to bench/results. */
export const SAVE = {
  save: { kind: 'flag', help: 'add the figures to bench/results and rewrite bench/RESULTS.md; not with --quick' },
} as const satisfies Options;

/** Ends the process with 2, without a stack: what is wrong is not the program. */
export function endWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

export function readOptions<const Given extends Options>(usage: Usage<Given>, args?: readonly string[]): Values<Given> {
  const read = parseOptions(usage, args ?? process.argv.slice(2));
  if (read === 'help') {
    process.stdout.write(usageText(usage));
    process.exit(0);
  }
  return typeof read === 'string' ? endWith(`${read}\nWhat there is: ${usage.command} --help`) : read;
}

/** The values, `help`, or a sentence that says what is wrong. */
export function parseOptions<const Given extends Options>(
  { options }: Usage<Given>,
  args: readonly string[],
): Values<Given> | string {
  const wanted = Object.entries<Option>(options);
  let values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: Object.fromEntries([
        ['help', { type: 'boolean', short: 'h' }],
        ...wanted.map(([name, { kind }]) => [
          name,
          { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'choices' },
        ]),
      ]),
    }));
  } catch (error) {
    // Its second sentence is about arguments that no benchmark takes.
    return `${(error as Error).message.split('. ')[0]}.`;
  }
  if (values.help === true) return 'help';
  const read: Record<string, unknown> = {};
  for (const [name, option] of wanted) {
    const given = values[name];
    const wrong = wrongIn(option, given);
    if (wrong !== undefined) return `--${name} ${wrong}`;
    read[name] =
      option.kind === 'flag' ? given === true : option.kind === 'number' && given !== undefined ? Number(given) : given;
  }
  return read as Values<Given>;
}

function wrongIn(option: Option, given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (option.kind === 'number') return Number(given) > 0 ? undefined : `${given} is no number above zero.`;
  if (option.kind !== 'choices') return undefined;
  const unknown = (given as readonly string[]).find((text) => !option.of.includes(text));
  return unknown === undefined ? undefined : `${unknown}: there is none; there are ${option.of.join(', ')}.`;
}

export function usageText<Given extends Options>({ command, about, options }: Usage<Given>): string {
  const lines = Object.entries<Option>(options).map(([name, option]) => {
    const value = option.kind === 'flag' ? '' : option.kind === 'number' ? ' N' : ` ${option.value}`;
    const choices = option.kind === 'choices' ? `; again for more than one: ${option.of.join(', ')}` : '';
    return `  ${`--${name}${value}`.padEnd(16)}${option.help}${choices}\n`;
  });
  return `${command} [options]\n\n${about}\n\n${lines.join('')}  ${'--help'.padEnd(16)}this\n`;
}
