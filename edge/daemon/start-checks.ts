/** Everything that a start refuses in the settings of the edge, short of binding sockets. */
import type { Config } from '../../core/config/index.ts';
import { checkAuthorities } from '../certificates/acme/authorities.ts';
import { readRootsFile } from '../origin/tls.ts';
import { readAdminCertificate, readDefaultCertificate } from './files.ts';

const isOn = ({ edge }: Config): boolean => edge.httpListen.length + edge.httpsListen.length > 0;

/** Each throws ConfigError, and changes nothing. */
export const START_CHECKS: readonly ((config: Config) => unknown)[] = [
  (config) => isOn(config) && readAdminCertificate(config.admin),
  (config) => isOn(config) && readDefaultCertificate(config.edge),
  // Health checks need it also without the edge.
  ({ edge }) => edge.originCaFile !== undefined && readRootsFile('edge.origin_ca_file', edge.originCaFile),
  ({ acme }) => checkAuthorities(acme),
  ({ acme }) => acme.caFile !== undefined && readRootsFile('acme.ca_file', acme.caFile),
];
