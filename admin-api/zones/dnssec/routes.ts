/** Endpoints of DNSSEC. */

import { NOTHING } from '../../../core/base/schema.ts';
import { EDIT_FAULTS } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import { route } from '../../http/route.ts';
import { addForeignKey, deleteForeignKey, listForeignKeys } from './foreign-keys.ts';
import {
  dnssecBody,
  dnssecResponse,
  foreignKeyBody,
  foreignKeyResponse,
  foreignKeysResponse,
  rolloverBody,
} from './schema.ts';
import { checkParent, describeDnssec, resign, setDnssec, startRollover, stopRollover } from './service.ts';

const DNSSEC = '/api/v1/domains/{domain_id}/dnssec';
const FOREIGN_KEYS = `${DNSSEC}/foreign-keys` as const;
const NO_DOMAIN = ['no_such_domain'];

export function dnssecRoutes(services: Services) {
  return [
    route({
      operationId: 'getDnssec',
      method: 'GET',
      path: DNSSEC,
      tag: 'dnssec',
      summary: 'Get the DNSSEC state of a domain: its keys, the DS records to set, and what the parent zone has',
      description: 'The state, and the next step if something is to be done at the registrar.',
      example: { command: 'waypost dnssec status example.com' },
      scope: 'dns',
      response: dnssecResponse,
      faults: { 404: NO_DOMAIN },
      run: (context) => describeDnssec(services, context),
    }),
    route({
      operationId: 'setDnssec',
      method: 'PUT',
      path: DNSSEC,
      tag: 'dnssec',
      summary: 'Sign the zone, or stop signing it',
      description:
        'Signing begins at once; then the DS record of the response must be set at the registrar. With `private_key`, a zone that is signed elsewhere keeps its key and its DS record. To stop, remove the DS records at the registrar first: the zone stays signed until no cache has one. While the parent zone has a DS record, stopping is refused, except with "force": then CDS records ask the parent to remove it, and the zone stays signed until it is gone. Without a DS record, or if the parent cannot be asked, "force" stops signing at once.',
      example: { body: { enabled: true }, command: 'waypost dnssec enable example.com' },
      scope: 'dns',
      conditional: true,
      body: dnssecBody,
      response: dnssecResponse,
      faults: {
        404: NO_DOMAIN,
        409: [...EDIT_FAULTS, 'dnssec_ds_present', 'dnssec_rolling', 'dnssec_on'],
        422: ['bad_algorithm', 'bad_dnskey', 'bad_key', 'invalid_name'],
      },
      run: (context) => setDnssec(services, context, context.body),
    }),
    route({
      operationId: 'checkDnssec',
      method: 'POST',
      path: `${DNSSEC}/check`,
      tag: 'dnssec',
      summary: 'Ask the nameservers of the parent zone for the DS records now',
      description: 'Asks each of them, and returns the new state. The service also asks in the background.',
      example: { command: 'waypost dnssec status example.com --check' },
      scope: 'dns',
      conditional: true,
      response: dnssecResponse,
      faults: { 404: NO_DOMAIN, 409: [...EDIT_FAULTS, 'dnssec_off'] },
      run: (context) => checkParent(services, context),
    }),
    route({
      operationId: 'resignDnssec',
      method: 'POST',
      path: `${DNSSEC}/resign`,
      tag: 'dnssec',
      summary: 'Sign all names of a zone again, with times by the present clock',
      description:
        'Signatures are replaced in time without this request. It is for a zone whose signatures have wrong times, as after a wrong clock. Signatures that would be the same stay.',
      example: { command: 'waypost dnssec resign example.com' },
      scope: 'dns',
      conditional: true,
      response: dnssecResponse,
      faults: { 404: NO_DOMAIN, 409: [...EDIT_FAULTS, 'dnssec_off', 'dnssec_rolling'] },
      run: (context) => resign(services, context),
    }),
    route({
      operationId: 'startDnssecRollover',
      method: 'POST',
      path: `${DNSSEC}/rollover`,
      tag: 'dnssec',
      summary: 'Replace the key of the zone, and its algorithm',
      description:
        'The new key is published first. When the state is "rolling_ds", replace the DS record at the registrar; the rest needs no action. With another algorithm, the zone is signed with both before the new key is published, and until the old one is removed; every DS record of the old algorithm must be removed at the registrar.',
      example: { body: {}, command: 'waypost dnssec rollover example.com' },
      scope: 'dns',
      conditional: true,
      body: rolloverBody,
      bodyOptional: true,
      response: dnssecResponse,
      faults: {
        404: NO_DOMAIN,
        409: [...EDIT_FAULTS, 'dnssec_off', 'dnssec_rolling', 'dnssec_foreign_keys'],
        422: ['bad_algorithm'],
      },
      run: (context) => startRollover(services, context, context.body),
    }),
    route({
      operationId: 'cancelDnssecRollover',
      method: 'POST',
      path: `${DNSSEC}/rollover/cancel`,
      tag: 'dnssec',
      summary: 'Cancel a rollover, as long as the new key does not sign the zone',
      description: 'The new key is removed, and the zone keeps the key that signs it.',
      example: { command: 'waypost dnssec rollover example.com --cancel' },
      scope: 'dns',
      conditional: true,
      response: dnssecResponse,
      faults: { 404: NO_DOMAIN, 409: [...EDIT_FAULTS, 'dnssec_off', 'dnssec_rolling'] },
      run: (context) => stopRollover(services, context),
    }),
    route({
      operationId: 'listForeignKeys',
      method: 'GET',
      path: FOREIGN_KEYS,
      tag: 'dnssec',
      summary: 'List the keys of other providers among the DNSKEY records',
      description: 'Those that were added for a zone that two providers sign (RFC 8901, model 2).',
      example: { command: 'waypost dnssec foreign-keys list example.com' },
      scope: 'dns',
      response: foreignKeysResponse,
      faults: { 404: NO_DOMAIN },
      run: (context) => listForeignKeys(services, context),
    }),
    route({
      operationId: 'addForeignKey',
      method: 'POST',
      path: FOREIGN_KEYS,
      tag: 'dnssec',
      summary: 'Add the key of another provider to the DNSKEY records',
      description:
        'For zones that two providers sign, each with its own key, such as while the domain moves (RFC 8901, model 2).',
      example: {
        body: {
          dnskey: '256 3 13 oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA==',
        },
        command:
          'waypost dnssec foreign-keys add example.com 256 3 13 oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA==',
      },
      scope: 'dns',
      conditional: true,
      body: foreignKeyBody,
      response: foreignKeyResponse,
      faults: {
        404: NO_DOMAIN,
        409: [...EDIT_FAULTS, 'dnssec_off', 'dnssec_rolling', 'foreign_key_limit'],
        422: ['bad_dnskey'],
      },
      run: (context) => addForeignKey(services, context, context.body.dnskey),
    }),
    route({
      operationId: 'deleteForeignKey',
      method: 'DELETE',
      path: `${FOREIGN_KEYS}/{foreign_key_id}`,
      tag: 'dnssec',
      summary: 'Delete the key of another provider',
      description:
        'It leaves the DNSKEY records. Resolvers that have cached answers of the other provider then cannot validate these.',
      example: { command: 'waypost dnssec foreign-keys rm example.com 17' },
      scope: 'dns',
      conditional: true,
      response: NOTHING,
      faults: { 404: [...NO_DOMAIN, 'no_such_key'], 409: EDIT_FAULTS },
      run: (context) => deleteForeignKey(services, context),
    }),
  ];
}
