// Buttons that save the picture standing in the same keyed container, as SVG or PNG.
// Works for Plotly's stacked layers and for our own SVG alike, open shadow roots included; styles are written into the
// copy, since a file outside the page has neither the page's style sheets nor its variables.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "visibility", "display", "cursor"];

function pictures(root, found = []) {
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) pictures(element.shadowRoot, found);
    if (element instanceof SVGSVGElement && !element.ownerSVGElement && !element.closest("button, .modebar")) found.push(element);
  }
  return found;
}

function styledCopy(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, index) => {
    const computed = getComputedStyle(original);
    copies[index].removeAttribute("class");
    copies[index].setAttribute("style", STYLES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
  });
  return copy;
}

function compose(holder, data) {
  const layers = pictures(holder).map((svg) => ({ svg, box: svg.getBoundingClientRect() })).filter(({ box }) => box.width > 20);
  if (!layers.length) return null;
  const left = Math.min(...layers.map(({ box }) => box.left));
  const top = Math.min(...layers.map(({ box }) => box.top));
  const width = Math.ceil(Math.max(...layers.map(({ box }) => box.right)) - left);
  const height = Math.ceil(Math.max(...layers.map(({ box }) => box.bottom)) - top);
  const space = "http://www.w3.org/2000/svg";
  const whole = document.createElementNS(space, "svg");
  for (const [name, value] of Object.entries({ xmlns: space, width, height, viewBox: `0 0 ${width} ${height}` })) {
    whole.setAttribute(name, value);
  }
  for (const [name, text] of [["title", data.title], ["desc", data.description]]) {
    whole.appendChild(document.createElementNS(space, name)).textContent = text;
  }
  const page = document.createElementNS(space, "rect");
  page.setAttribute("width", width);
  page.setAttribute("height", height);
  page.setAttribute("fill", getComputedStyle(document.querySelector(".stApp")).backgroundColor);
  whole.appendChild(page);
  for (const { svg, box } of layers) {
    const copy = styledCopy(svg);
    copy.setAttribute("x", box.left - left);
    copy.setAttribute("y", box.top - top);
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    whole.appendChild(copy);
  }
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

function save(url, name) {
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function savePng(picture, name) {
  const image = new Image();
  const source = URL.createObjectURL(new Blob([picture.text], { type: "image/svg+xml" }));
  image.onload = () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: picture.width * 2, height: picture.height * 2 });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(URL.createObjectURL(blob), name), "image/png");
    URL.revokeObjectURL(source);
  };
  image.src = source;
}

export default function ({ data, parentElement }) {
  const buttons = parentElement.querySelectorAll("button");
  buttons.forEach((button) => {
    button.onclick = () => {
      const holder = document.querySelector(`.st-key-${CSS.escape(data.container)}`);
      const picture = holder && compose(holder, data);
      if (!picture) return;
      if (button.dataset.format === "png") savePng(picture, `${data.name}.png`);
      else save(URL.createObjectURL(new Blob([picture.text], { type: "image/svg+xml" })), `${data.name}.svg`);
    };
  });
}
