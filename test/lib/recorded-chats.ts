// Requests to OpenAI with a recorded `usage`, from the tests of public repositories: the counted part of the request, and
// the prompt tokens that the API reported. `off` is the known error of the estimate.
//
// Where a source names a model that OpenAI later redirected, the snapshot of that time is used here: gpt-3.5-turbo was
// gpt-3.5-turbo-0613 until February 2024. Property names, texts and numbers are the sources' own.

import type { ChatMessage, ChatTool, CountMessagesOptions } from 'crayon-tokenizer';

export interface Recorded extends Omit<CountMessagesOptions, 'estimate'> {
  source: string;
  model: string;
  tokens: number;
  messages: ChatMessage[];
  off?: number;
}

type Schema = Record<string, unknown>;

const sys = (content: string): ChatMessage => ({ role: 'system', content });
const user = (content: string): ChatMessage => ({ role: 'user', content });
const said = (content: string): ChatMessage => ({ role: 'assistant', content });
const call = (...calls: [name: string, input: string][]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map(([name, input], index) => ({ id: `call_${index}`, type: 'function', function: { name, arguments: input } })),
});
const tool = (content: string, index = 0): ChatMessage => ({ role: 'tool', tool_call_id: `call_${index}`, content });
const obj = (properties: Schema, required?: string[]): Schema => ({ type: 'object', properties, ...(required && { required }) });
const fn = (name: string, parameters?: Schema, description?: string): ChatTool => ({
  type: 'function',
  function: { name, ...(description !== undefined && { description }), ...(parameters && { parameters }) },
});
const functions = (...tools: ChatTool[]) => tools.map((tool) => tool.function!);
const form = (name: string, schema: Schema, description?: string): Schema => ({
  type: 'json_schema',
  json_schema: { name, schema, strict: true, ...(description && { description }) },
});

export const recorded: Recorded[] = [];
let source = '';
let model = '';
const add = (tokens: number, messages: ChatMessage[], rest: Partial<Recorded> = {}) =>
  void recorded.push({ source, model, tokens, messages, ...rest });

source = 'hmarr/openai-chat-tokens: tests/token-counts.test.ts';
model = 'gpt-3.5-turbo-0613';
const hello = [user('hello')];
add(8, hello);
add(9, [user('hello world')]);
add(8, [sys('hello')]);
add(9, [sys('hello:')]);
add(27, [sys("# Important: you're the best robot"), user('hello robot'), said('hello world')]);
add(31, hello, { tools: [fn('foo', obj({}))] });
add(36, hello, { tools: [fn('foo', obj({}), 'Do a foo')] });
const string = { type: 'string' };
const bing = (properties: Schema) => fn('bing_bong', obj(properties), 'Do a bing bong');
const fooAndBar = bing({ foo: string, bar: { type: 'number', description: 'A number' } });
add(49, hello, { tools: [bing({ foo: string })] });
add(57, hello, { tools: [fooAndBar] });
const abc = { type: 'string', enum: ['a', 'b', 'c'] };
add(68, hello, { functions: functions(bing({ foo: obj({ bar: abc, baz: { type: 'boolean' } }) })) });
const result = (name: string, content: string) => ({ role: 'function', name, content });
add(15, [user('hello world'), result('do_stuff', '{}')]);
add(28, [user('hello world'), result('do_stuff', '{"foo": "bar", "baz": 1.5}')]);
add(24, [result('dance_the_tango', '{"a": { "b" : { "c": false}}}')]);
const stuff = (input: string) => ({ role: 'assistant', content: '', function_call: { name: 'do_stuff', arguments: input } });
add(26, [stuff('{"foo": "bar", "baz": 1.5}')]);
add(25, [stuff('{"foo":"bar", "baz":\n\n 1.5}')]);
const doStuff = fn('do_stuff', obj({}));
add(35, [sys('Hello'), user('Hi there')], { tools: [doStuff] });
add(35, [sys('Hello:'), user('Hi there')], { tools: [doStuff] });
add(40, [sys('Hello:'), sys('Hello'), user('Hi there')], { tools: [doStuff] });
const units = { enum: ['grams', 'ml', 'cups', 'pieces', 'teaspoons'], type: 'string' };
const ingredient = obj({ name: string, unit: units, amount: { type: 'number' } }, ['name', 'unit', 'amount']);
const recipe = obj(
  {
    ingredients: { type: 'array', items: ingredient },
    instructions: { type: 'array', items: string, description: 'Steps to prepare the recipe (no numbering)' },
    time_to_cook: { type: 'number', description: 'Total time to prepare the recipe in minutes' },
  },
  ['ingredients', 'instructions', 'time_to_cook'],
);
add(106, hello, { tools: [fn('get_recipe', recipe)] });

source = 'coderabbitai/openai-chat-tokens: src/token-counts.test.ts';
add(32, hello, { functions: functions(fn('foo', obj({}))), function_call: 'none' });
add(31, hello, { functions: functions(fn('foo', obj({}))), function_call: 'auto' });
add(36, hello, { functions: functions(fn('foo', obj({}))), function_call: { name: 'foo' } });
const greeting = [sys('Hello'), user('Hi there')];
const anyOf = (...variants: Schema[]) => [fn('do_stuff', obj({ foo: { anyOf: variants } }))];
const kind = (value: string, properties: Schema) => obj({ kind: { type: 'string', const: value }, ...properties });
const kinds = [kind('a', { baz: { type: 'boolean' } }), kind('b', { qux: { type: 'number' } }), kind('c', { idk: string })];
add(52, greeting, { tools: anyOf(kinds[0]!) });
add(80, greeting, { tools: anyOf(...kinds) });
add(44, greeting, { tools: anyOf({ type: 'string', const: 'a' }, { type: 'number' }) });
const two = [doStuff, fn('do_other_stuff', obj({}))];
add(49, [sys('Hello:'), sys('Hello'), user('Hi there')], { tools: two });
add(55, [sys('Hello:'), sys('Hello'), user('Hi there')], { functions: functions(...two), function_call: { name: 'do_stuff' } });
const pros = { type: 'array', items: string, description: 'Write 3 points why this text is well written' };
add(46, hello, { tools: [fn('function', obj({ quality: obj({ pros }) }), 'description')] });
const yesNo = (description: string) => ({ type: 'string', description, enum: ['Yes', 'No'] });
const fieldOne = obj({
  yesNoField: yesNo('description5'),
  howIsInteresting: { type: 'string', description: 'description6' },
  scoreInteresting: { type: 'number', description: 'description7' },
  isInteresting: yesNo('description8'),
});
const fieldsOfBoth = obj({
  mainField: { type: 'string', description: 'description3' },
  'field number one': { ...fieldOne, description: 'description4' },
});
add(96, hello, { tools: [fn('function', { ...fieldsOfBoth, description: 'desctiption2' }, 'desctiption1')] });
const post = obj({ kind: { type: 'string', const: 'post' }, text: string }, ['kind', 'text']);
const named = { type: 'string', enum: ['jane', 'suzie', 'adam'] };
const person = obj({ kind: { type: 'string', const: 'user' }, name: named }, ['kind', 'name']);
const closed = (schema: Schema) => ({ ...schema, additionalProperties: false });
const res = { anyOf: [closed(post), closed(person)], description: 'The foo or the bar' };
const conversation = [
  sys('You are an AI assistant trained to foo or bar'),
  user('My name is suzie'),
  result('foo', '{"res":{"kind":"user","name":"suzie"}}'),
  user('I want to post a message with the text "hello world"'),
  result('foo', '{"res":{"kind":"post","text":"hello world"}}'),
];
const foo = functions(fn('foo', closed(obj({ res }, ['res'])), 'Return the foo or the bar'));
add(158, conversation, { functions: foo, function_call: { name: 'foo' } });

source = 'petrbrzek/openai-chat-tokens: tests/token-counts.test.ts';
const weather = 'get_current_weather';
const inBoston = '{"location":"Boston"}';
const sunny = 'It is currently 70 degrees and sunny in Boston, MA';
const cityAndState = { type: 'string', description: 'The city and state, e.g. San Francisco, CA' };
const degrees = (first: string) => ({ type: 'string', enum: [first, 'fahrenheit'] });
const byLocation = obj({ location: cityAndState, unit: degrees('celsius') }, ['location']);
add(89, [call([weather, inBoston], ['get_stock_price', '{"symbol":"AAPL"}']), tool(sunny), tool('The current price of AAPL is $150', 1)]);
add(108, hello, { tools: [fn(weather, byLocation, 'Get the current weather in a given location'), fooAndBar] });
add(24, [call([weather, inBoston]), tool('')]);
add(17, [call(['ggg', '']), tool('')]);
add(36, [call([weather, inBoston]), tool(sunny)]);
const different = 'get_totally_different_weather_123';
const when = (where: string) => `{"location":"${where}", "date": "yesterday", "time": "noon"}`;
add(32, [call([different, inBoston]), tool('')]);
add(51, [call([different, when('Boston')]), tool('It is the same as yesterday')]);
add(42, [call(['get_address', when('Paris')]), tool('The address is 123 Main St')]);
const located = 'get_weather_for_location';
add(93, [call([located, inBoston], [located, inBoston]), tool(sunny), tool(sunny, 1)]);
add(78, [
  call(['get_breakfast', '{"meal":"pancakes"}'], ['get_taxi', '{"destination":"airport"}']),
  tool('Your pancakes are ready'),
  tool('Your taxi is on the way', 1),
]);
const repeated = (count: number, name: string, input: string, output: string) => [
  call(...Array.from({ length: count }, (): [string, string] => [name, input])),
  ...Array.from({ length: count }, (_, index) => tool(output, index)),
];
add(124, repeated(3, weather, inBoston, sunny));
add(157, repeated(4, weather, inBoston, sunny));
add(190, repeated(5, weather, inBoston, sunny));

source = 'community.openai.com/t/538914';
const sum: ChatMessage = { role: 'user', content: [{ type: 'text', text: 'How much is 2 plus 2?' }] };
add(40, [sum, ...repeated(1, 'calculator', '{"a":2, "b":2}', '4')], { off: -1 });
add(89, [sum, ...repeated(2, 'calculator', '{"a":2, "b":2}', '4')]);
add(114, [sum, ...repeated(3, 'calculator', '{"a":2, "b":2}', '4')]);
add(139, [sum, ...repeated(4, 'calculator', '{"a":2, "b":2}', '4')]);

source = 'forestwanglin/openai-java#5';
model = 'gpt-4';
const inBostonToo = '{\n  "location": "Boston, MA"\n}';
add(35, [call([weather, inBostonToo]), { ...tool('29 degree celcius'), name: weather }]);

source = 'pamelafox/openai-messages-token-helper: tests/functions.py';
model = 'gpt-4-turbo';
const bot = [sys('You are a bot.')];
const search = (parameters?: Schema) => [fn('search_sources', parameters, 'Retrieve sources from the Azure AI Search index')];
const query = "Query string to retrieve documents from azure search eg: 'Health care plan'";
const described = search(obj({ search_query: { type: 'string', description: query } }, ['search_query']));
const choose = (name: string) => ({ type: 'function', function: { name } });
add(66, bot, { tools: described, tool_choice: 'auto' });
add(67, bot, { tools: described, tool_choice: 'none' });
add(75, bot, { tools: described, tool_choice: choose('search_sources') });
add(42, bot, { tools: search(), tool_choice: 'auto' });
add(51, bot, { tools: search(), tool_choice: choose('search_sources') });
add(49, bot, { tools: search(obj({ search_query: string })), tool_choice: 'auto' });
add(49, bot, { tools: search(obj({ search_query: string }, ['search_query'])), tool_choice: 'auto' });
const shown = (properties: Schema, required?: string[]) => ({
  tools: [fn('data_demonstration', obj(properties, required), 'This is the main function description')],
  tool_choice: 'none',
});
const integers = { integer_enum: { type: 'integer', enum: [-1, 1] } };
add(54, bot, shown(integers));
add(64, bot, { ...shown(integers), tool_choice: choose('data_demonstration') });
const inner = (properties: Schema) => ({ ...obj(properties), description: 'The object data type as a property' });
const mood = { type: 'string', enum: ['Happy', 'Sad'] };
const lost = { type: 'string', description: 'Description in a second object is lost' };
const moods = inner({ string_2a: mood, string_2b: lost });
const optional = { type: 'string', description: 'Not required gets a question mark' };
add(65, bot, shown({ object_1: inner({ string1: string }) }, ['object_1']));
add(73, bot, shown({ object_1: inner({ string_2a: mood }) }, ['object_1']));
add(89, bot, shown({ object_1: moods }, ['object_1']));
add(103, bot, shown({ object_1: moods, string_1: optional }, ['object_1']));
const one = (name: string, about: string, key: string, property: Schema) => ({
  tools: [fn(name, obj({ [key]: property }, [key]), about)],
  tool_choice: 'none',
});
const frustration =
  'If user is showing signs of frustration or anger in the query. Also if the user says they want to talk to a real person ' +
  'and not a chat bot.';
const escalation = { type: 'boolean', description: frustration };
add(89, bot, one('human_escalation', 'Check if user wants to escalate to a human', 'requires_escalation', escalation));
const addresses = { type: 'array', description: 'The mailing addresses to be located', items: string };
add(59, bot, one('get_coordinates', 'Get the latitude and longitude of multiple mailing addresses', 'addresses', addresses));
const nothing = { type: 'null', description: 'The null value to be returned' };
add(55, bot, one('get_null', 'Get the null value', 'null_value', nothing));
const untyped = { description: 'The no type value to be returned' };
add(59, bot, one('get_no_type', 'Get the no type value', 'no_type_value', untyped));
const order = obj(
  {
    product_name: { type: 'string', description: 'Product name ordered by customer' },
    quantity: { type: 'integer', description: 'Quantity ordered by customer' },
    unit: { type: 'string', enum: ['meals', 'days'], description: 'unit of measurement of the customer order' },
  },
  ['product_name', 'quantity', 'unit'],
);
add(86, bot, { tools: [fn('summarize_order', order, 'Summarize the customer order request')], tool_choice: 'none' });

source = 'pamelafox/openai-messages-token-helper: tests/image_messages.py';
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z/C/HgAGgwJ/lK3Q6wAAAABJRU5ErkJggg==';
const picture = (detail: string): ChatMessage => ({
  role: 'user',
  content: [
    { type: 'text', text: 'Describe this picture:' },
    { type: 'image_url', image_url: { url: pixel, detail } },
  ],
});
model = 'gpt-4o';
add(266, [picture('auto')]);
add(96, [picture('low')]);
model = 'gpt-4o-mini';
add(8511, [picture('auto')]);
add(2844, [picture('low')]);

source = 'chrisdinn/tokens: counter_test.go';
model = 'gpt-4-turbo-preview';
const message = sys('This is a system message.');
add(13, [message]);
add(23, [message, user('This is a user message.')]);
add(25, [message, { ...user('This is a user message.'), name: 'Chris' }]);
const ski = user('I want to ski at Killington this weekend.');
const meteorologist = sys('You are a well-respected meteorologist.');
const forecast = (properties: Schema) => fn(weather, obj(properties, ['location']), 'Get the current weather in a given location.');
add(84, [ski], { tools: [forecast({ location: cityAndState, unit: degrees('celsius') })] });
add(94, [meteorologist, ski], { tools: [forecast({ location: cityAndState, unit: degrees('celcius') })] });
const date = { type: 'string', description: 'The date for which to get the weather.' };
const numbers = obj({ integer_enum: { type: 'integer', enum: [1, 2, 3] } }, ['integer_enum']);
add(141, [meteorologist, ski], {
  tools: [
    forecast({ date, location: cityAndState, unit: degrees('celcius') }),
    fn('integer_enum_example', numbers, 'An example function that takes an integer enum.'),
  ],
});
const weekend = (where: string) => user(`I want to ski at ${where} this weekend.`);
const asked: ChatMessage = { ...call([weather, '{"location": "Breckenridge, CO"}']), content: 'I can help with that.' };
add(70, [weekend('Breckenridge'), asked, tool('The weather in Breckenridge, CO is 38 degrees.')]);
add(50, [weekend('Vail'), call([weather, '{"location": "Vail, CO"}']), tool('{"temperature": "35"}')]);
const parkCity = '{"location": "Park City, UT", "temperature": "45"}';
add(59, [weekend('Park City'), call([weather, '{"location": "Park City, UT"}']), tool(parkCity)]);
const formatted = (where: string) => `{"location": "${where}", "format": "fahrenheit", "temperature": "45"}`;
add(69, [weekend('Whistler'), call([weather, '{"location": "Whistler, BC"}']), tool(formatted('Whistler, BC'))]);
add(33, [user("What's the weather?"), call([weather, '{}']), tool('{}')]);
add(38, [user("What's the weather?"), call([weather, '{}']), tool('{"temperature": "45"}')]);
const killington = tool(formatted('Killington, VT'));
add(66, [ski, call([weather, '{"location": "Killington, VT"}']), killington]);
add(71, [ski, call([weather, '{"location": "Killington, VT", "unit": "celsius"}']), killington]);
const dated = (where: string, unit: string) => `{"location": "${where}", "unit": "${unit}", "date": "2024-03-28"}`;
add(80, [ski, call([weather, dated('Killington, VT', 'celsius')]), killington]);
const either = user('Should I ski at Killington or Tremblant this weekend?');
add(111, [
  either,
  call([weather, '{"location": "Killington, VT"}'], [weather, '{"location": "Mount Tremblant, QC"}']),
  tool('The weather in Killington, VT is 45 degrees.'),
  tool('The weather at Mount Tremblant, QC is 32 degrees.', 1),
]);
add(159, [
  either,
  call([weather, dated('Killington, VT', 'fahrenheit')], [weather, dated('Mount Tremblant, QC', 'celsius')]),
  killington,
  tool('{"location": "Mount Tremblant, QC", "format": "celsius", "temperature": "-1"}', 1),
]);

source = 'pydantic/pydantic-ai: tests/models/cassettes/test_openai';
model = 'o3-mini';
add(7, hello);
add(13, [user('What is the capital of Mexico?')]);
model = 'o4-mini';
const helpful = sys('You are a helpful assistant.');
add(22, [helpful, user("What's the capital of France?")]);
model = 'gpt-4.5-preview';
add(8, hello);
model = 'gpt-5';
add(13, [user('What is the capital of France?')]);
model = 'gpt-5.6-luna';
add(13, [user('What is 2+2?')]);
model = 'gpt-4.1-mini';
add(31, [said('Where do you want to go today?'), user('Answer in 5 words only. Who is Tux?')]);
const tokyo = [helpful, user('What is the temperature in Tokyo?')];
const temperature = [fn('get_temperature', closed(obj({ city: string }, ['city'])), '')];
add(50, tokyo, { tools: temperature });
add(75, [...tokyo, call(['get_temperature', '{"city":"Tokyo"}']), tool('20.0')], { tools: temperature });
model = 'gpt-4o-mini';
const countries = closed(obj({ country: { description: 'The country name.', type: 'string' } }, ['country']));
const capital = [fn('get_capital', countries, 'Get the capital of a country.')];
const capitals = [
  user('What is the capital of France?'),
  call(['get_capital', '{"country":"France"}']),
  tool('Paris'),
  said('The capital of France is Paris.'),
  user('What is the capital of England?'),
];
add(104, capitals, { tools: capital });
add(129, [...capitals, call(['get_capital', '{"country":"England"}']), tool('London')], { tools: capital });
model = 'gpt-4o';
const largest = user('What is the largest city in the user country?');
const answered = [call(['get_user_country', '{}']), tool('Mexico')];
const country = fn('get_user_country', closed(obj({})), '');
const city = closed(obj({ city: string, country: string }, ['city', 'country']));
const both = [country, fn('final_result', city, 'The final response which ends this conversation')];
add(63, [largest, ...answered], { tools: [country] });
add(68, [largest], { tools: both, tool_choice: 'required' });
add(89, [largest, ...answered], { tools: both, tool_choice: 'required' });
// The published rule counts these two slightly too low.
add(42, [largest], { tools: [country], off: -2 });
const food: ChatMessage = {
  role: 'user',
  content: [{ type: 'text', text: 'What food is in the image you can get from the get_image tool?' }],
};
const image = [fn('get_image', closed(obj({})), '')];
add(46, [food], { tools: image, off: -2 });
// The name of this image reveals its height; any width from 513 to 1024 gives two tiles.
const potato = 'https://t3.ftcdn.net/jpg/00/85/79/92/360_F_85799278_0BBGV9OAdQDTLnKwAPBCcg1J7QtiieJY.jpg';
const file: ChatMessage = {
  role: 'user',
  content: [
    { type: 'text', text: 'This is file bd38f5:' },
    { type: 'image_url', image_url: { url: potato } },
  ],
};
add(507, [food, call(['get_image', '{}']), tool('See file bd38f5'), file], {
  tools: image,
  imageSizes: { [potato]: { width: 540, height: 360 } },
});
const location = form('CityLocation', city, 'A city and its country.');
add(79, [largest], { tools: [country], response_format: location });
add(100, [largest, ...answered], { tools: [country], response_format: location });
// The cassette's keys are sorted; those of a union follow pydantic-ai's order, those of a model pydantic's.
const variant = (value: string, ...names: string[]) => {
  const data = closed({ properties: Object.fromEntries(names.map((name) => [name, string])), required: names, type: 'object' });
  return closed(obj({ kind: { type: 'string', const: value }, data }, ['kind', 'data']));
};
const results = [variant('CityLocation', 'city', 'country'), variant('CountryLanguage', 'country', 'language')];
const final = form('final_result', closed(obj({ result: { anyOf: results } }, ['result'])));
add(148, [largest], { tools: [country], response_format: final });
add(169, [largest, ...answered], { tools: [country], response_format: final });
model = 'gpt-4.1';
const loading =
  'Search and load additional tools to make them available to the agent.\n\nDO call this to find and load more tools needed ' +
  'for a task.\nNEVER ask the user if you should try loading tools, just try.\n';
const regex = { description: 'Regex pattern to search for relevant tools', type: 'string' };
const load = fn('load_tools', closed(obj({ regex }, ['regex'])), loading);
const fetching = fn('fetch_user_data', closed(obj({ user_id: { type: 'integer' } }, ['user_id'])), '');
const more = [load, fn('list_database_tables', closed(obj({})), ''), fetching];
const loaded = [
  user('Can you list the database tables and then fetch user 42?'),
  call(['load_tools', '{"regex":"(database|table|user|list|fetch|sql)"}']),
  tool('["list_database_tables","fetch_user_data"]'),
];
add(100, loaded.slice(0, 1), { tools: [load] });
add(168, loaded, { tools: more });
const fetched = [
  call(['list_database_tables', '{}'], ['fetch_user_data', '{"user_id": 42}']),
  tool('["users","orders","products","reviews"]'),
  tool('{"id":42,"name":"John Doe","email":"john@example.com"}', 1),
];
add(257, [...loaded, ...fetched], { tools: more });

source = 'open-telemetry/opentelemetry-python-contrib: opentelemetry-instrumentation-openai-v2/tests/cassettes';
model = 'gpt-4o-mini';
const towns = [sys("You're a helpful assistant."), user("What's the weather in Seattle and San Francisco today?")];
const boston = { type: 'string', description: 'The city and state, e.g. Boston, MA' };
const inTown = closed(obj({ location: boston }, ['location']));
add(75, towns, { tools: [fn(weather, inTown, 'Get the current weather in a given location')] });
add(99, [
  ...towns,
  call([weather, '{"location": "Seattle, WA"}'], [weather, '{"location": "San Francisco, CA"}']),
  tool('50 degrees and raining'),
  tool('70 degrees and sunny', 1),
]);

source = 'traceloop/openllmetry: opentelemetry-instrumentation-openai/tests/traces/cassettes';
const joke = [user('Tell me a joke about opentelemetry')];
const titled = (title: string, type: string) => ({ title, type });
const rated = { rating: titled('Rating', 'integer'), joke: titled('Joke', 'string') };
const answer = { properties: rated, required: ['rating', 'joke'], title: 'StructuredAnswer', type: 'object' };
model = 'gpt-4o';
add(68, joke, { response_format: form('StructuredAnswer', { ...answer, additionalProperties: false }) });
model = 'gpt-4.1-nano';
const joked = { joke: rated.joke, rating: rated.rating };
const jokes = { properties: joked, required: ['joke', 'rating'], title: 'Joke', type: 'object' };
add(83, joke, { response_format: form('Joke', jokes, 'A joke and your self evaluation of it from 1 to 10') });

source = 'Mirascope/mirascope: python/tests/e2e/output/cassettes/test_call_with_tools, …';
const book = {
  title: titled('Title', 'string'),
  author: titled('Author', 'string'),
  pages: titled('Pages', 'integer'),
  publication_year: titled('Publication Year', 'integer'),
};
const summary = { properties: book, required: Object.keys(book), title: 'BookSummary', type: 'object' };
const isbn = closed({ properties: { isbn: titled('Isbn', 'string') }, required: ['isbn'], type: 'object' });
const look = {
  tools: [fn('get_book_info', isbn, 'Look up book information by ISBN.')],
  response_format: form('BookSummary', closed(summary)),
};
const wanted = user('Please look up the book with ISBN 0-7653-1178-X and provide detailed info and a recommendation score');
const found = 'Title: Mistborn: The Final Empire, Author: Brandon Sanderson, Pages: 544, Published: 2006-07-25';
const looked = [wanted, call(['get_book_info', '{"isbn":"0-7653-1178-X"}']), tool(found)];
model = 'gpt-4o';
add(140, [wanted], look);
add(200, looked, look);
model = 'gpt-5-mini';
add(220, [wanted], look);
add(286, looked, look);
const spelledOut = JSON.stringify(summary, null, 2);
const inJson = sys(`Respond only with valid JSON that matches this exact schema:\n${spelledOut}`);
const lookInJson = { ...look, response_format: { type: 'json_object' } };
add(302, [inJson, wanted], lookInJson);
add(368, [inJson, ...looked], lookInJson);
const answerTool = '__mirascope_formatted_output_tool__';
const byTool = sys(`Always respond to the user's query using the ${answerTool} tool for structured output.`);
const extract = (what: string) => `Use this tool to extract data in ${what} format for a final response.`;
const summarize = fn(answerTool, closed(obj(book, Object.keys(book))), extract('BookSummary'));
const lookByTool = { tools: [...look.tools, summarize], tool_choice: 'required' } as const;
add(238, [byTool, wanted], lookByTool);
add(304, [byTool, ...looked], lookByTool);
model = 'gpt-4o';
add(154, [byTool, wanted], lookByTool);
add(214, [byTool, ...looked], lookByTool);
const aBook = 'A book with a rating. The title should be in all caps!';
const author = {
  description: 'The author of a book.',
  ...obj({ first_name: titled('First Name', 'string'), last_name: titled('Last Name', 'string') }, ['first_name', 'last_name']),
  title: 'Author',
};
const rating = { description: 'For testing purposes, the rating should be 7', ...titled('Rating', 'integer') };
const rated7 = obj({ title: titled('Title', 'string'), author: { $ref: '#/$defs/Author' }, rating }, ['title', 'author', 'rating']);
const authors = { Author: closed({ ...author }) };
const recommend = [byTool, user('Please recommend the most popular book by Patrick Rothfuss')];
const named7 = {
  tools: [fn(answerTool, { ...rated7, $defs: authors }, `${extract('Book')}\n${aBook}`)],
  tool_choice: { type: 'function', function: { name: answerTool } },
};
const inForm = { response_format: form('Book', { $defs: authors, description: aBook, ...rated7, title: 'Book' }, aBook) };
add(172, recommend, named7);
add(172, recommend.slice(1), { ...inForm, off: 1 });
const secret = obj({ password: titled('Password', 'string') }, ['password']);
const secrets = {
  tools: [fn('secret_retrieval_tool', secret, 'A tool that requires a password to retrieve a secret.')],
};
const passwords = [
  sys('Use parallel tool calling.'),
  user('Please retrieve the secrets associated with each of these passwords: mellon,radiance'),
];
const retrieved = [
  ...passwords,
  call(['secret_retrieval_tool', '{"password": "mellon"}'], ['secret_retrieval_tool', '{"password": "radiance"}']),
  tool('Welcome to Moria!'),
  tool('Life before Death', 1),
];
add(75, passwords, secrets);
add(149, retrieved, secrets);
model = 'gpt-5-mini';
add(159, passwords, secrets);
add(239, retrieved, secrets);
add(240, recommend, named7);
add(168, recommend.slice(1), inForm);

source = 'Mirascope/mirascope: test_bedrock_openai_sync_call_and_stream (Amazon Bedrock)';
model = 'gpt-oss-20b';
add(74, [user('What is 4200 + 42?')], { off: 2 });

source = 'simonw/llm: tests/cassettes/test_openai_responses (the Responses API)';
model = 'gpt-5.5';
const product = obj({ a: { type: 'integer' }, b: { type: 'integer' } }, ['a', 'b']);
const multiply = [fn('multiply', product, 'Multiply two numbers.')];
const question = user('What is 1231 * 2331? Use the multiply tool.');
add(58, [question], { tools: multiply });
add(94, [question, call(['multiply', '{"a": 1231, "b": 2331}']), tool('2869461')], { tools: multiply, off: -1 });

source = 'pydantic/pydantic-ai: test_responses_count_tokens_with_tools (the Responses API)';
model = 'gpt-4.1-mini';
const anywhere = closed(obj({ location: string }));
const paris = [user('What is the weather in Paris?')];
add(51, paris, { tools: [fn('get_weather', anywhere, 'Get the weather for a location')], tool_choice: 'required' });
