// In a browser, another realm is the window of a frame.

export function runInNewContext(source: string): unknown {
  const frame = document.body.appendChild(document.createElement('iframe'));
  return (frame.contentWindow as unknown as { eval(source: string): unknown }).eval(source);
}
