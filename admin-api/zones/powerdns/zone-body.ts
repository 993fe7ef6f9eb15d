/** Reads the settings of a zone: those with an equivalent here, and those only stored. */
import type { ZoneLabels } from '../../../core/store/rows.ts';
import { unprocessable, unsupported } from './errors.ts';
import { has, type JsonObject, readBoolean, readString, readStrings } from './fields.ts';
import { NSEC3PARAM } from './zone-view.ts';

/** The kind of a catalog zone (RFC 9432), which lists the domains of its account. */
export const PRODUCER = 'Producer';
export const CONSUMER = 'Consumer';

/** The kind of a secondary zone. */
export const SLAVE = 'Slave';

/** Values of SOA-EDIT and SOA-EDIT-API. They have no effect: every change increases the serial. */
const SOA_EDITS: ReadonlySet<string> = new Set([
  '',
  'DEFAULT',
  'INCREASE',
  'EPOCH',
  'OFF',
  'NONE',
  'SOA-EDIT',
  'SOA-EDIT-INCREASE',
  'INCREMENT-WEEKS',
  'INCEPTION-EPOCH',
  'INCEPTION-INCREMENT',
]);
const MAX_ACCOUNT = 255;

export interface ZoneBody {
  /** Only the fields that the body contains. */
  readonly labels: Partial<Omit<ZoneLabels, 'domainId'>>;
  /** Null: not sent. */
  readonly dnssec: boolean | null;
  /** Of a secondary zone. Null: not sent. */
  readonly masters: readonly string[] | null;
  /** The TSIG key for requests to the masters. Null: not sent; empty: none. */
  readonly masterKey: string | null;
  /** Names of TSIG keys for transfers of the zone. Null: not sent. */
  readonly transferKeys: readonly string[] | null;
  /** The catalog zone that lists the zone. Null: not sent; empty: none. */
  readonly catalog: string | null;
}

/** Throws InvalidError, also for settings without an equivalent. */
export function readZoneBody(body: JsonObject): ZoneBody {
  const labels = {
    ...(has(body, 'kind') && { kind: readKind(readString(body, 'kind')) }),
    ...(has(body, 'account') && { account: readAccount(body) }),
    ...(has(body, 'soa_edit') && { soaEdit: readSoaEdit(body, 'soa_edit') }),
    ...(has(body, 'soa_edit_api') && { soaEditApi: readSoaEdit(body, 'soa_edit_api') }),
    ...(has(body, 'api_rectify') && { apiRectify: readBoolean(body, 'api_rectify') }),
  };
  const dnssec = has(body, 'dnssec') ? readBoolean(body, 'dnssec') : null;
  const keys = readStrings(body, 'slave_tsig_key_ids');
  if (keys.length > 1) throw unsupported('Requests to masters are signed with one TSIG key; send one id.');
  if (readBoolean(body, 'nsec3narrow'))
    throw unsupported('"nsec3narrow" is not supported: signed zones have NSEC3 records of their names.');
  if (readBoolean(body, 'presigned'))
    throw unsupported('"presigned" is not supported: signed zones are transferred from their primaries.');
  if (has(body, 'nsec3param') && !['', NSEC3PARAM].includes(readString(body, 'nsec3param')))
    throw unsupported(`Signed zones have the NSEC3 parameters "${NSEC3PARAM}" (RFC 9276); send these, or none.`);
  return {
    labels,
    dnssec,
    masters: has(body, 'masters') ? readStrings(body, 'masters') : null,
    masterKey: has(body, 'slave_tsig_key_ids') ? (keys[0] ?? '') : null,
    transferKeys: has(body, 'master_tsig_key_ids') ? readStrings(body, 'master_tsig_key_ids') : null,
    catalog: has(body, 'catalog') ? readString(body, 'catalog') : null,
  };
}

function readKind(text: string): string {
  switch (text.toUpperCase()) {
    case 'NATIVE':
      return 'Native';
    case 'MASTER':
    case 'PRIMARY':
      return 'Master';
    case 'SLAVE':
    case 'SECONDARY':
      return SLAVE;
    case 'PRODUCER':
      return PRODUCER;
    case 'CONSUMER':
      return CONSUMER;
  }
  throw unprocessable(`Zone kind '${text.slice(0, 40)}' is not known; use Native, Master or Slave`);
}

function readAccount(body: JsonObject): string {
  const account = readString(body, 'account');
  if (account.length <= MAX_ACCOUNT) return account;
  throw unprocessable(`Key 'account' has more than ${MAX_ACCOUNT} characters`);
}

export function readSoaEdit(body: JsonObject, key: string): string {
  const text = readString(body, key).toUpperCase();
  if (SOA_EDITS.has(text)) return text;
  throw unprocessable(`Key '${key}' has the unknown value '${text.slice(0, 40)}'`);
}
