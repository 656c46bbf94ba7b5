/** Five megabytes of text without repeated lines. */
export function longText(bytes = 5_000_000) {
  const words =
    'crayon token window sharp engine of the and in merge vocabulary byte small 東京 naïve café 😀 שלום (x) => x + 1; return'.split(' ');
  let state = 42;
  const parts = [];
  let length = 0;
  while (length < bytes) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const part = words[(state >>> 8) % words.length] + (state % 11 === 0 ? `\n${state % 1000} ` : ' ');
    parts.push(part);
    length += new TextEncoder().encode(part).length;
  }
  return parts.join('');
}

/**
 * Runs in the page: pastes a text through an event, then scrolls, and measures until all tokens are present. Frames are
 * the times between calls of requestAnimationFrame; blocked are tasks of the page's thread over 50 ms, as the browser
 * reports them.
 */
export async function pasteAndMeasure(text) {
  const view = document.querySelector('#view');
  const blocked = [];
  const observer = new PerformanceObserver((list) => blocked.push(...list.getEntries().map(({ duration }) => duration)));
  try {
    observer.observe({ type: 'longtask' });
  } catch {
    // Firefox reports none.
  }
  const frames = [];
  let last = performance.now();
  let isMeasuring = true;
  const frame = () => {
    const now = performance.now();
    frames.push(now - last);
    last = now;
    if (isMeasuring) requestAnimationFrame(frame);
  };
  await new Promise((resolve) => requestAnimationFrame(resolve));
  last = performance.now();
  requestAnimationFrame(frame);
  const before = document.querySelector('#count').textContent;
  const data = new DataTransfer();
  data.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const started = performance.now();
  const firstScreen = new Promise((resolve) => {
    const seen = new MutationObserver(() => {
      const units = view.querySelectorAll('.t');
      if (units.length < 50 || !text.startsWith(units[0].dataset.from === '0' ? text.slice(0, Number(units[0].dataset.to)) : '\0')) return;
      if (document.querySelector('#long').hidden) return;
      seen.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - started));
    });
    seen.observe(view, { childList: true, subtree: true });
  });
  const target = document.querySelector('#text').hidden ? document.body : document.querySelector('#text');
  target.dispatchEvent(event);
  const handler = performance.now() - started;
  const first = await firstScreen;
  const counted = () => document.querySelector('#count').textContent;
  while (counted() === before || !/\d/.test(counted())) await new Promise((resolve) => setTimeout(resolve, 20));
  const whole = performance.now() - started;
  // To the end in jumps, like a user dragging the scroll bar.
  for (let step = 1; step <= 20; step++) {
    view.scrollTop = (view.scrollHeight * step) / 20;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  view.scrollTop = view.scrollHeight;
  await new Promise((resolve) => setTimeout(resolve, 150));
  isMeasuring = false;
  observer.disconnect();
  return { handler, first, whole, longestFrame: Math.max(...frames), blocked, units: view.querySelectorAll('.t').length };
}
