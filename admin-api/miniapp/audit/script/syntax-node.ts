/**
 * The nodes of a script's tree. Half of the time of a parse goes into making them, and into
 * collecting them as garbage, so each has the places for what the walk and the evaluation write
 * onto it: V8 would add them one by one, in a second object. The constructors set them, since V8
 * would call a second function for each node that sets what the class declares.
 */

/** As acorn's, for all types that have no class of their own here. */
export class SyntaxNode {
  type: string;
  start: number;
  end: number;
  parent: undefined;

  constructor(start: number) {
    this.type = '';
    this.start = start;
    this.end = 0;
    this.parent = undefined;
  }
}

/**
 * Members of the longest nodes that are common: of a member expression with its parent, scope and
 * values.
 */
const MEMBERS = 11;
// V8 gives an object the room that the first few of its class have used.
for (let made = 0; made < 8; made++) {
  const node = new SyntaxNode(0) as SyntaxNode & Record<string, unknown>;
  for (let index = Object.keys(node).length; index < MEMBERS; index++) node[`member${index}`] = undefined;
}

/** Of all nodes two in five are names. */
export class NameNode {
  readonly type: 'Identifier';
  start: number;
  end: number;
  parent: undefined;
  name: string;
  scope: undefined;
  evaluatedBy: undefined;
  values: undefined;

  constructor(start: number, end: number, name: string) {
    this.type = 'Identifier';
    this.start = start;
    this.end = end;
    this.parent = undefined;
    this.name = name;
    this.scope = undefined;
    this.evaluatedBy = undefined;
    this.values = undefined;
  }
}

export class LiteralNode {
  readonly type: 'Literal';
  start: number;
  end: number;
  parent: undefined;
  value: string | number;
  raw: string;

  constructor(start: number, end: number, value: string | number, raw: string) {
    this.type = 'Literal';
    this.start = start;
    this.end = end;
    this.parent = undefined;
    this.value = value;
    this.raw = raw;
  }
}
