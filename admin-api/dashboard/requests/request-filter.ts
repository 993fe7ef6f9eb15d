/** Filters requests of the live tail. */

/** A request in the API's format. Its texts come from visitors. */
export interface RequestRow {
  /** Unique in the list. */
  readonly key: number;
  readonly node: string;
  readonly time: string;
  readonly client: string;
  readonly scheme: string;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly version: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  readonly cache: string;
  readonly user_agent: string | null;
}

interface RequestFilter {
  readonly text: string;
  /** The first digit of the status; empty: all. */
  readonly statusClass: string;
}

export function matches(row: RequestRow, { text, statusClass }: RequestFilter): boolean {
  if (statusClass !== '' && !String(row.status).startsWith(statusClass)) return false;
  const wanted = text.trim().toLowerCase();
  return wanted === '' || searchText(row).includes(wanted);
}

const searchText = ({ method, host, path, client, user_agent }: RequestRow): string =>
  `${method} ${host}${path} ${client} ${user_agent ?? ''}`.toLowerCase();
