/** The types whose presentation form we know. A new type is a row in its family's file. */
import { ADDRESS_ROWS } from './address.ts';
import { CAA_ROWS } from './caa.ts';
import { DIGEST_ROWS } from './digest.ts';
import { HOST_ROWS } from './host.ts';
import type { RdataRow } from './kind.ts';
import { LOC_ROWS } from './loc.ts';
import { SERVICE_ROWS } from './service.ts';
import { SOA_ROWS } from './soa.ts';
import { SVCB_ROWS } from './svcb.ts';
import { TEXT_ROWS } from './text.ts';

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
  ].map((row) => [row.type, row]),
);
