// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts
/** Scripts as people write them, each in a style of its own; none has a finding. */

/** Elements made by a small helper, whose names stand where it is called. */
const TODO = `const state = { items: [], filter: 'all' };

function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

function item(todo) {
  const box = h('input', { type: 'checkbox', checked: todo.done });
  box.addEventListener('change', (event) => {
    todo.done = event.target.checked;
    save();
  });
  const remove = h('button', { type: 'button', className: 'remove', textContent: 'Remove' });
  remove.onclick = () => {
    state.items = state.items.filter((other) => other !== todo);
    save();
  };
  return h('li', { className: todo.done ? 'done' : '' }, box, h('span', { textContent: todo.text }), remove);
}

function render() {
  const shown = state.items.filter((todo) => state.filter === 'all' || todo.done === (state.filter === 'done'));
  document.querySelector('ul').replaceChildren(...shown.map(item));
  document.querySelector('output').textContent = shown.length + ' shown';
}

async function save() {
  render();
  await Host.storage.set('items', JSON.stringify(state.items));
}

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { text } = event.currentTarget.elements;
  if (!text.value.trim()) return;
  state.items.push({ text: text.value.trim(), done: false });
  text.value = '';
  save();
});

for (const link of document.querySelectorAll('nav a'))
  link.addEventListener('click', ({ target }) => {
    state.filter = target.dataset.filter;
    location.hash = state.filter;
    render();
  });

Host.storage.get('items').then((stored) => {
  state.items = JSON.parse(stored ?? '[]');
  render();
});
`;

/**
 * A reconciler as bundlers put it in front of an app: elements and their properties by names that
 * it is given.
 */
const FRAMEWORK = `(function (global, factory) {
  typeof exports === 'object' && typeof module !== 'undefined'
    ? factory(exports)
    : typeof define === 'function' && define.amd
      ? define(['exports'], factory)
      : factory((global.Small = {}));
})(this, function (exports) {
  'use strict';
  var SVG = 'http://www.w3.org/2000/svg';
  var queue = [];
  function assign(target, source) {
    for (var key in source) target[key] = source[key];
    return target;
  }
  function createElement(type, props) {
    var children = [].slice.call(arguments, 2);
    return { type: type, props: assign({ children: children }, props), key: props && props.key, dom: null };
  }
  function setProperty(dom, name, value, old) {
    if (name[0] === 'o' && name[1] === 'n') {
      var event = name.slice(2).toLowerCase();
      if (old) dom.removeEventListener(event, old);
      dom.addEventListener(event, value);
    } else if (name in dom) dom[name] = value == null ? '' : value;
  }
  function Component(props, context) {
    this.props = props;
    this.context = context;
  }
  Component.prototype.setState = function (update) {
    this.nextState = assign(assign({}, this.state), typeof update === 'function' ? update(this.state) : update);
    enqueue(this);
  };
  Component.prototype.render = function () {
    return this.props.children;
  };
  var defer = typeof Promise === 'function' ? Promise.prototype.then.bind(Promise.resolve()) : setTimeout;
  function enqueue(component) {
    if (queue.push(component) === 1) defer(flush);
  }
  function flush() {
    queue.sort(function (a, b) { return a.depth - b.depth; });
    for (var component; (component = queue.shift()); ) diff(component.parent, component.render(), component.last);
  }
  function diff(parent, vnode, old) {
    var type = vnode.type;
    if (typeof type === 'function') {
      var instance = old && old.instance;
      if (!instance) {
        instance = type.prototype && type.prototype.render ? new type(vnode.props) : new Component(vnode.props);
        instance.constructor = type;
        if (!type.prototype.render) instance.render = function () { return this.constructor(this.props, this.context); }.bind(instance);
      }
      vnode.instance = instance;
      return diff(parent, instance.render(), old && old.rendered);
    }
    var dom = old ? old.dom : type === 'svg' ? document.createElementNS(SVG, type) : document.createElement(type);
    for (var name in vnode.props) if (name !== 'children') setProperty(dom, name, vnode.props[name], old && old.props[name]);
    vnode.props.children.forEach(function (child) {
      dom.appendChild(typeof child === 'object' ? diff(dom, child) : document.createTextNode(child));
    });
    parent.appendChild(dom);
    return (vnode.dom = dom);
  }
  exports.Component = Component;
  exports.createElement = createElement;
  exports.render = function (vnode, parent) { return diff(parent, vnode, parent.__vnode); };
});
Host.storage.get('name').then(function (name) {
  Small.render(Small.createElement('p', { className: 'hello' }, 'Hello ', name), document.body);
});
`;

const GAME = `class Sprite {
  constructor(image, x, y) {
    Object.assign(this, { image, x, y, vx: 0, vy: 0 });
  }
  step(seconds) {
    this.x += this.vx * seconds;
    this.y += this.vy * seconds;
  }
  draw(context) {
    context.drawImage(this.image, Math.round(this.x), Math.round(this.y));
  }
}

class Game {
  #last = 0;
  #keys = new Set();
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.frame = this.frame.bind(this);
    const image = new Image();
    image.src = 'icon.png';
    this.player = new Sprite(image, 10, 10);
    this.view = { x: 0, y: 0 };
    self.addEventListener('keydown', (event) => this.#keys.add(event.code));
    window.addEventListener('keyup', ({ code }) => this.#keys.delete(code));
    window.addEventListener('resize', () => this.resize());
    document.addEventListener('visibilitychange', () => { this.paused = document.hidden; });
  }
  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = innerWidth * ratio;
    this.canvas.height = innerHeight * ratio;
  }
  frame(now) {
    const seconds = Math.min(0.05, (now - this.#last) / 1000);
    this.#last = now;
    const { player, context } = this;
    player.vx = (this.#keys.has('ArrowRight') - this.#keys.has('ArrowLeft')) * 120;
    player.step(seconds);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.save();
    context.translate(-this.view.x, -this.view.y);
    player.draw(context);
    context.restore();
    requestAnimationFrame(this.frame);
  }
}

const game = new Game(document.querySelector('canvas'));
game.resize();
requestAnimationFrame(game.frame);
Host.storage.get('best').then((best) => { document.title = 'Best: ' + (best ?? 0); });
`;

const FORM = `'use strict';
(function () {
  const form = document.forms.order;
  const errors = {};
  const rules = {
    email: (value) => /^[^@\\s]+@[^@\\s]+$/.test(value) || 'This is no address.',
    amount: (value) => Number(value) > 0 || 'How many?',
  };
  const debounce = (run, ms) => {
    let timer;
    return (...args) => {
      clearTimeout(timer);
      timer = setTimeout(() => run(...args), ms);
    };
  };
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  function validate(field) {
    const verdict = rules[field.name] ? rules[field.name](field.value) : true;
    errors[field.name] = verdict === true ? '' : verdict;
    field.setAttribute('aria-invalid', String(verdict !== true));
    field.setAttribute('data-' + field.name, 'seen');
    field.setCustomValidity(errors[field.name]);
    const hint = document.getElementById(field.name + '-hint');
    hint.textContent = errors[field.name];
    hint.hidden = !errors[field.name];
    hint.style.setProperty('--width', field.offsetWidth + 'px');
  }
  form.addEventListener('input', debounce((event) => validate(event.target), 200));
  form.addEventListener('submit', async function (event) {
    event.preventDefault();
    for (const field of this.elements) validate(field);
    if (Object.values(errors).some(Boolean)) return;
    await Host.storage.set('order', JSON.stringify(Object.fromEntries(new FormData(this))));
    await sleep(100);
    const row = document.querySelector('template').content.cloneNode(true);
    row.querySelector('.name').textContent = form.email.value;
    const image = row.querySelector('img');
    image.src = form.picture.value;
    document.querySelector('tbody').append(row);
    location.href = 'index.html?ordered=' + encodeURIComponent(form.amount.value);
  });
})();
`;

/** By name. Each calls an operation that needs the permission storage. */
export const ORDINARY_APPS: Readonly<Record<string, string>> = { TODO, FRAMEWORK, GAME, FORM };
