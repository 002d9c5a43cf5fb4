// A text area with numbers, marks and colours of its lines. Only the lines in sight are elements, so long texts cost no more than short ones.
import { h } from './dom.js';

export class Editor {
  #area; #gutter; #lines; #texts = ['']; #marks = new Map(); #frame = 0; #shown;

  /** The label is what screen readers call the editor. */
  constructor(root, label, { changed, moved, shown } = {}) {
    this.#shown = shown;
    this.#gutter = h('div', { class: 'gutter', 'aria-hidden': 'true' });
    this.#lines = h('div', { class: 'lines', 'aria-hidden': 'true' });
    this.#area = h('textarea', { spellcheck: false, wrap: 'off', autocapitalize: 'off', autocomplete: 'off', 'aria-label': label });
    root.append(this.#gutter, h('div', { class: 'text' }, this.#lines, this.#area));
    this.#area.addEventListener('input', () => { this.#read(); changed?.(); });
    this.#area.addEventListener('scroll', () => this.#soon());
    this.#area.addEventListener('beforeinput', (e) => this.#newLine(e));
    new ResizeObserver(() => this.#soon()).observe(root);
    let last = '';
    const cursor = () => {
      const at = JSON.stringify(this.cursor);
      if (at !== last) { last = at; moved?.(); }
    };
    for (const event of ['keyup', 'click', 'focus', 'input']) this.#area.addEventListener(event, cursor);
  }

  get #lineHeight() { return parseFloat(getComputedStyle(this.#area).lineHeight); } // style.css has larger lines for fingers

  get value() { return this.#area.value; }

  set value(text) {
    this.#area.value = text;
    this.#area.setSelectionRange(0, 0);
    this.#area.scrollTop = 0;
    this.#marks = new Map();
    this.#read();
  }

  /** replace changes the text as if it had been typed, so that it can be undone. */
  replace(text) {
    this.#shown?.();
    const { scrollTop } = this.#area;
    this.#area.focus();
    this.#area.select();
    if (!document.execCommand('insertText', false, text)) { this.value = text; this.#area.dispatchEvent(new Event('input')); }
    this.#area.scrollTop = scrollTop;
  }

  /** The line and the column of the cursor, from 1, in characters. */
  get cursor() {
    const before = this.#area.value.slice(0, this.#area.selectionStart);
    const start = before.lastIndexOf('\n') + 1;
    return { line: before.split('\n').length, column: [...before.slice(start)].length + 1 };
  }

  /** go puts the cursor at a line and a column. */
  go(line, column) {
    const before = this.#texts.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    const offset = before + [...(this.#texts[line - 1] ?? '')].slice(0, column - 1).join('').length;
    this.#shown?.();
    this.#area.focus();
    this.#area.setSelectionRange(offset, offset);
    this.#area.scrollTop = Math.max(0, (line - 1) * this.#lineHeight - this.#area.clientHeight / 3);
    this.#area.dispatchEvent(new Event('click'));
  }

  /** mark marks the lines of findings; of several the worst counts. */
  mark(findings) {
    const order = ['note', 'warning', 'error'];
    this.#marks = new Map();
    for (const f of findings ?? []) {
      const there = this.#marks.get(f.line);
      if (!there || order.indexOf(f.severity) > order.indexOf(there)) this.#marks.set(f.line, f.severity);
    }
    const worst = (findings ?? []).some((f) => f.severity === 'error');
    this.#area.setAttribute('aria-invalid', String(worst));
    this.#soon();
  }

  #read() {
    this.#texts = this.#area.value.split('\n');
    this.#soon();
  }

  // A new line begins below the text of the line before.
  #newLine(e) {
    if (e.inputType !== 'insertLineBreak') return;
    const before = this.#area.value.slice(0, this.#area.selectionStart);
    const indent = /^ *(?:- )?/.exec(before.slice(before.lastIndexOf('\n') + 1))[0].replace('-', ' ');
    if (indent === '') return;
    e.preventDefault();
    document.execCommand('insertText', false, '\n' + indent);
  }

  #soon() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  #draw() {
    const { scrollTop, scrollLeft, clientHeight } = this.#area;
    const lineHeight = this.#lineHeight;
    const first = Math.floor(scrollTop / lineHeight);
    const last = Math.min(this.#texts.length, first + Math.ceil(clientHeight / lineHeight) + 1);
    const numbers = [], lines = [];
    for (let i = first; i < last; i++) {
      const mark = this.#marks.get(i + 1) ?? '';
      numbers.push(h('div', { class: mark }, String(i + 1)));
      lines.push(h('div', { class: mark }, ...tokens(this.#texts[i])));
    }
    this.#gutter.replaceChildren(...numbers);
    this.#lines.replaceChildren(...lines);
    const shift = first * lineHeight - scrollTop;
    for (const e of numbers) e.style.transform = `translateY(${shift}px)`;
    for (const e of lines) e.style.transform = `translate(${-scrollLeft}px, ${shift}px)`;
  }
}

const longest = 2000; // of a line with colours
const key = /^(\s*(?:- +)*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#'"{}[\]&*!|>][^:#]*)(:)(?=\s|$)/;
const value = /("(?:[^"\\]|\\.)*"|'[^']*')|(\B#.*$|^\s*#.*$)|(?<=^|[\s,[{])(-?\d+(?:\.\d+)?|true|false|null)(?=$|[\s,\]}])/g;

/** tokens returns a line of YAML in pieces, with colours. */
function tokens(text) {
  if (text === '') return ['\u200b'];
  if (text.length > longest) return [text];
  const out = [];
  let rest = text;
  const m = key.exec(text);
  if (m) {
    out.push(m[1], h('span', { class: 'k' }, m[2]), m[3]);
    rest = text.slice(m[0].length);
  }
  let from = 0;
  for (const v of rest.matchAll(value)) {
    out.push(rest.slice(from, v.index), h('span', { class: v[1] ? 's' : v[2] ? 'c' : 'n' }, v[0]));
    from = v.index + v[0].length;
  }
  out.push(rest.slice(from));
  return out;
}
