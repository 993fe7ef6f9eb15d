/**
 * The nodes of a script's tree. Half of the time of a parse goes into making them, and into
 * collecting them as garbage, so each has the places for what the walk and the evaluation write
 * onto it: V8 would add them one by one, in a second object. The constructors set them, since V8
 * would call a second function for each node that sets what the class declares.
 */

/** As acorn's, for all types that have no class of their own here. */
export class SyntaxNode {
  type: string;
  end: number;
  parent: undefined;

  constructor(public start: number) {
    this.type = '';
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
  parent: undefined;
  scope: undefined;
  evaluatedBy: undefined;
  values: undefined;

  constructor(
    public start: number,
    public end: number,
    public name: string,
  ) {
    this.type = 'Identifier';
    this.parent = undefined;
    this.scope = undefined;
    this.evaluatedBy = undefined;
    this.values = undefined;
  }
}

export class LiteralNode {
  readonly type: 'Literal';
  parent: undefined;

  constructor(
    public start: number,
    public end: number,
    public value: string | number,
    public raw: string,
  ) {
    this.type = 'Literal';
    this.parent = undefined;
  }
}
