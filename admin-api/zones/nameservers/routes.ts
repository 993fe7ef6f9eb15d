/** Endpoints of the distribution of a zone. */
import { EDIT_FAULTS } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import { route } from '../../http/route.ts';
import { distributionBody, distributionResponse } from './schema.ts';
import { changeDistribution, describeDistribution } from './service.ts';

const PATH = '/api/v1/domains/{domain_id}/distribution';

export function distributionRoutes(services: Services) {
  return [
    route({
      operationId: 'getDistribution',
      method: 'GET',
      path: PATH,
      tag: 'domains',
      summary: 'Get the nameservers and secondaries of a domain',
      description:
        'The NS records at its apex, which secondaries get NOTIFY, which clients may transfer it, and the source addresses for both. Those of the service, `transfer.notify`, `transfer.allow` and `transfer.source`, are not listed.',
      example: { command: 'waypost domain distribution example.com' },
      scope: 'dns',
      response: distributionResponse,
      faults: { 404: ['no_such_domain'] },
      run: (context) => describeDistribution(services, context, parseId(context.params.domain_id)),
    }),
    route({
      operationId: 'changeDistribution',
      method: 'PUT',
      path: PATH,
      tag: 'domains',
      summary: 'Set the nameservers and secondaries of a domain',
      description:
        'Members that are left out stay as they are. With own nameservers, the domain also keeps its SOA settings. Only administrators can name private addresses.',
      example: {
        body: {
          nameservers: ['ns1.example.com', 'ns2.example.com'],
          also_notify: ['192.0.2.7'],
          allow_transfer: ['192.0.2.7'],
        },
        command: 'waypost domain distribution example.com --notify 192.0.2.7 --allow-transfer 192.0.2.7',
      },
      scope: 'dns',
      conditional: true,
      body: distributionBody,
      response: distributionResponse,
      faults: {
        404: ['no_such_domain'],
        409: [...EDIT_FAULTS, 'cname_conflict', 'occluded'],
        422: [
          'contradiction',
          'invalid_address',
          'invalid_content',
          'invalid_host',
          'invalid_name',
          'invalid_prefix',
          'invalid_ttl',
          'private_address',
          'relative_target',
          'target_is_cname',
          'too_many',
          'unsupported',
        ],
      },
      run: (context) => changeDistribution(services, context, parseId(context.params.domain_id), context.body),
    }),
  ];
}
