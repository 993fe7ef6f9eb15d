/** The server of a rule that decides about requests (edge/proxy/decision.ts). */
import { type AuthenticateAction, identityNames } from '../../../core/site/rules/index.ts';
import { type Target, targetOf } from './outbound.ts';

export interface Decider extends Target {
  /** Headers of its response that the origin receives, in lower case. */
  readonly names: readonly string[];
}

export function deciderOf(action: AuthenticateAction): Decider {
  const { origin, authority, path } = targetOf(action.forward!.url);
  return { origin, authority, path, names: identityNames(action) };
}
