/** The table of caching (test/edge/cache/rules/table), run by the proxy with its cache. */
import { test } from 'uvu';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import {
  answerFields,
  answersOf,
  bodyOf,
  checkStep,
  fieldList,
  type Observed,
  type Place,
} from '../cache/rules/table/check.ts';
import type { Row } from '../cache/rules/table/row.ts';
import { TABLE } from '../cache/rules/table/table.ts';
import { BEGIN, cacheRig } from './cache-rig.ts';
import { settled } from './fake-origin.ts';

const PLACE: Place = { begin: BEGIN, base: '/row', site: 'https://www.example.com' };

async function run(row: Row): Promise<void> {
  let index = 0;
  let asked: { headers: FieldList; status: number | 'down' }[] = [];
  const rig = await cacheRig({
    cache: { mayForceRevalidation: true, maxBodyBytes: 1000 },
    onAsked: (one) => {
      const step = row.steps[index];
      const answers = answersOf(step);
      const answer = answers === 'down' ? undefined : answers[Math.min(asked.length, answers.length - 1)];
      asked.push({ headers: one.request.headers, status: answer === undefined ? 'down' : (answer.status ?? 200) });
      if (answer === undefined) {
        one.fail('refused');
        return;
      }
      const { status = 200 } = answer;
      const body = one.request.method === 'HEAD' || status === 304 || status === 204 ? '' : bodyOf(answer, index);
      if (body !== '') one.body.push(body);
      one.body.finish();
      one.body.length = body.length;
      const fields = answerFields(answer, step, PLACE);
      const hasLength = fields.some((name, i) => i % 2 === 0 && name === 'content-length');
      one.respond(status, hasLength || body === '' ? fields : [...fields, 'content-length', String(body.length)]);
    },
  });
  try {
    for (; index < row.steps.length; index++) {
      const step = row.steps[index];
      asked = [];
      rig.now = BEGIN + (step.at ?? 0) * 1000;
      const { method = 'GET', path = '/' } = step;
      const exchange = await rig.visit({ method, path: `/row${path}`, headers: fieldList(step.headers, PLACE) });
      await settled();
      await settled();
      const observed: Observed = { status: exchange.status, headers: exchange.fields, body: exchange.text, asked };
      checkStep(row, index, observed, PLACE, true);
    }
  } finally {
    await rig.close();
  }
}

for (const row of TABLE) test(`${row.section}: ${row.name}`, () => run(row));

test.run();
