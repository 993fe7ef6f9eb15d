/** Schema of the request logs of a domain. The stored content has other names: document.ts. */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { flag, line, list, oneOf, orNull, readOnly, text } from '../../base/schema.ts';
import { CLIENT_ADDRESSES, LOG_FIELDS } from './document.ts';

const secret = (what: string) =>
  Type.Optional(orNull(line(1, 2048, what), `${what}; null: none; omitted: as before. It is never shown`));

const url = text('the https URL that batches are sent to, with a public host', {
  examples: ['https://logs.example.com/waypost'],
  minLength: 1,
  maxLength: 2048,
});

const endpointBody = Type.Object({
  url,
  authorization: secret('the value of the field Authorization'),
  signing_secret: secret('the secret that signs, "whsec_" and the base64 of 24 to 64 bytes'),
  ...readOnly('has_authorization', 'has_signing_secret'),
});

const address = {
  endpoint: text('the https URL of the S3-compatible service', {
    examples: ['https://s3.example.net'],
    minLength: 1,
    maxLength: 2048,
  }),
  region: line(1, 64, 'its region, such as "eu-central-1"'),
  name: Type.String({
    pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    description: 'the name of the bucket',
    examples: ['request-logs'],
  }),
  prefix: Type.String({
    pattern: '^(?:[A-Za-z0-9._=-]+/){0,8}$',
    maxLength: 256,
    description: 'what keys begin with: empty, or names that each end with "/"',
    examples: ['waypost/'],
  }),
  path_style: flag('whether the bucket is in the path of URLs, not in their host'),
  access_key: line(1, 256, 'the id of the access key'),
};

const bucketBody = Type.Object({
  ...address,
  prefix: Type.Optional(address.prefix),
  path_style: Type.Optional(address.path_style),
  secret_key: Type.Optional(line(1, 256, 'the secret of the access key; omitted: as before. It is never shown')),
});

const endpointNote = 'the HTTPS endpoint that receives batches; null: none';
const bucketNote = 'the bucket that receives objects; null: none';
const fields = list(oneOf(LOG_FIELDS), 'the fields of a line', { minItems: 1, maxItems: LOG_FIELDS.length });
const sample = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1,
  description: 'the share of the requests that is logged, above 0 and at most 1',
});
const clientAddress = oneOf(
  CLIENT_ADDRESSES,
  'the client address in a line: "full", "truncated" to its network (/24 or /48), or "omitted"',
);
const enabled = flag('whether requests are logged');

export const logsBody = {
  enabled,
  endpoint: Type.Optional(orNull(endpointBody, endpointNote)),
  bucket: Type.Optional(orNull(bucketBody, bucketNote)),
  sample: Type.Optional(sample),
  fields: Type.Optional(fields),
  client_address: Type.Optional(clientAddress),
};
export type LogsBody = Static<TObject<typeof logsBody>>;

export const logsView = {
  enabled,
  endpoint: orNull(
    Type.Object({
      url,
      has_authorization: flag('whether the field Authorization is sent'),
      has_signing_secret: flag('whether batches are signed'),
    }),
    endpointNote,
  ),
  bucket: orNull(Type.Object(address), bucketNote),
  sample,
  fields,
  client_address: clientAddress,
};
