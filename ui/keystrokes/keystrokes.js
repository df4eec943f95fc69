// Streamlit hands on a text only when its field is left. Here a pause in typing does it too, and every field writes in
// the direction of its own text.
const PAUSE_MS = 600;

export default function ({ data, parentElement }) {
  const form = parentElement.ownerDocument.querySelector(`.st-key-${data.container}`);
  if (!form) return;
  let waiting;
  const typed = (event) => {
    clearTimeout(waiting);
    if (event.isComposing || event.target.tagName !== "INPUT") return;
    event.target.dir = "auto";
    waiting = setTimeout(() => {
      event.target.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true }));
    }, PAUSE_MS);
  };
  const isText = 'input[type="text"]:not([role="combobox"])';
  form.querySelectorAll(isText).forEach((field) => { field.dir = "auto"; });
  const filtered = (event) => { if (event.target.matches(isText)) typed(event); };
  form.addEventListener("input", filtered);
  return () => {
    clearTimeout(waiting);
    form.removeEventListener("input", filtered);
  };
}
