// Where things stand: numbers in, numbers out. Widths are known only in the browser, so this cannot be done in Python.

const MINUS = "\u2212";

function written(value, decimals) {
  const rounded = Number(value.toFixed(decimals)) + 0;
  return rounded.toFixed(decimals).replace("-", MINUS);
}

function signed(value) {
  const text = written(value, 1);
  return Number(value.toFixed(1)) > 0 ? "+" + text : text;
}

// Round numbers between two ends, at most so many.
function ticks(lo, hi, most) {
  const rough = (hi - lo) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const decimals = [0, 1, 2, 3].find((count) => Math.abs(step * 10 ** count - Math.round(step * 10 ** count)) < 1e-6) ?? 4;
  const first = Math.ceil(lo / step - 1e-9);
  const count = Math.floor(hi / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step).map((at) => [at, written(at, decimals)]);
}

// Vertical offsets that keep dots of one size apart, none further out than `reach`; a crowd beyond that overlaps.
function swarm(places, size, reach) {
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b] || a - b);
  const offsets = new Array(places.length).fill(0);
  const placed = [];
  for (const i of order) {
    while (placed.length && places[i] - places[placed[0]] > size) placed.shift();
    const near = placed.filter((j) => places[i] - places[j] < size);
    const tangents = near.map((j) => [offsets[j], Math.sqrt(size ** 2 - (places[i] - places[j]) ** 2) + 0.01]);
    const candidates = [0, ...tangents.flatMap(([y, away]) => [y + away, y - away])].filter((y) => Math.abs(y) <= reach);
    const crowding = (y) => Math.min(0, ...near.map((j) => Math.hypot(places[i] - places[j], y - offsets[j]) - size));
    candidates.sort((a, b) => crowding(b) - crowding(a) || Math.abs(a) - Math.abs(b) || a - b);
    offsets[i] = candidates[0];
    placed.push(i);
  }
  return offsets;
}

const ruler = document.createElement("canvas").getContext("2d");
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function widthOf(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

// The text, or as much of it as fits, cut between letters as a reader counts them; `middle` keeps both ends.
function fitted(text, width, font, middle) {
  if (widthOf(text, font) <= width) return text;
  const letters = Array.from(graphemes.segment(text.slice(0, 400)), (part) => part.segment);
  const cut = (count) => {
    const tail = middle ? Math.floor(count * 0.4) : 0;
    return letters.slice(0, count - tail).join("").trimEnd() + "…" + (tail ? letters.slice(-tail).join("") : "");
  };
  let low = 1;
  let high = letters.length;
  while (low < high) {
    const half = Math.ceil((low + high) / 2);
    if (widthOf(cut(half), font) <= width) low = half;
    else high = half - 1;
  }
  return cut(low);
}

// Left edges of two texts that want to stand under the two ends of a strip, inside the plot and clear of each other.
function sideBySide(leftWish, leftWidth, rightWish, rightWidth, from, to, gap) {
  let left = Math.min(Math.max(leftWish, from), to - leftWidth);
  let right = Math.max(Math.min(rightWish, to - rightWidth), from);
  const overlap = left + leftWidth + gap - right;
  if (overlap > 0) {
    left = Math.max(from, left - overlap / 2);
    right = Math.min(Math.max(left + leftWidth + gap, right), to - rightWidth);
    left = Math.min(left, right - gap - leftWidth);
  }
  return [left, right];
}
