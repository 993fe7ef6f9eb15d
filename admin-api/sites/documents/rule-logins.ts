/** Encrypts the client secrets of logins in rules. Responses never contain them. */
import type { Static } from '@sinclair/typebox';
import type { OidcRule, Rule } from '../../../core/site/rules/index.ts';
import type { rulesView } from '../../../core/site/rules/schema.ts';
import { withoutHashes } from './rule-users.ts';

/** A login in the body of a request. `null`: it has no secret. Omitted: the secret stays. */
type GivenLogin = OidcRule & { readonly client_secret?: string | null; readonly has_client_secret?: unknown };

/**
 * Returns the rules to store. `before`: the replaced rules, for unchanged secrets. A secret stays
 * only with its issuer and client, so that it is never sent to another provider.
 */
export const withSealedSecrets = (
  given: readonly Rule[],
  before: readonly Rule[],
  seal: (plain: string) => string,
): readonly Rule[] =>
  given.map((rule) => {
    if (rule.action.type !== 'authenticate' || rule.action.oidc === undefined) return rule;
    const {
      client_secret,
      has_client_secret: _,
      sealed_client_secret: restored,
      ...login
    } = rule.action.oidc as GivenLogin;
    const stored = restored ?? storedSecret(login, before);
    const sealed =
      typeof client_secret === 'string' ? seal(client_secret) : client_secret === null ? undefined : stored;
    const oidc = sealed === undefined ? login : { ...login, sealed_client_secret: sealed };
    return { ...rule, action: { ...rule.action, oidc } };
  });

function storedSecret({ issuer, client_id }: OidcRule, before: readonly Rule[]): string | undefined {
  for (const { action } of before) {
    const oidc = action.type === 'authenticate' ? action.oidc : undefined;
    if (oidc?.issuer === issuer && oidc.client_id === client_id) return oidc.sealed_client_secret;
  }
  return undefined;
}

/** The rules as in responses. */
export const withoutSecrets = (rules: readonly Rule[]): Static<typeof rulesView> =>
  withoutHashes(rules).map((rule) => {
    if (rule.action.oidc === undefined) return rule;
    const { sealed_client_secret: sealed, ...login } = rule.action.oidc as OidcRule & typeof rule.action.oidc;
    return { ...rule, action: { ...rule.action, oidc: { ...login, has_client_secret: sealed !== undefined } } };
  });
