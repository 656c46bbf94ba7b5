/** The variables that the templates of all cases read. As JSON text, which alone can express some numbers. */
export const VARIABLES = String.raw`{
  "s": "  \n a b \n ", "e": "", "w": "hello world foo", "u": "àéß İ ǆ", "html": "<a href=\"x\">&amp;'</a>", "long": "The quick brown fox jumps over the lazy dog, twice.",
  "astral": "a🙂é", "digits": "42", "spaces": "\u00a0a\u2003b\u0085c\u001cd\u3000", "lines": "one\ntwo\r\nthree\rfour\u2028five\u000bsix\n\nseven",
  "zero": 0, "one": 1, "neg": -7, "big": 12345678901234567890, "i": 42,
  "f": 1e-05, "g": 1e-07, "h": 2.5, "whole": 3.0, "huge": 1e16, "nan": NaN, "inf": Infinity, "ninf": -Infinity, "minuszero": -0.0,
  "tr": true, "fa": false, "n": null,
  "l": [3, 1, 2], "words": ["banana", "Apple", "cherry", "apple"], "empty": [], "nested": [[1, 2], [3, [4, 5]], []], "mixed": [1, "1", 1.0, true, null, [1], {"a": 1}],
  "d": {"b": 1, "a": [true, null, "é\"\\/<>&'\u2028"]}, "odd": {"items": 1, "keys": 2, "get": 3, "x y": 4, "1": 5, "__class__": 6, "_private": 7}, "none": {},
  "people": [{"name": "Ann", "age": 31, "city": {"name": "Rome"}}, {"name": "bob", "age": 4, "city": {"name": "oslo"}}, {"name": "Carl", "age": 31, "city": {"name": "Rome"}}, {"name": "dee"}],
  "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": " Hi <b>! "}, {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1.0, "y": [1e16, null]}}}]}]
}`;
