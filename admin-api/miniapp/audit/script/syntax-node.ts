/**
 * Nodes of the syntax tree. Half the time of a parse is spent on creating and collecting them. So
 * each node already has the fields that the walk and the evaluator set later: V8 would add them one
 * by one, in a second object. Constructors set the fields: for class fields, V8 would call a second
 * function per node.
 */

/** Replaces acorn's node, for all types without a class of their own. */
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
 * Number of members of the largest common node: a member expression with its parent, scope and
 * values.
 */
const MAX_MEMBERS = 11;
// V8 sizes the objects of a class by the first few instances.
for (let instances = 0; instances < 8; instances++) {
  const node = new SyntaxNode(0) as SyntaxNode & Record<string, unknown>;
  for (let index = Object.keys(node).length; index < MAX_MEMBERS; index++) node[`member${index}`] = undefined;
}

/** Two in five nodes are names. */
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
