/** A document for the conformance pages. Presses "Yes" where a page asks a person. */
export class FakeElement {
  readonly name: string;
  readonly dataset: Record<string, string> = {};
  readonly children: FakeElement[] = [];
  readonly #listeners: (() => void)[] = [];
  disabled = false;
  #text = '';

  constructor(name: string) {
    this.name = name;
  }

  get textContent(): string {
    return this.#text;
  }

  set textContent(text: string) {
    this.children.length = 0;
    this.#text = text;
  }

  append(child: FakeElement): void {
    this.children.push(child);
  }

  addEventListener(_type: 'click', listener: () => void): void {
    this.#listeners.push(listener);
    if (this.#text === 'Yes') setImmediate(listener);
  }

  click(): void {
    for (const listener of this.#listeners) listener();
  }

  /** All below it. */
  find(name: string): FakeElement[] {
    return this.children.flatMap((child) => [...(child.name === name ? [child] : []), ...child.find(name)]);
  }
}

export class FakeDocument {
  readonly documentElement = new FakeElement('html');
  readonly #byId = new Map<string, FakeElement>();

  getElementById(id: string): FakeElement {
    const element = this.#byId.get(id) ?? new FakeElement('div');
    this.#byId.set(id, element);
    return element;
  }

  createElement(name: string): FakeElement {
    return new FakeElement(name);
  }
}
