/** Endpoints of the steering of record sets. */
import { NOTHING } from '../../../core/base/schema.ts';
import { EDIT_FAULTS } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import { route } from '../../http/route.ts';
import {
  steeringBody,
  steeringResponse,
  steeringsResponse,
  steeringTestBody,
  steeringTestResponse,
  steeringVersionResponse,
  steeringVersionsResponse,
} from './schema.ts';
import {
  deleteSteering,
  listSteerings,
  listSteeringVersions,
  MAX_VERSIONS,
  readSteeringOf,
  readSteeringVersion,
  restoreSteering,
  writeSteering,
} from './service.ts';
import { trySteering } from './try.ts';

const STEERINGS = '/api/v1/domains/{domain_id}/steering';
const STEERING = `${STEERINGS}/{name}/{type}` as const;
const VERSIONS = `${STEERING}/versions` as const;

const COMMON = { tag: 'records', scope: 'dns' } as const;
const SET_FAULTS = ['invalid_name', 'name_outside', 'invalid_type'];
const WRITE_FAULTS = {
  404: ['no_such_domain'],
  409: [...EDIT_FAULTS, ...['cname_at_apex', 'cname_conflict', 'alias_conflict', 'occluded', 'steering_limit']],
  422: [
    ...SET_FAULTS,
    ...[
      'invalid_steering',
      'invalid_content',
      'invalid_prefix',
      'invalid_host',
      'private_origin',
      'target_is_cname',
      'too_many_types',
    ],
    ...['rrset_too_large', 'name_too_large'],
  ],
};

export function steeringRoutes(services: Services) {
  return [
    route({
      ...COMMON,
      operationId: 'listSteering',
      method: 'GET',
      path: STEERINGS,
      summary: 'List the steered record sets of a domain',
      description: 'Their names, types and pools.',
      example: { command: 'waypost steering list example.com' },
      response: steeringsResponse,
      faults: { 404: ['no_such_domain'] },
      run: (context) => listSteerings(services, context),
    }),
    route({
      ...COMMON,
      operationId: 'getSteering',
      method: 'GET',
      path: STEERING,
      summary: 'Get the steering of a record set',
      description: 'Its pools, rules and fallback, with the health of the answers on this node.',
      example: { command: 'waypost steering get example.com www A' },
      conditional: true,
      response: steeringResponse,
      faults: { 404: ['no_such_domain', 'no_such_steering'], 422: SET_FAULTS },
      run: (context) => readSteeringOf(services, context),
    }),
    route({
      ...COMMON,
      operationId: 'setSteering',
      method: 'PUT',
      path: STEERING,
      summary: 'Set the steering of a record set',
      description:
        'Each client gets one answer of one pool: of the first rule that matches the client and whose pool is up, else of the first pool of `fallback` that is up. `name` is relative, `@` for the apex; `type` is A, AAAA, CNAME or ALIAS. The records of the set become its plain choice, the answers of the first pool of `fallback`: zone transfers, exports and chains have these. They cannot be changed by themselves, and do not go through the proxy.',
      example: {
        body: {
          pools: [
            { name: 'europe', answers: [{ content: '192.0.2.1' }] },
            { name: 'america', answers: [{ content: '198.51.100.1' }] },
          ],
          rules: [{ match: { continent: ['EU'] }, pool: 'europe' }],
          fallback: ['america', 'europe'],
        },
        command: 'waypost steering set example.com www A steering.json',
      },
      conditional: true,
      body: steeringBody,
      response: steeringResponse,
      faults: WRITE_FAULTS,
      run: (context) => writeSteering(services, context, () => context.body),
    }),
    route({
      ...COMMON,
      operationId: 'deleteSteering',
      method: 'DELETE',
      path: STEERING,
      summary: 'Delete the steering of a record set',
      description: 'The records of its plain choice stay, and answer all clients.',
      example: { command: 'waypost steering rm example.com www A' },
      conditional: true,
      response: NOTHING,
      faults: { 404: ['no_such_domain', 'no_such_steering'], 409: EDIT_FAULTS, 422: SET_FAULTS },
      run: (context) => deleteSteering(services, context),
    }),
    route({
      ...COMMON,
      operationId: 'listSteeringVersions',
      method: 'GET',
      path: VERSIONS,
      summary: 'List the versions of the steering of a record set, newest first',
      description: `The current version, and of the earlier ones the last ${MAX_VERSIONS}, also of a deleted steering.`,
      example: { command: 'waypost steering versions example.com www A' },
      response: steeringVersionsResponse,
      faults: { 404: ['no_such_domain'], 422: SET_FAULTS },
      run: (context) => listSteeringVersions(services, context),
    }),
    route({
      ...COMMON,
      operationId: 'getSteeringVersion',
      method: 'GET',
      path: `${VERSIONS}/{revision}` as const,
      summary: 'Get a version of the steering of a record set',
      description: 'As it was written, also if the steering has been deleted since.',
      example: { command: 'waypost steering versions example.com www A 1' },
      response: steeringVersionResponse,
      faults: { 404: ['no_such_domain', 'no_such_version'], 422: SET_FAULTS },
      run: (context) => readSteeringVersion(services, context),
    }),
    route({
      ...COMMON,
      operationId: 'restoreSteering',
      method: 'POST',
      path: `${VERSIONS}/{revision}/restore` as const,
      summary: 'Restore a version of the steering of a record set',
      description: 'The version is checked and written as a new one, so that a restore can be undone.',
      example: { command: 'waypost steering restore example.com www A 1' },
      conditional: true,
      response: steeringResponse,
      faults: { ...WRITE_FAULTS, 404: ['no_such_domain', 'no_such_version'] },
      run: (context) => restoreSteering(services, context),
    }),
    route({
      ...COMMON,
      operationId: 'testSteering',
      method: 'POST',
      path: `${STEERINGS}/test` as const,
      summary: 'Show what a client would get',
      description:
        'Picks for a client as this node does for a query now, with the health of the answers as it sees it. Without `name` and `type`, all steered record sets of the domain are tried. Nothing is changed.',
      example: {
        body: { client: '192.0.2.1', ecs: '198.51.100.0/24' },
        command: 'waypost steering test example.com 192.0.2.1 --ecs 198.51.100.0/24',
      },
      changes: false,
      body: steeringTestBody,
      response: steeringTestResponse,
      faults: {
        404: ['no_such_domain'],
        422: [
          ...SET_FAULTS,
          'invalid_steering',
          'invalid_address',
          'invalid_content',
          'invalid_prefix',
          'invalid_host',
          'private_origin',
        ],
      },
      run: (context) => trySteering(services, context, context.body),
    }),
  ];
}
