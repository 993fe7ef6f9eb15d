'use strict';

/**
 * Runs groups of checks one after another and shows their results. A group with `person` waits for
 * its button. A check passes when `run` ends, fails when it throws, and needs a person when it
 * returns a text. The element #summary has a JSON summary for programs, updated after each check.
 */
const STATES = { waiting: 'waits', running: 'runs', pass: 'pass', fail: 'FAIL', person: 'person' };

async function runGroups(groups) {
  const results = [];
  const shown = groups.map((group) => showGroup(group, results));
  report(results);
  for (const { runAll, isManual } of shown) if (!isManual) await runAll();
  document.documentElement.dataset.automatic = 'done';
}

function showGroup({ title, person, checks }, results) {
  const section = addElement(document.getElementById('groups'), 'section');
  addElement(section, 'h2').textContent = title;
  const isManual = person !== undefined;
  const start = isManual ? addStart(section, title, person) : undefined;
  const list = addElement(section, 'ul');
  const items = checks.map(({ name, run }) => {
    const result = { group: title, name, state: 'waiting', detail: '', ms: 0 };
    results.push(result);
    return { run, result, item: showItem(list, result) };
  });

  const runAll = async () => {
    for (const { run, result, item } of items) {
      setState(item, result, 'running', '');
      const startedAt = Date.now();
      const [state, detail] = await outcomeOf(run, item);
      result.ms = Date.now() - startedAt;
      setState(item, result, state, detail);
      report(results);
    }
  };
  if (start !== undefined)
    start.addEventListener('click', async () => {
      start.disabled = true;
      await runAll();
      start.disabled = false;
    });
  return { runAll, isManual };
}

function addStart(section, title, person) {
  addElement(section, 'p').textContent = person;
  const start = addElement(section, 'button');
  start.type = 'button';
  start.textContent = 'Start: ' + title;
  return start;
}

async function outcomeOf(run, item) {
  try {
    const text = await run(item.extra);
    return text === undefined ? ['pass', ''] : ['person', text];
  } catch (error) {
    return ['fail', describeError(error)];
  }
}

function describeError(error) {
  return error.code === undefined ? error.message : error.code + ': ' + error.message;
}

function showItem(list, { name }) {
  const row = addElement(list, 'li');
  const state = addElement(row, 'span');
  state.className = 'state';
  state.textContent = STATES.waiting;
  addElement(row, 'span').textContent = ' ' + name;
  const detail = addElement(row, 'div');
  detail.className = 'detail';
  return { row, state, detail, extra: addElement(row, 'div') };
}

function setState(item, result, state, detail) {
  result.state = state;
  result.detail = detail;
  item.row.dataset.state = state;
  item.state.textContent = STATES[state];
  item.detail.textContent = detail;
  if (state === 'running') item.extra.textContent = '';
}

function report(results) {
  const count = (state) => results.filter((result) => result.state === state).length;
  const summary = {
    pass: count('pass'),
    fail: count('fail'),
    person: count('person'),
    waiting: count('waiting'),
    checks: results,
  };
  const { pass, fail, person, waiting } = summary;
  document.getElementById('totals').textContent =
    pass + ' passed, ' + fail + ' failed, ' + person + ' need a person, ' + waiting + ' wait.';
  document.getElementById('summary').textContent = JSON.stringify(summary, null, 1);
}

/** Asks a question that only a person can answer. Throws on "No". */
function confirmByPerson(extra, question) {
  return new Promise((resolve, reject) => {
    addElement(extra, 'p').textContent = question;
    const answer = (text, settle) => {
      const button = addElement(extra, 'button');
      button.type = 'button';
      button.textContent = text;
      button.addEventListener('click', () => {
        extra.textContent = '';
        settle();
      });
    };
    answer('Yes', resolve);
    answer('No', () => reject(new Error('A person said no: ' + question)));
  });
}

function addElement(parent, name) {
  const element = document.createElement(name);
  parent.append(element);
  return element;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function expectThat(isTrue, text) {
  if (!isTrue) throw new Error(text);
}

function expectEqual(actual, wanted) {
  const [found, expected] = [JSON.stringify(actual), JSON.stringify(wanted)];
  const shorten = (text) => (text !== undefined && text.length > 200 ? text.slice(0, 200) + '…' : text);
  expectThat(found === expected, 'expected ' + shorten(expected) + ', and got ' + shorten(found));
}
