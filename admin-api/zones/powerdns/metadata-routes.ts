/** Endpoints of the metadata of zones. */
import type { Services } from '../../change/services.ts';
import type { ServedRoute } from '../../http/route.ts';
import { unprocessable } from './errors.ts';
import { findMetadata, listMetadata, writeMetadata } from './metadata.ts';
import { json, noContent, type PowerDnsContext, powerDnsRoute, readObject } from './route.ts';
import { ZONE } from './zone-routes.ts';

const METADATA = `${ZONE}/metadata`;
const KIND = `${METADATA}/{metadata_kind}`;

export function metadataRoutes(services: Services): ServedRoute[] {
  return [
    powerDnsRoute({
      method: 'GET',
      path: METADATA,
      scope: 'dns',
      run: (context) => json(context, listMetadata(services, context)),
    }),
    powerDnsRoute({
      method: 'POST',
      path: METADATA,
      scope: 'dns',
      async run(context) {
        const { kind, values } = readBody(context);
        if (kind === undefined) throw unprocessable('kind is not specified or not a string');
        const written = await writeMetadata(services, context, kind, (present) => [...present, ...values]);
        return json(context, written, 201);
      },
    }),
    powerDnsRoute({
      method: 'GET',
      path: KIND,
      scope: 'dns',
      run: (context) => json(context, findMetadata(services, context)),
    }),
    powerDnsRoute({
      method: 'PUT',
      path: KIND,
      scope: 'dns',
      async run(context) {
        const { kind, values } = readBody(context);
        const { metadata_kind: named } = context.params;
        if (kind !== undefined && kind !== named) throw unprocessable('The kind in the body is not that of the path.');
        return json(context, await writeMetadata(services, context, named, () => values));
      },
    }),
    powerDnsRoute({
      method: 'DELETE',
      path: KIND,
      scope: 'dns',
      async run(context) {
        await writeMetadata(services, context, context.params.metadata_kind, () => []);
        return noContent();
      },
    }),
  ];
}

/** Throws HttpError 400 and InvalidError. */
function readBody(context: PowerDnsContext): { kind: string | undefined; values: readonly string[] } {
  const { kind, metadata } = readObject(context);
  if (kind !== undefined && typeof kind !== 'string') throw unprocessable('kind is not specified or not a string');
  if (!Array.isArray(metadata)) throw unprocessable('metadata is not specified or not an array');
  if (!metadata.every((value) => typeof value === 'string')) throw unprocessable('metadata must be strings');
  return { kind, values: metadata };
}
