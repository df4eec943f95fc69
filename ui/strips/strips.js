// The component: draws on new data or a new width, shows what is under the pointer, tells Python what was clicked.

const NEAR = 14;
const GAP = 24;
const kept = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".strips");
  const state = kept.get(root) ?? begin(root);
  state.trigger = setTriggerValue;
  const same = state.digest === data.digest;
  Object.assign(state, { digest: data.digest, picture: data.picture, selected: data.selected });
  if (same && state.rows.length) showSelected(state);
  else draw(state);
  if (state.clicked) showList(state);
  return () => state.observer.disconnect();
}

function begin(root) {
  const state = { root, grid: root.querySelector(".grid"), tip: root.querySelector(".tip"), rows: [], rings: [], width: 0 };
  kept.set(root, state);
  state.observer = new ResizeObserver(() => {
    if (state.picture && Math.abs(root.clientWidth - state.width) > 1) draw(state);
  });
  state.observer.observe(root);
  state.grid.addEventListener("pointermove", (event) => point(state, event));
  state.grid.addEventListener("pointerleave", () => leave(state));
  state.grid.addEventListener("click", (event) => choose(state, drawnAt(state, event), hitAt(state, event)));
  state.grid.addEventListener("keydown", (event) => press(state, event));
  state.grid.addEventListener("focusout", () => leave(state));
  document.fonts.ready.then(() => state.picture && draw(state));
  return state;
}

function draw(state) {
  const { root, grid, picture } = state;
  const family = getComputedStyle(root).fontFamily;
  const font = (size, weight = 400) => `${weight} ${size}px ${family}`;
  state.width = root.clientWidth;
  if (!state.width) return;
  const least = picture.roomy ? 440 : 290;
  grid.classList.toggle("wide", picture.wide);
  grid.classList.toggle("roomy", picture.roomy);
  grid.setAttribute("aria-label", picture.says);
  const abreast = picture.wide ? 1 : Math.max(1, Math.floor((state.width + GAP) / (least + GAP)));
  const width = Math.floor((state.width - GAP * (abreast - 1)) / abreast);
  const panels = picture.panels.map((panel) => drawPanel(picture, panel, width, font));
  grid.replaceChildren(...panels.map((panel) => panel.svg));
  state.rows = panels.flatMap((panel) => panel.rows.map((row) => ({ ...row, svg: panel.svg, dot: panel.sizes.dot })));
  state.rings = [];
  if (state.rows.length) state.rows[0].group.setAttribute("tabindex", 0);
  showSelected(state);
  leave(state);
}

function drawnAt(state, event) {
  const group = event.target.closest?.(".row");
  return state.rows.find((drawn) => drawn.group === group);
}

function hitAt(state, event) {
  const drawn = drawnAt(state, event);
  if (!drawn) return null;
  const box = drawn.svg.getBoundingClientRect();
  const away = (hit) => Math.hypot(event.clientX - box.left - hit.x, event.clientY - box.top - drawn.y - hit.dy);
  const nearest = drawn.hits.reduce((best, hit) => (best === null || away(hit) < away(best) ? hit : best), null);
  return nearest && away(nearest) <= NEAR ? nearest : null;
}

function point(state, event) {
  const hit = hitAt(state, event);
  if (hit) show(state, drawnAt(state, event), hit);
  else leave(state);
}

function ring(state, drawn, hit, name) {
  const circle = add(drawn.group, "circle", { class: `ring ${name}`, cx: hit.x, cy: drawn.y + hit.dy, r: drawn.dot / 2 + 2.5 });
  state.rings.push(circle);
}

// The tip, a ring, and the same prompt in the other rows of the panel.
function show(state, drawn, hit) {
  leave(state);
  const { picture, tip, root } = state;
  const kin = hit.text === undefined ? [] : state.rows.filter((other) => other.panel === drawn.panel && other !== drawn);
  kin.forEach((other) => other.hits.filter((dot) => dot.text === hit.text && dot.text !== undefined).forEach((dot) => ring(state, other, dot, "kin")));
  ring(state, drawn, hit, "");
  const [text, by] = hit.mark ? [hit.mark.text, ""] : picture.texts[hit.text];
  tip.querySelector("b").textContent = written(hit.raw, 1) + picture.suffix;
  const away = picture.away ? ` (${signed(hit.value)} points from ${picture.away})` : "";
  tip.querySelector(".who").textContent = (hit.mark ? hit.mark.says + " · " : "") + drawn.row.name + away;
  tip.querySelector(".text").textContent = text;
  tip.querySelector(".by").textContent = by;
  tip.hidden = false;
  const [outer, inner] = [root.getBoundingClientRect(), drawn.svg.getBoundingClientRect()];
  const [x, y] = [inner.left - outer.left + hit.x, inner.top - outer.top + drawn.y + hit.dy];
  tip.style.left = `${Math.max(0, Math.min(x + 14, outer.width - tip.offsetWidth))}px`;
  tip.style.top = `${y - tip.offsetHeight - 12 > -40 ? y - tip.offsetHeight - 12 : y + 16}px`;
}

function leave(state) {
  state.tip.hidden = true;
  state.rings.splice(0).forEach((circle) => circle.remove());
}

function choose(state, drawn, hit) {
  if (!drawn || !state.picture.clickable) return;
  const text = hit && hit.text !== undefined ? state.picture.texts[hit.text] : null;
  state.clicked = true;
  state.trigger("clicked", { panel: drawn.panel.id, row: drawn.row.id, prompt: text ? text[2] : null });
}

// What a click lists stands below the picture: bring its heading into sight, and no more.
function showList(state) {
  state.clicked = false;
  setTimeout(() => document.querySelector(".st-key-cell-heading")?.scrollIntoView({ block: "nearest", behavior: "smooth" }), 60);
}

function showSelected({ rows, selected }) {
  for (const { group, panel, row } of rows) {
    const on = Boolean(selected) && panel.id === selected.panel && row.id === selected.row;
    group.classList.toggle("selected", on);
    group.setAttribute("aria-pressed", on);
  }
}

// Up and down move between rows, left and right between the points of a row, Enter chooses.
function press(state, event) {
  const place = state.rows.findIndex((drawn) => drawn.group === event.target.closest?.(".row"));
  if (place < 0) return;
  const drawn = state.rows[place];
  const order = [...drawn.hits].sort((a, b) => a.x - b.x);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const hop = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && order.length) {
    const now = order.indexOf(drawn.at);
    drawn.at = order[now < 0 ? (step > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, now + step))];
    show(state, drawn, drawn.at);
  } else if (hop && state.rows[place + hop]) {
    drawn.group.setAttribute("tabindex", -1);
    state.rows[place + hop].group.setAttribute("tabindex", 0);
    state.rows[place + hop].group.focus();
  } else if (event.key === "Enter" || event.key === " ") choose(state, drawn, drawn.at ?? null);
  else if (event.key === "Escape") leave(state);
  else return;
  event.preventDefault();
}
