// The page: editors, the questions that their texts are, and the views of the answers.
import { Editor } from './editor.js';
import { Lane, Superseded, TooLong } from './client.js';
import { announce, find, h } from './dom.js';
import { examples, load } from './examples.js';
import { pack, unpack } from './share.js';
import * as show from './views.js';

const typingLimit = 5000, viewLimit = 20000; // ms that an answer may take
const viewDelay = 250; // ms without a key before a view of the definition is asked for

const typing = new Lane(null, typingLimit);
const viewing = new Lane(typing.start(), viewLimit);

const editors = {
  definition: new Editor(find('definition'), 'Definition, in YAML or JSON', { changed: changedDefinition, moved: () => moved('definition') }),
  object: new Editor(find('object'), 'Object, in YAML or JSON', { changed, moved: () => moved('object') }),
  stored: new Editor(find('stored'), 'The object before, in YAML or JSON', { changed }),
  old: new Editor(find('old'), 'The definition before, in YAML or JSON', { changed: () => ask(viewDelay) }),
};

let view = 'answer', cursorIn = 'definition';
let validation = null;

// --- questions

const timers = {};
function later(name, delay, f) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(f, delay);
}

let typed = 0; // when the oldest text without an answer was typed
let asking = false;
function changed() {
  typed ||= performance.now();
  if (asking) return;
  asking = true;
  queueMicrotask(() => { asking = false; validate(); }); // the worker begins before the browser lays out the text
}

function changedDefinition() {
  changed();
  ask(viewDelay);
}

function moved(editor) {
  cursorIn = editor;
  if (view === 'explain') ask(viewDelay);
}

function texts() {
  return {
    definition: editors.definition.value, object: editors.object.value,
    stored: find('update').checked ? editors.stored.value : '', old: editors.old.value,
  };
}

async function validate() {
  const { definition, object, stored } = texts();
  const busy = setTimeout(() => badge('definition', 'working', 'working …'), 300);
  const from = typed;
  try {
    const answer = await typing.ask('validate', { view: 'validate', definition, object, stored });
    validation = answer;
    typed = 0;
    showValidation();
    if (from) requestAnimationFrame(() => setTimeout(() => { // then the answer is on the screen
      const end = performance.now();
      find('timing').textContent = `answered in ${Math.round(end - from)} ms`;
      performance.measure('answer', { start: from, end });
    }));
  } catch (e) {
    if (e instanceof Superseded) return;
    typed = 0;
    const message = e instanceof TooLong ? tooLong(typingLimit) : e.message;
    validation = null;
    for (const name of ['definition', 'object', 'stored']) { editors[name].mark([]); badge(name, '', ''); }
    badge('definition', 'refused', e instanceof TooLong ? 'takes too long' : 'no answer');
    find('view-answer').replaceChildren(h('p', { class: 'message' }, message));
    find('answer').replaceChildren(h('p', { class: 'quiet' }, 'There is no answer.'));
    announce(message);
  } finally {
    clearTimeout(busy);
  }
}

function tooLong(limit) {
  return `This takes longer than ${limit / 1000} seconds in a browser, so it was ended. Change the text to try again.`;
}

function badge(name, kind, text) {
  const e = find(name + '-badge');
  e.className = 'badge ' + kind;
  e.textContent = text;
}

function showValidation() {
  const j = validation;
  for (const name of ['definition', 'object', 'stored']) {
    editors[name].mark(j[name].findings);
    badge(name, j[name].verdict, { empty: '', waiting: 'not checked yet' }[j[name].verdict] ?? j[name].verdict);
  }
  if (j.stored.verdict === 'refused') badge('stored', 'kept', 'would be refused today');
  const goTo = (name) => (f) => editors[name].go(f.line, f.column);
  find('view-answer').replaceChildren(...show.definition(j, goTo('definition')));
  find('answer').replaceChildren(...show.answer(j, goTo('object'), goTo('stored')));
  const count = (side) => (side.findings ?? []).filter((f) => f.severity === 'error').length;
  announce(`Definition ${j.definition.verdict}, ${count(j.definition)} errors. Object ${j.object.verdict}, ${count(j.object)} errors.`);
}

// --- views of the definition

function ask(delay = 0) {
  if (view !== 'answer') later('view', delay, askView);
}

async function askView() {
  const name = view;
  const panel = name === 'compare' ? find('compare-answer') : find('view-' + name);
  const { definition, object, old } = texts();
  if (name === 'compare' && old.trim() === '') {
    panel.replaceChildren(h('p', { class: 'quiet' }, 'Put the definition before the change here. What the change breaks comes with an object that shows it.'));
    return;
  }
  const question = { view: name, definition };
  if (name === 'compare') question.old = old;
  if (name === 'explain') Object.assign(question, { object, in: cursorIn }, editors[cursorIn].cursor);
  const busy = setTimeout(() => panel.replaceChildren(h('p', { class: 'quiet' }, 'Working …')), 300);
  let content;
  try {
    const answer = await viewing.ask(name, question);
    content = show[name](answer, { fix, use, go: (line, column) => editors.definition.go(line, column), definition });
  } catch (e) {
    if (e instanceof Superseded) return;
    content = [h('p', { class: 'quiet' }, e instanceof TooLong ? tooLong(viewLimit) : e.message)];
  } finally {
    clearTimeout(busy);
  }
  if (view === name) panel.replaceChildren(...content);
}

/** fix writes bounds into the definition. */
async function fix(bounds) {
  try {
    editors.definition.replace(await viewing.ask('fix', { view: 'fix', definition: editors.definition.value, bounds }));
    announce('The bounds are in the definition.');
  } catch (e) {
    announce(e.message);
    find('view-rules').prepend(h('p', { class: 'message', role: 'alert' }, e.message));
  }
}

/** use takes an object over into the editor, and the one before it. */
function use(object, stored) {
  editors.object.replace(object);
  update(Boolean(stored));
  if (stored) editors.stored.value = stored;
  changed();
}

const tabs = [...find('tabs').children];
function open(name, focus) {
  view = name;
  for (const tab of tabs) {
    const selected = tab.id === 'tab-' + name;
    tab.setAttribute('aria-selected', String(selected));
    tab.tabIndex = selected ? 0 : -1;
    find(tab.getAttribute('aria-controls')).hidden = !selected;
    if (selected && focus) tab.focus();
  }
  ask();
}
for (const [i, tab] of tabs.entries()) {
  tab.addEventListener('click', () => open(tab.id.slice(4)));
  tab.addEventListener('keydown', (e) => {
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    open(tabs[(to + tabs.length) % tabs.length].id.slice(4), true);
  });
}

// --- the rest of the page

function update(on) {
  find('update').checked = on;
  find('stored-box').hidden = !on;
}
find('update').addEventListener('change', () => {
  update(find('update').checked);
  if (find('update').checked && editors.stored.value === '') editors.stored.value = editors.object.value;
  changed();
});
find('keep').addEventListener('click', () => { editors.old.value = editors.definition.value; ask(); });

function set(t) {
  for (const name of Object.keys(editors)) editors[name].value = t[name];
  update(t.stored !== '');
  changed();
  ask();
}

const chooser = find('example');
chooser.append(...examples.map((e) => h('option', { value: e.name }, e.title)));
async function choose(name) {
  const example = examples.find((e) => e.name === name);
  if (!example) return;
  set(await load(example));
  open(example.view ?? 'answer');
}
chooser.addEventListener('change', () => {
  history.replaceState(null, '', location.pathname);
  choose(chooser.value).catch(trouble);
});

find('share').addEventListener('click', async () => {
  history.replaceState(null, '', await pack(texts()));
  let done = 'The address has all texts now: it can be shared.';
  try {
    await navigator.clipboard.writeText(location.href);
    done = 'The address with all texts was copied.';
  } catch { /* the address bar has it */ }
  announce(done);
  const button = find('share');
  button.textContent = 'In the address ✓';
  later('share', 2500, () => { button.textContent = 'Share'; });
});

const dark = matchMedia('(prefers-color-scheme: dark)');
function theme(chosen) {
  document.documentElement.dataset.theme = chosen ?? (dark.matches ? 'dark' : 'light');
  find('theme').textContent = document.documentElement.dataset.theme === 'dark' ? 'Light' : 'Dark';
}
dark.addEventListener('change', () => theme());
find('theme').addEventListener('click', () => theme(find('theme').textContent.toLowerCase()));
theme();

function trouble(e) {
  find('trouble').hidden = false;
  find('trouble').textContent = e.message ?? String(e);
}

async function openAddress() {
  let shared = null;
  try {
    shared = await unpack(location.hash);
  } catch (e) {
    trouble(new Error(`The address has texts that cannot be read: ${e.message}`));
  }
  if (shared) { open('answer'); set(shared); } else await choose(examples[0].name);
}
addEventListener('hashchange', () => openAddress().catch(trouble));
typing.start().catch(trouble);
openAddress().catch(trouble);
