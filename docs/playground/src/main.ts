// The page: its state, and what happens when that changes.

import samples from '../samples.json' with { type: 'json' };
import { ChatPanel } from './chat-panel.js';
import { ask, isLoaded, load } from './client.js';
import { CodePanel } from './code-panel.js';
import { Comparison } from './comparison.js';
import { copyOnPhone, Count } from './count.js';
import { DnaPanel } from './dna-panel.js';
import { announce, byId, bytesInWords, make, number, plural } from './dom.js';
import { editBetween, editedTokens } from './edits.js';
import { IdsPanel } from './ids-panel.js';
import { Inspector } from './inspector.js';
import type { Facts, FileGiven, Stats } from './messages.js';
import { ENCODINGS, encodingOf, FIRST, isModel } from './models.js';
import { notify } from './notice.js';
import { forget, isImported, keyOf, nameIn, recall, remember, rememberedKeys } from './remembered.js';
import { fragmentOf, LONG, type Shared, stateOf } from './share.js';
import { SplitPanel } from './split-panel.js';
import { followTheme } from './theme.js';
import type { Tokens } from './units.js';
import { AT_ONCE, TokenView } from './view.js';
import { kindOf, OPENS, textOf } from './what-file.js';

/** The tokens of the first sample, which the build has put here. */
declare const __SAMPLE__: Tokens;

/** Longer texts are shown, and replaced, but not edited. */
const EDITABLE = 1_200_000;
/** The same for the other boxes. */
const EDITABLE_ELSEWHERE = 100_000;
/** From here on, a change of the text costs the change; shorter ones are encoded again as fast. */
const LONG_EDITED = 16_384;
const LONGEST = 64_000_000;
/** Milliseconds without a keystroke in a long text after which the rest is computed. */
const TYPING = 500;
const TABS = ['tokens', 'chat', 'split', 'dna'] as const;
type Tab = (typeof TABS)[number];

const editor = byId<HTMLTextAreaElement>('text');
const models = byId<HTMLSelectElement>('model');
const special = byId<HTMLInputElement>('special');

const FIRST_SAMPLE = samples['A bit of everything'];

let text = '';
let model = FIRST;
let tab: Tab = 'tokens';
/** Changes with the text and what is made of it, so that late answers are known. */
let version = 0;
let running = false;
let isStale = false;
/** Where the worker's text is another one. */
let textVersion = 0;
let sentVersion = -1;
let sent = '';
/** What the view shows all tokens of: a vocabulary and a policy; its text is the view's. */
let shownWith: string | undefined;
/** Tokenizers that are open, and those that this browser remembers. */
const imported = new Map<string, Facts>();
const ofModels = new Map<string, Facts>();
const remembered = new Set<string>();

const inspector = new Inspector(byId('inspector'));
const tokenCount = new Count('count', 'token');
const view = new TokenView(byId('view'), {
  label: 'Tokens of the text',
  onPress({ from, to }, byMouse) {
    if (editor.hidden || view.text !== text) return;
    editor.setSelectionRange(from, to);
    // Where the keyboard comes out of the screen, the text stays as it is. Focus that comes scrolls to what is selected.
    if (!byMouse) return view.choose(from, to, false);
    editor.blur();
    editor.focus();
  },
  onUnit(unit) {
    if (!unit) return inspector.clear();
    void inspector.show(text, unit, view.tokens.ids.length, ask('inspect', model, unit.first, unit.end, special.checked));
  },
});
const ids = new IdsPanel({ model: () => model, take: (next) => replaceText(next, 'The text is now that of the ids.') });
const comparison = new Comparison({
  shown: () => model,
  async count(key) {
    await load(key);
    synced();
    return ask('count', key, special.checked);
  },
});
const split = new SplitPanel({ model: () => model, special: () => special.checked, text: () => text, synced });
const chat = new ChatPanel({ model: () => model, facts: () => imported.get(model) ?? ofModels.get(model) });
const dna = new DnaPanel();
const code = new CodePanel(() => ({
  tab,
  model,
  special: special.checked,
  text,
  split: split.settings(),
  chat: chat.settings(),
  dna: dna.settings(),
}));
byId('editable').textContent = number(EDITABLE);

/** Gives the worker the text, if it has another one. */
function synced(): void {
  if (sentVersion === textVersion) return;
  sentVersion = textVersion;
  sent = text;
  void ask('setText', text);
}

function setText(next: string, { fromEditor = false, refreshes = true } = {}): void {
  if (next.length > LONGEST) return notify(`This text has ${bytesInWords(next.length)}; the page shows at most ${bytesInWords(LONGEST)}.`);
  text = next;
  textVersion++;
  const isLong = text.length > EDITABLE;
  if (!fromEditor) editor.value = isLong ? '' : text;
  editor.hidden = isLong;
  byId('long').hidden = !isLong;
  byId('long-size').textContent = isLong ? `${plural(text.length, 'character')}` : '';
  if (refreshes) refresh({ keepsPlace: fromEditor });
}

/** Encodes again: once the vocabulary is here, and, if the worker is at it, after that. What is shown until then is not a count. */
function refresh({ keepsPlace = false } = {}): void {
  const now = ++version;
  forgetCounts();
  if (isLoaded(model)) return begin(keepsPlace);
  const isSample = text === FIRST_SAMPLE && model === FIRST && !special.checked;
  shownWith = undefined;
  view.setText(text, { keepsPlace });
  view.show(isSample ? __SAMPLE__ : { ids: [], offsets: [] });
  if (isSample) {
    tokenCount.show(__SAMPLE__.ids.length);
    performance.mark('sample-shown');
  }
  load(model).then(
    () => now === version && begin(true),
    (error: Error) => now === version && failed(error),
  );
}

function begin(keepsPlace: boolean): void {
  if (running) isStale = true;
  else void encode(keepsPlace);
}

/** What was counted is not of the text any more. */
function forgetCounts(): void {
  tokenCount.wait(model);
  byId('text-facts').textContent = plural(text.length, 'character');
  inspector.clear();
  ids.show([]);
  comparison.clear();
  split.clear();
}

function failed(error: Error): void {
  tokenCount.none();
  notify(error.message);
}

async function encode(keepsPlace: boolean): Promise<void> {
  running = true;
  isStale = false;
  const now = version;
  try {
    if (await edited(now)) return;
    synced();
    const shown = text;
    const usedFor = using();
    shownWith = undefined;
    const isLong = shown.length > AT_ONCE;
    if (isLong) {
      // The beginning of a long text at once, then everything.
      view.setText(shown, { keepsPlace });
      const begun = await ask('head', model, special.checked);
      if (now === version) view.show(begun);
    }
    const [found, blocks] = await Promise.all([ask('tokens', model, special.checked), isLong ? ask('blocks') : undefined]);
    if (now === version) {
      if (!isLong && view.text !== shown) view.setText(shown, { keepsPlace });
      view.show(found, blocks);
      shownWith = usedFor;
      drawDensity(found.density as Float32Array);
      tell(found.ids.length, now);
    }
  } catch (error) {
    if (now === version) failed(error as Error);
  } finally {
    running = false;
    if (isStale && isLoaded(model)) void encode(true);
  }
}

const using = () => `${model} ${special.checked}`;

/** Shows what has changed in a long text that is shown already. False if all of it has to be encoded. */
async function edited(now: number): Promise<boolean> {
  const usedFor = using();
  const [before, after] = [view.text, text];
  if (shownWith !== usedFor || sent !== before || before === after || Math.min(before.length, after.length) < LONG_EDITED) return false;
  const edit = editBetween(before, after);
  sent = after;
  sentVersion = textVersion;
  const change = await ask('edit', model, special.checked, edit);
  if (!change) return false;
  const tokens = editedTokens(view.tokens, change);
  view.edit(after, edit, tokens);
  if (now === version) tell(tokens.ids.length, now, TYPING);
  return true;
}

/** Tells the number of tokens at once, and after a while, unless there is something else by then, all that follows from it. */
function tell(count: number, now: number, wait?: number): void {
  told(count);
  // Not waited for: counting a megabyte with other vocabularies would hold up the next keystroke.
  follow(count, now, wait).catch((error: Error) => now === version && notify(error.message));
}

async function follow(count: number, now: number, wait?: number): Promise<void> {
  if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
  if (now !== version) return;
  const changed = wait === undefined ? undefined : await ask('density');
  const stats = await ask('stats');
  if (now !== version) return;
  if (wait !== undefined) drawDensity(changed ?? new Float32Array(0));
  tellFacts(count, stats);
  ids.show(view.tokens.ids);
  code.draw();
  chooseSelected(false);
  if (tab === 'split') void split.refresh();
  void ask('words').then((words) => {
    if (words === undefined || now !== version) return;
    tellFacts(count, stats, words);
    comparison.setWords(words);
  });
  // Not waited for: a vocabulary of the comparison may take long to come.
  void comparison.refresh(stats, count, () => now === version);
}

function told(count: number): void {
  tokenCount.show(count);
  document.documentElement.dataset.engine = 'ready';
  performance.mark('tokens-shown');
  announce(`${plural(count, 'token')} with ${nameOf(model)}`);
}

function tellFacts(count: number, { units, bytes }: Stats, words?: number): void {
  const perToken = count > 0 ? `, ${(units / count).toFixed(2)} per token` : '';
  const inWords = words === undefined ? '' : ` · ${plural(words, 'word')}`;
  byId('text-facts').textContent = `${plural(units, 'character')}${perToken}${inWords} · ${bytesInWords(bytes)} of UTF-8`;
}

function nameOf(key: string): string {
  return imported.get(key)?.name ?? encodingOf(key)?.name ?? nameIn(key);
}

/** Characters per token along the text: the lower, the more a stretch costs. */
let density = new Float32Array(0);
function drawDensity(values: Float32Array): void {
  density = Float32Array.from(values);
  const canvas = byId<HTMLCanvasElement>('density');
  canvas.hidden = density.length < 24;
  byId('density-legend').hidden = canvas.hidden;
  const context = canvas.getContext('2d');
  if (canvas.hidden || !context) return;
  const ratio = Math.min(2, devicePixelRatio || 1);
  canvas.width = Math.max(1, canvas.clientWidth) * ratio;
  canvas.height = 28 * ratio;
  const style = getComputedStyle(document.documentElement);
  context.fillStyle = style.getPropertyValue('--accent');
  const step = canvas.width / density.length;
  density.forEach((each, bucket) => {
    const share = Math.min(1, each / 7);
    context.globalAlpha = 0.25 + 0.5 * (1 - share);
    const height = Math.max(2 * ratio, share * canvas.height);
    context.fillRect(bucket * step, canvas.height - height, Math.max(1, step - ratio), height);
  });
}

// Tabs.

function choose(next: Tab, focus = false): void {
  tab = next;
  for (const each of TABS) {
    const button = byId(`tab-${each}`);
    button.setAttribute('aria-selected', String(each === next));
    button.tabIndex = each === next ? 0 : -1;
    byId(`panel-${each}`).hidden = each !== next;
  }
  if (focus) byId(`tab-${next}`).focus();
  byId('choose').hidden = next === 'dna';
  copyOnPhone();
  code.draw();
  if (next === 'split') void split.refresh();
  if (next === 'chat') void chat.refresh();
  if (next === 'dna') void dna.refresh();
}

for (const each of TABS) byId(`tab-${each}`).addEventListener('click', () => choose(each));
document.querySelector('[role="tablist"]')?.addEventListener('keydown', (event) => {
  const { key } = event as KeyboardEvent;
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  const at = TABS.indexOf(tab);
  const next = key === 'Home' ? 0 : key === 'End' ? TABS.length - 1 : step === 0 ? -1 : (at + step + TABS.length) % TABS.length;
  if (next === -1) return;
  event.preventDefault();
  choose(TABS[next] as Tab, true);
});

// Models.

function listModels(): void {
  models.replaceChildren(
    ...ENCODINGS.map(({ key, name, models: [best] }) =>
      make('option', { value: key, textContent: name === best ? name : `${name} · ${best}` }),
    ),
    ...[...new Set([...imported.keys(), ...remembered])].map((key) =>
      make('option', { value: key, textContent: `${nameOf(key)} · yours` }),
    ),
  );
  models.value = model;
  byId('forget').hidden = !isImported(model);
}

async function setModel(key: string): Promise<void> {
  if (isImported(key) && !imported.has(key)) {
    const files = await recall(key);
    if (files) return openTokenizer(files);
    remembered.delete(key);
    notify(`This browser does not have ${nameIn(key)} any more. Open the file again.`);
    return listModels();
  }
  model = key;
  listModels();
  chat.modelChanged();
  refresh({ keepsPlace: true });
  try {
    await load(key);
    const facts = await ask('facts', key);
    if (isModel(key)) ofModels.set(key, facts);
    if (key !== model) return;
    if (isModel(key)) chat.modelChanged();
    byId('engine').textContent = `${nameOf(key)}: ${number(facts.vocabularySize)} tokens, ${facts.modelKind} (${facts.kernel}).`;
  } catch {
    // `refresh` has said so.
  }
}

async function openTokenizer(files: FileGiven[]): Promise<void> {
  notify('Compiling the tokenizer…');
  try {
    const key = await keyOf(files);
    const facts = await ask('open', key, files);
    imported.set(key, facts);
    await remember(key, files);
    comparison.add(facts);
    notify(undefined);
    await setModel(key);
    announce(`${facts.name} is open, with ${number(facts.vocabularySize)} tokens`);
  } catch (error) {
    models.value = model;
    notify(`${files.map(({ name }) => name).join(', ')}: ${(error as Error).message}`);
  }
}

byId('forget').addEventListener('click', async () => {
  const gone = model;
  await forget(gone);
  remembered.delete(gone);
  imported.delete(gone);
  await setModel(FIRST);
});
void rememberedKeys().then((keys) => {
  for (const key of keys) remembered.add(key);
  listModels();
});

models.addEventListener('change', () => void setModel(models.value));
special.addEventListener('change', () => refresh({ keepsPlace: true }));

// Text.

editor.addEventListener('input', () => setText(editor.value, { fromEditor: true }));
editor.addEventListener('paste', (event) => {
  const pasted = event.clipboardData?.getData('text/plain') ?? '';
  if (pasted.length + editor.value.length <= EDITABLE) return;
  event.preventDefault();
  setText(editor.value.slice(0, editor.selectionStart) + pasted + editor.value.slice(editor.selectionEnd));
});
document.addEventListener('paste', (event) => {
  const target = event.target as Element | null;
  if (event.defaultPrevented || tab !== 'tokens' || target?.closest('textarea, input')) return;
  const pasted = event.clipboardData?.getData('text/plain') ?? '';
  if (pasted === '') return;
  event.preventDefault();
  const appends = document.querySelector<HTMLInputElement>('input[name="paste"]:checked')?.value === 'append';
  setText(appends && text.length > EDITABLE ? text + pasted : pasted);
});
document.addEventListener('paste', (event) => {
  const target = (event.target as Element | null)?.closest('textarea');
  const length = event.clipboardData?.getData('text/plain').length ?? 0;
  if (event.defaultPrevented || !target || target === editor || length <= EDITABLE_ELSEWHERE) return;
  event.preventDefault();
  notify(`That is too long for this box: ${plural(length, 'character')}. It takes ${number(EDITABLE_ELSEWHERE)} at a time.`);
});
/** Another text in place of what the visitor has, who can have that back. */
function replaceText(next: string, done: string): void {
  const before = text;
  setText(next);
  const isLost = before !== '' && before !== next && !(Object.values(samples) as string[]).includes(before);
  if (text === next) notify(isLost ? done : undefined, { label: 'Undo', run: () => setText(before) });
}

byId('clear').addEventListener('click', () => {
  replaceText('', 'The text is cleared.');
  editor.focus();
});

/** The tokens of what is selected in the text. `shows`: bring them into sight. */
function chooseSelected(shows: boolean): void {
  if (document.activeElement !== editor || view.text !== text) return;
  view.choose(editor.selectionStart, editor.selectionEnd, shows);
}
document.addEventListener('selectionchange', () => chooseSelected(true));

const sampleList = byId<HTMLSelectElement>('sample');
for (const name of Object.keys(samples)) sampleList.append(make('option', { value: name, textContent: name }));
sampleList.addEventListener('change', () => {
  const sample = (samples as Record<string, string>)[sampleList.value];
  if (sample !== undefined) replaceText(sample, 'The text is now the sample.');
  sampleList.value = '';
});
byId('density').addEventListener('click', (event) => {
  const box = byId('density').getBoundingClientRect();
  view.reveal(Math.floor(((event.clientX - box.left) / box.width) * text.length));
});

// Files.

/** `wanted`: what the button that was pressed is for; undefined: files were dropped. */
async function take(files: File[], wanted?: 'tokenizer' | 'text'): Promise<void> {
  const [first] = files;
  if (!first) return;
  const kinds = await Promise.all(files.map(kindOf));
  const at = kinds.findIndex(({ kind }) => kind === 'other');
  const wrong = kinds[at];
  if (wrong?.kind === 'other') return notify(`${files[at]?.name} is ${wrong.what}. ${OPENS}`);
  const isTokenizer = kinds.some(({ kind }) => kind === 'tokenizer');
  if (wanted === 'tokenizer' && !isTokenizer) {
    const what = kinds[0]?.kind === 'json' ? kinds[0].what : 'a text';
    return notify(`${first.name} is ${what}, and no tokenizer. ${OPENS}`);
  }
  if (isTokenizer && wanted !== 'text') {
    const given = await Promise.all(files.map(async (file) => ({ name: file.name, bytes: await file.arrayBuffer() })));
    return openTokenizer(given);
  }
  notify(undefined);
  choose('tokens');
  replaceText(await textOf(first), `The text is now ${first.name}.`);
}

function takesFiles(input: HTMLInputElement, button: HTMLElement, wanted: 'tokenizer' | 'text'): void {
  button.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    void take([...(input.files ?? [])], wanted);
    input.value = '';
  });
}
takesFiles(byId('text-file'), byId('open-text'), 'text');
takesFiles(byId('tokenizer-file'), byId('import'), 'tokenizer');

let inside = 0;
addEventListener('dragenter', (event) => {
  if (!event.dataTransfer?.types.includes('Files')) return;
  inside++;
  byId('drop').hidden = false;
});
addEventListener('dragleave', () => {
  inside = Math.max(0, inside - 1);
  if (inside === 0) byId('drop').hidden = true;
});
addEventListener('dragover', (event) => {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
});
addEventListener('drop', (event) => {
  inside = 0;
  byId('drop').hidden = true;
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length > 0) {
    event.preventDefault();
    void take(files);
    return;
  }
  const dropped = event.dataTransfer?.getData('text/plain') ?? '';
  if (dropped.length + editor.value.length <= EDITABLE && (event.target as Element).closest('textarea')) return;
  event.preventDefault();
  if (dropped !== '') setText(dropped);
});

// Sharing.

function shared(): Shared {
  return {
    text: tab === 'tokens' || tab === 'split' ? text : undefined,
    model,
    tab,
    special: special.checked || undefined,
    ...comparison.shared(),
    split: tab === 'split' ? split.settings() : undefined,
    chat: tab === 'chat' ? chat.messages() : undefined,
    dna: tab === 'dna' ? dna.settings() : undefined,
  };
}

byId('share').addEventListener('click', async () => {
  const button = byId('share');
  if (text.length > 1_000_000 && tab !== 'chat' && tab !== 'dna') {
    return notify('A link holds the text itself, and this one is too long for that: more than a million characters.');
  }
  const fragment = await fragmentOf(shared());
  history.replaceState(null, '', fragment);
  let copied = true;
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    copied = false;
  }
  const size = location.href.length;
  const isLong = size > LONG ? ` It has ${number(size)} characters; some programs cut links that long.` : '';
  const where = copied ? 'Link copied.' : 'The link is in the address bar.';
  const needs =
    isImported(model) && tab !== 'dna' ? ` Whoever opens it needs the file ${nameOf(model)}, too, which a link does not hold.` : '';
  notify(
    isLong !== '' || needs !== '' || !copied
      ? `${where}${isLong}${needs} The text is in the part behind #, which browsers do not send.`
      : undefined,
  );
  button.textContent = copied ? 'Copied' : 'Copy link';
  announce(where);
  setTimeout(() => {
    button.textContent = 'Copy link';
  }, 2000);
});

function apply(state: Shared): void {
  if (typeof state.special === 'boolean') special.checked = state.special;
  comparison.apply(state);
  if (state.split) split.apply(state.split);
  if (Array.isArray(state.chat)) chat.apply(state.chat);
  if (state.dna) dna.apply(state.dna);
  if (typeof state.model === 'string' && encodingOf(state.model)) model = state.model;
  const next = TABS.find((each) => each === state.tab) ?? 'tokens';
  setText(typeof state.text === 'string' ? state.text : FIRST_SAMPLE, { refreshes: false });
  listModels();
  choose(next);
  if (typeof state.model === 'string' && isImported(state.model)) void useImported(state.model);
  else void setModel(model);
}

/** The tokenizer of a link, if this browser has it. */
async function useImported(key: string): Promise<void> {
  if (imported.has(key) || (await rememberedKeys()).includes(key)) return setModel(key);
  await setModel(model);
  const name = nameIn(key);
  notify(
    `This link was made with the tokenizer ${name}, which a link does not hold. Open that file for its tokens; these are of ${nameOf(model)}.`,
  );
}

// Start.

followTheme(byId('theme'), () => drawDensity(density));
listModels();
const fragment = location.hash;
if (fragment.startsWith('#s=')) {
  void stateOf(fragment).then((state) => {
    if (!state) notify('The link is damaged: the part behind # cannot be read. Perhaps it was cut.');
    apply(state ?? {});
  });
} else {
  apply({});
}
addEventListener('hashchange', async () => {
  const state = await stateOf(location.hash);
  if (state) apply(state);
});

for (const each of ['input', 'change']) document.addEventListener(each, () => code.draw());

if ('serviceWorker' in navigator) {
  const offline = byId('offline');
  const ready = () => {
    offline.textContent = 'Works offline now.';
  };
  // After the first tokens, so that nothing waits for it.
  const register = async () => {
    try {
      await navigator.serviceWorker.register('sw.js');
      await navigator.serviceWorker.ready;
      ready();
    } catch {
      // Over plain HTTP, or where pages may keep nothing: the page works, with a connection.
    }
  };
  const wait = setInterval(() => {
    if (document.documentElement.dataset.engine === undefined) return;
    clearInterval(wait);
    void register();
  }, 300);
}
