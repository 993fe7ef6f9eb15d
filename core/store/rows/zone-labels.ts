/**
 * Zone settings of the PowerDNS API. They are stored and returned, and most have no effect on
 * responses.
 */
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

export interface ZoneLabels {
  readonly domainId: Id;
  /** For primary zones: `Native` or `Master`. */
  readonly kind: string;
  readonly account: string;
  readonly soaEdit: string;
  readonly soaEditApi: string;
  readonly apiRectify: boolean;
  /** Other metadata, by kind. */
  readonly metadata: Readonly<Record<string, readonly string[]>>;
}

/** Metadata kind: addresses that may transfer the zone without a key. */
export const ALLOW_AXFR_FROM = 'ALLOW-AXFR-FROM';

/** Metadata kind: addresses that receive NOTIFY for the zone. */
export const ALSO_NOTIFY = 'ALSO-NOTIFY';

/** Defaults of a zone without a row. */
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
  quota: 'zone',
  key: ({ domainId }) => idKey(domainId),
  lookupsFromKey: true,
});
