/** Addresses of the dashboard's pages. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressOf, matchPage, PAGES, type PageName } from '../../../../admin-api/dashboard/addresses.ts';

test('every page is found at its address', () => {
  for (const page of Object.keys(PAGES) as PageName[]) {
    const params = Object.fromEntries([...PAGES[page].matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, '7']));
    assert.equal(matchPage(addressOf(page, params)), { page, params });
  }
});

test('other paths are no pages', () => {
  for (const path of ['', '/domains/', '/domains//records', '/domains/7', '/Domains', '/sign-in/', '//', '/api/v1'])
    assert.is(matchPage(path), null, path);
});

test('a parameter is one segment of an address', () => {
  assert.is(addressOf('records', { domain_id: '../x' }), '/domains/..%2Fx/records');
});

test.run();
