/**
 * What clients of the PowerDNS API set for a zone and read again, without an effect on what is
 * served.
 */
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

export interface ZoneLabels {
  readonly domainId: Id;
  /** Of a primary zone: `Native` or `Master`. */
  readonly kind: string;
  readonly account: string;
  readonly soaEdit: string;
  readonly soaEditApi: string;
  readonly apiRectify: boolean;
  /** Other metadata, by kind. */
  readonly metadata: Readonly<Record<string, readonly string[]>>;
}

/** The kind of metadata with addresses that may transfer the zone without a key. */
export const ALLOW_AXFR_FROM = 'ALLOW-AXFR-FROM';

/** The kind of metadata with addresses that get NOTIFY for the zone. */
export const ALSO_NOTIFY = 'ALSO-NOTIFY';

/** What a zone has without a row. */
export const NO_LABELS: Omit<ZoneLabels, 'domainId'> = {
  kind: 'Native',
  account: '',
  soaEdit: '',
  soaEditApi: 'DEFAULT',
  apiRectify: false,
  metadata: {},
};

export const zoneLabels = jsonTable<ZoneLabels>({
  number: 41,
  name: 'zone_labels',
  key: ({ domainId }) => idKey(domainId),
  lookupsFromKey: true,
});
