/** Every operation of the OpenAPI document explains itself: a description, and examples. */
import { Ajv } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Route } from '../../admin-api/http/route.ts';
import { type Daemon, type Json, startDaemon } from '../admin-api/daemon.ts';
import { documented } from '../admin-api/http/openapi/validate.ts';

interface World {
  readonly daemon: Daemon;
  readonly document: Json;
}

const test = suite<World>('reference');

test.before(async (context) => {
  const daemon = await startDaemon('node');
  const { body: document } = await daemon.call('GET', '/api/v1/openapi.json', { token: null });
  Object.assign(context, { daemon, document });
});
test.after(({ daemon }) => daemon.stop());

const operationOf = (document: Json, { method, path }: Route): Json => document.paths[path][method.toLowerCase()];

/** The operations for which the check returns a fault, with it. */
function faultsOf(daemon: Daemon, check: (route: Route) => string | undefined | null): string[] {
  return daemon.api.routes.flatMap((route) => {
    const fault = check(route);
    return fault ? [`${route.operationId}: ${fault}`] : [];
  });
}

test('every operation has a summary and a description', ({ daemon, document }) => {
  const isSentence = (text: unknown): boolean => /^[A-Z`"$].{10,}[.!]$/s.test(String(text ?? ''));
  const faults = faultsOf(daemon, (route) => {
    const { summary, description } = operationOf(document, route);
    if (String(summary).length < 5) return 'it has no summary';
    return isSentence(description) ? undefined : `its description is no sentence: ${description}`;
  });
  assert.equal(faults, []);
});

test('every operation has examples for curl and TypeScript', ({ daemon, document }) => {
  const faults = faultsOf(daemon, (route) => {
    const samples = operationOf(document, route)['x-codeSamples'] as unknown as { label: string; source: string }[];
    const labels = samples.map(({ label }) => label).filter((label) => label !== 'CLI');
    return labels.join() === 'curl,TypeScript' && !/undefined|\[object/.test(samples.map(({ source }) => source).join())
      ? undefined
      : JSON.stringify(samples);
  });
  assert.equal(faults, []);
});

test('the example of a request is valid', ({ daemon }) => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  const faults = faultsOf(daemon, ({ body, bodyTypes, form, query = {}, example = {} }) => {
    const unknown = Object.keys(example.query ?? {}).filter((name) => !(name in query));
    if (unknown.length > 0) return `it has no parameter ${unknown.join()}`;
    if (form !== undefined || bodyTypes !== undefined)
      return example.file === undefined ? 'it names no file' : undefined;
    if (body === undefined) return undefined;
    if (example.body === undefined) return 'it has no body';
    return ajv.validate(body, example.body) ? undefined : ajv.errorsText();
  });
  assert.equal(faults, []);
});

test('the example of a response is as its schema says', ({ daemon, document }) => {
  const faults = faultsOf(daemon, (route) => {
    if (route.response === undefined) return undefined;
    const { example } = operationOf(document, route).responses['200'].content['application/json'];
    return documented(document, route.method, route.path, 200, example);
  });
  assert.equal(faults, []);
});

test.run();
