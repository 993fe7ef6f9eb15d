/**
 * The rules document of the API and the store: one ordered list of rules for a domain. Its types
 * follow from the schema.
 */
import type { Static, TObject } from '@sinclair/typebox';
import { DocumentKind } from '../document-kind.ts';
import type { ACTIONS, ActionType } from './actions.ts';
import type { RuleSchema, textLists } from './schema.ts';

export interface RulesDocument {
  readonly rules: readonly Rule[];
}

export const RULES = new DocumentKind<RulesDocument, 'rules'>('rules', { rules: [] });

export type Rule = Omit<Static<RuleSchema>, 'action'> & { readonly action: RuleAction };

export type RuleMatch = NonNullable<Static<RuleSchema>['match']>;

/** The text must match one entry of one of the lists. */
export type TextMatch = Static<TObject<ReturnType<typeof textLists>>>;

export const TEXT_LISTS = ['exact', 'prefix', 'suffix', 'contains', 'glob', 'regex'] as const;

/** Without lists, any value matches. */
export type NamedMatch = NonNullable<RuleMatch['header']>[number];

/** The fields of all actions. */
type Fields = Required<Omit<Static<RuleSchema>['action'], 'users' | 'oidc'>> & {
  users: readonly BasicAuthUser[];
  oidc: OidcRule;
};

type Field<F> = Extract<F, keyof Fields>;

type Action<T extends ActionType> = { type: T } & Pick<Fields, Field<(typeof ACTIONS)[T][0][number]>> &
  Partial<Pick<Fields, Field<(typeof ACTIONS)[T][1][number]>>>;

export type RuleAction = { [T in ActionType]: Action<T> }[ActionType];

export type LimitAction = Action<'limit'>;
export type CacheAction = Action<'cache'>;
export type BasicAuthAction = Action<'basic_auth'>;
export type AuthenticateAction = Action<'authenticate'>;
export type JwtRule = NonNullable<AuthenticateAction['jwt']>;
export type CertificateRule = NonNullable<AuthenticateAction['certificate']>;
export type CertificateField = NonNullable<CertificateRule['copy_fields']>[number]['field'];
/** A claim that the origin receives as a header. */
export type IdentityClaim = NonNullable<JwtRule['copy_claims']>[number];
/** `sealed_client_secret`: omitted for a public client. */
export type OidcRule = NonNullable<Static<RuleSchema>['action']['oidc']> & { readonly sealed_client_secret?: string };
export type RespondAction = Action<'respond'>;

export interface BasicAuthUser {
  readonly name: string;
  /** Argon2id, in the PHC string format. */
  readonly hash: string;
}
