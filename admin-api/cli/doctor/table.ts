/** All checks, in the order of the report. */
import { BACKUP_CHECKS } from './backup.ts';
import { CERTIFICATE_CHECKS } from './certificates.ts';
import type { AnyCheck } from './check.ts';
import { CLOCK_CHECKS } from './clock.ts';
import { CLUSTER_CHECKS } from './cluster.ts';
import { CONFIGURATION_CHECKS } from './configuration.ts';
import { DELEGATION_CHECKS } from './delegation.ts';
import { DISK_CHECKS } from './disk.ts';
import { DOMAIN_CHECKS } from './domain-owners.ts';
import { KERNEL_CHECKS } from './kernel.ts';
import { LIMIT_CHECKS } from './limits.ts';
import { PERMISSION_CHECKS } from './permissions.ts';
import { PORT_CHECKS } from './ports.ts';
import { RESOLVER_CHECKS } from './resolvers.ts';
import { SERVICE_CHECKS } from './service.ts';
import { STORE_CHECKS } from './store.ts';
import { TRANSPORT_CHECKS } from './transport.ts';
import { USAGE_CHECKS } from './usage.ts';

export const CHECKS: readonly AnyCheck[] = [
  ...[
    CONFIGURATION_CHECKS,
    SERVICE_CHECKS,
    TRANSPORT_CHECKS,
    PORT_CHECKS,
    PERMISSION_CHECKS,
    LIMIT_CHECKS,
    KERNEL_CHECKS,
  ],
  ...[CLOCK_CHECKS, DISK_CHECKS, STORE_CHECKS, USAGE_CHECKS, BACKUP_CHECKS, CERTIFICATE_CHECKS, DELEGATION_CHECKS],
  ...[DOMAIN_CHECKS, RESOLVER_CHECKS, CLUSTER_CHECKS],
].flat();

/** `disk` of `disk.space`. */
export const groupOf = (id: string): string => id.slice(0, id.indexOf('.'));
