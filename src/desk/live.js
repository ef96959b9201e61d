// Shows anew what changes while the page is open. Without it pages are as they were when they were loaded.
const part = document.getElementById("live");
let source;

function listen() {
  if (document.hidden) {
    // a browser has few connections: a page that nobody sees keeps none
    source?.close();
    source = undefined;
  } else if (!source) {
    source = new EventSource(part.dataset.live);
    source.onmessage = (event) => show(JSON.parse(event.data));
  }
}

function show(text) {
  // whoever is about to press a button in it, or has chosen something there, keeps what is there
  const chosen = String(document.getSelection()) !== "" && part.contains(document.getSelection().anchorNode);
  if (part.contains(document.activeElement) || chosen) return;
  part.innerHTML = text;
}

if (part) {
  document.addEventListener("visibilitychange", listen);
  listen();
}
