/** Files of known releases: recognised by each byte, judged by what the app reaches. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Audit } from '../../../../../admin-api/miniapp/audit/audit.ts';
import { libraryOf } from '../../../../../admin-api/miniapp/audit/libraries/libraries.ts';
import { audited } from './audited.ts';
import { smallApp } from './small-app.ts';

/** A library with code for the network, which is among the packages of the tests. */
const MANIFEST = createRequire(import.meta.url).resolve('axios/package.json');
const AXIOS = readFileSync(join(dirname(MANIFEST), 'dist/axios.min.js'), 'utf8');

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>N</title>
<script src="host-sdk.js"></script><script src="lib.js"></script><script src="app.js"></script></head></html>
`;

const auditedWith = (library: string, script: string): Promise<Omit<Audit, 'readable'>> =>
  audited(smallApp({ 'index.html': PAGE, 'lib.js': library, 'app.js': `${script}\nHost.storage.get('text');\n` }));

const levels = ({ findings }: Pick<Audit, 'findings'>): string[] =>
  findings.filter(({ file }) => file === 'lib.js').map(({ code, type }) => `${code} ${type}`);

test('a release is recognised by each byte', () => {
  assert.match(libraryOf(AXIOS)!, /^axios \d+\.\d+\.\d+$/, 'npm run library-releases -- . adds it');
  for (const text of [`${AXIOS} `, AXIOS.slice(1), AXIOS.replace('e', 'f'), '']) assert.is(libraryOf(text), undefined);
});

test('code of a library that the app does not reach is no error', async () => {
  const audit = await auditedWith(AXIOS, '');
  assert.ok(levels(audit).includes('direct_network warning'));
  assert.is.not(audit.verdict, 'rejected');
});

test('an app that reaches the network by a library is not approved', async () => {
  for (const script of [
    "axios.get('https://evil.example/');",
    "axios('https://evil.example/');",
    "axios.create().request({ url: 'https://evil.example/' });",
    "axios['po' + 'st']('https://evil.example/');",
    'axios[document.title](document.title);',
    'const send = axios.get;\nsend(document.title);',
    'const { get } = axios;\nget(document.title);',
    'Object.values(axios).forEach((f) => f(document.title));',
    "Reflect.get(axios, document.title)('https://evil.example/');",
    'const o = { a: axios };\nfor (const k in o) o[k](document.title);',
  ])
    assert.is.not((await auditedWith(AXIOS, script)).verdict, 'approved', script);
});

test('a library with one byte changed is code of the app', async () => {
  for (const changed of [`${AXIOS}\nfetch('https://evil.example/');`, AXIOS.replace('use strict', 'use strid')]) {
    const audit = await auditedWith(changed, "axios.get('https://evil.example/');");
    assert.is.not(audit.verdict, 'approved');
    assert.not.ok(audit.findings.some(({ message }) => message.includes('axios 1.')));
  }
});

test.run();
