/** Prints rows in aligned columns. Text from the network is escaped. */
import { once } from 'node:events';
import { escapeControls } from '../../../core/base/log/index.ts';
import { type Output, print } from './io.ts';

/** For each heading, the name of a field, or a function that returns the value. */
export type Columns<Row> = { readonly [heading: string]: (keyof Row & string) | ((row: Row) => unknown) };

/** Rows are printed as they arrive, so column widths only depend on earlier rows. */
export class Table<Row extends object> {
  readonly #widths: number[] = [];
  empty = true;

  /** With `json`, prints each row of the API as a line of JSON. */
  constructor(
    private readonly output: Output,
    private readonly columns: Columns<Row>,
    private readonly json: boolean,
  ) {}

  /** Returns false if the output is closed. */
  async write(rows: readonly Row[]): Promise<boolean> {
    if (!this.output.writable) return false;
    if (rows.length === 0) return true;
    const lines = this.json ? rows.map((row) => JSON.stringify(row)) : this.#lines(rows);
    this.empty = false;
    for (const line of lines) {
      // Ignores a pipe that closes during the wait; the next check ends the list.
      if (this.output.writableNeedDrain) await once(this.output, 'drain').catch(() => {});
      if (!this.output.writable) return false;
      print(this.output, line);
    }
    return true;
  }

  #lines(rows: readonly Row[]): string[] {
    const values = Object.values(this.columns);
    const cells = rows.map((row) => values.map((of) => shown(typeof of === 'function' ? of(row) : row[of])));
    // Only a terminal gets headings; piped output has only rows.
    if (this.empty && this.output.isTTY) cells.unshift(Object.keys(this.columns));
    for (const line of cells)
      for (const [i, cell] of line.entries()) this.#widths[i] = Math.max(this.#widths[i] ?? 0, cell.length);
    const room = this.output.isTTY ? this.output.columns : undefined;
    return cells.map((line) => {
      const text = line.map((cell, i) => cell.padEnd(this.#widths[i])).join('  ');
      return cut(text.trimEnd(), room);
    });
  }
}

/** Truncates a line that is wider than the terminal, and marks it with an ellipsis. */
function cut(text: string, room: number | undefined): string {
  return room === undefined || room < 2 || text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

/** Formats a value of the API on one line, for people. */
export function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(shown).join(', ');
  return escapeControls(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Formats each field as `  name  value`, with aligned values. */
export function fields(row: object): string[] {
  const width = Math.max(...Object.keys(row).map((key) => key.length));
  return Object.entries(row).map(([key, value]) => `  ${key.padEnd(width)}  ${shown(value)}`);
}

/** Formats a count, such as "1 record" or "2 records". */
export function count(n: unknown, noun: string): string {
  return `${shown(n)} ${noun}${n === 1 ? '' : 's'}`;
}
