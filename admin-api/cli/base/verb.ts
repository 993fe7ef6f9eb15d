/**
 * Adds a command that calls the API. Each command has options and one function that sends requests
 * and shows the results. The client, `--json`, `--yes`, tables and examples are shared.
 */
import { type Command, Option } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import { ACCOUNT, actFor } from './accounts.ts';
import { type ApiClient, type Change, withClient } from './client.ts';
import type { CommandContext, Outcome } from './command.ts';
import { confirm } from './confirm.ts';
import { type Domain, requireDomain } from './domains.ts';
import { type CliIo, type GlobalOptions, print } from './io.ts';
import { type Columns, Table } from './table.ts';

/** One run of a command: streams, client and options. */
export class Call<Options = object> {
  constructor(
    readonly io: CliIo,
    readonly api: ApiClient,
    readonly options: Options & GlobalOptions,
  ) {}

  /** Finds a domain of the account. Throws CliError `no_such_domain`. */
  domain(name: string): Promise<Domain> {
    return requireDomain(this.api, name);
  }

  /**
   * Prints the result with --json, otherwise the escaped lines. After a write, the first line
   * includes the change.
   */
  show<T extends object>(result: T & Change, first: string, ...more: readonly string[]): void {
    if (this.options.json) {
      print(this.io.stdout, JSON.stringify(result));
      return;
    }
    const change = result.change === undefined ? '' : ` (change ${result.change})`;
    for (const line of [first + change, ...more]) print(this.io.stdout, escapeControls(line));
  }

  /**
   * Prints rows as they arrive: one object per line with --json, otherwise a table. `none`: text
   * for an empty list.
   */
  async list<Row extends object>(
    pages: AsyncIterable<readonly Row[]>,
    columns: Columns<Row>,
    none: string,
  ): Promise<void> {
    const table = new Table<Row>(this.io.stdout, columns, this.options.json === true);
    for await (const rows of pages) if (!(await table.write(rows))) return;
    if (table.empty) this.note(none);
  }

  /** Like `list`, for rows that are in memory. */
  rows<Row extends object>(rows: readonly Row[], columns: Columns<Row>, none: string): Promise<void> {
    return this.list(onePage(rows), columns, none);
  }

  /** Prints a document that a command reads again, with --json on one line. */
  document(document: object): void {
    print(this.io.stdout, JSON.stringify(document, null, this.options.json ? 0 : 2));
  }

  /** Prints a hint that is not part of the result; never with --json. */
  note(line: string): void {
    if (!this.options.json) print(this.io.stderr, escapeControls(line));
  }

  /**
   * Resolves after "yes" on the terminal, or with --yes. Throws CliError `cancelled` or
   * `not_confirmed`.
   */
  async confirm(question: string): Promise<void> {
    const { yes } = this.options as { readonly yes?: boolean };
    if (!yes) await confirm(this.io, question);
  }
}

async function* onePage<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

interface Verb<Options> {
  /** Name and arguments, such as `rm <name>`. */
  readonly usage: string;
  /** One line in the list of commands. */
  readonly about: string;
  readonly options?: readonly Option[];
  /** Text of the help above the examples. */
  readonly more?: string;
  /** Command lines without `$`. */
  readonly examples: readonly string[];
  run(call: Call<Options>, args: readonly string[]): Promise<Outcome>;
}

export function addVerb<Options extends object>(
  parent: Command,
  { io, action }: CommandContext,
  { usage, about, options = [], more, examples, run }: Verb<Options>,
): void {
  const command = parent.command(usage).description(about);
  for (const declared of options) command.addOption(declared);
  command
    .addHelpText('after', helpText(examples, more))
    .action(
      action<Options>((given, args) =>
        withClient(io, given, async (api) => run(new Call(io, await actFor(api, given), given), args)),
      ),
    );
}

/** Like `addGroup`, for objects of an account: with the option `--account`. */
export function addAccountGroup(program: Command, name: string, about: string, examples: readonly string[]): Command {
  return addGroup(program, name, about, examples).addOption(ACCOUNT);
}

/** Adds a command that only has subcommands. */
export function addGroup(program: Command, name: string, about: string, examples: readonly string[]): Command {
  return program.command(name).description(about).addHelpText('after', helpText(examples));
}

function helpText(examples: readonly string[], more?: string): string {
  const lines = examples.map((example) => `  $ ${example}`);
  return [...(more === undefined ? [] : ['', more]), '', 'Examples:', ...lines, ''].join('\n');
}

export function option(flags: string, description: string): Option {
  return new Option(flags, description);
}

export const YES = option('--yes', 'do not ask for confirmation');
