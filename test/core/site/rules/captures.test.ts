/**
 * What {rest} and {1} insert: the visitor's spelling, since `%2F` and `/` differ for origins
 * (RFC 3986 section 2.2).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type TextMatch, TextTemplate } from '../../../../core/site/rules/index.ts';

const test = suite('captures of rules');

const expand = (path: TextMatch, template: string, target: string): string =>
  new TextTemplate(template, path).expand({ scheme: 'https', host: 'www.example.com', target });

/** The rest behind a prefix. */
const RESTS: readonly (readonly [title: string, prefix: string, target: string, rest: string])[] = [
  [
    'GitLab: the path of a project is one segment',
    '/gitlab/',
    '/gitlab/api/v4/projects/group%2Fsub%2Fproject/repository/files/src%2Fmain%2Ego/raw?ref=main',
    'api/v4/projects/group%2Fsub%2Fproject/repository/files/src%2Fmain%2Ego/raw',
  ],
  [
    'Argo CD: the URL of a repository is one segment',
    '/argocd/',
    '/argocd/api/v1/repositories/https%3A%2F%2Fgithub.com%2Fargoproj%2Fargocd-example-apps/apps',
    'api/v1/repositories/https%3A%2F%2Fgithub.com%2Fargoproj%2Fargocd-example-apps/apps',
  ],
  [
    'Matrix: identifiers of rooms and aliases',
    '/chat/',
    '/chat/_matrix/client/v3/rooms/%21room%3Aexample.com/state/m.room.name/',
    '_matrix/client/v3/rooms/%21room%3Aexample.com/state/m.room.name/',
  ],
  ['Matrix: an alias', '/chat/', '/chat/directory/room/%23a%2Fb:example.com', 'directory/room/%23a%2Fb:example.com'],
  ['npm: a package with a scope', '/npm/', '/npm/@types%2fnode', '@types%2fnode'],
  ['npm: a file of such a package', '/npm/', '/npm/@types/node/-/node-22.0.0.tgz', '@types/node/-/node-22.0.0.tgz'],
  ['a plus sign, a semicolon, a backslash', '/a/', '/a/C%2B%2B+%3Bx;y%5Cz', 'C%2B%2B+%3Bx;y%5Cz'],
  ['the case of escapes', '/a/', '/a/%c3%A4%2f%2F', '%c3%A4%2f%2F'],
  ['escapes of characters that need none', '/a/', '/a/%7Euser%2Etxt', '%7Euser%2Etxt'],
  ['slashes', '/web/', '/web/2026/https://example.com//b', '2026/https://example.com//b'],
  ['slashes behind the prefix', '/a/', '/a//b', '/b'],
  ['a prefix without a slash at its end', '/a', '/a%2Fb', '%2Fb'],
  ['another spelling of the prefix', '/a/b/', '/%61%2Fb%2Fc%2Fd', 'c%2Fd'],
  ['brackets', '/a/', '/a/b[0]%5B1%5D', 'b[0]%5B1%5D'],
  ['characters that no URL has are escaped', '/a/', '/a/"<\\>|', '%22%3C%5C%3E%7C'],
  ['dot segments are resolved', '/a/', '/a/b/../c%2F./d%2f%2E%2e%5Ce', 'c%5Ce'],
  ['dot segments at the end', '/a/', '/a/b%2Fc%2F..', 'b%2F'],
  ['dot segments before the prefix', '/a/', '/x/../a/b%2Fc', 'b%2Fc'],
  ['an escape that is escaped', '/a/', '/a/%252F%25', '%252F%25'],
  ['a path without a prefix', '/b/', '/a%2Fb', 'a%2Fb'],
];
for (const [title, prefix, target, rest] of RESTS)
  test(`{rest}: ${title}`, () => {
    assert.is(expand({ prefix: [prefix] }, '/n/{rest}', target), `/n/${rest}`);
  });

test('{rest}: in any case', () => {
  assert.is(expand({ prefix: ['/A/'], ignore_case: true }, '/{rest}', '/%61%2Fb%2FC'), '/b%2FC');
});

/** Groups of a regular expression, which sees the normalized path. */
const GROUPS: readonly (readonly [regex: string, template: string, target: string, result: string])[] = [
  ['^/gitlab/(.*)$', '/{1}', '/gitlab/projects/a%2Fb', '/projects/a%2Fb'],
  ['^/npm/(@[^/]+)/(.+)$', '/{2}?scope={1}', '/npm/@a%3Bb%2fc%2Bd', '/c%2Bd?scope=@a%3Bb'],
  ['^/web/(\\d+)/(.*)$', '/{2}', '/web/2026/https://example.com', '/https://example.com'],
  ['^/u/([^/]+)$', '/user?name={1}&role=guest', '/u/ann%26role=admin', '/user?name=ann%26role=admin&role=guest'],
  ['^/a(/.*)$', '/n{1}', '/a//b', '/n//b'],
  ['^/([^/]+)/b$', '/n/{1}', '/a%2F%2Fb', '/n/a'],
  ['^/(a)?(b)(c)?', '/n{1}{2}{3}', '/%62', '/n%62'],
  ['^/(.)', '/n{1}', '/%e4', '/n%'],
];
for (const [regex, template, target, result] of GROUPS)
  test(`groups of ${regex} in ${target}`, () => {
    assert.is(expand({ regex: [regex] }, template, target), result);
  });

test.run();
