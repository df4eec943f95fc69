// One panel as SVG. Every text arrives by textContent: a prompt is data, never markup.

const SVG = "http://www.w3.org/2000/svg";
const ISOLATE = ["\u2068", "\u2069"];
const SQUARE = [[-0.7, -0.7], [0.7, -0.7], [0.7, 0.7], [-0.7, 0.7]];
const CORNERS = {
  high: [[0, -0.9], [1, 0.75], [-1, 0.75]],
  typical: [[0, -1], [1, 0], [0, 1], [-1, 0]],
  low: [[0, 0.9], [1, -0.75], [-1, -0.75]],
  none: SQUARE,
  harness: SQUARE,
};
const SMALL = { row: 22, band: 14, dot: 4.5, mark: 4.6, top: 26, bottom: 20, tick: 40, label: 13 };
const LARGE = { row: 58, band: 36, dot: 8, mark: 9, top: 30, bottom: 26, tick: 64, label: 13 };
const ROOMY = { row: 36, band: 22, dot: 6.5, mark: 7.5, top: 28, bottom: 24, tick: 60, label: 13 };
const MIDDLE = { ...LARGE, row: 38, band: 22, dot: 7 };
const ENDS = 16;

function add(parent, tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

// A name that may not fit: shortened in the middle, whole in the hover of the browser.
function addName(parent, name, attributes, width, font) {
  const shown = fitted(name, width, font, true);
  const element = add(parent, "text", attributes, shown);
  if (shown !== name) add(element, "title", {}, name);
}

function oneLine(text) {
  return ISOLATE[0] + text.replace(/\r\n|[\n\r\u2028\u2029]/g, "↵").replace(/\t/g, "⇥") + ISOLATE[1];
}

function sizesOf(picture) {
  if (!picture.wide) return picture.roomy ? ROOMY : SMALL;
  const sizes = picture.low_rows ? MIDDLE : LARGE;
  return picture.ends ? { ...sizes, row: sizes.row + ENDS } : sizes;
}

// Pixel columns of a panel: labels | plot | value columns, from the widths of their texts.
function columnsOf(picture, panel, width, font) {
  const label = Math.max(...panel.rows.map((row) => Math.max(widthOf(row.label, font(13)), widthOf(row.note, font(11)))), 0);
  const most = picture.wide ? Math.max(140, width * (width < 900 ? 0.2 : 0.26)) : width * 0.4;
  const gap = picture.wide ? 20 : 8;
  const left = Math.min(Math.ceil(label) + 1, Math.round(most)) + gap;
  const heads = picture.heads.map((head, i) => {
    const cells = panel.rows.map((row) => widthOf(row.columns[i] ?? "", i ? font(13) : font(picture.wide ? 15 : 13, 650)));
    return Math.ceil(Math.max(widthOf(head, font(12)), ...cells)) + (picture.wide ? 22 : 10);
  });
  // On a narrow screen the later columns go; the table below the picture keeps them.
  while (heads.length > 1 && left + heads.reduce((a, b) => a + b, 0) > width * 0.66) heads.pop();
  return { left, gap, heads, right: heads.reduce((a, b) => a + b, 0) + 10 };
}

function drawAxis(svg, picture, panel, frame) {
  const { from, to, top, foot, at, sizes } = frame;
  for (const [value, label] of ticks(panel.lo, panel.hi, Math.floor((to - from) / sizes.tick))) {
    add(svg, "line", { class: "rule", x1: at(value), x2: at(value), y1: top, y2: foot });
    add(svg, "text", { class: "small", x: at(value), y: foot + 15, "text-anchor": "middle" }, label + picture.suffix);
  }
  if (picture.line !== null) add(svg, "line", { class: "zero", x1: at(picture.line), x2: at(picture.line), y1: top, y2: foot });
}

function drawMark(parent, mark, x, y, size) {
  const name = `mark ${mark.shape}${mark.hollow ? " hollow" : ""}`;
  if (mark.shape === "published") return add(parent, "circle", { class: name, cx: x, cy: y, r: size * 0.62 });
  const points = CORNERS[mark.shape].map(([dx, dy]) => `${(x + dx * size).toFixed(1)},${(y + dy * size).toFixed(1)}`).join(" ");
  return add(parent, "polygon", { class: name, points });
}

function drawEnds(group, picture, row, dots, y, frame, font) {
  const order = dots.filter((dot) => dot.text !== null).sort((a, b) => a.value - b.value);
  if (order.length < 2) return;
  const [worst, best] = [order[0], order.at(-1)];
  const half = (frame.to - frame.from) / 2 - 10;
  const [low, high] = [worst, best].map((dot) => {
    const figure = written(dot.raw, 1);
    return { figure, text: fitted(oneLine(picture.texts[dot.text][0] || "(empty prompt)"), half - widthOf(figure + "  ", font(12, 650)), font(12)) };
  });
  const width = (end) => widthOf(end.figure + "  ", font(12, 650)) + widthOf(end.text, font(12));
  const [left, right] = sideBySide(worst.x - 3, width(low), best.x + 3 - width(high), width(high), frame.from, frame.to, 14);
  const base = y + frame.sizes.band / 2 + 13;
  const say = (x, figure, text, first) => {
    const line = add(group, "text", { class: "end", x, y: base });
    const parts = [["figure", figure], ["", text]];
    (first ? parts : parts.reverse()).forEach(([name, part], i) => add(line, "tspan", { class: name, ...(i ? { dx: 6 } : {}) }, part));
  };
  for (const dot of [worst, best]) add(group, "line", { class: "lead", x1: dot.x, x2: dot.x, y1: y + dot.dy + frame.sizes.dot / 2, y2: base - 10 });
  say(left, low.figure, low.text, true);
  say(right, high.figure, high.text, false);
}

// Names beside dots: right of the last one, left of the first, else where nothing is in the way; the hover has them all.
function drawNames(group, row, dots, y, frame, font) {
  const taken = [...dots.map((dot) => [dot.x - 5, dot.x + 5]), ...row.marks.map((mark) => [frame.at(mark.value) - 8, frame.at(mark.value) + 8])];
  const free = (from, to) => from >= frame.from && to <= frame.to && taken.every(([left, right]) => to < left || from > right);
  for (const [i, name] of row.named) {
    const { x, dy } = dots[i];
    const width = widthOf(name, font(12));
    const [right, left] = [[x + 9, x + 9 + width], [x - 9 - width, x - 9]];
    const place = free(...right) ? right : free(...left) ? left : null;
    if (!place) continue;
    taken.push(place);
    add(group, "text", { class: "end", x: place[0], y: y + dy + 4 }, name);
  }
}

function drawColumns(group, picture, row, y, frame) {
  let x = frame.to + 4;
  frame.heads.forEach((width, i) => {
    x += width;
    const last = i > 0 && i === picture.heads.length - 1;
    const tone = i === 0 || last ? row.tone : "";
    const place = last ? { x: x - width + 22 } : { x, "text-anchor": "end" };
    add(group, "text", { class: `cell ${i ? "" : "strong"} ${tone}`, y: y + 4.5, ...place }, row.columns[i] ?? "");
  });
}

function drawHeads(svg, picture, heads, x, y) {
  heads.forEach((width, i) => {
    x += width;
    const place = i > 0 && i === picture.heads.length - 1 ? { x: x - width + 22 } : { x, "text-anchor": "end" };
    add(svg, "text", { class: "small", y, ...place }, picture.heads[i]);
  });
}

function drawLabel(group, row, y, frame, font) {
  const x = frame.from - frame.gap;
  addName(group, row.label, { class: "label", x, y: row.note ? y - 1.5 : y + 4.5, "text-anchor": "end" }, x, font(13));
  if (row.note) add(group, "text", { class: "tiny", x, y: y + 10.5, "text-anchor": "end" }, fitted(row.note, x, font(11)));
}

function drawRow(svg, picture, panel, row, top, frame, font) {
  const { sizes, at, from } = frame;
  const height = frame.heightOf(row);
  const y = top + (picture.ends ? (height - ENDS) / 2 : height / 2);
  const group = add(svg, "g", { class: "row", role: "button", tabindex: -1, "aria-label": row.says });
  group.dataset.panel = panel.id;
  group.dataset.row = row.id;
  add(group, "rect", { class: "plate", x: 0, y: top + 0.5, width: frame.width, height: height - 1, rx: 4 });
  drawLabel(group, row, y, frame, font);
  if (row.band) add(group, "rect", { class: "band", x: at(row.band[0]), y: y - sizes.band / 2, width: Math.max(1, at(row.band[1]) - at(row.band[0])), height: sizes.band });
  if (row.reach) add(group, "line", { class: "reach", x1: at(row.reach[0]), x2: at(row.reach[1]), y1: y, y2: y });
  if (row.median !== null) add(group, "line", { class: "median", x1: at(row.median), x2: at(row.median), y1: y - sizes.band / 2, y2: y + sizes.band / 2 });
  const places = row.values.map(at);
  const offsets = swarm(places, sizes.dot, (sizes.band - sizes.dot) / 2 + sizes.dot * 0.4);
  const dots = places.map((x, i) => ({ x, dy: offsets[i], value: row.values[i], raw: row.values[i] + row.zero, text: row.texts[i] }));
  for (const dot of dots) add(group, "circle", { class: "dot", cx: dot.x.toFixed(1), cy: (y + dot.dy).toFixed(1), r: sizes.dot / 2 });
  drawNames(group, row, dots, y, frame, font);
  const marks = row.marks.map((mark) => ({ x: at(mark.value), dy: 0, value: mark.value, raw: mark.value + row.zero, mark }));
  for (const { x, mark } of marks) drawMark(group, mark, x, y, sizes.mark);
  if (picture.ends) drawEnds(group, picture, row, dots, y, frame, font);
  if (row.message) add(group, "text", { class: "tiny", x: from + 4, y: y + 4 }, row.message);
  drawColumns(group, picture, row, y, frame);
  return { group, panel, row, y, hits: [...marks, ...dots] };
}

// The panel's SVG and, for every row, where its dots and marks stand.
function drawPanel(picture, panel, width, font) {
  const sizes = sizesOf(picture);
  const { left, gap, right, heads } = columnsOf(picture, panel, width, font);
  const [from, to] = [left, width - right];
  const inset = sizes.mark + 2;
  const at = (value) => from + inset + ((value - panel.lo) / (panel.hi - panel.lo || 1)) * (to - from - 2 * inset);
  const heightOf = (row) => sizes.row + (row.note && sizes === SMALL ? 8 : 0);
  const top = picture.wide && !panel.title && !heads.length ? 6 : sizes.top;
  const foot = top + panel.rows.reduce((sum, row) => sum + heightOf(row), 0);
  const frame = { sizes, from, to, top, foot, at, width, heads, gap, heightOf };
  const svg = document.createElementNS(SVG, "svg");
  const height = foot + sizes.bottom;
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": panel.says })) svg.setAttribute(name, value);
  svg.style.height = `${height}px`;
  addName(svg, panel.title, { class: "title", x: picture.wide ? 0 : 8, y: 15 }, width - 64, font(14, 650));
  if (!picture.wide) add(svg, "text", { class: "small", x: width - 6, y: 15, "text-anchor": "end" }, panel.note);
  if (picture.wide) drawHeads(svg, picture, heads, to + 4, top - 10);
  drawAxis(svg, picture, panel, frame);
  let y = top;
  const rows = panel.rows.map((row) => {
    const drawn = drawRow(svg, picture, panel, row, y, frame, font);
    y += heightOf(row);
    return drawn;
  });
  return { svg, rows, sizes };
}
