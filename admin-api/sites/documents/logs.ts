/** The document of a domain's request logs: checked, and its secrets encrypted. */

import { InvalidError } from '../../../core/base/errors.ts';
import { type Exemptions, parseExemptions } from '../../../core/net/address/index.ts';
import { parseSecret } from '../../../core/net/delivery/signature.ts';
import {
  type BucketDestination,
  type EndpointDestination,
  LOG_FIELDS,
  LOGS,
  type LogsDocument,
} from '../../../core/site/logs/document.ts';
import type { LogsBody } from '../../../core/site/logs/schema.ts';
import { readReceiverUrl } from '../../http/receiver-url.ts';
import type { DocumentCheck } from './document-routes.ts';

type EndpointBody = NonNullable<LogsBody['endpoint']>;
type BucketBody = NonNullable<LogsBody['bucket']>;

type Seal = DocumentCheck<LogsDocument>['seal'];

const INVALID = 'invalid_logs';

/** Throws InvalidError. */
export function readLogs(body: LogsBody, { services, before, seal }: DocumentCheck<LogsDocument>): LogsDocument {
  const { endpoint = null, bucket = null, enabled } = body;
  if (endpoint !== null && bucket !== null)
    throw new InvalidError(INVALID, 'Logs go to an endpoint or to a bucket: set one of them, and the other to null.', {
      pointer: '/bucket',
    });
  if (enabled && endpoint === null && bucket === null)
    throw new InvalidError(INVALID, 'Logs need a destination: set "endpoint" or "bucket", or "enabled" to false.', {
      pointer: '/enabled',
    });
  const exemptions = parseExemptions(services.config.webhooks.allowPrivateReceivers);
  const { empty } = LOGS;
  const { sample = empty.sample, fields = empty.fields, client_address = empty.clientAddress } = body;
  return {
    isEnabled: enabled,
    endpoint: endpoint && readEndpoint(endpoint, before.endpoint, exemptions, seal),
    bucket: bucket && readBucket(bucket, before.bucket, exemptions, seal),
    sample,
    fields: LOG_FIELDS.filter((field) => fields.includes(field)),
    clientAddress: client_address,
  };
}

function readEndpoint(
  body: EndpointBody,
  before: EndpointDestination | null,
  exemptions: Exemptions,
  seal: Seal,
): EndpointDestination {
  const url = readReceiverUrl(body.url, exemptions, OF_ENDPOINT);
  const { authorization, signing_secret: secret } = body;
  // A caller that may change the URL must not learn the credentials of the previous server.
  const isMoved = before !== null && new URL(before.url).origin !== new URL(url).origin;
  if (isMoved && before.sealedAuthorization !== '' && authorization === undefined)
    throw new InvalidError(INVALID, 'The URL has another host: send "authorization" for it, or null for none.', {
      pointer: '/endpoint/authorization',
    });
  if (authorization != null && !/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(authorization))
    throw new InvalidError(INVALID, 'The value of Authorization must be printable ASCII, such as "Bearer abc".', {
      pointer: '/endpoint/authorization',
    });
  return {
    url,
    sealedAuthorization: sealed(authorization, before?.sealedAuthorization, (plain) => seal(plain)),
    sealedSecret: sealed(secret, before?.sealedSecret, (plain) => seal(readSecret(plain))),
  };
}

/** `given` undefined keeps the previous secret; null deletes it. */
function sealed(given: string | null | undefined, before: string | undefined, seal: (plain: string) => string): string {
  if (given === undefined) return before ?? '';
  return given === null ? '' : seal(given);
}

function readSecret(text: string): Buffer {
  const secret = parseSecret(text);
  if (secret !== undefined) return secret;
  throw new InvalidError(
    INVALID,
    'The signing secret must be "whsec_" and the base64 of 24 to 64 random bytes: echo "whsec_$(openssl rand -base64 32)".',
    { pointer: '/endpoint/signing_secret' },
  );
}

function readBucket(
  body: BucketBody,
  before: BucketDestination | null,
  exemptions: Exemptions,
  seal: Seal,
): BucketDestination {
  const endpoint = readReceiverUrl(body.endpoint, exemptions, OF_BUCKET);
  const { pathname, search } = new URL(endpoint);
  if (pathname !== '/' || search !== '')
    throw new InvalidError(INVALID, 'The endpoint of a bucket is a host without a path; "name" has the bucket.', {
      pointer: '/bucket/endpoint',
    });
  const { region, name, prefix = '', path_style: isPathStyle = false, access_key: accessKeyId } = body;
  const isSameKey = before !== null && before.accessKeyId === accessKeyId;
  if (body.secret_key === undefined && !isSameKey)
    throw new InvalidError(INVALID, 'A new access key needs its secret: send "secret_key".', {
      pointer: '/bucket/secret_key',
    });
  return {
    endpoint,
    region,
    name,
    prefix,
    isPathStyle,
    accessKeyId,
    sealedSecretAccessKey: sealed(body.secret_key, before?.sealedSecretAccessKey, (plain) => seal(plain)),
  };
}

const OF_ENDPOINT = { of: 'an endpoint', sending: 'Logs are delivered', pointer: '/endpoint/url' };
const OF_BUCKET = { of: 'a bucket', sending: 'Logs are delivered', pointer: '/bucket/endpoint' };

export function viewLogs({ isEnabled, endpoint, bucket, sample, fields, clientAddress }: LogsDocument) {
  return {
    enabled: isEnabled,
    endpoint: endpoint && {
      url: endpoint.url,
      has_authorization: endpoint.sealedAuthorization !== '',
      has_signing_secret: endpoint.sealedSecret !== '',
    },
    bucket: bucket && {
      endpoint: bucket.endpoint,
      region: bucket.region,
      name: bucket.name,
      prefix: bucket.prefix,
      path_style: bucket.isPathStyle,
      access_key: bucket.accessKeyId,
    },
    sample,
    fields,
    client_address: clientAddress,
  };
}
