// Shows anew what changes while the page is open. Without it pages are as they were when they were loaded.
const address = document.body.dataset.live;
const STALE_MS = 12_000;
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
  for (const [id, text] of Object.entries(parts)) {
    const part = document.getElementById(id);
    // whoever is about to press a button in it, or has chosen something there, keeps what is there
    const chosen = String(document.getSelection()) !== "" && part?.contains(document.getSelection().anchorNode);
    if (part && !part.contains(document.activeElement) && !chosen) part.innerHTML = text;
  }
}

if (address) {
  document.addEventListener("visibilitychange", listen);
  listen();
}
