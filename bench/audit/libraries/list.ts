/** Widely used libraries of front ends, each with an app that uses it in the ordinary way. */

export interface Library {
  readonly name: string;
  readonly version: string;
  /** Other packages that its code imports. */
  readonly needs?: readonly string[];
  /** A module of an app. `root` is an element of its page. */
  readonly code: string;
}

const library = (name: string, version: string, code: string, needs: readonly string[] = []): Library => ({
  name,
  version,
  code,
  needs,
});

export const LIBRARIES: readonly Library[] = [
  library(
    'react-dom',
    '19.3.1',
    `import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
function Counter() {
  const [count, setCount] = useState(0);
  return h('button', { onClick: () => setCount(count + 1) }, count, ' times');
}
createRoot(root).render(h(Counter));`,
    ['react'],
  ),
  library(
    'react',
    '19.3.1',
    `import { Children, createElement as h, useMemo } from 'react';
const List = ({ items }) => useMemo(() => h('ul', null, items.map((item) => h('li', { key: item }, item))), [items]);
root.textContent = String(Children.count(h(List, { items: [1, 2] })));`,
  ),
  library(
    'vue',
    '3.5.45',
    `import { createApp, h, ref } from 'vue/dist/vue.runtime.esm-bundler.js';
createApp({ setup() { const count = ref(0); return () => h('button', { onClick: () => count.value++ }, count.value); } }).mount(root);`,
  ),
  library(
    'preact',
    '11.2.0',
    `import { h, render } from 'preact';
import { useState } from 'preact/hooks';
function Counter() { const [n, setN] = useState(0); return h('button', { onClick: () => setN(n + 1) }, n); }
render(h(Counter), root);`,
  ),
  library(
    'svelte',
    '5.57.3',
    `import { mount } from 'svelte';
import * as $ from 'svelte/internal/client';
const template = $.from_html('<button> </button>');
function Counter(anchor) {
  let count = $.state(0);
  const button = template();
  const text = $.child(button);
  $.template_effect(() => $.set_text(text, $.get(count)));
  button.addEventListener('click', () => $.set(count, $.get(count) + 1));
  $.append(anchor, button);
}
mount(Counter, { target: root });`,
  ),
  library(
    'solid-js',
    '1.9.19',
    `import { createEffect, createSignal } from 'solid-js';
import { render } from 'solid-js/web';
render(() => { const [n, setN] = createSignal(0); const b = document.createElement('button'); b.onclick = () => setN(n() + 1); createEffect(() => { b.textContent = n(); }); return b; }, root);`,
  ),
  library(
    'lit',
    '3.3.3',
    `import { LitElement, html, render } from 'lit';
class Hello extends LitElement { static properties = { name: {} }; render() { return html\`<p>Hello \${this.name}</p>\`; } }
customElements.define('hello-card', Hello);
render(html\`<hello-card name="you"></hello-card>\`, root);`,
  ),
  library(
    'mithril',
    '2.3.8',
    `import m from 'mithril';
let count = 0;
m.mount(root, { view: () => m('button', { onclick: () => count++ }, count) });`,
  ),
  library(
    'alpinejs',
    '3.17.4',
    `import Alpine from '@alpinejs/csp';
Alpine.data('counter', () => ({ count: 0, more() { this.count++; } }));
Alpine.start();`,
    ['@alpinejs/csp'],
  ),
  library(
    'knockout',
    '3.5.3',
    `import ko from 'knockout';
const count = ko.observable(0);
ko.computed(() => { root.textContent = count(); });
root.addEventListener('click', () => count(count() + 1));`,
  ),
  library(
    'backbone',
    '1.6.1',
    `import Backbone from 'backbone';
const note = new Backbone.Model({ text: '' });
note.on('change:text', () => { root.textContent = note.get('text'); });
note.set({ text: 'Hello' });`,
  ),
  library(
    'jquery',
    '4.0.0',
    `import $ from 'jquery';
$(root).addClass('ready').text('Hello').on('click', (event) => $(event.currentTarget).fadeOut(200));`,
  ),
  library(
    'lodash',
    '4.18.1',
    `import _ from 'lodash';
const rows = _.sortBy([{ n: 2 }, { n: 1 }], 'n');
root.addEventListener('input', _.debounce(() => { root.textContent = _.map(rows, 'n').join(); }, 100));`,
  ),
  library(
    'underscore',
    '1.13.8',
    `import _ from 'underscore';
const groups = _.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even'));
root.addEventListener('scroll', _.throttle(() => { root.textContent = _.keys(groups).join(); }, 100));`,
  ),
  library(
    'ramda',
    '0.32.0',
    `import * as R from 'ramda';
root.textContent = R.pipe(R.filter(R.gt(R.__, 1)), R.map(R.inc), R.join(','))([1, 2, 3]);`,
  ),
  library(
    'immutable',
    '5.2.1',
    `import { List, Map } from 'immutable';
root.textContent = Map({ notes: List(['a']) }).update('notes', (notes) => notes.push('b')).get('notes').join();`,
  ),
  library(
    'immer',
    '11.2.10',
    `import { produce } from 'immer';
root.textContent = produce({ notes: [] }, (draft) => { draft.notes.push('a'); }).notes.join();`,
  ),
  library(
    'redux',
    '5.0.1',
    `import { combineReducers, createStore } from 'redux';
const store = createStore(combineReducers({ count: (count = 0, { type }) => (type === 'more' ? count + 1 : count) }));
store.subscribe(() => { root.textContent = store.getState().count; });
root.onclick = () => store.dispatch({ type: 'more' });`,
  ),
  library(
    'zustand',
    '5.1.0',
    `import { createStore } from 'zustand/vanilla';
const store = createStore((set) => ({ count: 0, more: () => set((state) => ({ count: state.count + 1 })) }));
store.subscribe(({ count }) => { root.textContent = count; });
root.onclick = () => store.getState().more();`,
  ),
  library(
    'mobx',
    '7.1.3',
    `import { autorun, makeAutoObservable } from 'mobx';
const state = makeAutoObservable({ count: 0, more() { this.count++; } });
autorun(() => { root.textContent = state.count; });
root.onclick = () => state.more();`,
  ),
  library(
    'rxjs',
    '7.8.2',
    `import { debounceTime, fromEvent, map } from 'rxjs';
fromEvent(root, 'input').pipe(debounceTime(100), map((event) => event.target.value)).subscribe((text) => { root.title = text; });`,
  ),
  library(
    'axios',
    '1.21.1',
    `import axios from 'axios';
const client = axios.create({
  adapter: async (config) => {
    const response = await Host.network.fetch(config.url, { method: 'GET' });
    return { data: await response.text(), status: 200, statusText: '', headers: {}, config };
  },
});
client.get('https://api.example.com/notes').then(({ data }) => { root.textContent = data; });`,
  ),
  library(
    'three',
    '0.187.0',
    `import { BoxGeometry, Mesh, MeshNormalMaterial, PerspectiveCamera, Scene, WebGLRenderer } from 'three';
const scene = new Scene();
const camera = new PerspectiveCamera(70, 1, 0.1, 10);
camera.position.z = 2;
const mesh = new Mesh(new BoxGeometry(), new MeshNormalMaterial());
scene.add(mesh);
const renderer = new WebGLRenderer({ antialias: true });
renderer.setAnimationLoop((time) => { mesh.rotation.x = time / 2000; renderer.render(scene, camera); });
root.append(renderer.domElement);`,
  ),
  library(
    'pixi.js',
    '8.22.0',
    `import { Application, Graphics } from 'pixi.js';
const app = new Application();
app.init({ width: 300, height: 300 }).then(() => {
  root.append(app.canvas);
  app.stage.addChild(new Graphics().rect(10, 10, 50, 50).fill(0xff0000));
});`,
  ),
  library(
    'phaser',
    '4.2.1',
    `import Phaser from 'phaser';
new Phaser.Game({ type: Phaser.CANVAS, parent: root, scene: { create() { this.add.rectangle(50, 50, 20, 20, 0xff0000); }, update() {} } });`,
  ),
  library(
    'chart.js',
    '4.6.1',
    `import { Chart, registerables } from 'chart.js';
Chart.register(...registerables);
new Chart(root, { type: 'bar', data: { labels: ['a', 'b'], datasets: [{ label: 'n', data: [1, 2] }] } });`,
  ),
  library(
    'd3',
    '7.9.2',
    `import * as d3 from 'd3';
const x = d3.scaleLinear().domain([0, 10]).range([0, 300]);
d3.select(root).append('svg').selectAll('rect').data([1, 5, 8]).join('rect').attr('width', x).attr('height', 10);
d3.select(root).append('p').text('Rows');`,
  ),
  library(
    'echarts',
    '6.1.0',
    `import * as echarts from 'echarts';
echarts.init(root).setOption({ xAxis: { data: ['a', 'b'] }, yAxis: {}, series: [{ type: 'bar', data: [1, 2] }] });`,
  ),
  library(
    'konva',
    '10.9.1',
    `import Konva from 'konva';
const stage = new Konva.Stage({ container: root, width: 300, height: 300 });
const layer = new Konva.Layer();
layer.add(new Konva.Circle({ x: 50, y: 50, radius: 20, fill: 'red', draggable: true }));
stage.add(layer);`,
  ),
  library(
    'matter-js',
    '0.20.0',
    `import { Bodies, Composite, Engine, Render, Runner } from 'matter-js';
const engine = Engine.create();
Composite.add(engine.world, [Bodies.rectangle(100, 10, 20, 20), Bodies.rectangle(100, 200, 300, 20, { isStatic: true })]);
Render.run(Render.create({ element: root, engine }));
Runner.run(Runner.create(), engine);`,
  ),
  library(
    'gsap',
    '3.15.0',
    `import gsap from 'gsap';
gsap.to(root, { x: 100, rotation: 90, duration: 1, ease: 'power2.out' });`,
  ),
  library(
    'animejs',
    '4.5.0',
    `import { animate } from 'animejs';
animate(root, { translateX: 100, duration: 500 });`,
  ),
  library(
    'lottie-web',
    '5.13.0',
    `import lottie from 'lottie-web/build/player/lottie_light.js';
lottie.loadAnimation({ container: root, renderer: 'svg', loop: true, animationData: { v: '5.0', fr: 30, ip: 0, op: 30, w: 100, h: 100, layers: [] } });`,
  ),
  library(
    'howler',
    '2.2.4',
    `import { Howl } from 'howler';
const sound = new Howl({ src: ['beep.mp3'], html5: true, volume: 0.5 });
root.onclick = () => sound.play();`,
  ),
  library(
    'tone',
    '15.5.44',
    `import * as Tone from 'tone';
root.onclick = async () => { await Tone.start(); new Tone.Synth().toDestination().triggerAttackRelease('C4', '8n'); };`,
  ),
  library(
    'swiper',
    '14.4.0',
    `import Swiper from 'swiper';
import { Navigation, Pagination } from 'swiper/modules';
new Swiper(root, { modules: [Navigation, Pagination], loop: true });`,
  ),
  library(
    'bootstrap',
    '5.3.8',
    `import { Modal, Tooltip } from 'bootstrap';
new Tooltip(root, { title: 'Hello' });
root.onclick = () => new Modal(root).show();`,
    ['@popperjs/core'],
  ),
  library(
    '@popperjs/core',
    '2.11.8',
    `import { createPopper } from '@popperjs/core';
createPopper(root, document.querySelector('.tip'), { placement: 'bottom' });`,
  ),
  library(
    'tippy.js',
    '6.3.7',
    `import tippy from 'tippy.js';
tippy(root, { content: 'Hello' });`,
    ['@popperjs/core'],
  ),
  library(
    'leaflet',
    '1.9.4',
    `import L from 'leaflet';
const map = L.map(root, { crs: L.CRS.Simple }).setView([0, 0], 1);
L.imageOverlay('plan.png', [[0, 0], [100, 100]]).addTo(map);
L.marker([50, 50]).addTo(map).bindPopup('Here');`,
  ),
  library(
    'sortablejs',
    '1.15.7',
    `import Sortable from 'sortablejs';
Sortable.create(root, { animation: 150, onEnd: ({ newIndex }) => { root.title = newIndex; } });`,
  ),
  library(
    'hammerjs',
    '2.0.8',
    `import Hammer from 'hammerjs';
new Hammer(root).on('swipeleft swiperight', (event) => { root.textContent = event.type; });`,
  ),
  library(
    'flatpickr',
    '4.6.13',
    `import flatpickr from 'flatpickr';
flatpickr(root, { enableTime: true, onChange: (dates) => { root.title = String(dates[0]); } });`,
  ),
  library(
    'nouislider',
    '15.8.1',
    `import noUiSlider from 'nouislider';
noUiSlider.create(root, { start: [20, 80], connect: true, range: { min: 0, max: 100 } });`,
  ),
  library(
    'choices.js',
    '11.2.4',
    `import Choices from 'choices.js';
new Choices(root, { removeItemButton: true });`,
  ),
  library(
    'quill',
    '2.0.3',
    `import Quill from 'quill';
const quill = new Quill(root, { theme: 'snow', modules: { toolbar: [['bold', 'italic']] } });
quill.on('text-change', () => { Host.storage.set('text', JSON.stringify(quill.getContents())); });`,
  ),
  library(
    'htmx.org',
    '4.0.1',
    `import htmx from 'htmx.org';
htmx.onLoad((element) => element.classList.add('ready'));
htmx.process(root);`,
  ),
  library(
    'handlebars',
    '4.7.10',
    `import Handlebars from 'handlebars/runtime';
const template = Handlebars.template({ compiler: [8, '>= 4.3.0'], main: (container, depth0) => 'Hello ' + container.escapeExpression(depth0.name), useData: true });
root.textContent = template({ name: 'you' });`,
  ),
  library(
    'mustache',
    '4.2.0',
    `import Mustache from 'mustache';
root.textContent = Mustache.render('Hello {{name}}', { name: 'you' });`,
  ),
  library(
    'marked',
    '18.2.1',
    `import { marked } from 'marked';
const tokens = marked.lexer('# Hello');
root.textContent = tokens.map(({ raw }) => raw).join('');`,
  ),
  library(
    'dompurify',
    '3.4.18',
    `import DOMPurify from 'dompurify';
root.replaceChildren(DOMPurify.sanitize('<b>Hello</b>', { RETURN_DOM_FRAGMENT: true }));`,
  ),
  library(
    'highlight.js',
    '11.12.0',
    `import hljs from 'highlight.js/lib/core';
import javascript from 'highlight.js/lib/languages/javascript';
hljs.registerLanguage('javascript', javascript);
hljs.highlightElement(root);`,
  ),
  library(
    'prismjs',
    '1.30.0',
    `import Prism from 'prismjs';
Prism.highlightElement(root);`,
  ),
  library(
    'moment',
    '2.31.0',
    `import moment from 'moment';
root.textContent = moment('2024-01-01').add(3, 'days').format('LL');`,
  ),
  library(
    'dayjs',
    '1.11.23',
    `import dayjs from 'dayjs';
import relativeTime from 'dayjs/plugin/relativeTime';
dayjs.extend(relativeTime);
root.textContent = dayjs().to(dayjs('2030-01-01'));`,
  ),
  library(
    'date-fns',
    '4.4.0',
    `import { addDays, format } from 'date-fns';
root.textContent = format(addDays(new Date(), 3), 'yyyy-MM-dd');`,
  ),
  library(
    'luxon',
    '3.7.2',
    `import { DateTime } from 'luxon';
root.textContent = DateTime.now().plus({ days: 3 }).toFormat('yyyy-MM-dd');`,
  ),
  library(
    'zod',
    '4.6.7',
    `import { z } from 'zod';
const note = z.object({ text: z.string().max(100), done: z.boolean() });
root.textContent = String(note.safeParse(JSON.parse('{}')).success);`,
  ),
  library(
    'mathjs',
    '15.2.0',
    `import { create, addDependencies, multiplyDependencies, matrixDependencies } from 'mathjs';
const math = create({ addDependencies, multiplyDependencies, matrixDependencies });
root.textContent = String(math.multiply(math.matrix([[1, 2], [3, 4]]), 2));`,
  ),
  library(
    'fuse.js',
    '7.5.0',
    `import Fuse from 'fuse.js';
root.textContent = new Fuse([{ title: 'Notes' }], { keys: ['title'] }).search('note').map(({ item }) => item.title).join();`,
  ),
  library(
    'i18next',
    '27.1.2',
    `import i18next from 'i18next';
i18next.init({ lng: 'en', resources: { en: { translation: { hello: 'Hello {{name}}' } } } }).then((t) => { root.textContent = t('hello', { name: 'you' }); });`,
  ),
  library(
    'papaparse',
    '5.7.1',
    `import Papa from 'papaparse';
root.textContent = Papa.parse('a,b\\n1,2', { header: true }).data.length;`,
  ),
  library(
    'uuid',
    '14.0.3',
    `import { v4 } from 'uuid';
root.textContent = v4();`,
  ),
];
