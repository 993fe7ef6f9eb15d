/** What the owner of a signed zone reads in the API. */

export interface DnssecView {
  readonly status: string;
  readonly next_step: string | null;
  readonly ds: readonly { readonly record: string; readonly key_tag: number }[];
  readonly error: { readonly code: string; readonly reason: string | null; readonly message: string } | null;
}

/** The DS records for the registrar, as rdata. */
export const dsOf = ({ ds }: DnssecView): string[] =>
  ds.map(({ record }) => record.slice(record.indexOf(' DS ') + ' DS '.length));
