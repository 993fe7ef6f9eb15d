import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clearTextOf, loadConfig } from '../../../core/config/index.ts';

const found = (env: Record<string, string>): string[] =>
  clearTextOf(loadConfig({ file: undefined, env })).map(({ key, value, severity }) => `${severity} ${key} ${value}`);

test('plain HTTP is reported outside of loopback only', () => {
  assert.equal(found({}), []);
  const local = {
    WAYPOST_ETCD_ENDPOINTS: 'http://127.0.0.1:2379,http://localhost:2380,http://[::1]:2381,https://etcd.example.net',
    WAYPOST_TRACES_ENDPOINT: 'http://127.0.0.2:4318/v1/traces',
    WAYPOST_ADMIN_LISTEN: '[::1]:8300',
  };
  assert.equal(found(local), []);
  const open = {
    WAYPOST_ETCD_ENDPOINTS:
      'http://etcd:2379,https://192.0.2.2:2379,http://127.0.0.1.example.net:2379,http://[2001:db8::1]:2379',
    WAYPOST_TRACES_ENDPOINT: 'http://collector.example.net',
    WAYPOST_BACKUP_S3_ENDPOINT: 'http://s3.example.net',
    WAYPOST_BACKUP_S3_BUCKET: 'backups',
    WAYPOST_BACKUP_S3_CREDENTIALS_FILE: '/etc/waypost/s3',
    WAYPOST_ADMIN_LISTEN: '[::]:8300',
  };
  assert.equal(found(open), [
    'grave etcd.endpoints http://etcd:2379',
    'grave etcd.endpoints http://127.0.0.1.example.net:2379',
    'grave etcd.endpoints http://[2001:db8::1]:2379',
    'notable backup.s3_endpoint http://s3.example.net',
    'notable traces.endpoint http://collector.example.net/v1/traces',
    'usual admin.listen [::]:8300',
  ]);
});

test.run();
