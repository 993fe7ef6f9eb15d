/** Parses the primaries of a secondary zone in requests, and formats them in responses. */

import { InvalidError, WaypostError } from '../../../core/base/errors.ts';
import { formatListen, parseListen } from '../../../core/config/index.ts';
import { formatHost, parseName } from '../../../core/dns/wire/name.ts';
import {
  addressAdvice,
  formatAddress,
  mayConnect,
  parseAddress,
  parseExemptions,
} from '../../../core/net/address/index.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { Account, Primary, PrimaryTls } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { primariesBody } from './schema.ts';

export type PrimaryBody = BodyOf<typeof primariesBody>['primaries'][number];

const DNS_PORT = 53;
/** RFC 9103 section 7. */
const TLS_PORT = 853;
/** SHA-256 in Base64. */
const PIN = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Throws InvalidError `invalid_primary`, `private_primary`, `unknown_tsig_key` and `contradiction`.
 * `account`: the account of the domain.
 */
export function readPrimaries(
  { config }: Pick<Services, 'config'>,
  reader: Reader,
  account: Account,
  bodies: readonly PrimaryBody[],
): Primary[] {
  const exemptions = parseExemptions(config.secondary.allowPrivatePrimaries);
  return bodies.map((body, i) => {
    const pointer = `/primaries/${i}`;
    const tls = body.tls == null ? null : readTls(body.tls, `${pointer}/tls`);
    const { bytes, port } = readPlace(body.address, tls === null ? DNS_PORT : TLS_PORT, `${pointer}/address`);
    const verdict = mayConnect(bytes, exemptions);
    if (!verdict.public)
      throw new InvalidError(
        'private_primary',
        `${formatAddress(bytes)} ${verdict.reason}. A primary must have a public address.`,
        { pointer: `${pointer}/address` },
      );
    const tsigKeyId = body.tsig_key_id ?? null;
    const key = tsigKeyId === null ? undefined : reader.tsigKey(tsigKeyId);
    if (tsigKeyId !== null && (key === undefined || (key.accountId !== account.id && account.role !== 'admin')))
      throw new InvalidError('unknown_tsig_key', `The account has no TSIG key with the id ${tsigKeyId}.`, {
        pointer: `${pointer}/tsig_key_id`,
      });
    return { address: formatAddress(bytes), port, tsigKeyId, tls };
  });
}

function readPlace(text: string, standard: number, pointer: string): { bytes: Uint8Array; port: number } {
  const bytes = parseAddress(text);
  if (bytes !== undefined) return { bytes, port: standard };
  const advice = addressAdvice(text);
  const found = parseListen(text);
  const address = found?.length === 1 && found[0].port > 0 ? parseAddress(found[0].address) : undefined;
  if (found === undefined || address === undefined)
    throw new InvalidError(
      'invalid_primary',
      `The address of a primary must be an IP address, with a port if it is not the standard one, such as "192.0.2.1" or "[2001:db8::1]:5353"${advice ? `; ${advice}` : ''}.`,
      { pointer },
    );
  return { bytes: address, port: found[0].port };
}

function readTls({ name, pin, opportunistic }: NonNullable<PrimaryBody['tls']>, pointer: string): PrimaryTls {
  const isUnchecked = name == null && pin == null;
  if (isUnchecked !== (opportunistic === true))
    throw new InvalidError(
      'contradiction',
      'With TLS, set "name" or "pin" so that the certificate can be checked, or "opportunistic" to accept any certificate.',
      { pointer },
    );
  if (pin != null && !PIN.test(pin))
    throw new InvalidError('invalid_primary', 'The pin must be the SHA-256 of a public key (SPKI) in Base64.', {
      pointer: `${pointer}/pin`,
    });
  try {
    return { name: name == null ? null : formatHost(parseName(name)), pin: pin ?? null };
  } catch (error) {
    if (!(error instanceof WaypostError)) throw error;
    throw new InvalidError('invalid_primary', `The name in the certificate is invalid: ${error.message}`, {
      pointer: `${pointer}/name`,
    });
  }
}

/** The address, with its port unless it is the default port. */
export function viewPrimary({ address, port, tsigKeyId, tls }: Primary) {
  const isStandard = port === (tls === null ? DNS_PORT : TLS_PORT);
  const family = address.includes(':') ? 6 : 4;
  return {
    address: isStandard ? address : formatListen({ address, port, family }),
    tsig_key_id: tsigKeyId,
    tls: tls && { ...tls, opportunistic: tls.name === null && tls.pin === null },
  };
}
