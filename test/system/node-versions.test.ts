/**
 * On the other supported versions of Node: the daemon, and what is most likely to differ.
 * `test/release/node-versions.test.ts` runs more, `npm run test:node` all.
 */
import { testOnOtherVersions } from '../support/node-versions.ts';

testOnOtherVersions(
  new RegExp(
    [
      '^smoke',
      '^core/os/(?!pulse)',
      '^core/nameserver/udp\\.test',
      '^core/store/environment',
      '^admin-api/http/transport\\.test',
      '^admin-api/proxy/origin\\.test',
      '^edge/http/tls/(connection|credentials)',
      '^edge/http/server/server\\.test',
      '^edge/compress/whole',
      '^system/edge/clients/key-exchange',
      '^system/core/base/main-heap',
    ].join('|'),
  ),
);
