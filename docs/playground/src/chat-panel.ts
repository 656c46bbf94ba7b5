// A conversation as the model reads it: rendered by its template, with the tokens that each message takes.

import { ask, load } from './client.js';
import { Count } from './count.js';
import { announce, byId, make, number, plural } from './dom.js';
import { Inspector } from './inspector.js';
import type { ChatAnswer, Facts, Message } from './messages.js';
import { chatModelsOf } from './models.js';
import { COLOURS, TokenView } from './view.js';

export interface ChatOptions {
  model(): string;
  /** Of a tokenizer that the visitor has opened. */
  facts(): Facts | undefined;
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];
const FIRST: Message[] = [
  { role: 'system', content: 'You answer in one sentence.' },
  { role: 'user', content: 'Why do tokens matter?' },
  { role: 'assistant', content: 'You pay for them, and the context window is counted in them.' },
  { role: 'user', content: 'How many is this conversation?' },
];

const CHATML = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;
const PLAIN = `{% for message in messages %}{{ message.role }}: {{ message.content }}
{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}`;

/** How the choices begin that are models of OpenAI's API. */
const API = 'api:';
const TEMPLATES: Record<string, string> = { chatml: CHATML, plain: PLAIN };

export class ChatPanel {
  readonly #options: ChatOptions;
  readonly #view: TokenView;
  readonly #inspector: Inspector;
  readonly #count = new Count('chat-count', 'token');
  #messages = FIRST.map((each) => ({ ...each }));
  #answer: ChatAnswer | undefined;
  #asked = 0;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#inspector = new Inspector(byId('chat-inspector'));
    this.#view = new TokenView(byId('chat-view'), {
      label: 'Tokens of the conversation',
      colourOf: (token) => colourOf(this.#answer?.origins[token] ?? -1, token),
      onUnit: (unit) => {
        const answer = this.#answer;
        if (!unit || !answer) return this.#inspector.clear();
        const ids = Array.from(answer.ids.subarray(unit.first, unit.end));
        const origin = answer.origins[unit.first] ?? -1;
        const from = origin < 0 ? 'written by the template' : `message ${origin + 1}, ${this.#messages[origin]?.role ?? ''}`;
        void this.#inspector.show(answer.rendered, unit, answer.ids.length, ask('lookUp', this.#options.model(), ids), from);
      },
    });
    byId('add-message').addEventListener('click', () => {
      const last = this.#messages.at(-1)?.role;
      this.#messages.push({ role: last === 'user' ? 'assistant' : 'user', content: '' });
      this.#list();
      void this.refresh();
      byId('messages').querySelector<HTMLElement>('li:last-child textarea')?.focus();
    });
    byId('template').addEventListener('change', () => this.#chosen());
    byId('prompt').addEventListener('change', () => void this.refresh());
    byId('jinja').addEventListener('input', () => {
      byId<HTMLSelectElement>('template').value = 'own';
      void this.refresh();
    });
    this.#list();
    this.modelChanged();
  }

  messages(): Message[] {
    return this.#messages;
  }

  apply(messages: unknown[]): void {
    const isMessage = (each: unknown): each is Message =>
      typeof each === 'object' &&
      each !== null &&
      typeof (each as Message).role === 'string' &&
      typeof (each as Message).content === 'string';
    this.#messages = messages.filter(isMessage).map(({ role, content }) => ({ role, content }));
    this.#list();
  }

  /** The ways of counting that go with the vocabulary: OpenAI's API for its models, templates that the vocabulary has tokens for. */
  modelChanged(): void {
    const key = this.#options.model();
    const hasOwn = key === 'o200k_harmony' || this.#options.facts()?.hasTemplate === true;
    const list = byId<HTMLSelectElement>('template');
    const own = key === 'o200k_harmony' ? 'harmony (gpt-oss)' : "the model's own template";
    const entries = [
      ...(hasOwn ? [['model', own]] : []),
      ...chatModelsOf(key).map((model) => [API + model, `${model} in OpenAI's API`]),
      ...(this.#options.facts()?.hasChatMl ? [['chatml', 'ChatML']] : []),
      ['plain', 'plain text, role: text'],
      ['own', 'a template of yours'],
    ];
    list.replaceChildren(...entries.map(([value, textContent]) => make('option', { value, textContent })));
    this.#chosen();
  }

  /** What is counted, as code needs it. */
  settings(): { messages: Message[]; template: string; addGenerationPrompt: boolean; billed: string } {
    const chosen = byId<HTMLSelectElement>('template').value;
    const billed = chosen.startsWith(API) ? chosen.slice(API.length) : '';
    const template = chosen === 'model' || billed !== '' ? '' : byId<HTMLTextAreaElement>('jinja').value;
    return { messages: this.#messages, template, addGenerationPrompt: byId<HTMLInputElement>('prompt').checked, billed };
  }

  #chosen(): void {
    const chosen = byId<HTMLSelectElement>('template').value;
    const jinja = byId<HTMLTextAreaElement>('jinja');
    const isApi = chosen.startsWith(API);
    byId('begins').hidden = isApi;
    byId('source').hidden = isApi;
    if (chosen !== 'own') jinja.value = TEMPLATES[chosen] ?? '';
    jinja.placeholder = chosen === 'model' ? 'The template comes with the model. Write here to use another one.' : '';
    if (!byId('panel-chat').hidden) void this.refresh();
  }

  #list(): void {
    byId('messages').replaceChildren(
      ...this.#messages.map((message, index) => {
        const role = make('select', { ariaLabel: `Role of message ${index + 1}` });
        const roles = ROLES.includes(message.role) ? ROLES : [...ROLES, message.role];
        role.append(...roles.map((value) => make('option', { value, textContent: value })));
        role.value = message.role;
        role.addEventListener('change', () => {
          message.role = role.value;
          void this.refresh();
        });
        const remove = make('button', {
          type: 'button',
          className: 'quiet',
          textContent: 'Remove',
          ariaLabel: `Remove message ${index + 1}`,
        });
        remove.addEventListener('click', () => {
          this.#messages.splice(index, 1);
          this.#list();
          void this.refresh();
        });
        const content = make('textarea', { value: message.content, ariaLabel: `Text of message ${index + 1}`, rows: 2, spellcheck: false });
        content.addEventListener('input', () => {
          message.content = content.value;
          void this.refresh();
        });
        const item = make('li', {}, role, make('span', { className: 'tokens-of' }), remove, content);
        item.style.setProperty('--edge', `var(--t${colourOf(index, 0)})`);
        return item;
      }),
    );
  }

  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    const model = this.#options.model();
    const settings = this.settings();
    const spans = byId('messages').querySelectorAll('.tokens-of');
    for (const each of spans) each.textContent = '';
    byId('chat-published').textContent = '';
    if (byId<HTMLSelectElement>('template').value === 'own' && settings.template === '') {
      return this.#failed('Write a template, or choose another way of counting.');
    }
    this.#count.wait(model);
    try {
      await load(model);
      const answer = await ask('chat', { model, ...settings });
      if (asked !== this.#asked) return;
      const { published, perMessage, ids, ofTemplate } = answer;
      const count = published?.tokens ?? ids.length;
      this.#answer = answer;
      this.#view.setText(answer.rendered, { keepsPlace: true });
      this.#view.show(answer);
      this.#count.show(count);
      announce(`${plural(count, 'token')} in the conversation`);
      perMessage.forEach((each, index) => {
        const span = spans[index];
        if (span) span.textContent = plural(each, 'token');
      });
      byId('chat-published').textContent = published
        ? `${published.estimated ? 'Estimated' : 'By the published rule'} for ${settings.billed}. The API adds ${number(ofTemplate)} tokens that have no text, ${number(published.reply)} of them for the answer.`
        : `${number(ofTemplate)} of them by the template.`;
    } catch (error) {
      if (asked === this.#asked) this.#failed((error as Error).message);
    }
  }

  #failed(message: string): void {
    this.#answer = undefined;
    this.#count.none();
    byId('chat-published').textContent = message;
    this.#view.setText('');
    this.#view.show({ ids: [], offsets: [] });
  }
}

/** Tokens of a message take turns between two colours; those of the template have none. */
function colourOf(origin: number, token: number): number {
  return origin < 0 ? 9 : (2 * origin + (token % 2)) % COLOURS;
}
