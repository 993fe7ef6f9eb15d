/** The types whose presentation form we know. A new type is a row in its family's file. */
import { ADDRESS_ROWS } from './address.ts';
import { CAA_ROWS } from './caa.ts';
import { DATA_ROWS } from './data.ts';
import { DIGEST_ROWS } from './digest.ts';
import { DNSSEC_ROWS } from './dnssec.ts';
import { GATEWAY_ROWS } from './gateway.ts';
import { HISTORIC_ROWS } from './historic.ts';
import { HOST_ROWS, SOA_ROWS } from './host.ts';
import { IDENTIFIER_ROWS } from './identifier.ts';
import type { RdataRow } from './kind.ts';
import { LOC_ROWS } from './loc.ts';
import { PREFIX_LIST_ROWS } from './prefix-list.ts';
import { SERVICE_ROWS } from './service.ts';
import { SVCB_ROWS } from './svcb.ts';
import { TEXT_ROWS } from './text.ts';

/** Rows of one shape: the engine reads those faster. */
const uniform = ({ type, names, example, fields, doubt, isOpaque, parseBare }: RdataRow): RdataRow => ({
  type,
  names,
  example,
  fields,
  doubt,
  isOpaque,
  parseBare,
});

export const RDATA_TABLE: ReadonlyMap<number, RdataRow> = new Map(
  [
    ...ADDRESS_ROWS,
    ...HOST_ROWS,
    ...SOA_ROWS,
    ...TEXT_ROWS,
    ...CAA_ROWS,
    ...DIGEST_ROWS,
    ...SERVICE_ROWS,
    ...SVCB_ROWS,
    ...LOC_ROWS,
    ...DNSSEC_ROWS,
    ...DATA_ROWS,
    ...GATEWAY_ROWS,
    ...IDENTIFIER_ROWS,
    ...PREFIX_LIST_ROWS,
    ...HISTORIC_ROWS,
  ].map((row) => [row.type, uniform(row)]),
);
