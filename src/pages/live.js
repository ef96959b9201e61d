// Shows anew what changes while the page is open. Without it pages are as they were when they were loaded.
const address = document.body.dataset.live;
const STALE_MS = 12_000;
/** What came and is not shown yet, by the ids of its places. */
const coming = new Map();
let source;
let timer;

function listen() {
  if (document.hidden) {
    // a browser has few connections: a page that nobody sees keeps none
    source?.close();
    source = undefined;
    clearTimeout(timer);
  } else if (!source) {
    source = new EventSource(address);
    source.onmessage = (event) => show(JSON.parse(event.data));
    wait();
  }
}

// whoever decides by a page must know that it is old
function wait() {
  clearTimeout(timer);
  timer = setTimeout(() => (document.getElementById("stale").hidden = false), STALE_MS);
}

function show(parts) {
  document.getElementById("stale").hidden = true;
  wait();
  const { now, ...others } = parts;
  for (const [id, text] of Object.entries(others)) coming.set(id, text);
  for (const [id, text] of coming) {
    const part = document.getElementById(id);
    if (part && isUsed(part)) continue;
    if (part) part.innerHTML = text;
    coming.delete(id);
  }
  // the time is that of what is shown
  const time = document.getElementById("now");
  if (time && now !== undefined && coming.size === 0) time.innerHTML = now;
}

// whoever is about to press a button in it, or has chosen something there, keeps what is there
function isUsed(part) {
  const chosen = String(document.getSelection()) !== "" && part.contains(document.getSelection().anchorNode);
  return chosen || part.contains(document.activeElement);
}

if (address) {
  document.addEventListener("visibilitychange", listen);
  listen();
}
