/**
 * Checks assignments to the location or a part of it, in all their forms.
 */
import type { AnyNode } from 'acorn';
import { checkUrl } from './check-url.ts';
import { isWindow } from './global-names.ts';
import { report, type ScriptView, written } from './script-view.ts';
import { constantOf, type Values } from './values.ts';
import type { Walked } from './walk.ts';

/** `value` undefined: unknown. `objects`: possible owners of the property. */
export function checkLocation(
  view: ScriptView,
  node: AnyNode,
  objects: Values,
  key: string,
  value: AnyNode | undefined,
): void {
  if (!PROPERTIES.has(key)) return;
  for (const object of objects) {
    if (object.kind !== 'global') continue;
    const { path } = object;
    const isWhole = key === 'location' && (isWindow(path) || path === 'document');
    if (isWhole || (path === 'location' && key === 'href')) {
      if (value === undefined) reportOpen(view, node);
      else checkUrl(view, value, view.evaluator.valuesOf(value), 'navigation');
    } else if (path === 'location' && HOSTS.has(key)) {
      const host = value && constantOf(view.evaluator.valuesOf(value));
      if (host === undefined) reportOpen(view, node);
      else report(view, 'remote_navigation', node, `The app navigates to ${host.value}.`);
    }
  }
}

const HOSTS = new Set(['host', 'hostname']);
const PROPERTIES = new Set(['location', 'href', ...HOSTS]);

const reportOpen = (view: ScriptView, node: AnyNode): void =>
  report(view, 'navigation_undeterminable', node, `Where ${written(view, node)} leads cannot be determined.`);

/**
 * Checks assignments to the bare name: `location = …`, `[location] = …`, and `var location = …` at
 * the top of a classic script.
 */
export function checkLocationName(view: ScriptView, { top, implicit }: Walked): void {
  for (const scope of [top, implicit]) {
    const variable = scope.own('location');
    if (variable?.isGlobal !== true) continue;
    for (const write of variable.writes) {
      const value = write.added === undefined ? write.from : write.added.right;
      if (value === undefined) continue;
      const values = write.added === undefined ? view.evaluator.valuesOfWrite(write) : view.evaluator.valuesOf(value);
      checkUrl(view, value, values, 'navigation');
    }
  }
}
