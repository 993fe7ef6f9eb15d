/** Endpoints of the proxy. */

import { Type } from '@sinclair/typebox';
import { oneOf } from '../../../core/base/schema.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { EDIT_FAULTS } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { pageQuery } from '../../http/lists.ts';
import { parameter } from '../../http/query.ts';
import { type Faults, route } from '../../http/route.ts';
import { listCertificates } from './certificate-list.ts';
import { deleteCertificate, orderCertificate, setCertificate } from './certificates.ts';
import type { OriginRules } from './origin-rules.ts';
import { type OpenConnection, OriginTests } from './origin-test.ts';
import { purgeCache } from './purge.ts';
import {
  certificateBody,
  certificatesResponse,
  originBody,
  originTestBody,
  originTestResponse,
  proxyResponse,
  purgeBody,
  purgeResponse,
  settingsBody,
  toggleBody,
} from './schema.ts';
import { describeProxy, setOrigin, toggleProxy, updateSettings } from './service.ts';

const PROXY = '/api/v1/domains/{domain_id}/proxy';
const CERTIFICATE = `${PROXY}/certificate` as const;
const NO_DOMAIN = ['no_such_domain'];

const ORIGIN_FAULTS: Faults = {
  404: NO_DOMAIN,
  409: EDIT_FAULTS,
  422: ['invalid_origin', 'private_origin', 'origin_loop', 'origin_unresolvable'],
  503: ['busy', 'resolver_unavailable'],
};

export function proxyRoutes(services: Services, rules: OriginRules, open: OpenConnection) {
  const tests = new OriginTests(services, rules, open);
  return [
    route({
      operationId: 'listCertificates',
      method: 'GET',
      path: '/api/v1/certificates',
      tag: 'proxy',
      summary: 'List the certificates of the domains whose proxy is on',
      description:
        'Only domains of the own account, by name; with `only=problems`, those first that have needed attention for longest.',
      example: { query: { only: 'problems' } },
      scope: 'proxy',
      query: {
        ...pageQuery,
        only: parameter(
          Type.Optional(oneOf(['problems'], '"problems" omits certificates that need no attention')),
          (text) => {
            if (text === undefined || text === 'problems') return text !== undefined;
            throw new HttpError(400, 'invalid_only', '"only" must be "problems"; omit it to list all certificates.');
          },
        ),
        ...accountQuery,
      },
      response: certificatesResponse,
      faults: { ...ACTING_FAULTS, 400: ['invalid_only'] },
      run(context) {
        const account = accountOf(services.reader, context);
        const { token } = context.caller;
        return replyWithList(services.streams, context, 'certificates', {
          read: (page) => listCertificates(services.reader, account, token, page, context.query.only),
          view: (certificate) => certificate,
        });
      },
    }),
    route({
      operationId: 'getProxy',
      method: 'GET',
      path: PROXY,
      tag: 'proxy',
      summary: 'Get the proxy of a domain: its state, origin, certificate, and names that reveal the origin',
      description: '`warnings` are reasons why visitors may not reach the origin; `uncovered` names have no HTTPS yet.',
      example: { command: 'waypost proxy status example.com' },
      scope: 'proxy',
      response: proxyResponse,
      faults: { 404: NO_DOMAIN },
      run: (context) => describeProxy(services, rules, context),
    }),
    route({
      operationId: 'setProxyOrigin',
      method: 'PUT',
      path: PROXY,
      tag: 'proxy',
      summary: 'Set the origin: the web server behind the proxy',
      description:
        'The origin is a public address, or a host name whose addresses are all public. It serves the apex and all proxied names, except names whose own records lead to another server. If the apex has no A, AAAA or ALIAS record, it resolves to the origin. The request can also set HSTS. It does not turn the proxy on or off.',
      example: {
        body: { origin: 'origin.example.net', port: 443, protocol: 'https' },
        command: 'waypost proxy set example.com origin.example.net',
      },
      scope: 'proxy',
      body: originBody,
      response: proxyResponse,
      faults: { ...ORIGIN_FAULTS, 422: [...ORIGIN_FAULTS[422], 'protocol_required', 'contradiction', 'hsts_preload'] },
      run: (context) => setOrigin(services, rules, context, context.body),
    }),
    route({
      operationId: 'updateProxy',
      method: 'PATCH',
      path: PROXY,
      tag: 'proxy',
      summary: 'Change settings of the proxy other than the origin: HSTS and heuristic freshness',
      description: 'Omitted settings keep their values. The origin is set by PUT.',
      example: {
        body: { hsts_max_age: 31536000, hsts_include_subdomains: true },
        command: 'waypost proxy hsts example.com --max-age 31536000 --include-subdomains on',
      },
      scope: 'proxy',
      body: settingsBody,
      response: proxyResponse,
      faults: { 404: NO_DOMAIN, 409: EDIT_FAULTS, 422: ['hsts_preload'] },
      run: (context) => updateSettings(services, rules, context, context.body),
    }),
    route({
      operationId: 'testProxyOrigin',
      method: 'POST',
      path: `${PROXY}/test-origin`,
      tag: 'proxy',
      summary: 'Test an origin before it is saved',
      description:
        'Resolves the host, connects to its public addresses, checks the certificate as the edge does, and requests `/` with the domain as the host. Nothing is changed. An account may begin 20 tests a minute.',
      example: {
        body: { origin: 'origin.example.net', port: 443, protocol: 'https' },
        command: 'waypost proxy test example.com origin.example.net --port 443 --protocol https',
      },
      scope: 'proxy',
      changes: false,
      body: originTestBody,
      response: originTestResponse,
      faults: {
        ...ORIGIN_FAULTS,
        422: ['invalid_origin', 'private_origin', 'origin_loop'],
        429: ['too_many_requests'],
      },
      run: (context) => tests.run(context, context.body),
    }),
    route({
      operationId: 'toggleProxy',
      method: 'POST',
      path: `${PROXY}/toggle`,
      tag: 'proxy',
      summary: 'Turn the proxy on or off',
      description:
        'When the response is sent, the proxied names resolve to the addresses of the proxy, or to their own records again. For ten minutes after the proxy is turned off, visitors with the old addresses are still served. Without a configured origin, each proxied name is served from the public addresses of its own records. An origin that cannot be used is no error: it is reported in proxy.warnings.',
      example: { body: { enable: true }, command: 'waypost proxy on example.com' },
      scope: 'proxy',
      conditional: true,
      body: toggleBody,
      response: proxyResponse,
      faults: { 404: NO_DOMAIN, 409: EDIT_FAULTS },
      run: (context) => toggleProxy(services, rules, context, context.body.enable),
    }),
    route({
      operationId: 'orderCertificate',
      method: 'POST',
      path: CERTIFICATE,
      tag: 'proxy',
      summary: 'Order a new certificate now',
      description:
        'The order runs in the background; GET on the proxy shows its state. Not needed for renewals, which are automatic.',
      example: { command: 'waypost proxy certificate example.com --order' },
      scope: 'proxy',
      response: proxyResponse,
      faults: { 404: NO_DOMAIN, 409: [...EDIT_FAULTS, 'proxy_disabled', 'certificate_custom'] },
      run: (context) => orderCertificate(services, rules, context),
    }),
    route({
      operationId: 'setCertificate',
      method: 'PUT',
      path: CERTIFICATE,
      tag: 'proxy',
      summary: 'Upload your own certificate',
      description:
        'Send a chain, leaf first, and its key: RSA with 2048 to 4096 bits, or ECDSA P-256 or P-384. A second certificate with an RSA key may be sent beside one with an ECDSA key. The certificate is served for the proxied names that it covers, until it is replaced or deleted; proxy.warnings and proxy.uncovered have the others. The key is stored encrypted and never shown.',
      example: {
        body: {
          certificate: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
          private_key: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
        },
        command: 'waypost proxy certificate example.com --file fullchain.pem --key privkey.pem',
      },
      scope: 'proxy',
      body: certificateBody,
      response: proxyResponse,
      faults: {
        404: NO_DOMAIN,
        409: EDIT_FAULTS,
        422: [
          'invalid_certificate',
          'invalid_private_key',
          'unsupported_key',
          'key_mismatch',
          'certificate_chain',
          'certificate_expired',
          'certificate_not_yet_valid',
          'certificate_names',
          'certificate_usage',
          'certificate_must_staple',
        ],
      },
      run: (context) => setCertificate(services, rules, context, context.body),
    }),
    route({
      operationId: 'deleteCertificate',
      method: 'DELETE',
      path: CERTIFICATE,
      tag: 'proxy',
      summary: 'Replace your own certificate with an automatic one',
      description: 'The uploaded certificate is served until the automatic one is issued.',
      example: { command: 'waypost proxy certificate example.com --automatic' },
      scope: 'proxy',
      response: proxyResponse,
      faults: { 404: [...NO_DOMAIN, 'no_such_certificate'] },
      run: (context) => deleteCertificate(services, rules, context),
    }),
    route({
      operationId: 'purgeCache',
      method: 'POST',
      path: `${PROXY}/purge`,
      tag: 'proxy',
      summary: 'Purge the cache of the domain on every node',
      description:
        'Purges everything, or only the entries in the lists. A prefix matches both schemes, the path, and all paths below it.',
      example: {
        body: { urls: ['https://www.example.com/app.css'], prefixes: ['https://www.example.com/news/'] },
        command:
          'waypost proxy purge example.com --resource https://www.example.com/app.css --prefix https://www.example.com/news/',
      },
      scope: 'proxy',
      body: purgeBody,
      bodyOptional: true,
      response: purgeResponse,
      faults: { 404: NO_DOMAIN, 422: ['invalid_url', 'invalid_prefix', 'invalid_tag'], 429: ['too_many_purges'] },
      run: (context) => purgeCache(services, context, context.body),
    }),
  ];
}
