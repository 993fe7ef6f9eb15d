/** config/monitoring against the documents: every metric, and the section of every alert. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dashboardExpressions, documentedMetrics, metricsOf, ruleExpressions } from './monitoring.ts';
import { ROOT, readPage } from './pages.ts';

const read = (name: string): string => readFileSync(join(ROOT, 'config/monitoring', name), 'utf8');
const rules = `${read('recording.yml')}${read('alerts.yml')}`;
const documented = documentedMetrics();

test('the dashboard and the rules use documented metrics only', () => {
  const dashboard = dashboardExpressions(read('dashboard.json'));
  assert.ok(dashboard.length > 100);
  const expressions = [...dashboard, ...ruleExpressions(rules)];
  const unknown = new Set(expressions.flatMap((text) => metricsOf(text)).filter((name) => !documented.has(name)));
  assert.equal([...unknown], [], 'docs/monitoring.md has no such metrics');
});

test('recording rules that alerts use exist', () => {
  const recorded = new Set([...rules.matchAll(/record: (\S+)/g)].map(([, name]) => name));
  const used = new Set(ruleExpressions(rules).flatMap((text) => text.match(/instance:[\w:]+/g) ?? []));
  assert.equal(
    [...used].filter((name) => !recorded.has(name)),
    [],
  );
});

test('an alert has texts, a test, and a section of docs/operations.md', () => {
  const { anchors, lines } = readPage('docs/operations.md');
  const tests = `${read('alerts.test.yml')}${read('alerts-days.test.yml')}`;
  const alerts = read('alerts.yml').split('- alert: ').slice(1);
  assert.ok(alerts.length > 30);
  const names = alerts.map((alert) => alert.slice(0, alert.indexOf('\n')));
  for (const [i, alert] of alerts.entries()) {
    const name = names[i];
    assert.match(alert, /severity: (critical|warning)\n/, name);
    assert.match(alert, /summary: '.+'\n/, name);
    assert.match(alert, /description: '.+'\n/, name);
    assert.ok(alert.includes(`runbook_url: docs/operations.md#${name.toLowerCase()}\n`), name);
    assert.ok(anchors.has(name.toLowerCase()), `docs/operations.md has no section ${name}`);
    assert.ok(tests.includes(`name: ${name}\n`), `alerts.test.yml and alerts-days.test.yml have no test of ${name}`);
  }
  const sections = lines.flatMap(({ text }) => /^### (Waypost\w+)$/.exec(text)?.[1] ?? []);
  assert.equal(sections, names);
});

test('the dashboard is one that Grafana imports', () => {
  const { panels, templating, uid, schemaVersion } = JSON.parse(read('dashboard.json'));
  assert.is(uid, 'waypost');
  assert.ok(schemaVersion >= 39);
  assert.equal(
    templating.list.map(({ name }: { name: string }) => name),
    ['datasource', 'node'],
  );
  const ids = panels.map(({ id }: { id: number }) => id);
  assert.is(new Set(ids).size, ids.length);
  const titles: string[] = [];
  // No two panels overlap.
  const taken = new Set<string>();
  for (const { type, title, datasource, gridPos, targets } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(x < 24 && !taken.has(`${x} ${y}`), `${title} overlaps`);
        taken.add(`${x} ${y}`);
      }
    if (type === 'row') titles.push(title);
    else {
      assert.is(datasource.uid, `\${datasource}`, title);
      for (const { expr } of targets) assert.ok(expr.includes('instance=~"$node"'), `${title} ignores the nodes`);
    }
  }
  assert.equal(titles, [
    ...['Now', 'DNS', 'Edge', 'Cache', 'API', 'Journal and replication', 'Certificates', 'DNSSEC', 'Process'],
  ]);
});

test.run();
