// The text that every page encodes.

export const TEXT = "Hello, naïve world! It's 東京タワーは333メートル。 Привет 👋🏽 — 12345\n\tfor (;;) {}\n <|endoftext|>";
