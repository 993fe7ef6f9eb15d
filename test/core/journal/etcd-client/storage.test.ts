/** How full etcd says that it is, by version. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readStorage } from '../../../../core/journal/etcd-client/messages.ts';

test('fields that a version does not report are unknown', () => {
  // 3.4 and 3.5, and one that lacks the part in use.
  assert.equal(readStorage({ dbSize: '20480', dbSizeInUse: '16384' }, {}), {
    ...{ size: 20_480, used: 16_384, quota: null, isFull: false },
  });
  assert.equal(readStorage({ dbSize: '20480' }, { alarms: [] }), {
    ...{ size: 20_480, used: 20_480, quota: null, isFull: false },
  });
  // 3.6.
  assert.is(readStorage({ dbSize: '1', dbSizeQuota: '2147483648' }, {}).quota, 2 ** 31);
});

test('NOSPACE is found among several alarms', () => {
  const alarms = [
    { memberID: '1', alarm: 'CORRUPT' },
    { memberID: '2', alarm: 'NOSPACE' },
  ];
  assert.ok(readStorage({}, { alarms }).isFull);
  assert.not(readStorage({}, { alarms: alarms.slice(0, 1) }).isFull);
});

test.run();
