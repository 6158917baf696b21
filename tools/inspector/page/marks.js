// Which places of the kernel are marked in all panes: those under the pointer, or those that a click keeps.

let kept = [];
let pointed = null;
const listeners = new Set();

export const markedPlaces = () => pointed ?? kept;

export function onMarks(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(change) {
  for (const listener of listeners) listener(markedPlaces(), change);
}

export function point(places) {
  if (String(places) === String(pointed)) return;
  pointed = places;
  tell({ keeps: false });
}

/// Keeps the marks of some places; every pane but `from` scrolls to them.
export function keep(places, from = null) {
  kept = places;
  pointed = null;
  tell({ keeps: true, from });
}
