/**
 * On the other supported versions of Node: the daemon, and what is most likely to differ. The unit
 * tests among them run on that of a release in .ci/run. `test/release/node-versions.test.ts` runs
 * more, `npm run test:node` all.
 */
import { SHIPPED } from '../runner/node-binary.ts';
import { testOnOtherVersions } from '../support/node-versions.ts';

const UNIT = [
  '^smoke',
  '^core/os/(?!pulse)',
  '^core/nameserver/udp\\.test',
  '^core/store/environment',
  '^admin-api/http/transport\\.test',
  '^admin-api/sites/proxy/origin\\.test',
  '^edge/http/tls/(connection|credentials|self-test|native/(failures|headers))',
  '^edge/http/transport/contract',
  '^edge/http/server/server\\.test',
  '^edge/compress/whole',
];
const SYSTEM = ['^system/edge/clients/key-exchange', '^system/core/base/main-heap'];

testOnOtherVersions((major) => new RegExp((major === SHIPPED ? SYSTEM : [...UNIT, ...SYSTEM]).join('|')));
