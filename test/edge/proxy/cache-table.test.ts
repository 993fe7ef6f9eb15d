/** Runs the table of caching (test/edge/cache/rules/table) with the proxy and its cache. */
import { test } from 'uvu';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import {
  answerFields,
  answersOf,
  bodyOf,
  checkStep,
  fieldList,
  type Observed,
  type Placeholders,
} from '../cache/rules/table/check.ts';
import type { Row } from '../cache/rules/table/row.ts';
import { TABLE } from '../cache/rules/table/table.ts';
import { BEGIN, cacheRig } from './cache-rig.ts';
import { settled } from './fake-origin.ts';

const PLACE: Placeholders = { begin: BEGIN, base: '/row', site: 'https://www.example.com' };

async function run(row: Row): Promise<void> {
  let index = 0;
  let received: { headers: FieldList; status: number | 'down' }[] = [];
  const rig = await cacheRig({
    cache: { mayForceRevalidation: true, maxBodyBytes: 1000 },
    onRequest: (pending) => {
      const step = row.steps[index];
      const answers = answersOf(step);
      const answer = answers === 'down' ? undefined : answers[Math.min(received.length, answers.length - 1)];
      received.push({
        headers: pending.request.headers,
        status: answer === undefined ? 'down' : (answer.status ?? 200),
      });
      if (answer === undefined) {
        pending.fail('refused');
        return;
      }
      const { status = 200 } = answer;
      const body = pending.request.method === 'HEAD' || status === 304 || status === 204 ? '' : bodyOf(answer, index);
      if (body !== '') pending.body.push(body);
      pending.body.finish();
      pending.body.length = body.length;
      const fields = answerFields(answer, step, PLACE);
      const hasLength = fields.some((name, i) => i % 2 === 0 && name === 'content-length');
      pending.respond(status, hasLength || body === '' ? fields : [...fields, 'content-length', String(body.length)]);
    },
  });
  try {
    for (; index < row.steps.length; index++) {
      const step = row.steps[index];
      received = [];
      rig.now = BEGIN + (step.at ?? 0) * 1000;
      const { method = 'GET', path = '/' } = step;
      const exchange = await rig.visit({ method, path: `/row${path}`, headers: fieldList(step.headers, PLACE) });
      await settled();
      await settled();
      const observed: Observed = {
        status: exchange.status,
        headers: exchange.fields,
        body: exchange.text,
        originRequests: received,
      };
      checkStep(row, index, observed, PLACE, true);
    }
  } finally {
    await rig.close();
  }
}

for (const row of TABLE) test(`${row.section}: ${row.name}`, () => run(row));

test.run();
