/** Rules about the background file, without those about its language. */
import type { RuleTable } from '../finding.ts';
import { RHINO_SEMANTICS_RULES, RHINO_SYNTAX_RULES } from './rhino-rules.ts';

export const BACKGROUND_RULES = {
  background_syntax_error: {
    type: 'error',
    title: 'The background file does not parse',
    about: 'The background file is one script in JavaScript, and no engine can read this one.',
    fix: 'Correct the code at this position; an editor with JavaScript support shows the error, too.',
  },
  background_too_complex: {
    type: 'warning',
    review: true,
    title: 'The background file is too complex to be audited',
    about: 'A person reviews code that is nested too deep for the parser.',
    fix: 'Nest less: move parts into functions.',
  },
  background_handler_missing: {
    type: 'error',
    title: 'onBackgroundEvent is not defined',
    about:
      'The host calls the global function onBackgroundEvent(event) of the background file. Without it nothing runs.',
    fix: 'Write function onBackgroundEvent(event) { … } at the top level; event has type, timestamp and appId.',
  },
  background_java_bridge: {
    type: 'error',
    title: 'A bridge to Java',
    about:
      'Packages, java, javax, org, com, edu, net, JavaImporter, JavaAdapter, importClass, importPackage, getClass, .class, and javaException and rhinoException of errors lead from Rhino to the classes of the system, around Host.',
    fix: 'Use Host.call(operation, params). A variable of yours may bear such a name when it is declared.',
  },
  background_engine_internal: {
    type: 'error',
    title: 'An internal of the engine is used',
    about:
      'Script, Continuation, With, Call, Environment, the functions of the Rhino shell (load, loadClass, runCommand, readFile, readUrl, spawn, sync, quit, defineClass …), __parent__, and valueOf, __proto__ and similar names run code from elsewhere or reach around Host.',
    fix: 'Leave it out; Host.call is the only access to the system.',
  },
  background_browser_api: {
    type: 'error',
    title: 'An API of browsers is used',
    about:
      'The background runs without a page: there is no window, document, fetch, setTimeout, console or localStorage. Using one throws a ReferenceError. A file that tests it with typeof first may use it.',
    fix: 'Use Host.call(operation, params), or do it in the page.',
  },
  background_undefined_name: {
    type: 'warning',
    title: 'An undefined name is used',
    about: 'Neither the file nor the engine defines it; using it throws a ReferenceError.',
    fix: 'Declare it, or correct the spelling.',
  },
  background_host_member: {
    type: 'error',
    title: 'Host has only call() in the background',
    about: "Host.storage and the others are the page's. In the background there is Host.call(operation, params).",
    fix: 'Write Host.call("storage.get", { key: "…" }).',
  },
  background_operation_unknown: {
    type: 'error',
    title: 'Host.call with an operation that does not exist',
    about: 'The operations of the background are storage.get with {key} and storage.set with {key, value}.',
    fix: 'Use storage.get or storage.set.',
  },
  background_operation_computed: {
    type: 'warning',
    review: true,
    title: 'The operation of Host.call cannot be determined',
    about: 'The operation is computed at run time, or Host is passed on, so that its permission cannot be checked.',
    fix: 'Write Host.call with the operation as a string where it is called.',
  },
  background_params_invalid: {
    type: 'error',
    title: 'Host.call with wrong parameters',
    about: 'storage.get takes {key}, storage.set takes {key, value}; key and value are strings.',
    fix: 'Write Host.call("storage.get", { key: "name" }) or Host.call("storage.set", { key: "name", value: "1" }).',
  },
  background_permission_undeclared: {
    type: 'error',
    title: 'Host.call without the permission for it',
    about:
      'List the permissions of the background under background.permissions in manifest.json; permissions of the page do not count.',
    fix: 'Add it: "background": { "permissions": ["storage"] }.',
  },
  background_permission_unused: {
    type: 'warning',
    title: 'A permission of the background is not used',
    about:
      'A permission under background.permissions that no Host.call needs. People trust apps more that ask for less.',
    fix: 'Remove it from background.permissions.',
  },
  ...RHINO_SYNTAX_RULES,
  ...RHINO_SEMANTICS_RULES,
} as const satisfies RuleTable;
