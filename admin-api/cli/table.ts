/** Rows in aligned columns. Text that came over the network is escaped. */
import { once } from 'node:events';
import { escapeControls } from '../../core/base/log/index.ts';
import type { Json } from './client.ts';
import { type Output, print } from './io.ts';

/** To each heading, the value of a row: a field's name, or how it is found. */
export type Columns = { readonly [heading: string]: string | ((row: Json) => unknown) };

/** Widths are those of the rows so far: a list is shown while it comes. */
export class Table {
  readonly #output: Output;
  readonly #columns: Columns;
  readonly #json: boolean;
  readonly #widths: number[] = [];
  empty = true;

  /** With `json`, each row is a line of JSON as the API gave it. */
  constructor(output: Output, columns: Columns, json: boolean) {
    this.#output = output;
    this.#columns = columns;
    this.#json = json;
  }

  /** False when nobody reads any more. */
  async write(rows: readonly Json[]): Promise<boolean> {
    if (!this.#output.writable) return false;
    if (rows.length === 0) return true;
    const lines = this.#json ? rows.map((row) => JSON.stringify(row)) : this.#lines(rows);
    this.empty = false;
    for (const line of lines) {
      // A pipe that is closed while we wait ends the list.
      if (this.#output.writableNeedDrain) await once(this.#output, 'drain').catch(() => {});
      if (!this.#output.writable) return false;
      print(this.#output, line);
    }
    return true;
  }

  #lines(rows: readonly Json[]): string[] {
    const values = Object.values(this.#columns);
    const cells = rows.map((row) => values.map((of) => shown(typeof of === 'string' ? row[of] : of(row))));
    // Headings are for people; what is piped has rows only.
    if (this.empty && this.#output.isTTY) cells.unshift(Object.keys(this.#columns));
    for (const line of cells)
      for (const [i, cell] of line.entries()) this.#widths[i] = Math.max(this.#widths[i] ?? 0, cell.length);
    const room = this.#output.isTTY ? this.#output.columns : undefined;
    return cells.map((line) => {
      const text = line.map((cell, i) => cell.padEnd(this.#widths[i])).join('  ');
      return cut(text.trimEnd(), room);
    });
  }
}

/** A line that the terminal would break is cut there, and says so. */
function cut(text: string, room: number | undefined): string {
  return room === undefined || room < 2 || text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

/** A value of the API on one line, for a person. */
export function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(shown).join(', ');
  return escapeControls(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** `  name  value` for each, the values aligned. */
export function fields(row: Json): string[] {
  const width = Math.max(...Object.keys(row).map((key) => key.length));
  return Object.entries(row).map(([key, value]) => `  ${key.padEnd(width)}  ${shown(value)}`);
}

/** Such as "1 record" and "2 records". */
export function count(n: unknown, noun: string): string {
  return `${shown(n)} ${noun}${n === 1 ? '' : 's'}`;
}
