// @ts-check
/**
 * The form in which a person answers a request.
 *
 * @typedef {import("./voice-hitl.js").Request} Request
 * @typedef {() => Promise<unknown>} What
 */

import { element as h } from "./element.js";
import { fields } from "./fields.js";

/**
 * The form of a request, and a way to give something else with it than its answer.
 *
 * @param {Request} request
 * @param {string} name  Its class, beside the question's kind.
 * @param {(wire: any) => Promise<unknown>} answer
 * @returns {{ form: HTMLFormElement, give: (what: What) => void }}
 */
export function answering(request, name, answer) {
  const { kind, language } = request.question;
  const error = h("p", { class: "error", role: "alert", hidden: "" });
  const form = h("form", { class: `${name} ${kind}`, ...(language && { lang: language }) });
  const give = (/** @type {What} */ what) => void send(form, error, what);
  form.append(...fields(request, (wire) => give(() => answer(wire))), error);
  // What is pressed in it never leaves the page: the call would be over.
  form.addEventListener("submit", (event) => event.preventDefault());
  return { form, give };
}

/**
 * Give what is filled in: nothing can be pressed until it has arrived; what was refused is told, and can be corrected.
 *
 * How a request ended, where the answer came late or second, comes by itself: nothing is told of it here.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement} error  Where it is told.
 * @param {What} give
 */
async function send(form, error, give) {
  const controls = [...form.querySelectorAll("button, input, textarea, select")];
  const used = document.activeElement;
  // What cannot be used loses the keyboard: until it has arrived the form keeps it.
  if (form.contains(used)) {
    form.tabIndex = -1;
    form.focus({ preventScroll: true });
  }
  for (const control of controls) control.toggleAttribute("disabled", true);
  error.hidden = true;
  try {
    await give();
  } catch (refused) {
    error.textContent = refused instanceof Error ? sentence(refused.message) : "That did not arrive.";
    error.hidden = false;
    for (const control of controls) control.toggleAttribute("disabled", false);
    if (document.activeElement === form && used instanceof HTMLElement) used.focus({ preventScroll: true });
    form.removeAttribute("tabindex");
  }
}

/** @param {string} text */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
