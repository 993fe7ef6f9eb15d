/** Customers of an attacked daemon: each has an account, without a limit of domains. */
import { ApiClient } from '../../test/support/api-client.ts';
import type { Daemon } from '../../test/support/daemon.ts';

/** The API as a new customer. `daemon.api` must be logged in as an administrator. */
export async function customerOf({ api }: Daemon, name: string): Promise<ApiClient> {
  const password = `${name} has a long password`;
  await api.call('POST', '/api/v1/accounts', {
    username: name,
    email: `${name}@example.com`,
    password,
    plan: 'unlimited',
  });
  const customer = new ApiClient(api.base);
  await customer.logIn(name, password);
  return customer;
}
