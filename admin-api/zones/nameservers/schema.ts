/** Schemas of the distribution of a zone: its nameservers and secondaries. */
import { Type } from '@sinclair/typebox';
import { count, flag, list, text } from '../../../core/base/schema.ts';
import { bodySchema } from '../../http/json-body.ts';
import { MAX_ALLOWED, MAX_NOTIFIED, MAX_SOURCES } from './peers.ts';

const MAX_NAMESERVERS = 13;

export const distributionBody = bodySchema(
  Type.Object({
    nameservers: Type.Optional(
      list(
        text('a host name such as "ns1.example.net"', { minLength: 1, maxLength: 1024 }),
        'the NS records at the apex, for vanity names and several providers; empty: those of the service',
        { maxItems: MAX_NAMESERVERS },
      ),
    ),
    nameserver_ttl: Type.Optional(count('their TTL in seconds; left out: that of the service')),
    also_notify: Type.Optional(
      list(
        text('an IP address, with a port if it is not 53', { minLength: 1, maxLength: 64 }),
        'secondaries that get NOTIFY after each change, besides those of the service',
        { maxItems: MAX_NOTIFIED },
      ),
    ),
    allow_transfer: Type.Optional(
      list(
        text('an IP address or a prefix', { minLength: 1, maxLength: 64 }),
        'clients that may transfer the zone without a key, besides those of the service',
        { maxItems: MAX_ALLOWED },
      ),
    ),
    transfer_source: Type.Optional(
      list(
        text('an IP address', { minLength: 1, maxLength: 64 }),
        'source addresses of NOTIFY and of requests to primaries, for all nodes: each node uses the first of a family that it has, or else its `transfer.source`',
        { maxItems: MAX_SOURCES },
      ),
    ),
  }),
);

export const distributionResponse = Type.Object({
  distribution: Type.Object({
    nameservers: list(
      Type.String({ examples: ['ns1.example.net'] }),
      'the NS records at the apex, without the last dot',
    ),
    nameserver_ttl: count('their TTL in seconds'),
    own_nameservers: flag('whether they differ from those of the service'),
    also_notify: list(Type.String(), 'secondaries that get NOTIFY after each change'),
    allow_transfer: list(Type.String(), 'clients that may transfer the zone without a key'),
    transfer_source: list(Type.String(), 'source addresses of NOTIFY and of requests to primaries, for all nodes'),
    warnings: list(Type.String(), 'source addresses that the answering node does not have'),
  }),
});
