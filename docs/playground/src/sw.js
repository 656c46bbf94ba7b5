// Keeps the page for when there is no connection: its shell and first vocabulary when it is installed, the other files of this
// version once they are used.

const CACHE = 'crayon-playground-%VERSION%';
const SHELL = '%SHELL%';
const SCOPE = new URL('./', self.location).href;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL)));
});

self.addEventListener('activate', (event) => {
  const forget = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith('crayon-playground-') && name !== CACHE);
    await Promise.all(names.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(forget());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(SCOPE)) return;
  event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  const isPage = request.mode === 'navigate' && new URL(request.url).pathname === new URL(SCOPE).pathname;
  const kept = await cache.match(isPage ? SCOPE : request, { ignoreSearch: isPage });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok && request.url.startsWith(`${SCOPE}%ASSETS%`)) await cache.put(request, response.clone());
  return response;
}
