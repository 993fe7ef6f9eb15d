/**
 * Valid bodies for the endpoints, made from their schemas: the name of a property selects its
 * value.
 */
import type { TSchema } from '@sinclair/typebox';
import type { Route } from '../../../admin-api/http/route.ts';
import { packageForm } from '../miniapp/packages/package.ts';

/** A DNSKEY of algorithm 13. */
export const FOREIGN_KEY =
  '256 3 13 oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA==';

/** Values by the name of the property. */
const VALUES: Readonly<Record<string, unknown>> = {
  client_authorities: null,
  login: 'user',
  password: 'user secret',
  username: 'sampled',
  email: 'sampled@example.net',
  role: 'user',
  plan: 'pro',
  domain: 'sampled.example.net',
  name: 'sampled',
  type: 'A',
  algorithm: 'hmac-sha256',
  content: '192.0.2.9',
  scopes: ['dns'],
  expires_at: '2099-01-01 00:00:00',
  origin: '1.1.1.1',
  origin_host: '1.1.1.1',
  port: 443,
  protocol: 'https',
  enable: true,
  tags: ['c'],
  dnskey: FOREIGN_KEY,
  url: 'https://1.1.1.1/sampled',
  events: ['records.changed'],
  description: 'sampled',
  enabled: true,
  since: '2026-01-01 00:00:00',
  state: 'all',
  primaries: [{ address: '1.1.1.1' }],
  endpoint: { url: 'https://1.1.1.1/sampled' },
  sample: 0.5,
  fields: ['time'],
  client_address: 'full',
  pools: [{ name: 'sampled', answers: [{ content: '192.0.2.9' }] }],
  client: '192.0.2.1',
  ecs: '198.51.100.0/24',
};

/** Optional fields that would change the kind of request, or contradict others. */
const LEFT_OUT = new Set([
  'priority',
  'hsts_preload',
  'proxied',
  'ptr',
  'private_key',
  'foreign_keys',
  'origin_host',
  'origin_port',
  'origin_protocol',
  'urls',
  'prefixes',
  'domain_ids',
  'domains',
  'force',
  'dry_run',
  'kind',
  'members',
  'catalog',
  'bucket',
  'outgoing',
  'secret',
  'policies',
  'networks',
]);

export const ZONE_FILE = 'sampled A 192.0.2.9\n';

export interface Sent {
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
  readonly headers?: Record<string, string>;
}

/** A valid request for the route, as far as its schema describes it. */
export function sampleOf({ body, bodyTypes, form }: Pick<Route, 'body' | 'bodyTypes' | 'form'>): Sent {
  if (form !== undefined) return packageForm('package com.example.sampled 1');
  if (bodyTypes !== undefined) return { body: ZONE_FILE, headers: { 'content-type': bodyTypes[0] } };
  return body === undefined ? {} : { json: sampled(body, '') };
}

function sampled(schema: TSchema, name: string): unknown {
  // Of keys, it is a number.
  if (name === 'algorithm' && schema.type === 'integer') return 13;
  if (name in VALUES) return VALUES[name];
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties as Record<string, TSchema>)
        .filter(([key]) => schema.required?.includes(key) || (!LEFT_OUT.has(key) && key !== 'primaries'))
        .map(([key, inner]) => [key, sampled(inner, key)]),
    );
  if (schema.type === 'array') return schema.minItems === undefined ? [] : [sampled(schema.items, '')];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'integer') return schema.minimum ?? 300;
  if (schema.type === 'boolean') return true;
  if (schema.anyOf !== undefined) return sampled(schema.anyOf[0], '');
  return 'sampled';
}
