/** A site whose visitors sign in at a real OpenID provider (oidc-provider), with curl. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { ORIGIN_ADDRESS, withSites } from './rig.ts';

const test = suite('logins at a real OpenID provider');
const why = whyNotPrograms('curl');
const SITE = 'site.test';
const CALLBACK = `https://${SITE}/.well-known/waypost/oidc/callback`;
const SECRET = 'a secret: with "signs" & more';
/** It has no types. */
const PROVIDER: string = 'oidc-provider';

async function listen(
  handler: RequestListener,
): Promise<{ readonly port: number; handle: RequestListener; close(): void }> {
  const server = createServer((request, response) => opened.handle(request, response)).listen(0, ORIGIN_ADDRESS);
  await once(server, 'listening');
  const opened = {
    port: (server.address() as AddressInfo).port,
    handle: handler,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return opened;
}

interface ProviderClass {
  new (issuer: string, configuration: object): { callback(): RequestListener };
}

if (why === null)
  test('a visitor signs in, sees the page with a session, and signs out', async () => {
    const seen: Record<string, unknown>[] = [];
    const origin = await listen(({ url, headers }, response) => {
      seen.push(headers);
      response.end(`page ${url}`);
    });
    const provider = await listen(() => {});
    const issuer = `http://${ORIGIN_ADDRESS}:${provider.port}`;
    const { default: Provider } = (await import(PROVIDER)) as { default: ProviderClass };
    provider.handle = new Provider(issuer, {
      clients: [{ client_id: 'app', client_secret: SECRET, redirect_uris: [CALLBACK] }],
      scopes: ['openid', 'email', 'groups'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
      pkce: { required: () => true },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          email: `${id}@site.test`,
          email_verified: true,
          groups: [id === 'ann' ? 'dev' : 'other'],
        }),
      }),
    }).callback();
    try {
      const settings = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS };
      await withSites(settings, async ({ daemon, root, https, addSite }) => {
        const id = await addSite(SITE, { host: ORIGIN_ADDRESS, port: origin.port, protocol: 'http' });
        const oidc = {
          ...{ issuer, client_id: 'app', client_secret: SECRET, scopes: ['email', 'groups'], allowed_groups: ['dev'] },
          copy_claims: [{ claim: 'email', header: 'X-Email' }],
        };
        const { body: stored } = await daemon.api.call('PUT', `/api/v1/domains/${id}/proxy/rules`, {
          rules: [{ match: { path: { prefix: ['/app'] } }, action: { type: 'authenticate', oidc } }],
        });
        assert.not.match(JSON.stringify(stored), /signs/);
        const browserOf = (name: string) => {
          const jar = join(temporaryFolder('cookies'), name);
          return async (url: string, ...args: readonly string[]): Promise<string> => {
            const { code, output } = await runProgram('curl', [
              ...['-sS', '-L', '--cacert', root.file, '-b', jar, '-c', jar, '-H', 'Accept: text/html'],
              ...[
                '-w',
                '\n%{http_code} %{url_effective}',
                '--connect-to',
                `${SITE}:443:127.0.0.1:${https}`,
                ...args,
                url,
              ],
            ]);
            assert.is(code, 0, output);
            return output.trim();
          };
        };
        const formOf = (html: string): string => {
          const action = /action="([^"]+)"/.exec(html)?.[1];
          assert.type(action, 'string', html);
          return action!;
        };
        const signIn = async (browser: ReturnType<typeof browserOf>, name: string): Promise<string> => {
          const login = await browser(`https://${SITE}/app/?a=b`);
          const consent = await browser(formOf(login), '-d', `prompt=login&login=${name}&password=x`);
          return browser(formOf(consent), '-d', 'prompt=consent');
        };

        const ann = browserOf('ann');
        const page = await signIn(ann, 'ann');
        assert.is(page, `page /app/?a=b\n200 https://${SITE}/app/?a=b`);
        assert.is(seen[0]['x-email'], 'ann@site.test');
        assert.match(await ann(`https://${SITE}/app/2`, '--http1.1', '-H', 'X-Email: root'), /^page \/app\/2\n200/);
        assert.is(seen[1]['x-email'], 'ann@site.test');
        assert.match(await ann(`https://${SITE}/app/`, '-d', 'x'), /^page \/app\/\n200/, 'an upload with a session');

        assert.match(await signIn(browserOf('bob'), 'bob'), /403 This account may not see this page[\s\S]*\n403 /);
        assert.match(
          await browserOf('program')(`https://${SITE}/app/`, '-H', 'X-Requested-With: XMLHttpRequest'),
          /\n401 /,
        );

        const logout = `https://${SITE}/.well-known/waypost/oidc/logout`;
        assert.match(await ann(logout), /<form method="post"/);
        assert.match(await ann(`https://${SITE}/app/`), /^page/, 'a link of another site does not sign out');
        const ended = await ann(logout, '--no-location', '-i', '-H', `Origin: https://${SITE}`, '-d', '');
        assert.match(ended, /location: http:\/\/127.*\/session\/end\?client_id=app/);
        // A browser would be signed in again, while the provider knows it.
        assert.match(await ann(`https://${SITE}/app/`, '-H', 'X-Requested-With: XMLHttpRequest'), /\n401 /);
        assert.is(seen.length, 4);
      });
    } finally {
      provider.close();
      origin.close();
    }
  });

test.run();
