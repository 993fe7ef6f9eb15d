/** Endpoints of accounts. */

import { NOTHING } from '../../../core/base/schema.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { parseId, type Services } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { pageQuery, searchQuery, sortQuery } from '../../http/lists.ts';
import { route } from '../../http/route.ts';
import type { Passwords } from '../auth/password.ts';
import { ACCOUNT_SORTS, listAccounts } from './list.ts';
import {
  accountPatchBody,
  accountResponse,
  accountsResponse,
  newAccountBody,
  ownAccountResponse,
  plansResponse,
} from './schema.ts';
import {
  createAccount,
  deleteAccount,
  describeAccount,
  requireAccount,
  updateAccount,
  viewAccount,
  viewPlan,
} from './service.ts';

const ACCOUNTS = '/api/v1/accounts';
const ACCOUNT = `${ACCOUNTS}/{account_id}` as const;
const TAKEN = ['username_taken', 'email_taken'];

export function accountRoutes(services: Services, passwords: Passwords) {
  return [
    route({
      operationId: 'getOwnAccount',
      method: 'GET',
      path: '/api/v1/account',
      tag: 'accounts',
      summary: 'Get the account of the token and its usage',
      description:
        'Its role, its limits, and how much of them is used. With `account`, an administrator reads that of another account.',
      example: { command: 'waypost account show' },
      scope: 'account',
      query: accountQuery,
      response: ownAccountResponse,
      faults: ACTING_FAULTS,
      run: (context) => ({ account: describeAccount(services, accountOf(services.reader, context)) }),
    }),
    route({
      operationId: 'listAccounts',
      method: 'GET',
      path: ACCOUNTS,
      tag: 'accounts',
      summary: 'List all accounts',
      description: 'With roles, plans and use. For administrators.',
      example: { command: 'waypost account list' },
      scope: 'account',
      admin: true,
      query: { ...pageQuery, ...searchQuery('username or e-mail address'), ...sortQuery(ACCOUNT_SORTS) },
      response: accountsResponse,
      run(context) {
        const { sort, q } = context.query;
        return replyWithList(services.streams, context, 'accounts', {
          read: (page) => listAccounts(services.reader, page, sort, q),
          view: viewAccount,
        });
      },
    }),
    route({
      operationId: 'createAccount',
      method: 'POST',
      path: ACCOUNTS,
      tag: 'accounts',
      summary: 'Create an account',
      description: 'For administrators. Without `role`, it is a "user"; without `plan`, it has the default plan.',
      example: {
        body: { username: 'alice', password: 'a long secret of alice', email: 'alice@example.com', role: 'user' },
        command: 'waypost account add alice --email alice@example.com --random-password',
      },
      scope: 'account',
      admin: true,
      body: newAccountBody,
      response: accountResponse,
      faults: { 409: TAKEN, 422: ['invalid_plan'], 503: ['busy'] },
      run: (context) => createAccount(services, passwords, context, context.body),
    }),
    route({
      operationId: 'getAccount',
      method: 'GET',
      path: ACCOUNT,
      tag: 'accounts',
      summary: 'Get an account',
      description: 'Its role, plan, limits and use. For administrators.',
      scope: 'account',
      admin: true,
      response: accountResponse,
      faults: { 404: ['no_such_account'] },
      run: ({ params }) => ({ account: viewAccount(requireAccount(services.reader, parseId(params.account_id))) }),
    }),
    route({
      operationId: 'listPlans',
      method: 'GET',
      path: '/api/v1/plans',
      tag: 'accounts',
      summary: 'List the plans of the configuration',
      description: 'The limits that an account gets with each plan (`plans` of the configuration).',
      scope: 'account',
      admin: true,
      response: plansResponse,
      run: () => ({ plans: Object.entries(services.config.plans).map(([name, max]) => viewPlan(name, max)) }),
    }),
    route({
      operationId: 'updateAccount',
      revokes: true,
      method: 'PATCH',
      path: ACCOUNT,
      tag: 'accounts',
      summary: 'Change an account',
      description:
        'Omitted fields keep their values. If `api_enabled` is false, the tokens of the account are rejected from the next request on. Tokens stay valid when the password changes. A new password ends the dashboard sessions of the account. The own password and e-mail address are changed with the current password instead: PUT /api/v1/account/password and PATCH /api/v1/account. With `revoke_tokens`, it also revokes all tokens of the account, except the token of this request. TSIG keys stay valid.',
      example: {
        body: { role: 'viewer', api_enabled: true },
        command: 'waypost account set bob --role viewer --api on',
      },
      scope: 'account',
      admin: true,
      body: accountPatchBody,
      response: accountResponse,
      faults: {
        404: ['no_such_account'],
        409: [...TAKEN, 'last_admin', 'own_password', 'own_email'],
        422: ['invalid_plan'],
        503: ['busy'],
      },
      run: (context) => updateAccount(services, passwords, context, parseId(context.params.account_id), context.body),
    }),
    route({
      operationId: 'deleteAccount',
      revokes: true,
      method: 'DELETE',
      path: ACCOUNT,
      tag: 'accounts',
      summary: 'Delete an account, its tokens and its sessions',
      description: 'Delete its domains first: GET /api/v1/domains?account=ID lists them.',
      example: { command: 'waypost account rm bob --yes' },
      scope: 'account',
      admin: true,
      response: NOTHING,
      faults: { 404: ['no_such_account'], 409: ['has_domains', 'has_apps', 'last_admin'] },
      run: (context) => deleteAccount(services, context, parseId(context.params.account_id)),
    }),
  ];
}
