/**
 * On the other supported versions of Node: the daemon, and the parts that depend on the version
 * (native modules, system calls, OpenSSL, HTTP transports, threads). `npm run test:node` runs all.
 */
import { testOnOtherVersions } from '../support/node-versions.ts';

testOnOtherVersions(
  new RegExp(
    [
      '^smoke',
      '^core/os/(?!pulse)',
      '^core/nameserver/(threads|tcp|tls|udp)\\.test',
      '^core/store/environment',
      '^admin-api/http/transport\\.test',
      '^admin-api/proxy/(certificate|origin)\\.test',
      '^edge/http/(tls|transport)/',
      '^edge/http/server/(server|staple)\\.test',
      '^edge/ocsp/',
      '^edge/compress/whole',
      '^system/edge/clients/key-exchange',
      '^system/edge/daemon/staple',
      '^system/core/base/main-heap',
    ].join('|'),
  ),
);
