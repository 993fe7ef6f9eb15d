/** A hostile app causes any number of notices; few are passed on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BURST, NoticeLog, PER_SECOND } from '../../../../admin-api/miniapp/simulator/notice-log.ts';
import type { Notice } from '../../../../admin-api/miniapp/simulator/notices.ts';

const NOTICE: Notice = { kind: 'console', level: 'log', text: 'x' };

test('notices are limited at once and by time, and the rest is counted', async () => {
  let clock = 0;
  const notices: Notice[] = [];
  const summarized = new Promise<Notice>((resolve) => {
    const log = new NoticeLog(
      (notice) => (notice.kind === 'dropped' ? resolve(notice) : notices.push(notice)),
      () => clock,
    );
    for (let count = 0; count < BURST + 7; count++) log.add(NOTICE);
    assert.is(notices.length, BURST);
    assert.not(log.hasRoom());
    clock += 1000;
    for (let count = 0; count < PER_SECOND + 3; count++) log.add(NOTICE);
    assert.is(notices.length, BURST + PER_SECOND);
    clock += 1e9;
    assert.ok(log.hasRoom());
    log.flush();
  });
  assert.equal(await summarized, { kind: 'dropped', count: 10 });
});

test('nothing is summarized after the end', () => {
  const notices: Notice[] = [];
  const log = new NoticeLog((notice) => notices.push(notice));
  log.drop();
  log.close();
  log.flush();
  assert.equal(notices, []);
});

test.run();
