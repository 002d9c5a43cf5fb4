// The page: editors, the questions that their texts are, and the views of the answers.
import { Editor } from './editor.js';
import { Lane, Superseded, TooLong } from './client.js';
import { announce, find, h } from './dom.js';
import { examples, load } from './examples.js';
import { pack, unpack } from './share.js';
import * as show from './views.js';

const typingLimit = 5000, viewLimit = 20000; // ms that an answer may take
const viewDelay = 250; // ms without a key before a view of the definition is asked for

const typing = new Lane(null, typingLimit, viewLimit);
const viewing = new Lane(typing.start(), viewLimit, viewLimit);

const editors = {
  definition: new Editor(find('definition'), 'Definition, in YAML or JSON', { changed: changedDefinition, moved: () => moved('definition'), shown: () => showPane('definition') }),
  object: new Editor(find('object'), 'Object, in YAML or JSON', { changed, moved: () => moved('object'), shown: () => showPane('object') }),
  stored: new Editor(find('stored'), 'Object before the update, in YAML or JSON', { changed, shown: () => showPane('object') }),
  old: new Editor(find('old'), 'Previous definition, in YAML or JSON', { changed: () => ask(viewDelay), shown: () => showPane('definition') }),
};

let view = 'answer', cursorIn = 'definition';

// --- questions
//
// A question keeps the texts and the view that it was asked for. An answer is shown only if the page still has these:
// otherwise a newer question has been asked, or will be.

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

const answers = ['view-answer', 'answer', 'result'];
function busy(names, on) {
  for (const name of names) if (on) find(name).setAttribute('aria-busy', 'true'); else find(name).removeAttribute('aria-busy');
}

async function validate() {
  const { definition, object, stored } = texts();
  const stale = () => { const t = texts(); return t.definition !== definition || t.object !== object || t.stored !== stored; };
  busy(answers, true);
  const slow = setTimeout(() => badge('definition', 'working', 'working …'), 300);
  const from = typed;
  try {
    const answer = await typing.ask('validate', { view: 'validate', definition, object, stored });
    if (stale()) return;
    typed = 0;
    showValidation(answer);
    if (from) requestAnimationFrame(() => setTimeout(() => { // then the answer is on the screen
      const end = performance.now();
      find('timing').textContent = `answered in ${Math.round(end - from)} ms`;
      performance.measure('answer', { start: from, end });
    }));
  } catch (e) {
    if (e instanceof Superseded || stale()) return;
    typed = 0;
    const message = e instanceof TooLong ? tooLong(typingLimit) : e.message;
    clearAnswers();
    badge('definition', 'refused', e instanceof TooLong ? 'takes too long' : 'no answer');
    find('view-answer').replaceChildren(h('p', { class: 'message' }, message));
    find('answer').replaceChildren(h('p', { class: 'quiet' }, 'There is no answer.'));
    busy(answers, false);
    announce(message);
  } finally {
    clearTimeout(slow);
  }
}

function clearAnswers() {
  for (const name of ['definition', 'object', 'stored']) { editors[name].mark([]); badge(name, '', ''); }
  for (const name of answers) find(name).replaceChildren();
}

function tooLong(limit) {
  return `This took longer than ${limit / 1000} seconds and was stopped. Change the text to try again.`;
}

const signs = { accepted: '✓', warned: '!', refused: '✕', unreadable: '✕' };
function badge(name, kind, text) {
  const e = find(name + '-badge');
  e.className = 'badge ' + kind;
  e.textContent = text;
  const sign = find(name + '-sign'); // in the tab of a narrow window
  if (!sign) return;
  sign.className = 'sign ' + kind;
  sign.replaceChildren(...signs[kind] ? [h('span', { role: 'img', 'aria-label': text }, signs[kind])] : []);
}

/** verdict returns the kind and the text of the badge of a text: accepted, 1 warning. */
function verdict(side) {
  const count = (severity) => {
    const n = (side.findings ?? []).filter((f) => f.severity === severity).length;
    return n === 0 ? '' : `, ${n}${side.omitted ? ' or more' : ''} ${severity}${n === 1 ? '' : 's'}`;
  };
  switch (side.verdict) {
    case 'empty': return ['empty', ''];
    case 'waiting': return ['waiting', 'not checked yet'];
    case 'accepted': return [count('warning') ? 'warned' : 'accepted', 'accepted' + count('warning')];
    case 'refused': return ['refused', 'refused' + count('error')];
    default: return [side.verdict, side.verdict];
  }
}

function showValidation(j) {
  for (const name of ['definition', 'object', 'stored']) {
    editors[name].mark(j[name].findings);
    badge(name, ...verdict(j[name]));
  }
  if (j.stored.verdict === 'refused') badge('stored', 'kept', 'would be refused today');
  const goTo = (name) => (f) => editors[name].go(f.line, f.column);
  find('view-answer').replaceChildren(...show.definition(j, goTo('definition')));
  find('answer').replaceChildren(...show.answer(j, goTo('object'), goTo('stored')));
  find('result-title').textContent = !j.diff?.length || j.object.verdict === 'accepted' ? 'What is stored' : 'Not stored: as validated';
  find('result').replaceChildren(...show.result(j));
  busy(answers, false);
  announce(`Definition ${verdict(j.definition)[1] || 'empty'}. Object ${verdict(j.object)[1] || 'empty'}.`);
}

// --- views of the definition

const content = (name) => name === 'compare' ? 'compare-answer' : 'view-' + name;
let asked = null; // the question whose answer the open view shows next

/** ask asks for the open view. What was asked before is not shown. */
function ask(delay = 0) {
  clearTimeout(timers.view);
  asked = null;
  const name = view;
  for (const tab of find('tabs').children) if (tab.id !== 'tab-answer') busy([content(tab.id.slice(4))], tab.id === 'tab-' + name);
  if (name === 'answer') return;
  later('view', delay, () => askView(name));
}

async function askView(name) {
  const panel = find(content(name));
  const { definition, object, old } = texts();
  const question = asked = { view: name, definition };
  const answered = (elements) => {
    if (asked !== question) return;
    panel.replaceChildren(...elements);
    busy([panel.id], false);
  };
  if (name === 'compare' && old.trim() === '') {
    answered([h('p', { class: 'quiet' }, 'Put the previous definition here. What the change breaks comes with an object that shows it.')]);
    return;
  }
  if (name === 'compare') question.old = old;
  if (name === 'explain') Object.assign(question, { object, in: cursorIn }, editors[cursorIn].cursor);
  const slow = setTimeout(() => { if (asked === question) panel.replaceChildren(h('p', { class: 'quiet' }, 'Working …')); }, 300);
  try {
    const answer = await viewing.ask('view', question);
    answered(show[name](answer, { fix, use, go: (line, column) => editors.definition.go(line, column) }));
  } catch (e) {
    if (e instanceof Superseded) return;
    answered([h('p', { class: 'quiet' }, e instanceof TooLong ? tooLong(viewLimit) : e.message)]);
  } finally {
    clearTimeout(slow);
  }
}

/** fix writes bounds into the definition. */
async function fix(bounds) {
  const { definition } = texts();
  try {
    const fixed = await viewing.ask('fix', { view: 'fix', definition, bounds });
    if (texts().definition !== definition) throw new Error('The definition has changed meanwhile: apply the bounds again.');
    editors.definition.replace(fixed);
    announce('The bounds are in the definition.');
  } catch (e) {
    if (e instanceof Superseded) return;
    const message = e instanceof TooLong ? tooLong(viewLimit) : e.message;
    announce(message);
    find('view-rules').prepend(h('p', { class: 'message', role: 'alert' }, message));
  }
}

/** use takes an object over into the editor, and the one before it. */
function use(object, stored) {
  editors.object.replace(object);
  update(Boolean(stored));
  if (stored) editors.stored.value = stored;
  changed();
}

/** tabs makes a list of tabs work with a mouse and with keys. */
function tabs(list, selected) {
  const all = [...find(list).children];
  for (const [i, tab] of all.entries()) {
    tab.addEventListener('click', () => selected(tab));
    tab.addEventListener('keydown', (e) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: all.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      const next = all[(to + all.length) % all.length];
      selected(next);
      next.focus();
    });
  }
}

/** select marks a tab of a list as the selected one. */
function select(list, id) {
  for (const tab of find(list).children) {
    tab.setAttribute('aria-selected', String(tab.id === id));
    tab.tabIndex = tab.id === id ? 0 : -1;
  }
}

function open(name) {
  if (name !== view && name !== 'answer') find(content(name)).replaceChildren(); // it may show older texts
  view = name;
  select('tabs', 'tab-' + name);
  for (const tab of find('tabs').children) find(tab.getAttribute('aria-controls')).hidden = tab.id !== 'tab-' + name;
  ask();
}
tabs('tabs', (tab) => open(tab.id.slice(4)));

// --- the parts of the page: side by side, or in a narrow window as tabs

const narrow = matchMedia('(max-width: 860px)');
const paneNames = ['definition', 'object', 'result'];
let pane = 'definition';
function showPane(name) {
  pane = name;
  select('panes', 'tab-pane-' + name);
  for (const n of paneNames) {
    const section = find('pane-' + n);
    section.hidden = narrow.matches && n !== name;
    section.setAttribute('aria-labelledby', narrow.matches ? 'tab-pane-' + n : n + '-title');
    if (narrow.matches) section.setAttribute('role', 'tabpanel'); else section.removeAttribute('role');
  }
}
tabs('panes', (tab) => showPane(tab.id.slice('tab-pane-'.length)));
narrow.addEventListener('change', () => showPane(pane));
showPane(pane);

// --- examples, and an update

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

let turn = 0; // the newest of what replaces texts: an example, an address, files
function set(t) {
  for (const name of Object.keys(editors)) editors[name].value = t[name];
  clearAnswers();
  for (const tab of find('tabs').children) find(content(tab.id.slice(4))).replaceChildren();
  update(t.stored !== '');
  changed();
  ask();
}

const chooser = find('example');
chooser.append(...examples.map((e) => h('option', { value: e.name }, e.title)));
async function choose(name) {
  const example = examples.find((e) => e.name === name);
  if (!example) return;
  const mine = ++turn;
  open(example.view ?? 'answer'); // now: while the texts are loaded, another tab may be opened
  busy(['main'], true);
  try {
    const loaded = await load(example);
    if (mine === turn) set(loaded);
  } finally {
    if (mine === turn) busy(['main'], false);
  }
}
chooser.addEventListener('change', () => {
  history.replaceState(null, '', location.pathname);
  noTrouble();
  choose(chooser.value).catch(trouble);
});

// --- files

const maxFile = 3 << 20, maxFiles = 20; // as in internal/engine, and in one step
const isDefinition = /(^|[\s{,])["']?kind["']?\s*:\s*["']?CustomResourceDefinition\b/;

/** take puts files into an editor, or each into that of its kind. */
async function take(files, into) {
  noTrouble();
  const mine = ++turn;
  const found = {}, left = files.slice(maxFiles).map((f) => f.name);
  for (const file of files.slice(0, maxFiles)) {
    if (file.size > maxFile) throw new Error(`${file.name} has more than 3 MiB, a server's limit.`);
    const text = await file.text();
    const name = into ?? (isDefinition.test(text) ? 'definition' : 'object');
    if (name in found) left.push(file.name); else found[name] = text;
  }
  if (mine !== turn) return;
  for (const [name, text] of Object.entries(found)) editors[name].replace(text);
  if (left.length) trouble(new Error(`There is one editor for a definition and one for an object. Not opened: ${left.slice(0, 5).join(', ')}${left.length > 5 ? ', …' : ''}`));
}

const hasFiles = (e) => [...e.dataTransfer?.types ?? []].includes('Files');
const editorAt = (e) => e.target.closest?.('.editor');
function mark(editor) {
  for (const e of document.querySelectorAll('.editor')) e.classList.toggle('drop', e === editor);
}
addEventListener('dragover', (e) => {
  if (!hasFiles(e)) return;
  e.preventDefault(); // otherwise the browser leaves the page for the file
  e.dataTransfer.dropEffect = 'copy';
  mark(editorAt(e));
});
addEventListener('dragleave', (e) => { if (!e.relatedTarget) mark(null); });
addEventListener('drop', (e) => {
  if (!hasFiles(e)) return;
  e.preventDefault();
  mark(null);
  const files = [...e.dataTransfer.files];
  take(files, files.length === 1 ? editorAt(e)?.id : undefined).catch(trouble);
});
find('open').addEventListener('click', () => find('files').click());
find('files').addEventListener('change', () => {
  const files = [...find('files').files];
  find('files').value = ''; // the same file may be opened again
  take(files).catch(trouble);
});

// --- the rest of the page

find('share').addEventListener('click', async () => {
  history.replaceState(null, '', await pack(texts()));
  let done = 'The address has all texts now: it can be shared.', short = 'In the address ✓';
  try {
    await navigator.clipboard.writeText(location.href);
    done = 'The address with all texts was copied.';
    short = 'Copied ✓';
  } catch { /* the address bar has it */ }
  announce(done);
  const button = find('share');
  button.textContent = short;
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
  find('trouble').firstElementChild.textContent = e.message ?? String(e);
}
function noTrouble() { find('trouble').hidden = true; }
find('dismiss').addEventListener('click', noTrouble);

async function openAddress() {
  const mine = ++turn;
  let shared = null;
  try {
    shared = await unpack(location.hash);
  } catch (e) {
    trouble(new Error(`The address has texts that cannot be read: ${e.message}`));
  }
  if (mine !== turn) return;
  if (shared) {
    open('answer');
    set(shared);
  } else await choose(examples[0].name);
}
addEventListener('hashchange', () => openAddress().catch(trouble));
typing.start().catch(trouble);
openAddress().catch(trouble);
