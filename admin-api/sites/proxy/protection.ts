/** The endpoints of the protection of a domain's sites. */
import { Type } from '@sinclair/typebox';
import { checkProtection } from '../../../core/site/protection/check.ts';
import { fullProtection, type ProtectionDocument } from '../../../core/site/protection/document.ts';
import { protectionBody, protectionView } from '../../../core/site/protection/schema.ts';
import type { Services } from '../../change/services.ts';
import { bodySchema } from '../../http/json-body.ts';
import { DOCUMENT_FIELDS, versionedDocumentRoutes } from './documents.ts';

export const protectionRoutes = (services: Services) =>
  versionedDocumentRoutes(services, {
    kind: 'protection',
    path: 'protection',
    name: 'Protection',
    title: 'protection',
    description:
      'Limits of the sites of a domain on each node, budgets for slow clients, the challenge for visitors, and the demands on TLS. A field that is omitted gets its default. A changed minimum version or list of authorities holds for new requests at once: those over older connections get 421.',
    body: bodySchema(Type.Object({ ...protectionBody, ...DOCUMENT_FIELDS })),
    view: protectionView,
    empty: {} as ProtectionDocument,
    faults: ['invalid_protection', 'invalid_authorities'],
    check({ limits, slow, challenge, tls }) {
      return checkProtection({ limits, slow, challenge, tls });
    },
    show: (content) => ({ ...fullProtection(content) }),
  });
