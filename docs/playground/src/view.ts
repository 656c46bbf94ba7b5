// Text of any size as coloured tokens: blocks of lines are rendered when they come into sight, measured then, and dropped when
// they are out of it. Heights of blocks that were never in sight are estimated.

import { type Blocks, blockAt, blocksOf, upperBound } from './blocks.js';
import type { Edit } from './edits.js';
import { escaped, glyphsOf, spoken } from './glyphs.js';
import { type Tokens, type Unit, unitsOf } from './units.js';

export const COLOURS = 8;
/** Browsers have no boxes that are much higher than this. */
const HIGHEST = 12_000_000;
/** Text that is cut into blocks at once; of a longer one, blocks come from the worker. */
export const AT_ONCE = 65_536;
/** Pixels above and below that are rendered, too. */
const MARGIN = 120;

export interface ViewOptions {
  /** Called for what the pointer or the keyboard is at; undefined: nothing. */
  onUnit(unit: Unit | undefined): void;
  label: string;
  /** Called for a token that is clicked, or pressed Enter at. `byMouse`: whether with a device that has a pointer to spare. */
  onPress?: (unit: Unit, byMouse: boolean) => void;
  /** A class for each token besides that of its colour. */
  classOf?: (token: number) => string;
  /** The colour of a token; default: they take turns. */
  colourOf?: (token: number) => number;
}

export class TokenView {
  readonly #root: HTMLElement;
  readonly #options: ViewOptions;
  readonly #spacer = document.createElement('div');
  readonly #rows = document.createElement('div');
  #text = '';
  #tokens: Tokens = { ids: [], offsets: [] };
  #blocks: Blocks = blocksOf('');
  #heights = new Float32Array(0);
  #tops = new Float64Array(1);
  /** Blocks that are rendered, in order. */
  readonly #shown = new Map<number, HTMLElement>();
  #active = 0;
  #chosen: { from: number; to: number } | undefined;
  #frame = 0;
  #lineHeight = 28;
  #columns = 80;
  #width = 0;

  constructor(root: HTMLElement, options: ViewOptions) {
    this.#root = root;
    this.#options = options;
    root.classList.add('tokens');
    this.#spacer.className = 'spacer';
    this.#spacer.setAttribute('role', 'presentation');
    this.#rows.className = 'rows';
    this.#rows.setAttribute('role', 'listbox');
    this.#rows.setAttribute('aria-label', options.label);
    this.#rows.setAttribute('aria-orientation', 'horizontal');
    this.#rows.tabIndex = -1;
    this.#spacer.append(this.#rows);
    root.replaceChildren(this.#spacer);
    root.addEventListener('scroll', () => this.#later(), { passive: true });
    root.addEventListener('pointerover', (event) => this.#point(event.target));
    root.addEventListener('pointerleave', () => this.#point(document.activeElement));
    root.addEventListener('pointerdown', (event) => this.#press(event.target));
    this.#rows.addEventListener('focusin', (event) => this.#focused(event.target as HTMLElement));
    this.#rows.addEventListener('focusout', () => this.#point(undefined));
    this.#rows.addEventListener('keydown', (event) => this.#key(event));
    root.addEventListener('click', (event) => this.#clicked(event as PointerEvent));
    root.addEventListener('copy', (event) => this.#copy(event));
    new ResizeObserver(() => this.#resized()).observe(root);
  }

  get text(): string {
    return this.#text;
  }

  get tokens(): Tokens {
    return this.#tokens;
  }

  /** How many units are in the page now. */
  get rendered(): number {
    return this.#rows.querySelectorAll('.t').length;
  }

  /** Another text; of a long one only the beginning, until `show` brings the rest. */
  setText(text: string, { keepsPlace = false } = {}): void {
    this.#text = text;
    this.#tokens = { ids: [], offsets: [] };
    this.#chosen = undefined;
    const end = text.length > AT_ONCE ? lineEnd(text, AT_ONCE / 4) : text.length;
    this.#setBlocks(blocksOf(text, end));
    if (!keepsPlace) {
      this.#root.scrollTop = 0;
      this.#active = 0;
    }
  }

  /** `blocks`: those of all of a long text. */
  show(tokens: Tokens, blocks?: Blocks): void {
    if (blocks) this.#setBlocks(blocks);
    this.#tokens = tokens;
    if (this.#active >= tokens.ids.length) this.#active = 0;
    this.#forget();
    this.#render();
  }

  /** The text and the tokens after an edit. What is before it stays as it is, and heights that have been measured. */
  edit(text: string, { start, end, inserted }: Edit, tokens: Tokens): void {
    const { starts, breaks } = this.#blocks;
    const shift = inserted.length - (end - start);
    // The neighbours, too: a block ends where no cluster can cross.
    const first = Math.max(0, blockAt(this.#blocks, Math.max(0, start - 1)) - 1);
    const last = Math.min(breaks.length, blockAt(this.#blocks, end) + 2);
    const begin = starts[first] as number;
    const own = blocksOf(text.slice(begin, (starts[last] as number) + shift));
    const count = own.breaks.length;
    const moved = starts.subarray(last + 1).map((each) => each + shift);
    this.#blocks = {
      starts: Uint32Array.from([...starts.subarray(0, first), ...own.starts.map((each) => each + begin), ...moved]),
      breaks: Uint32Array.from([...breaks.subarray(0, first), ...own.breaks, ...breaks.subarray(last)]),
    };
    const heights = new Float32Array(breaks.length - (last - first) + count);
    heights.set(this.#heights.subarray(0, first));
    heights.set(this.#heights.subarray(last), first + count);
    this.#heights = heights;
    this.#text = text;
    this.#chosen = undefined;
    for (let block = first; block < first + count; block++) heights[block] = this.#estimated(block);
    this.#addUp();
    this.#tokens = tokens;
    if (this.#active >= tokens.ids.length) this.#active = 0;
    for (const block of this.#shown.keys()) if (block >= first) this.#shown.delete(block);
    this.#render();
  }

  /** Brings a position of the text into sight. */
  reveal(position: number): void {
    const block = blockAt(this.#blocks, position);
    const within = (position - (this.#blocks.starts[block] as number)) / Math.max(1, this.#lengthOf(block));
    const top = (this.#tops[block] as number) + within * (this.#heights[block] as number);
    this.#root.scrollTop = Math.max(0, (top - this.#root.clientHeight / 3) / this.#scale);
    this.#render();
  }

  /** Marks the tokens of a stretch of the text, and tells of the first: it is what is selected elsewhere. `shows`: bring it into sight. */
  choose(from: number, to: number, shows: boolean): void {
    this.#chosen = { from, to };
    this.#showChosen();
    const first = () => this.#rows.querySelector<HTMLElement>('.t.chosen');
    const box = first()?.getBoundingClientRect();
    const root = this.#root.getBoundingClientRect();
    if (shows && (!box || box.top < root.top || box.bottom > root.bottom)) this.reveal(from);
    const element = first();
    if (element && shows) this.#options.onUnit(unitOf(element));
  }

  #showChosen(): void {
    const { from, to } = this.#chosen ?? { from: -1, to: -1 };
    for (const each of this.#rows.querySelectorAll<HTMLElement>('.t')) {
      const [start, end] = [Number(each.dataset.from), Number(each.dataset.to)];
      each.classList.toggle('chosen', from === to ? start <= from && from < end : start < to && from < end);
    }
  }

  #clicked(event: PointerEvent): void {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>('.t') : null;
    if (!element || document.getSelection()?.isCollapsed === false) return;
    this.#options.onPress?.(unitOf(element), event.pointerType !== 'touch');
  }

  /** Marks the tokens with an id. */
  #mark(id: number | undefined): void {
    for (const each of this.#rows.querySelectorAll('.same')) each.classList.remove('same');
    if (id === undefined) return;
    for (const each of this.#rows.querySelectorAll(`[data-id="${id}"]`)) each.classList.add('same');
  }

  #setBlocks(blocks: Blocks): void {
    this.#blocks = blocks;
    this.#measureFont();
    this.#estimate();
  }

  #estimate(): void {
    const count = this.#blocks.breaks.length;
    this.#heights = new Float32Array(count);
    for (let block = 0; block < count; block++) this.#heights[block] = this.#estimated(block);
    this.#addUp();
  }

  #estimated(block: number): number {
    const lines = (this.#blocks.breaks[block] as number) + this.#lengthOf(block) / this.#columns;
    return Math.max(1, Math.round(lines)) * this.#lineHeight;
  }

  #addUp(): void {
    const count = this.#heights.length;
    if (this.#tops.length !== count + 1) this.#tops = new Float64Array(count + 1);
    for (let block = 0; block < count; block++) this.#tops[block + 1] = (this.#tops[block] as number) + (this.#heights[block] as number);
    this.#spacer.style.height = `${Math.min(this.#total, HIGHEST)}px`;
  }

  get #total(): number {
    return this.#tops.at(-1) as number;
  }

  /** How much further the text goes than the scroll bar; 1 but for texts of hundreds of thousands of lines. */
  get #scale(): number {
    const [room, all] = [HIGHEST - this.#root.clientHeight, this.#total - this.#root.clientHeight];
    return all > room ? all / room : 1;
  }

  #lengthOf(block: number): number {
    return (this.#blocks.starts[block + 1] as number) - (this.#blocks.starts[block] as number);
  }

  #measureFont(): void {
    const style = getComputedStyle(this.#rows);
    this.#lineHeight = Number.parseFloat(style.lineHeight) || 28;
    const size = Number.parseFloat(style.fontSize) || 15;
    this.#columns = Math.max(10, this.#root.clientWidth / (size * 0.61));
  }

  #resized(): void {
    if (this.#root.clientWidth === this.#width) return this.#later();
    this.#width = this.#root.clientWidth;
    const first = this.#shown.keys().next().value ?? 0;
    this.#measureFont();
    this.#estimate();
    this.#forget();
    if (first > 0) this.#root.scrollTop = (this.#tops[Math.min(first, this.#heights.length)] as number) / this.#scale;
    this.#render();
  }

  #later(): void {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  }

  #forget(): void {
    this.#shown.clear();
  }

  #render(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const count = this.#heights.length;
    const scale = this.#scale;
    const top = this.#root.scrollTop * scale;
    const first = Math.min(Math.max(0, upperBound(this.#tops, top - MARGIN) - 1), Math.max(0, count - 1));
    let last = first;
    while (last < count && (this.#tops[last] as number) < top + this.#root.clientHeight + MARGIN) last++;
    const hadFocus = this.#rows.contains(document.activeElement) && document.activeElement !== this.#rows;
    const elements: HTMLElement[] = [];
    for (let block = first; block < last; block++) elements.push(this.#shown.get(block) ?? this.#rendered(block));
    this.#shown.clear();
    elements.forEach((element, index) => this.#shown.set(first + index, element));
    if (this.#rows.childElementCount !== elements.length || elements.some((element, index) => this.#rows.children[index] !== element)) {
      this.#rows.replaceChildren(...elements);
      if (this.#chosen) this.#showChosen();
    }
    this.#measure(first, elements, top);
    const offset = (this.#tops[first] as number) - this.#root.scrollTop * scale;
    this.#rows.style.transform = `translateY(${Math.round(this.#root.scrollTop + offset)}px)`;
    this.#placeTabStop();
    if (hadFocus && !this.#rows.contains(document.activeElement))
      (this.#elementOf(this.#active) ?? this.#rows).focus({ preventScroll: true });
  }

  /** Takes the true heights of blocks; what is above the first line in sight must not move it. */
  #measure(first: number, elements: HTMLElement[], top: number): void {
    let above = 0;
    let changed = false;
    elements.forEach((element, index) => {
      const block = first + index;
      const height = element.offsetHeight;
      const known = this.#heights[block] as number;
      if (height === 0 || Math.abs(height - known) < 0.5) return;
      if ((this.#tops[block] as number) + known <= top) above += height - known;
      this.#heights[block] = height;
      changed = true;
    });
    if (!changed) return;
    this.#addUp();
    if (above !== 0 && this.#scale === 1) this.#root.scrollTop += above;
    this.#later();
  }

  #rendered(block: number): HTMLElement {
    const element = document.createElement('div');
    element.className = 'block';
    element.setAttribute('role', 'presentation');
    const [from, to] = [this.#blocks.starts[block] as number, this.#blocks.starts[block + 1] as number];
    const { ids } = this.#tokens;
    let html = '';
    for (const unit of unitsOf(this.#text, from, to, this.#tokens)) html += this.#unitHtml(unit, ids);
    element.innerHTML = html;
    for (const each of element.querySelectorAll<HTMLElement>('.many')) {
      const [start, end] = rangeOf(each);
      const step = 100 / (end - start);
      const stops = Array.from({ length: end - start }, (_, index) => {
        const colour = `var(--t${this.#colourOf(start + index)})`;
        return `${colour} ${index * step}% ${(index + 1) * step}%`;
      });
      each.style.backgroundImage = `linear-gradient(90deg, ${stops.join(', ')})`;
    }
    return element;
  }

  #colourOf(token: number): number {
    return this.#options.colourOf?.(token) ?? token % COLOURS;
  }

  #unitHtml({ first, end, from, to }: Unit, ids: ArrayLike<number>): string {
    const text = this.#text.slice(from, to);
    const glyphs = glyphsOf(text, true);
    if (first === end) return `<span class="gap">${glyphs}</span>`;
    const space = text.startsWith(' ') ? ' sp' : '';
    const extra = this.#options.classOf ? ` ${this.#options.classOf(first)}` : '';
    const which = end - first > 1 ? `ids ${Array.from(idsOf(ids, first, end)).join(' ')}` : `id ${ids[first]}`;
    const label = `${escaped(spoken(text))}, ${which}`;
    const many = end - first > 1 ? ' many' : ` c${this.#colourOf(first)}`;
    const range = end - first > 1 ? ` data-end="${end}"` : '';
    return `<span class="t${many}${space}${extra}" role="option" aria-selected="false" tabindex="-1" data-at="${first}"${range} data-from="${from}" data-to="${to}" data-id="${ids[first]}" aria-label="${label}">${glyphs}</span>`;
  }

  #placeTabStop(): void {
    for (const each of this.#rows.querySelectorAll('[tabindex="0"]')) each.setAttribute('tabindex', '-1');
    const stop = this.#elementOf(this.#active) ?? this.#firstInSight();
    stop?.setAttribute('tabindex', '0');
    this.#rows.tabIndex = stop ? -1 : 0;
  }

  #elementOf(token: number): HTMLElement | undefined {
    const exact = this.#rows.querySelector<HTMLElement>(`.t[data-at="${token}"]`);
    if (exact) return exact;
    return [...this.#rows.querySelectorAll<HTMLElement>('.many')].find((each) => {
      const [start, end] = rangeOf(each);
      return start <= token && token < end;
    });
  }

  #firstInSight(): HTMLElement | undefined {
    const top = this.#root.getBoundingClientRect().top;
    for (const each of this.#rows.querySelectorAll<HTMLElement>('.t')) if (each.getBoundingClientRect().bottom > top) return each;
    return undefined;
  }

  #point(target: EventTarget | null | undefined): void {
    const element = target instanceof Element ? target.closest<HTMLElement>('.t') : null;
    if (!element || !this.#rows.contains(element)) {
      this.#mark(undefined);
      // Where nothing is pointed at, what is selected is told of.
      const chosen = this.#rows.querySelector<HTMLElement>('.t.chosen');
      this.#options.onUnit(chosen ? unitOf(chosen) : undefined);
      return;
    }
    this.#mark(Number(element.dataset.id));
    this.#options.onUnit(unitOf(element));
  }

  #press(target: EventTarget | null): void {
    const element = target instanceof Element ? target.closest<HTMLElement>('.t') : null;
    if (element) this.#move(element);
  }

  #focused(element: HTMLElement): void {
    if (!element.classList.contains('t')) return;
    this.#active = Number(element.dataset.at);
    for (const each of this.#rows.querySelectorAll('[aria-selected="true"]')) each.setAttribute('aria-selected', 'false');
    element.setAttribute('aria-selected', 'true');
    this.#placeTabStop();
    this.#point(element);
  }

  #move(element: HTMLElement | undefined): void {
    if (!element) return;
    element.setAttribute('tabindex', '0');
    element.focus({ preventScroll: true });
    const [box, view] = [element.getBoundingClientRect(), this.#root.getBoundingClientRect()];
    if (box.top < view.top + 8) this.#root.scrollTop -= view.top + 40 - box.top;
    else if (box.bottom > view.bottom - 8) this.#root.scrollTop += box.bottom - view.bottom + 40;
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const focused = document.activeElement;
    const current = focused instanceof HTMLElement && focused.classList.contains('t') ? focused : this.#firstInSight();
    if (!current) return;
    const count = this.#tokens.ids.length;
    switch (event.key) {
      case 'ArrowRight':
        this.#goTo(rangeOf(current)[1], current);
        break;
      case 'ArrowLeft':
        this.#goTo(rangeOf(current)[0] - 1, current);
        break;
      case 'ArrowDown':
      case 'ArrowUp':
        this.#goToLine(current, event.key === 'ArrowDown');
        break;
      case 'Enter':
        this.#options.onPress?.(unitOf(current), true);
        break;
      case 'Home':
        this.#goTo(0, current);
        break;
      case 'End':
        this.#goTo(count - 1, current);
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  #goTo(token: number, from: HTMLElement): void {
    if (token < 0 || token >= this.#tokens.ids.length) return this.#move(from);
    if (!this.#elementOf(token)) this.reveal(this.#tokens.offsets[2 * token] as number);
    this.#move(this.#elementOf(token));
  }

  /** The token above or below, by where they are on the screen. */
  #goToLine(current: HTMLElement, down: boolean): void {
    const box = current.getClientRects()[0] as DOMRect;
    const x = box.left + Math.min(box.width / 2, 8);
    let best: HTMLElement | undefined;
    let distance = Number.POSITIVE_INFINITY;
    for (const each of this.#rows.querySelectorAll<HTMLElement>('.t')) {
      const rect = each.getClientRects()[0];
      if (!rect) continue;
      const dy = down ? rect.top - box.top : box.top - rect.top;
      if (dy < this.#lineHeight / 2 || dy > this.#lineHeight * 4) continue;
      const dx = x < rect.left ? rect.left - x : Math.max(0, x - rect.right);
      const far = dy * 1000 + dx;
      if (far < distance) [best, distance] = [each, far];
    }
    this.#move(best ?? current);
  }

  /** Gives the text itself, not the marks that stand for spaces. */
  #copy(event: ClipboardEvent): void {
    const range = document.getSelection()?.getRangeAt(0);
    if (!range || range.collapsed || !event.clipboardData) return;
    const chosen = [...this.#rows.querySelectorAll<HTMLElement>('.t')].filter((each) => range.intersectsNode(each));
    const [first, last] = [chosen[0], chosen.at(-1)];
    if (!first || !last) return;
    event.clipboardData.setData('text/plain', this.#text.slice(Number(first.dataset.from), Number(last.dataset.to)));
    event.preventDefault();
  }
}

function unitOf(element: HTMLElement): Unit {
  const [first, end] = rangeOf(element);
  return { first, end, from: Number(element.dataset.from), to: Number(element.dataset.to) };
}

function rangeOf(element: HTMLElement): [number, number] {
  const first = Number(element.dataset.at);
  return [first, Number(element.dataset.end ?? first + 1)];
}

function* idsOf(ids: ArrayLike<number>, from: number, to: number): Generator<number> {
  for (let at = from; at < to; at++) yield ids[at] as number;
}

function lineEnd(text: string, near: number): number {
  const newline = text.indexOf('\n', near);
  if (newline !== -1 && newline < near + 2000) return newline + 1;
  return (text.charCodeAt(near) & 0xfc00) === 0xdc00 ? near + 1 : near;
}
