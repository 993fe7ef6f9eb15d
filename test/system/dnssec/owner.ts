/** What the owner of a signed zone reads in the API. */
import type { Daemon } from '../../support/daemon.ts';

export interface DnssecView {
  readonly status: string;
  readonly next_step: string | null;
  readonly ds: readonly { readonly record: string; readonly key_tag: number }[];
  readonly signatures: { readonly earliest_expiry: string | null };
  readonly error: { readonly code: string; readonly reason: string | null; readonly message: string } | null;
}

const EARLIEST_EXPIRY = 21 * 86_400;

export const viewOf = async ({ api }: Daemon, path: string): Promise<DnssecView> =>
  (await api.call('GET', path)).body as unknown as DnssecView;

/** The DS records for the registrar, as rdata. */
export const dsOf = ({ ds }: DnssecView): string[] =>
  ds.map(({ record }) => record.slice(record.indexOf(' DS ') + ' DS '.length));

/** The signing clock, seconds since 1970. */
export const clockOf = ({ signatures }: DnssecView): number =>
  Date.parse(`${signatures.earliest_expiry}Z`) / 1000 - EARLIEST_EXPIRY;
