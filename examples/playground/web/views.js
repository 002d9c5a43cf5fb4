// The views of answers, as elements. What comes from the library is text.
import { h } from './dom.js';

const quiet = (...text) => h('p', { class: 'quiet' }, ...text);

function findings(side, go) {
  if (!side.findings?.length) return null;
  const items = side.findings.map((f) => h('li', { class: f.severity },
    h('button', { type: 'button', class: 'place', 'aria-label': `Go to ${f.line}:${f.column}`, onclick: () => go(f) }, `${f.line}:${f.column}`), ' ',
    h('b', {}, f.severity), ' ', h('code', {}, f.message), (f.hints ?? []).map((t) => h('span', { class: 'hint' }, t))));
  if (side.omitted) items.push(h('li', {}, `${side.omitted} more`));
  return h('ul', { class: 'findings' }, items);
}

/** definition shows what a server says of the definition. */
export function definition(j, go) {
  const d = j.definition;
  const says = {
    empty: 'Put a CustomResourceDefinition here, in YAML or JSON.', unreadable: 'This cannot be read as a definition.',
    refused: 'A server refuses this definition.', accepted: `${d.name} is accepted.`,
  }[d.verdict];
  return [h('p', {}, says), findings(d, go)].filter(Boolean);
}

/** answer shows what a server says of the object: each error and warning once, and below, closed, the output of kubectl. */
export function answer(j, go, goStored) {
  if (j.object.verdict === 'empty') return [quiet('Put an object here, to see what a server stores.')];
  const out = [];
  if (j.object.verdict === 'accepted') out.push(h('p', { class: 'done' }, j.status.slice(j.status.lastIndexOf('\n') + 1)));
  const list = findings(j.object, go);
  if (list) out.push(list);
  const forgiven = (f) => j.forgiven?.some((text) => f.message.endsWith(text)); // is listed below
  const stored = findings({ ...j.stored, findings: j.stored.findings?.filter((f) => !forgiven(f)) }, goStored);
  if (stored) out.push(h('h3', {}, 'Object before the update'), stored);
  if (j.forgiven?.length) {
    out.push(h('h3', {}, 'Allowed because the value has not changed (ratcheting)'),
      h('ul', { class: 'findings forgiven' }, j.forgiven.map((t) => h('li', { class: 'note' }, h('code', {}, t)))));
  }
  if (j.status) out.push(h('details', {}, h('summary', {}, 'Output of kubectl'), h('pre', { class: 'status' }, j.status)));
  return out;
}

/** result shows the stored object, or the object as it was validated, with what changed. */
export function result(j) {
  if (!j.diff?.length) return [quiet('No object is stored.')];
  const lines = j.diff.map((l) => {
    const [, blanks, text] = /^( *)(.*)$/s.exec(l.text);
    if (l.op === '+') return h('div', { class: 'added' }, blanks, h('ins', {}, text));
    if (l.op === '-') return h('div', { class: 'removed' }, blanks, h('del', {}, text));
    return h('div', {}, l.text || '\u200b');
  });
  if (j.more) lines.push(h('div', {}, '… the rest is too long to show'));
  return lines;
}

function percent(share) {
  if (share >= 1000) return 'more than 1000×';
  if (share >= 10) return Math.round(share * 100).toLocaleString('en') + '%';
  return (share > 1 ? Math.ceil(share * 1000) / 10 : Math.round(share * 1000) / 10).toFixed(1) + '%';
}

function bar(share) {
  const fill = h('span');
  fill.style.width = `${Math.max(0.5, Math.min(100, share * 100))}%`;
  return h('div', { class: share > 1 ? 'bar over' : share > 0.5 ? 'bar half' : 'bar', role: 'img', 'aria-label': `${percent(share)} of the limit` }, fill);
}

const boundText = (b) => `${b.keyword}: ${b.value}`;
const shortPath = (path) => path.replace(/^spec\.versions\[\d+\]\.schema\.openAPIV3Schema\.?/, '') || 'the whole object';

/** rules shows the costs of rules, and bounds with which they fit. */
export function rules(schemas, { fix, go }) {
  if (schemas.length === 0) return [quiet('The definition has no rules.')];
  return schemas.flatMap((s) => [
    h('div', { class: 'row' }, h('h3', {}, 'All rules of the schema'), h('span', { class: 'quiet' }, `${percent(s.share)}: ${s.total} of ${s.limit}`)),
    bar(s.share),
    s.fix ? h('div', { class: 'row' }, quiet('All rules fit with ', s.fix.map((b) => `${boundText(b)} at ${shortPath(b.path)}`).join(', ')),
      h('button', { type: 'button', class: 'primary', onclick: () => fix(s.fix) }, 'Apply all')) : null,
    ...s.rules.map((r) => h('div', { class: 'rule' },
      h('div', { class: 'row' },
        h('button', { type: 'button', class: 'place', onclick: () => go(r.line, r.column), 'aria-label': `Go to line ${r.line}` }, `line ${r.line}`),
        h('span', { class: 'quiet' }, `${percent(r.share)}: ${r.estimate} of ${r.limit}`)),
      h('code', {}, r.rule), bar(r.share),
      ...(r.fixes ?? []).map((f) => h('div', { class: 'row fix' },
        h('span', {}, 'Fits with ', f.bounds.map((b, i) => [i ? ', ' : '', h('code', {}, boundText(b)), ` at ${shortPath(b.path)}`])),
        h('button', { type: 'button', onclick: () => fix(f.bounds) }, 'Apply'))),
      ...(r.hints ?? []).map((t) => h('span', { class: 'hint' }, t)))),
    s.omitted ? quiet(`${s.omitted} more rules`) : null,
  ]).filter(Boolean);
}

/** versions shows which versions of Kubernetes accept the definition. Versions with the same answer share an entry. */
export function versions(minors) {
  const kind = (m) => m.but ? 'but' : m.accepted ? 'yes' : 'no';
  const sign = { yes: '✓', but: '!', no: '✕' }, says = { yes: 'accepted', but: 'accepted, but', no: 'not as written' };
  const groups = [];
  for (const m of minors) {
    const reasons = [...(m.reasons ?? []), ...(m.notes ?? [])];
    if (m.omitted) reasons.push(`${m.omitted} more`);
    const last = groups.at(-1), key = JSON.stringify([kind(m), reasons]);
    if (last?.key === key) last.to = m.version;
    else groups.push({ key, kind: kind(m), from: m.version, to: m.version, reasons });
  }
  const rows = groups.map((g) => h('li', {}, h('b', {}, g.from === g.to ? g.from : `${g.from} to ${g.to}`), ' ',
    h('span', { class: g.kind }, `${sign[g.kind]} ${says[g.kind]}`),
    g.reasons.length ? h('ul', {}, g.reasons.map((t) => h('li', {}, t))) : null));
  return [
    h('ul', { class: 'matrix', 'aria-label': 'Versions of Kubernetes' },
      minors.map((m) => h('li', { class: kind(m) }, `${sign[kind(m)]} ${m.version}`))),
    h('ul', { class: 'minors', 'aria-label': 'Reasons' }, rows),
  ];
}

function sample(title, object, stored, use, open, notes = []) {
  return h('details', { open },
    h('summary', {}, title), ...notes.map((t) => h('span', { class: 'hint' }, t)),
    h('pre', {}, object),
    h('div', { class: 'row' }, h('button', { type: 'button', onclick: () => use(object, stored) }, stored ? 'Use both objects' : 'Use this object')));
}

/** samples shows objects made from the definition. */
export function samples(s, { use }) {
  return [
    sample('Minimal: what is required', s.minimal, '', use, true),
    s.full ? sample('Full: as many fields as possible', s.full, '', use, false) : null,
    s.broken.length ? h('h3', {}, 'Refused, for one reason each') : null,
    ...s.broken.map((b) => sample(b.breaks, b.object, b.stored ?? '', use, false, b.errors ?? [])),
    s.missing?.length ? quiet(`No object was found that breaks one of these alone: ${s.missing.join('; ')}`) : null,
    s.omitted ? quiet(`${s.omitted} more`) : null,
  ].filter(Boolean);
}

/** explain shows what there is to say of a field. */
export function explain(f) {
  const facts = [];
  const fact = (name, ...value) => facts.push(h('dt', {}, name), h('dd', {}, ...value));
  fact('Type', f.type + (f.required ? ', required' : '') + (f.nullable ? ', nullable' : ''));
  if (f.default !== undefined) fact('Default', h('code', {}, JSON.stringify(f.default)));
  if (f.enum) fact('One of', h('code', {}, f.enum.map((v) => JSON.stringify(v)).join(', ')));
  if (f.bounds) fact('Bounds', f.bounds.join(', '));
  if (f.immutable) fact('Immutable', h('code', {}, f.immutable));
  for (const r of f.rules ?? []) fact('Rule', h('code', {}, r.rule), ` ${percent(r.share)} of the cost limit`, r.message ? h('span', { class: 'quiet' }, ` (${r.message})`) : null);
  for (const n of f.notes ?? []) fact('Since', n);
  if (f.fields) fact('Fields', f.fields.map((c, i) => [i ? ', ' : '', h('code', {}, c.name), ` ${c.type}${c.required ? ', required' : ''}`]).flat());
  return [h('h3', {}, h('code', {}, f.path ? `${f.kind}.${f.path}` : f.kind), ' ', h('span', { class: 'quiet' }, f.apiVersion)),
    f.description ? h('p', {}, f.description) : null, h('dl', {}, facts)].filter(Boolean);
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** compare shows what a change of the definition does. */
export function compare(c, { use }) {
  if (c.changes.length === 0) return [h('p', { class: 'verdict' }, 'Nothing changes for objects.')];
  return [
    h('p', {}, 'Most severe: ', h('span', { class: 'verdict ' + c.severity }, capital(c.worst))),
    ...c.changes.map((f) => h('details', { open: f.severity === 'error' },
      h('summary', {}, h('span', { class: 'verdict ' + f.severity }, capital(f.verdict)), ` ${f.detail} `, h('span', { class: 'quiet' }, [f.version, f.path, f.check].filter(Boolean).join(' · '))),
      f.before || f.after ? h('dl', {}, h('dt', {}, 'before'), h('dd', {}, f.before ?? ''), h('dt', {}, 'now'), h('dd', {}, f.after ?? '')) : null,
      f.object ? h('pre', {}, f.object) : null,
      f.object ? h('div', { class: 'row' }, h('button', { type: 'button', onclick: () => use(f.object, f.stored ?? '') }, 'Try this object')) : null)),
    c.omitted ? quiet(`${c.omitted} more`) : null,
  ].filter(Boolean);
}
