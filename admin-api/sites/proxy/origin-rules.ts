/** Parameters of the origin checks. */
import type { Exemptions, Prefix } from '../../../core/net/address/index.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import type { Resolve, ResolveFor } from './bounded.ts';
import type { OriginOptions } from './origin.ts';
import { resolveOwnFirst } from './own-names.ts';

export interface OriginRules {
  readonly resolve: ResolveFor;
  readonly allowPrivate: Exemptions;
  /** Addresses of the cluster. */
  readonly own: readonly Prefix[];
}

export function optionsFor(
  services: Services,
  { resolve, allowPrivate, own }: OriginRules,
  domain: Domain,
): OriginOptions {
  const resolveName: Resolve = (name, signal) => resolve(name, signal, domain.accountId);
  return { resolve: resolveOwnFirst(services, domain, resolveName, allowPrivate), allowPrivate, own };
}
