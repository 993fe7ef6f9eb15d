/** Audits a script: parses it, walks the tree once, then checks the collected nodes. */
import type { AnyNode, Identifier, Options, Program } from 'acorn';
import type { SourceText } from '../source-text.ts';
import type { WebContext } from '../web/context.ts';
import type { ScriptKind } from '../web/kind.ts';
import { BRIDGE_NAMES } from './bridges.ts';
import { checkCall } from './check-calls.ts';
import { checkHostWrite } from './check-host.ts';
import { noteMakers } from './check-makers.ts';
import { checkImport, noteExports } from './check-modules.ts';
import { checkAssignment, checkMember, checkName, checkReached, checkTaken } from './check-names.ts';
import { checkLinks, checkLocationName } from './check-sinks.ts';
import { checkUnbound } from './check-this.ts';
import { noteMember, noteValue } from './check-timers.ts';
import { concludeUndefined, noteDefined, noteWindowNames } from './check-undefined.ts';
import { Evaluator } from './evaluate.ts';
import { type Parsed, parseScript } from './parser.ts';
import { methodOf } from './plain-call.ts';
import { WATCHED_NAMES } from './platform.ts';
import { report, type ScriptView } from './script-view.ts';
import { parentOf, type Walked, walk } from './walk.ts';

/** `start` and `end`: offsets of the script in the source, in UTF-16 code units. */
export function auditScript(
  source: SourceText,
  start: number,
  end: number,
  kind: ScriptKind,
  context: WebContext,
): void {
  try {
    const program = parsed(source, start, end, kind, context);
    if (program === undefined) return;
    const isModule = program.sourceType === 'module';
    const walked = walk(program, isModule, context.classicScripts > 1);
    const ofKind = isModule ? 'module' : kind;
    const isKept = end - start <= context.room;
    if (isKept) context.room -= end - start;
    context.scripts.push({ source, start, end, kind: ofKind, walked: isKept ? walked : undefined });
    check(walked, source, start, ofKind, context);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    context.findings.add('script_too_intricate', source.at(start), 'The script is nested too deeply to be audited.');
  }
}

function parsed(
  source: SourceText,
  start: number,
  end: number,
  kind: ScriptKind,
  context: WebContext,
): Program | undefined {
  const text = start === 0 && end === source.text.length ? source.text : source.text.slice(start, end);
  const options: Options = {
    ecmaVersion: 'latest',
    sourceType: kind === 'module' ? 'module' : 'script',
    allowHashBang: true,
    allowReturnOutsideFunction: kind === 'handler',
  };
  try {
    let script: Parsed;
    try {
      script = parseScript(text, options);
    } catch (error) {
      if (kind !== 'unknown' || !(error instanceof SyntaxError)) throw error;
      script = parseScript(text, { ...options, sourceType: 'module' });
    }
    const { program, htmlComments } = script;
    if (kind === 'data') return program;
    for (const at of htmlComments)
      context.findings.add('html_like_comment', source.at(start + at), 'This begins a comment.');
    return program;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (kind === 'data') return undefined;
    const at = (error as SyntaxError & { pos?: number }).pos ?? 0;
    context.findings.add('script_syntax', source.at(start + at), readable(error.message), fixOf(error.message));
    return undefined;
  }
}

/** Removes the position that acorn appends: a finding has its own. */
const readable = (message: string): string => `${message.replace(/ \(\d+:\d+\)$/, '')}.`;

function fixOf(message: string): string | undefined {
  return message.includes("'import' and 'export'") || message.includes('import.meta')
    ? 'Load it as a module: <script type="module" src="…">.'
    : undefined;
}

function check(walked: Walked, source: SourceText, base: number, kind: ScriptKind, context: WebContext): void {
  const { program } = walked;
  const isModule = kind === 'module';
  const evaluator = new Evaluator(walked, kind, context.globals);
  const view: ScriptView = {
    source,
    base,
    kind,
    context,
    script: context.scripts.length - 1,
    evaluator,
    aliases: new Set(),
    links: [],
    followed: new Set(),
    unbound: [],
    undefined: new Map(),
    makers: [],
    names: { isOfCode: undefined },
    keys: new Map(),
    rebound: new Set(),
  };
  // From the inside out: the operands of an expression are evaluated before it.
  const { nodes } = walked;
  for (let index = nodes.length - 1; index >= 0; index--) checkNode(view, nodes[index]);
  for (const taken of walked.taken) checkTaken(view, taken);
  checkNames(view, walked);
  checkLocationName(view, walked);
  noteWindowNames(view, walked);
  checkLinks(view);
  checkUnbound(view);
  noteMembers(view, walked);
  concludeUndefined(view, walked);
  noteMakers(view, program);
  if (isModule) noteExports(view, program);
  if (!isModule && kind !== 'handler') checkGlobals(view, walked);
  const { exhausted } = evaluator;
  if (exhausted !== undefined)
    context.findings.add('script_too_intricate', source.at(base + (exhausted.at?.start ?? 0)), exhausted.message);
}

function checkNode(view: ScriptView, node: AnyNode): void {
  switch (node.type) {
    case 'CallExpression':
    case 'NewExpression':
      checkCall(view, node);
      break;
    case 'TaggedTemplateExpression':
      checkCall(view, taggedCall(node));
      break;
    case 'MemberExpression':
      checkMember(view, node);
      break;
    case 'AssignmentExpression':
      checkAssignment(view, node);
      break;
    case 'ThisExpression':
      checkReached(view, node, view.evaluator.valuesOf(node));
      break;
    case 'WithStatement':
      report(view, 'with_statement', node, 'Within this statement it cannot be said what a name means.');
      break;
    default:
      checkImport(view, node);
      break;
  }
}

/** The call that a tagged template makes: Function`code`. */
const taggedCall = (node: AnyNode & { type: 'TaggedTemplateExpression' }): AnyNode & { type: 'CallExpression' } => ({
  type: 'CallExpression',
  start: node.start,
  end: node.end,
  callee: node.tag,
  arguments: [node.quasi, ...node.quasi.expressions],
  optional: false,
});

const WATCHED: ReadonlySet<string> = new Set([...WATCHED_NAMES, ...BRIDGE_NAMES]);

function checkNames(view: ScriptView, { names }: Walked): void {
  for (let i = 0; i < names.length; i++) if (WATCHED.has(names[i].name)) checkName(view, names[i]);
  if (view.aliases.size === 0) return;
  const byName = new Map<string, Identifier[]>();
  for (const name of names) {
    const same = byName.get(name.name);
    if (same === undefined) byName.set(name.name, [name]);
    else same.push(name);
  }
  // The set grows during iteration, as aliases of aliases are added.
  for (const alias of view.aliases)
    if (!WATCHED.has(alias)) for (const name of byName.get(alias) ?? []) checkName(view, name);
}

/** Records the top-level declarations of a classic script, which later scripts share. */
function checkGlobals(view: ScriptView, { top, implicit }: Walked): void {
  for (const scope of [top, implicit])
    for (const variable of scope.variables()) {
      if (variable.name === 'Host') {
        if (variable.writes.length > 0 && scope === top)
          checkHostWrite(view, topNode(variable.writes), 'Host', 'declared anew');
        continue;
      }
      const values = view.evaluator.valuesOfVariable(variable);
      noteValue(view, variable.name, values);
      // An undeclared or unassigned `name` is window.name.
      if (variable.writes.length > 0 && (scope === top || variable.name !== 'name'))
        noteDefined(view, variable.name, values);
      if (values.some(({ kind }) => kind === 'global')) view.context.globals.set(variable.name, values);
      else if (variable.writes.length > 0) view.context.globals.delete(variable.name);
    }
}

/** Notes the names of functions that other scripts may access. */
function noteMembers(view: ScriptView, { members, functions, top }: Walked): void {
  for (const { name, value } of members) noteMember(view, name, value);
  for (const { fn } of functions) {
    const parent = parentOf(fn);
    if ((parent?.type === 'Property' || parent?.type === 'MethodDefinition') && parent.kind === 'get')
      view.context.redefined.add(methodOf(fn) ?? '');
  }
  if (view.kind !== 'module') return;
  for (const { name, writes } of top.variables())
    for (const { from, path } of writes) if (from !== undefined && path.length === 0) noteMember(view, name, from);
}

const topNode = (writes: readonly { from: AnyNode | undefined }[]): AnyNode =>
  writes.find(({ from }) => from !== undefined)?.from ?? ({ start: 0, end: 0, type: 'Program' } as AnyNode);
