// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts
/** Apps as their authors write them, each with a library that is usual with React. */

/** Versions of what the apps are made with. */
export const PACKAGES: Readonly<Record<string, string>> = {
  '@chakra-ui/react': '3.38.0',
  '@dnd-kit/core': '6.3.1',
  '@dnd-kit/sortable': '10.0.0',
  '@dnd-kit/utilities': '3.2.2',
  '@emotion/react': '11.14.0',
  '@emotion/styled': '11.14.1',
  '@headlessui/react': '2.2.10',
  '@hookform/resolvers': '7.0.9',
  '@mantine/core': '9.8.1',
  '@mantine/hooks': '9.8.1',
  '@mui/material': '9.5.0',
  '@react-spring/web': '10.1.2',
  '@reduxjs/toolkit': '2.15.0',
  '@tailwindcss/vite': '4.3.5',
  '@tanstack/react-query': '5.108.4',
  '@tanstack/react-table': '8.21.3',
  '@tanstack/react-virtual': '3.14.26',
  '@vitejs/plugin-react': '6.3.0',
  antd: '6.6.8',
  bootstrap: '5.3.9',
  'chart.js': '4.6.1',
  clsx: '2.1.1',
  'date-fns': '4.4.0',
  dayjs: '1.11.23',
  formik: '2.4.9',
  'framer-motion': '14.14.0',
  i18next: '26.7.2',
  immer: '11.2.13',
  jotai: '2.20.3',
  'lucide-react': '1.81.0',
  mobx: '7.1.3',
  'mobx-react-lite': '5.1.0',
  motion: '14.14.0',
  preact: '11.2.0',
  'radix-ui': '1.8.1',
  react: '19.3.1',
  'react-bootstrap': '2.10.10',
  'react-chartjs-2': '5.3.1',
  'react-datepicker': '9.1.0',
  'react-dom': '19.3.1',
  'react-hook-form': '7.92.0',
  'react-i18next': '17.1.13',
  'react-icons': '5.7.0',
  'react-is': '19.3.1',
  'react-markdown': '10.1.0',
  'react-redux': '9.3.1',
  'react-router': '7.18.7',
  'react-router-6': 'npm:react-router-dom@6.30.6',
  'react-router-dom': '7.18.7',
  'react-select': '5.10.2',
  recharts: '3.11.1',
  sonner: '2.0.8',
  'styled-components': '6.6.0',
  swr: '2.5.1',
  tailwindcss: '4.3.5',
  valtio: '2.3.2',
  vite: '8.4.0',
  wouter: '3.13.0',
  yup: '1.7.1',
  zod: '4.6.7',
  zustand: '5.1.0',
};

export interface ReactApp {
  readonly files: Readonly<Record<string, string>>;
  readonly isTailwind?: boolean;
  /** `compat`: in the place of React. */
  readonly preact?: 'plain' | 'compat';
}

interface Parts {
  /** Of main.jsx: imports and statements before it renders, and what it renders. */
  readonly extra?: string;
  readonly wrap?: string;
  readonly css?: string;
  readonly isTailwind?: boolean;
}

const main = (extra = '', wrap = '<App />'): string => `import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from '/src/App.jsx';
import '/src/index.css';
${extra}
createRoot(document.getElementById('root')).render(<StrictMode>${wrap}</StrictMode>);
`;

const css = `:root { font-family: system-ui, sans-serif; color-scheme: light dark; }
button { border-radius: 8px; padding: .6em 1.2em; }
`;

function app(source: string, more: Readonly<Record<string, string>> = {}, parts: Parts = {}): ReactApp {
  const { extra, wrap, css: first = '', isTailwind = false } = parts;
  const own = { 'src/main.jsx': main(extra, wrap), 'src/App.jsx': source, 'src/index.css': first + css };
  return { files: { ...own, ...more }, isTailwind };
}

const S = {
  'src/store.js': `export async function load(key, fallback) {
  const text = await window.Host.storage.get(key);
  return text === null || text === undefined ? fallback : JSON.parse(text);
}
export const save = (key, value) => window.Host.storage.set(key, JSON.stringify(value));
`,
};

export const REACT_APPS: Readonly<Record<string, ReactApp>> = {
  counter: app(
    `import { useEffect, useState } from 'react';
import { load, save } from '/src/store.js';
export default function App() {
  const [count, setCount] = useState(0);
  useEffect(() => { load('count', 0).then(setCount); }, []);
  useEffect(() => { save('count', count); }, [count]);
  return <main><h1>Counter</h1><button onClick={() => setCount((c) => c + 1)}>count is {count}</button></main>;
}
`,
    S,
  ),
  router: app(
    `import { useEffect, useState } from 'react';
import { HashRouter, Routes, Route, NavLink, useParams, useNavigate } from 'react-router-dom';
import { load, save } from '/src/store.js';
function List({ notes }) { return <ul>{notes.map((n, i) => <li key={i}><NavLink to={'/note/' + i}>{n.title}</NavLink></li>)}</ul>; }
function Note({ notes }) { const { id } = useParams(); const go = useNavigate(); const n = notes[id]; return n ? <article><h2>{n.title}</h2><p>{n.body}</p><button onClick={() => go(-1)}>Back</button></article> : <p>Not found</p>; }
function Add({ onAdd }) { const [t, setT] = useState(''); const go = useNavigate(); return <form onSubmit={(e) => { e.preventDefault(); onAdd({ title: t, body: '' }); go('/'); }}><input value={t} onChange={(e) => setT(e.target.value)} /><button>Add</button></form>; }
export default function App() {
  const [notes, setNotes] = useState([]);
  useEffect(() => { load('notes', []).then(setNotes); }, []);
  const add = (n) => { const next = [...notes, n]; setNotes(next); save('notes', next); };
  return <HashRouter><nav><NavLink to="/">All</NavLink> <NavLink to="/add">Add</NavLink></nav><Routes>
    <Route path="/" element={<List notes={notes} />} /><Route path="/add" element={<Add onAdd={add} />} /><Route path="/note/:id" element={<Note notes={notes} />} /></Routes></HashRouter>;
}
`,
    S,
  ),
  'router-data-lazy': app(
    `import { createHashRouter, RouterProvider, Link, Outlet, useLoaderData } from 'react-router';
import { lazy, Suspense } from 'react';
import { load } from '/src/store.js';
const Settings = lazy(() => import('/src/pages/Settings.jsx'));
const About = lazy(() => import('/src/pages/About.jsx'));
function Shell() { return <><nav><Link to="/">Home</Link> <Link to="/settings">Settings</Link> <Link to="/about">About</Link></nav><Suspense fallback={<p>…</p>}><Outlet /></Suspense></>; }
function Home() { const { name } = useLoaderData(); return <h1>Hello {name}</h1>; }
const router = createHashRouter([{ path: '/', element: <Shell />, children: [
  { index: true, loader: async () => ({ name: await load('name', 'you') }), element: <Home /> },
  { path: 'settings', element: <Settings /> }, { path: 'about', element: <About /> } ] }]);
export default function App() { return <RouterProvider router={router} />; }
`,
    {
      ...S,
      'src/pages/Settings.jsx': `import { useState } from 'react';
import { save } from '/src/store.js';
import '/src/pages/settings.css';
export default function Settings() { const [n, setN] = useState(''); return <form onSubmit={(e) => { e.preventDefault(); save('name', n); }}><input value={n} onChange={(e) => setN(e.target.value)} /><button>Save</button></form>; }
`,
      'src/pages/settings.css': 'form { display: grid; gap: 1rem; }\n',
      'src/pages/About.jsx': `export default function About() { return <p>A small app.</p>; }\n`,
    },
  ),
  zustand: app(`import { create } from 'zustand';
import { persist, createJSONStorage } from 'zustand/middleware';
const host = { getItem: (k) => Host.storage.get(k), setItem: (k, v) => Host.storage.set(k, v), removeItem: (k) => Host.storage.set(k, '') };
const useTodos = create(persist((set) => ({ todos: [], add: (text) => set((s) => ({ todos: [...s.todos, { text, done: false }] })), toggle: (i) => set((s) => ({ todos: s.todos.map((t, j) => (j === i ? { ...t, done: !t.done } : t)) })) }), { name: 'todos', storage: createJSONStorage(() => host) }));
export default function App() {
  const { todos, add, toggle } = useTodos();
  return <main><form onSubmit={(e) => { e.preventDefault(); add(new FormData(e.currentTarget).get('t')); e.currentTarget.reset(); }}><input name="t" /><button>Add</button></form>
    <ul>{todos.map((t, i) => <li key={i}><label><input type="checkbox" checked={t.done} onChange={() => toggle(i)} />{t.text}</label></li>)}</ul></main>;
}
`),
  redux: app(
    `import { useSelector, useDispatch } from 'react-redux';
import { added, removed } from '/src/state.js';
export default function App() {
  const items = useSelector((s) => s.cart.items); const dispatch = useDispatch();
  return <main><button onClick={() => dispatch(added({ name: 'Apple', price: 1 }))}>Add</button><ul>{items.map((i) => <li key={i.id}>{i.name}<button onClick={() => dispatch(removed(i.id))}>x</button></li>)}</ul></main>;
}
`,
    {
      'src/state.js': `import { configureStore, createSlice, nanoid, createAsyncThunk } from '@reduxjs/toolkit';
export const restore = createAsyncThunk('cart/restore', async () => JSON.parse((await Host.storage.get('cart')) ?? '[]'));
const cart = createSlice({ name: 'cart', initialState: { items: [] }, reducers: {
  added: { reducer: (s, a) => { s.items.push(a.payload); }, prepare: (p) => ({ payload: { ...p, id: nanoid() } }) },
  removed: (s, a) => { s.items = s.items.filter((i) => i.id !== a.payload); } },
  extraReducers: (b) => b.addCase(restore.fulfilled, (s, a) => { s.items = a.payload; }) });
export const { added, removed } = cart.actions;
export const store = configureStore({ reducer: { cart: cart.reducer } });
store.subscribe(() => Host.storage.set('cart', JSON.stringify(store.getState().cart.items)));
`,
    },
    {
      extra: `import { Provider } from 'react-redux';\nimport { store, restore } from '/src/state.js';\nstore.dispatch(restore());`,
      wrap: '<Provider store={store}><App /></Provider>',
    },
  ),
  query: app(
    `import { useQuery, useMutation, useQueryClient, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { load, save } from '/src/store.js';
const client = new QueryClient({ defaultOptions: { queries: { networkMode: 'always', staleTime: 1e4 } } });
function List() {
  const qc = useQueryClient();
  const { data = [], isPending, error } = useQuery({ queryKey: ['list'], queryFn: () => load('list', []) });
  const add = useMutation({ mutationFn: (n) => save('list', [...data, n]), onSuccess: () => qc.invalidateQueries({ queryKey: ['list'] }) });
  if (isPending) return <p>Loading</p>; if (error) return <p>{error.message}</p>;
  return <><button onClick={() => add.mutate('Item ' + data.length)}>Add</button><ul>{data.map((x) => <li key={x}>{x}</li>)}</ul></>;
}
export default function App() { return <QueryClientProvider client={client}><List /></QueryClientProvider>; }
`,
    S,
  ),
  'hook-form-zod': app(
    `import { useForm, useFieldArray } from 'react-hook-form';
import { z } from 'zod';
import { zodResolver } from '@hookform/resolvers/zod';
import { save } from '/src/store.js';
const schema = z.object({ name: z.string().min(2), email: z.email(), age: z.coerce.number().int().min(18), tags: z.array(z.object({ v: z.string().min(1) })) });
export default function App() {
  const { register, control, handleSubmit, formState: { errors, isSubmitting } } = useForm({ resolver: zodResolver(schema), defaultValues: { name: '', email: '', age: 18, tags: [{ v: '' }] } });
  const { fields, append, remove } = useFieldArray({ control, name: 'tags' });
  return <form onSubmit={handleSubmit((v) => save('profile', v))}>
    <input {...register('name')} />{errors.name && <em>{errors.name.message}</em>}<input {...register('email')} />{errors.email && <em>{errors.email.message}</em>}
    <input type="number" {...register('age')} />{fields.map((f, i) => <div key={f.id}><input {...register('tags.' + i + '.v')} /><button type="button" onClick={() => remove(i)}>-</button></div>)}
    <button type="button" onClick={() => append({ v: '' })}>+</button><button disabled={isSubmitting}>Save</button></form>;
}
`,
    S,
  ),
  motion: app(
    `import { motion, AnimatePresence, useScroll, useTransform, LayoutGroup } from 'motion/react';
import { useState } from 'react';
import { save } from '/src/store.js';
export default function App() {
  const [on, set] = useState(false); const { scrollYProgress } = useScroll(); const scale = useTransform(scrollYProgress, [0, 1], [1, 2]);
  return <LayoutGroup><motion.div style={{ scale }} drag whileTap={{ scale: 0.9 }} layout /><button onClick={() => { set(!on); save('on', !on); }}>toggle</button>
    <AnimatePresence>{on && <motion.section initial={{ opacity: 0, y: 20 }} animate={{ opacity: 1, y: 0 }} exit={{ opacity: 0 }} transition={{ type: 'spring' }}>Hello</motion.section>}</AnimatePresence></LayoutGroup>;
}
`,
    S,
  ),
  'framer-motion': app(
    `import { LazyMotion, domAnimation, m, useAnimate } from 'framer-motion';
import { useEffect } from 'react';
import { save } from '/src/store.js';
export default function App() {
  const [scope, animate] = useAnimate(); useEffect(() => { animate('li', { opacity: [0, 1] }, { duration: .3 }); save('seen', 1); }, []);
  return <LazyMotion features={domAnimation}><ul ref={scope}>{[1, 2, 3].map((i) => <m.li key={i} animate={{ x: i * 10 }}>{i}</m.li>)}</ul></LazyMotion>;
}
`,
    S,
  ),
  recharts: app(
    `import { useEffect, useState } from 'react';
import { ResponsiveContainer, LineChart, Line, XAxis, YAxis, Tooltip, Legend, CartesianGrid, PieChart, Pie, BarChart, Bar } from 'recharts';
import { load } from '/src/store.js';
export default function App() {
  const [data, set] = useState([]); useEffect(() => { load('weights', [{ day: 'Mo', kg: 70 }, { day: 'Tu', kg: 71 }]).then(set); }, []);
  return <><ResponsiveContainer width="100%" height={300}><LineChart data={data}><CartesianGrid /><XAxis dataKey="day" /><YAxis /><Tooltip /><Legend /><Line dataKey="kg" /></LineChart></ResponsiveContainer>
    <BarChart width={300} height={200} data={data}><Bar dataKey="kg" fill="#888" /></BarChart><PieChart width={200} height={200}><Pie data={data} dataKey="kg" nameKey="day" label /></PieChart></>;
}
`,
    S,
  ),
  mui: app(
    `import { useState } from 'react';
import { ThemeProvider, createTheme, CssBaseline, AppBar, Toolbar, Typography, Button, TextField, Dialog, DialogTitle, DialogActions, List, ListItem, ListItemText, Checkbox, Snackbar, Tabs, Tab, Slider, Select, MenuItem, Autocomplete, Drawer } from '@mui/material';
import { save } from '/src/store.js';
const theme = createTheme({ palette: { mode: 'dark' } });
export default function App() {
  const [open, setOpen] = useState(false); const [items, set] = useState([]); const [tab, setTab] = useState(0); const [t, setT] = useState('');
  const add = () => { const next = [...items, t]; set(next); save('items', next); setOpen(false); };
  return <ThemeProvider theme={theme}><CssBaseline /><AppBar position="static"><Toolbar><Typography variant="h6">Tasks</Typography><Button color="inherit" onClick={() => setOpen(true)}>Add</Button></Toolbar></AppBar>
    <Tabs value={tab} onChange={(_, v) => setTab(v)}><Tab label="One" /><Tab label="Two" /></Tabs><Slider defaultValue={3} max={10} /><Select value={1}><MenuItem value={1}>1</MenuItem></Select>
    <Autocomplete options={['a', 'b']} renderInput={(p) => <TextField {...p} label="Pick" />} /><Drawer open={false} />
    <List>{items.map((i) => <ListItem key={i}><Checkbox /><ListItemText primary={i} /></ListItem>)}</List>
    <Dialog open={open} onClose={() => setOpen(false)}><DialogTitle>New</DialogTitle><TextField value={t} onChange={(e) => setT(e.target.value)} /><DialogActions><Button onClick={add}>OK</Button></DialogActions></Dialog><Snackbar open={false} message="Saved" /></ThemeProvider>;
}
`,
    S,
  ),
  antd: app(
    `import { useState } from 'react';
import { Button, Form, Input, InputNumber, Modal, Table, DatePicker, Select, ConfigProvider, App as AntApp, message, Tabs, Switch, Layout } from 'antd';
import { save } from '/src/store.js';
export default function App() {
  const [rows, set] = useState([]); const [open, setOpen] = useState(false); const [form] = Form.useForm();
  const done = (v) => { const next = [...rows, { key: rows.length, ...v }]; set(next); save('rows', next); setOpen(false); message.success('Saved'); };
  return <ConfigProvider theme={{ token: { colorPrimary: '#0a0' } }}><AntApp><Layout><Button type="primary" onClick={() => setOpen(true)}>Add</Button><Table dataSource={rows} columns={[{ title: 'Name', dataIndex: 'name', sorter: (a, b) => (a.name < b.name ? -1 : 1) }, { title: 'Amount', dataIndex: 'amount' }]} />
    <Tabs items={[{ key: '1', label: 'A', children: <Switch /> }]} /><Modal open={open} onCancel={() => setOpen(false)} onOk={form.submit}><Form form={form} onFinish={done}><Form.Item name="name" rules={[{ required: true }]}><Input /></Form.Item><Form.Item name="amount"><InputNumber /></Form.Item><Form.Item name="d"><DatePicker /></Form.Item><Form.Item name="s"><Select options={[{ value: 'a' }]} /></Form.Item></Form></Modal></Layout></AntApp></ConfigProvider>;
}
`,
    S,
  ),
  chakra: app(
    `import { ChakraProvider, defaultSystem, Box, Button, Heading, Stack, Input, Dialog, Portal, Tabs, Checkbox } from '@chakra-ui/react';
import { useState } from 'react';
import { save } from '/src/store.js';
export default function App() {
  const [n, set] = useState('');
  return <ChakraProvider value={defaultSystem}><Box p="4"><Heading>Hello</Heading><Stack><Input value={n} onChange={(e) => set(e.target.value)} /><Checkbox.Root><Checkbox.HiddenInput /><Checkbox.Control /><Checkbox.Label>Yes</Checkbox.Label></Checkbox.Root><Button onClick={() => save('n', n)}>Save</Button></Stack>
    <Tabs.Root defaultValue="a"><Tabs.List><Tabs.Trigger value="a">A</Tabs.Trigger></Tabs.List><Tabs.Content value="a">A</Tabs.Content></Tabs.Root>
    <Dialog.Root><Dialog.Trigger asChild><Button>Open</Button></Dialog.Trigger><Portal><Dialog.Backdrop /><Dialog.Positioner><Dialog.Content><Dialog.Body>Hi</Dialog.Body></Dialog.Content></Dialog.Positioner></Portal></Dialog.Root></Box></ChakraProvider>;
}
`,
    S,
  ),
  radix: app(
    `import { Dialog, DropdownMenu, Tabs, Tooltip, Select, Toast, Popover, Slider, Switch } from 'radix-ui';
import { useState } from 'react';
import { save } from '/src/store.js';
export default function App() {
  const [v, set] = useState([30]);
  return <Tooltip.Provider><Tabs.Root defaultValue="a"><Tabs.List><Tabs.Trigger value="a">A</Tabs.Trigger><Tabs.Trigger value="b">B</Tabs.Trigger></Tabs.List><Tabs.Content value="a"><Slider.Root value={v} onValueChange={set} onValueCommit={(x) => save('v', x)}><Slider.Track><Slider.Range /></Slider.Track><Slider.Thumb /></Slider.Root></Tabs.Content><Tabs.Content value="b"><Switch.Root><Switch.Thumb /></Switch.Root></Tabs.Content></Tabs.Root>
    <Dialog.Root><Dialog.Trigger>Open</Dialog.Trigger><Dialog.Portal><Dialog.Overlay /><Dialog.Content><Dialog.Title>T</Dialog.Title><Dialog.Close>x</Dialog.Close></Dialog.Content></Dialog.Portal></Dialog.Root>
    <DropdownMenu.Root><DropdownMenu.Trigger>Menu</DropdownMenu.Trigger><DropdownMenu.Content><DropdownMenu.Item>One</DropdownMenu.Item></DropdownMenu.Content></DropdownMenu.Root>
    <Select.Root><Select.Trigger><Select.Value /></Select.Trigger><Select.Content><Select.Viewport><Select.Item value="1"><Select.ItemText>1</Select.ItemText></Select.Item></Select.Viewport></Select.Content></Select.Root>
    <Popover.Root><Popover.Trigger>P</Popover.Trigger><Popover.Content>c</Popover.Content></Popover.Root><Tooltip.Root><Tooltip.Trigger>?</Tooltip.Trigger><Tooltip.Content>tip</Tooltip.Content></Tooltip.Root><Toast.Provider><Toast.Root open={false}><Toast.Title>t</Toast.Title></Toast.Root><Toast.Viewport /></Toast.Provider></Tooltip.Provider>;
}
`,
    S,
  ),
  'styled-components': app(
    `import styled, { createGlobalStyle, ThemeProvider, keyframes, css } from 'styled-components';
import { useState } from 'react';
import { save } from '/src/store.js';
const Global = createGlobalStyle\`body { background: \${(p) => p.theme.bg}; }\`;
const spin = keyframes\`from { transform: rotate(0) } to { transform: rotate(360deg) }\`;
const Button = styled.button.attrs({ type: 'button' })\`color: \${(p) => (p.$on ? 'green' : 'red')}; \${(p) => p.$on && css\`animation: \${spin} 1s linear infinite;\`} &:hover { opacity: .8; }\`;
export default function App() { const [on, set] = useState(false); return <ThemeProvider theme={{ bg: '#fff' }}><Global /><Button $on={on} onClick={() => { set(!on); save('on', !on); }}>Go</Button></ThemeProvider>; }
`,
    S,
  ),
  emotion: app(
    `import styled from '@emotion/styled';
import { css, Global, keyframes, ThemeProvider, ClassNames } from '@emotion/react';
import { useState } from 'react';
import { save } from '/src/store.js';
const pulse = keyframes\`from { opacity: 0 } to { opacity: 1 }\`;
const Card = styled('section')\`padding: 1rem; animation: \${pulse} 1s; background: \${({ theme }) => theme.bg};\`;
export default function App() { const [n, set] = useState(0); return <ThemeProvider theme={{ bg: '#eee' }}><Global styles={css\`body { margin: 0 }\`} /><Card onClick={() => { set(n + 1); save('n', n + 1); }}>{n}</Card><ClassNames>{({ css, cx }) => <p className={cx('a', css({ color: 'red' }))}>x</p>}</ClassNames></ThemeProvider>; }
`,
    S,
  ),
  tailwind: app(
    `import { useState } from 'react';
import clsx from 'clsx';
import { save } from '/src/store.js';
export default function App() { const [dark, set] = useState(false); return <main className={clsx('min-h-screen p-6 grid gap-4', dark ? 'bg-slate-900 text-white' : 'bg-white')}><h1 className="text-3xl font-bold underline">Hello</h1><button className="rounded bg-blue-600 hover:bg-blue-700 px-4 py-2 text-white transition" onClick={() => { set(!dark); save('dark', !dark); }}>Toggle</button></main>; }
`,
    S,
    { isTailwind: true, css: '@import "tailwindcss";\n' },
  ),
  i18next: app(
    `import { useTranslation, Trans } from 'react-i18next';
import { useState } from 'react';
import { save } from '/src/store.js';
import '/src/i18n.js';
export default function App() { const { t, i18n } = useTranslation(); const [n, set] = useState(1); return <main><h1>{t('title')}</h1><p>{t('items', { count: n })}</p><Trans i18nKey="rich" components={{ b: <b /> }} /><button onClick={() => set(n + 1)}>+</button>{['en', 'de'].map((l) => <button key={l} onClick={() => { i18n.changeLanguage(l); save('lang', l); }}>{l}</button>)}</main>; }
`,
    {
      ...S,
      'src/i18n.js': `import i18n from 'i18next';
import { initReactI18next } from 'react-i18next';
i18n.use(initReactI18next).init({ lng: navigator.language.slice(0, 2), fallbackLng: 'en', interpolation: { escapeValue: false }, resources: { en: { translation: { title: 'Shopping', items_one: '{{count}} item', items_other: '{{count}} items', rich: 'Very <b>good</b>' } }, de: { translation: { title: 'Einkauf', items_one: '{{count}} Ding', items_other: '{{count}} Dinge', rich: 'Sehr <b>gut</b>' } } } });
export default i18n;
`,
    },
  ),
  'dnd-kit': app(
    `import { DndContext, closestCenter, PointerSensor, KeyboardSensor, useSensor, useSensors } from '@dnd-kit/core';
import { SortableContext, arrayMove, useSortable, verticalListSortingStrategy, sortableKeyboardCoordinates } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { useState } from 'react';
import { save } from '/src/store.js';
function Item({ id }) { const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id }); return <li ref={setNodeRef} style={{ transform: CSS.Transform.toString(transform), transition }} {...attributes} {...listeners}>{id}</li>; }
export default function App() { const [items, set] = useState(['a', 'b', 'c']); const sensors = useSensors(useSensor(PointerSensor), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
  return <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={({ active, over }) => { if (over && active.id !== over.id) set((i) => { const n = arrayMove(i, i.indexOf(active.id), i.indexOf(over.id)); save('order', n); return n; }); }}><SortableContext items={items} strategy={verticalListSortingStrategy}><ul>{items.map((i) => <Item key={i} id={i} />)}</ul></SortableContext></DndContext>; }
`,
    S,
  ),
  'icons-date-fns': app(
    `import { FaHeart, FaTrash } from 'react-icons/fa';
import { MdAlarm } from 'react-icons/md';
import { format, formatDistanceToNow, addDays, differenceInDays, parseISO, startOfWeek } from 'date-fns';
import { de, enGB } from 'date-fns/locale';
import { useEffect, useState } from 'react';
import { load, save } from '/src/store.js';
export default function App() { const [days, set] = useState([]); useEffect(() => { load('days', []).then(set); }, []);
  const add = () => { const n = [...days, addDays(new Date(), days.length).toISOString()]; set(n); save('days', n); };
  return <main><MdAlarm size={32} /><button onClick={add}><FaHeart /> Add</button><p>{format(startOfWeek(new Date(), { locale: de }), 'PPPP', { locale: de })}</p><ul>{days.map((d) => <li key={d}>{format(parseISO(d), 'PPP', { locale: enGB })} ({formatDistanceToNow(parseISO(d), { addSuffix: true })}, {differenceInDays(parseISO(d), new Date())}) <FaTrash /></li>)}</ul></main>; }
`,
    S,
  ),
  preact: {
    files: {
      'src/main.jsx': `import { render } from 'preact';\nimport { App } from '/src/App.jsx';\nimport '/src/index.css';\nrender(<App />, document.getElementById('root'));\n`,
      'src/App.jsx': `import { useEffect, useState } from 'preact/hooks';
import { load, save } from '/src/store.js';
export function App() { const [n, set] = useState(0); useEffect(() => { load('n', 0).then(set); }, []); return <main><button onClick={() => { set(n + 1); save('n', n + 1); }}>{n}</button><svg viewBox="0 0 10 10"><circle r={n % 10} /></svg></main>; }
`,
      'src/index.css': css,
      ...S,
    },
    preact: 'plain',
  },
  'preact-compat': {
    files: {
      'src/main.jsx': main(),
      'src/App.jsx': `import { useState, Suspense, lazy } from 'react';
import { create } from 'zustand';
import { save } from '/src/store.js';
const Page = lazy(() => import('/src/Page.jsx'));
const use = create((set) => ({ n: 0, inc: () => set((s) => ({ n: s.n + 1 })) }));
export default function App() { const { n, inc } = use(); const [on, set] = useState(false); return <main><button onClick={() => { inc(); save('n', n + 1); set(true); }}>{n}</button>{on && <Suspense fallback="…"><Page /></Suspense>}</main>; }
`,
      'src/Page.jsx': `export default function Page() { return <p>Page</p>; }\n`,
      'src/index.css': css,
      ...S,
    },
    preact: 'compat',
  },
  'jotai-immer': app(`import { atom, useAtom, useAtomValue, Provider } from 'jotai';
import { atomWithStorage, createJSONStorage } from 'jotai/utils';
import { produce } from 'immer';
const storage = createJSONStorage(() => ({ getItem: (k) => Host.storage.get(k), setItem: (k, v) => Host.storage.set(k, v), removeItem: (k) => Host.storage.set(k, '') }));
const list = atomWithStorage('list', [], storage);
const total = atom(async (get) => (await get(list)).length);
function Count() { return <b>{useAtomValue(total)}</b>; }
function List() { const [items, set] = useAtom(list); return <><button onClick={() => set(async (p) => produce(await p, (d) => { d.push({ id: d.length }); }))}>Add</button><ul>{items.map((i) => <li key={i.id}>{i.id}</li>)}</ul></>; }
export default function App() { return <Provider><List /><Count /></Provider>; }
`),
  mantine: app(
    `import '@mantine/core/styles.css';
import { MantineProvider, Button, TextInput, Modal, Tabs, Stack, Title, Select, Switch, NumberInput, Table } from '@mantine/core';
import { useDisclosure, useListState } from '@mantine/hooks';
import { save } from '/src/store.js';
export default function App() { const [open, { toggle, close }] = useDisclosure(false); const [items, h] = useListState([]);
  return <MantineProvider defaultColorScheme="auto"><Stack><Title>Hi</Title><TextInput label="Name" /><NumberInput /><Select data={['a', 'b']} /><Switch /><Button onClick={toggle}>Open</Button><Modal opened={open} onClose={close}><Button onClick={() => { h.append(1); save('n', items.length); }}>Add</Button></Modal><Tabs defaultValue="a"><Tabs.List><Tabs.Tab value="a">A</Tabs.Tab></Tabs.List></Tabs><Table data={{ body: [items] }} /></Stack></MantineProvider>; }
`,
    S,
  ),
  'headlessui-tailwind': app(
    `import { Dialog, DialogPanel, DialogTitle, Menu, MenuButton, MenuItem, MenuItems, Listbox, ListboxButton, ListboxOption, ListboxOptions, Switch, Transition, Combobox, ComboboxInput, ComboboxOptions, ComboboxOption } from '@headlessui/react';
import { useState } from 'react';
import { save } from '/src/store.js';
export default function App() { const [open, set] = useState(false); const [v, setV] = useState('a'); return <main className="p-4"><button onClick={() => set(true)}>Open</button><Dialog open={open} onClose={() => set(false)} className="relative z-50"><DialogPanel><DialogTitle>T</DialogTitle><Switch checked={open} onChange={set} /></DialogPanel></Dialog><Menu><MenuButton>Menu</MenuButton><MenuItems><MenuItem><button onClick={() => save('x', 1)}>One</button></MenuItem></MenuItems></Menu><Listbox value={v} onChange={setV}><ListboxButton>{v}</ListboxButton><ListboxOptions>{['a', 'b'].map((x) => <ListboxOption key={x} value={x}>{x}</ListboxOption>)}</ListboxOptions></Listbox><Transition show={open}><p>shown</p></Transition><Combobox value={v} onChange={setV}><ComboboxInput /><ComboboxOptions><ComboboxOption value="a">a</ComboboxOption></ComboboxOptions></Combobox></main>; }
`,
    S,
    { isTailwind: true, css: '@import "tailwindcss";\n' },
  ),
  bootstrap: app(
    `import 'bootstrap/dist/css/bootstrap.min.css';
import { Container, Navbar, Nav, Button, Modal, Form, Alert, Accordion, Tab, Tabs, OverlayTrigger, Tooltip, Offcanvas, Carousel } from 'react-bootstrap';
import { useState } from 'react';
import { save } from '/src/store.js';
export default function App() { const [show, set] = useState(false); const [t, setT] = useState(''); return <Container><Navbar><Nav><Nav.Link href="#a">A</Nav.Link></Nav></Navbar><Alert variant="info">Hi</Alert><Accordion><Accordion.Item eventKey="0"><Accordion.Header>h</Accordion.Header><Accordion.Body>b</Accordion.Body></Accordion.Item></Accordion><Tabs><Tab eventKey="a" title="A">a</Tab></Tabs><OverlayTrigger overlay={<Tooltip>tip</Tooltip>}><Button onClick={() => set(true)}>Open</Button></OverlayTrigger><Modal show={show} onHide={() => set(false)}><Modal.Body><Form onSubmit={(e) => { e.preventDefault(); save('t', t); }}><Form.Control value={t} onChange={(e) => setT(e.target.value)} /></Form></Modal.Body></Modal><Offcanvas show={false} /><Carousel><Carousel.Item>1</Carousel.Item></Carousel></Container>; }
`,
    S,
  ),
  'formik-yup': app(
    `import { Formik, Form, Field, ErrorMessage, FieldArray } from 'formik';
import * as Yup from 'yup';
import { save } from '/src/store.js';
const schema = Yup.object({ name: Yup.string().required().max(20), email: Yup.string().email().required(), friends: Yup.array().of(Yup.string()) });
export default function App() { return <Formik initialValues={{ name: '', email: '', friends: [''] }} validationSchema={schema} onSubmit={(v) => save('form', v)}>{({ values }) => <Form><Field name="name" /><ErrorMessage name="name" /><Field name="email" type="email" /><ErrorMessage name="email" /><FieldArray name="friends">{({ push }) => <>{values.friends.map((_, i) => <Field key={i} name={'friends.' + i} />)}<button type="button" onClick={() => push('')}>+</button></>}</FieldArray><button>Send</button></Form>}</Formik>; }
`,
    S,
  ),
  'table-virtual': app(
    `import { useReactTable, getCoreRowModel, getSortedRowModel, getFilteredRowModel, flexRender, createColumnHelper } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { save } from '/src/store.js';
const h = createColumnHelper(); const columns = [h.accessor('id', { header: 'Id' }), h.accessor('name', { header: 'Name', cell: (i) => <b>{i.getValue()}</b> })];
export default function App() { const data = useMemo(() => Array.from({ length: 1000 }, (_, id) => ({ id, name: 'Row ' + id })), []); const [sorting, setSorting] = useState([]); const ref = useRef(null);
  const table = useReactTable({ data, columns, state: { sorting }, onSortingChange: (s) => { setSorting(s); save('sorted', 1); }, getCoreRowModel: getCoreRowModel(), getSortedRowModel: getSortedRowModel(), getFilteredRowModel: getFilteredRowModel() }); const rows = table.getRowModel().rows;
  const v = useVirtualizer({ count: rows.length, getScrollElement: () => ref.current, estimateSize: () => 30 });
  return <div ref={ref} style={{ height: 400, overflow: 'auto' }}><table><thead>{table.getHeaderGroups().map((g) => <tr key={g.id}>{g.headers.map((x) => <th key={x.id} onClick={x.column.getToggleSortingHandler()}>{flexRender(x.column.columnDef.header, x.getContext())}</th>)}</tr>)}</thead><tbody style={{ height: v.getTotalSize() }}>{v.getVirtualItems().map((i) => <tr key={i.key}>{rows[i.index].getVisibleCells().map((c) => <td key={c.id}>{flexRender(c.column.columnDef.cell, c.getContext())}</td>)}</tr>)}</tbody></table></div>; }
`,
    S,
  ),
  'select-datepicker': app(
    `import Select from 'react-select';
import DatePicker from 'react-datepicker';
import 'react-datepicker/dist/react-datepicker.css';
import dayjs from 'dayjs';
import { useState } from 'react';
import { save } from '/src/store.js';
export default function App() { const [d, set] = useState(new Date()); return <main><Select isMulti options={[{ value: 'a', label: 'A' }]} onChange={(v) => save('sel', v)} /><DatePicker selected={d} onChange={set} /><p>{dayjs(d).format('YYYY-MM-DD')}</p></main>; }
`,
    S,
  ),
  mobx: app(
    `import { makeAutoObservable, reaction } from 'mobx';
import { observer } from 'mobx-react-lite';
import { save } from '/src/store.js';
class Timer { seconds = 0; constructor() { makeAutoObservable(this); setInterval(() => this.tick(), 1000); } tick() { this.seconds += 1; } reset() { this.seconds = 0; } get minutes() { return this.seconds / 60; } }
const timer = new Timer(); reaction(() => timer.seconds, (s) => save('s', s));
export default observer(function App() { return <button onClick={() => timer.reset()}>{timer.seconds} s, {timer.minutes.toFixed(1)} min</button>; });
`,
    S,
  ),
  'valtio-spring': app(
    `import { proxy, useSnapshot, subscribe } from 'valtio';
import { useSpring, useTransition, animated } from '@react-spring/web';
import { save } from '/src/store.js';
const state = proxy({ n: 0, list: [] }); subscribe(state, () => save('state', state));
export default function App() { const s = useSnapshot(state); const style = useSpring({ opacity: s.n % 2, x: s.n * 10 }); const t = useTransition(s.list, { from: { opacity: 0 }, enter: { opacity: 1 } }); return <main><animated.div style={style}>{s.n}</animated.div><button onClick={() => { state.n++; state.list.push(state.n); }}>+</button>{t((st, i) => <animated.p style={st}>{i}</animated.p>)}</main>; }
`,
    S,
  ),
  chartjs: app(
    `import { Chart as ChartJS, CategoryScale, LinearScale, PointElement, LineElement, BarElement, ArcElement, Title, Tooltip, Legend } from 'chart.js';
import { Line, Bar, Doughnut } from 'react-chartjs-2';
import { useEffect, useState } from 'react';
import { load } from '/src/store.js';
ChartJS.register(CategoryScale, LinearScale, PointElement, LineElement, BarElement, ArcElement, Title, Tooltip, Legend);
export default function App() { const [v, set] = useState([1, 2, 3]); useEffect(() => { load('v', [1, 2, 3]).then(set); }, []); const data = { labels: ['a', 'b', 'c'], datasets: [{ label: 'x', data: v, backgroundColor: 'red' }] }; return <><Line data={data} /><Bar data={data} /><Doughnut data={data} /></>; }
`,
    S,
  ),
  markdown: app(
    `import Markdown from 'react-markdown';
import { useEffect, useState } from 'react';
import { load, save } from '/src/store.js';
export default function App() { const [t, set] = useState('# Hi'); useEffect(() => { load('t', '# Hi').then(set); }, []); return <main><textarea value={t} onChange={(e) => { set(e.target.value); save('t', e.target.value); }} /><Markdown>{t}</Markdown></main>; }
`,
    S,
  ),
  'swr-wouter-sonner': app(
    `import useSWR, { mutate } from 'swr';
import { Router, Route, Link, Switch } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Toaster, toast } from 'sonner';
import { Heart, Settings } from 'lucide-react';
import { load, save } from '/src/store.js';
function Home() { const { data, error } = useSWR('likes', (k) => load(k, 0)); if (error) return <p>failed</p>; return <button onClick={async () => { await save('likes', (data ?? 0) + 1); mutate('likes'); toast.success('Liked'); }}><Heart /> {data}</button>; }
export default function App() { return <Router hook={useHashLocation}><nav><Link href="/">Home</Link><Link href="/s"><Settings /></Link></nav><Switch><Route path="/" component={Home} /><Route path="/s">Settings</Route></Switch><Toaster /></Router>; }
`,
    S,
  ),
  'router-6': app(
    `import { useEffect, useState } from 'react';
import { HashRouter, Routes, Route, NavLink, useParams } from 'react-router-6';
import { load } from '/src/store.js';
function List({ notes }) { return <ul>{notes.map((n, i) => <li key={i}><NavLink to={'/note/' + i}>{n.title}</NavLink></li>)}</ul>; }
function Note({ notes }) { const { id } = useParams(); return <article>{notes[id]?.title}</article>; }
export default function App() { const [notes, set] = useState([]); useEffect(() => { load('notes', []).then(set); }, []); return <HashRouter><Routes><Route path="/" element={<List notes={notes} />} /><Route path="/note/:id" element={<Note notes={notes} />} /></Routes></HashRouter>; }
`,
    S,
  ),
  'zustand-plain': app(
    `import { create } from 'zustand';
import { immer } from 'zustand/middleware/immer';
import { load, save } from '/src/store.js';
const useCart = create(immer((set) => ({ items: [], add: (name) => set((s) => { s.items.push(name); }) })));
load('cart', []).then((items) => useCart.setState({ items })); useCart.subscribe((s) => save('cart', s.items));
export default function App() { const { items, add } = useCart(); return <main><button onClick={() => add('x')}>Add</button><ul>{items.map((x, i) => <li key={i}>{x}</li>)}</ul></main>; }
`,
    S,
  ),
  'wouter-lucide': app(
    `import { Router, Route, Link, Switch } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Heart, Settings } from 'lucide-react';
import { save } from '/src/store.js';
export default function App() { return <Router hook={useHashLocation}><nav><Link href="/">Home</Link><Link href="/s"><Settings /></Link></nav><Switch><Route path="/"><Heart onClick={() => save('like', 1)} /></Route><Route path="/s">Settings</Route></Switch></Router>; }
`,
    S,
  ),
  'lazy-pages': app(
    `import { lazy, Suspense, useState, useReducer, createContext, useContext, useTransition } from 'react';
import { save } from '/src/store.js';
const Pages = { a: lazy(() => import('/src/pages/A.jsx')), b: lazy(() => import('/src/pages/B.jsx')) };
const Theme = createContext('light');
function Button(props) { return <button className={useContext(Theme)} {...props} />; }
export default function App() { const [page, set] = useState('a'); const [wait, start] = useTransition(); const [n, add] = useReducer((x, y) => x + y, 0); const Page = Pages[page]; return <Theme.Provider value="dark"><Button onClick={() => start(() => set(page === 'a' ? 'b' : 'a'))}>{wait ? '…' : page}</Button><Button onClick={() => { add(1); save('n', n); }}>{n}</Button><Suspense fallback="…"><Page /></Suspense></Theme.Provider>; }
`,
    {
      ...S,
      'src/pages/A.jsx': `import '/src/pages/a.css';\nexport default function A() { return <p>A</p>; }\n`,
      'src/pages/a.css': 'p { color: green; }\n',
      'src/pages/B.jsx': `export default function B() { return <ol><li>B</li></ol>; }\n`,
    },
  ),
};
