/** Rules as rows and fields of a form: what it shows, and what it writes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ACTION_FIELDS, toAction, toTexts } from '../../../admin-api/dashboard/rules/action-fields.ts';
import { type Match, NEW_CONDITION, toConditions, toMatch } from '../../../admin-api/dashboard/rules/conditions.ts';
import { ACTIONS } from '../../../core/site/rules/actions.ts';
import { RULE_TEMPLATES } from '../../../core/site/rules/templates.ts';

const test = suite('rules in a form');

test('the form has the fields of each action', () => {
  assert.equal(ACTION_FIELDS as unknown, ACTIONS as unknown);
});

test('conditions that rows show are written as they were', () => {
  const matches: Match[] = [
    {},
    { host: ['a.test', '*.b.test'], method: ['POST'], client: ['192.0.2.0/24'], country: ['DE', 'FR'] },
    { path: { prefix: ['/a/', '/b/'], suffix: ['.png'], ignore_case: true } },
    {
      header: [
        { name: 'X-A', contains: ['x'] },
        { name: 'X-A', prefix: ['y'], ignore_case: true },
      ],
    },
    { cookie: [{ name: 'session', absent: true }], query: [{ name: 'debug' }] },
    ...RULE_TEMPLATES.flatMap(({ rules }) => rules('example.net').map(({ match = {} }) => match as Match)),
  ];
  for (const match of matches) {
    const rows = toConditions(match);
    assert.ok(rows !== null, JSON.stringify(match));
    assert.equal(toMatch(rows), match);
  }
});

test('conditions that rows cannot show are not lost: they stay JSON', () => {
  assert.is(toConditions({ header: [{ name: 'a', prefix: ['x'], suffix: ['y'] }] }), null);
  assert.is(toConditions({ cookie: [{ name: 'a', absent: true, exact: ['x'] }] }), null);
});

test('rows without values are no conditions', () => {
  assert.equal(toMatch([NEW_CONDITION, { ...NEW_CONDITION, kind: 'header', operator: 'exact', values: 'x' }]), {});
  assert.equal(toMatch([{ ...NEW_CONDITION, values: ' /a/ \n\n/b/' }]), { path: { prefix: ['/a/', '/b/'] } });
});

test('fields of an action are text in the form, and have their types again', () => {
  const actions = [
    { type: 'cache', ttl: 3600, override: true, key: { query_only: ['page'] } },
    { type: 'deny', status: 404 },
    { type: 'redirect', location: 'https://www.example.com{uri}', status: 301 },
    { type: 'basic_auth', users: [{ name: 'ann' }], realm: 'staff' },
  ] as const;
  for (const action of actions) assert.equal(toAction(action.type, toTexts(action as never)), action);
  assert.equal(toAction('deny', { status: ' ', location: 'not a field of deny' }), { type: 'deny' });
  assert.throws(
    () => toAction('cache', { key: '{' }),
    (error: unknown) => error instanceof SyntaxError,
  );
});

test.run();
