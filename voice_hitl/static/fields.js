// @ts-check
/**
 * What a person fills in, for each kind of question, and the wire form it becomes.
 *
 * @typedef {import("./voice-hitl.js").Request} Request
 * @typedef {{ action: string, [member: string]: any }} Wire
 * @typedef {(wire: Wire) => void} Send
 * @typedef {{ label: string, description?: string, id?: string }} Option
 * @typedef {{ element: HTMLElement, value: () => string | string[] }} Options
 */

import { editor } from "./arguments.js";
import { element as h } from "./element.js";
import { decimal, input, numeric, unseen } from "./inputs.js";
import { isExact, plain, title } from "./values.js";

let names = 0;

/**
 * The content of a card's form. The first button sends; the form does when there is something to fill in.
 *
 * @param {Request} request
 * @param {Send} send
 * @returns {Node[]}
 */
export function fields({ question }, send) {
  switch (question.kind) {
    case "confirm":
      return confirm(question, send);
    case "choice":
      return choice(question, send);
    case "number":
      return number(question, send);
    case "form":
      return form(question, send);
    case "approval":
      return approval(question, send);
    default:
      return text(question, send);
  }
}

/** @param {any} question @param {Send} send */
function confirm(question, send) {
  return [
    ...risk(question),
    prompt(headline(question)),
    ...details(question.details),
    h("div", { class: "actions" }, [
      button("Yes, go ahead", "primary", () => send({ action: "answer", value: true })),
      button("No", "plain", () => send({ action: "answer", value: false })),
    ]),
  ];
}

/** @param {any} question @param {Send} send */
function choice(question, send) {
  const chosen = options(question.options, question);
  return [
    fieldset(question.prompt, question.header, chosen.element, question.multiSelect),
    submit("Send answer", () => send({ action: "select", value: chosen.value() })),
  ];
}

/** @param {any} question @param {Send} send */
function number(question, send) {
  const digits = question.digits;
  const code = { inputmode: "numeric", pattern: `[0-9]{${digits}}`, title: `${digits} digits`, maxlength: String(digits) };
  const field = input({
    class: digits ? "field digits" : "field",
    required: "",
    "aria-label": question.prompt,
    ...unseen(question),
    ...(digits ? code : numeric(question)),
  });
  return [
    prompt(question.prompt),
    field,
    ...hint(digits ? `${digits} digits` : bounds(question)),
    submit("Send answer", () => send({ action: "submit", value: digits ? field.value : decimal(field.value) })),
  ];
}

/** @param {any} question @param {Send} send */
function text(question, send) {
  const common = { required: "", maxlength: String(question.max_length), "aria-label": question.prompt };
  const field = question.sensitive
    ? input({ ...common, ...unseen(question) })
    : h("textarea", { class: "field", dir: "auto", rows: "3", ...common });
  return [
    prompt(question.prompt),
    field,
    submit("Send answer", () => send({ action: "submit", value: field.value })),
  ];
}

/** @param {any} question @param {Send} send */
function form(question, send) {
  const asked = question.questions.map((/** @type {any} */ one) => ({
    text: one.question,
    chosen: options(one.options, { ...one, free_text: one.free_text !== false, sensitive: question.sensitive }),
    one,
  }));
  return [
    ...asked.map((/** @type {any} */ { text, one, chosen }) => fieldset(text, one.header, chosen.element, one.multiSelect)),
    submit("Send answers", () => {
      const answers = asked.map((/** @type {any} */ { text, chosen }) => [text, chosen.value()]);
      send({ action: "answer", answers: Object.fromEntries(answers) });
    }),
  ];
}

/** @param {any} question @param {Send} send */
function approval(question, send) {
  const edits = editor(question);
  edits.element.hidden = true;
  const change = button("Change the details", "decline", () => {
    edits.element.hidden = !edits.element.hidden;
    change.setAttribute("aria-expanded", String(!edits.element.hidden));
    change.textContent = edits.element.hidden ? "Change the details" : "Leave them as they are";
    if (!edits.element.hidden) edits.focus();
  });
  change.setAttribute("aria-expanded", "false");
  const reject = () => send({ action: "reject", ...(reason.value.trim() && { reason: reason.value.trim() }) });
  const reason = reasonField("Reason, if you reject it", reject);
  const approve = () => {
    if (edits.element.hidden) return send({ action: "approve" });
    const edited = edits.value();
    if (edited) send({ action: "approve", edited_arguments: edited });
  };
  return [
    ...risk(question),
    prompt(headline(question)),
    ...details(question.arguments, question.parameters?.properties),
    ...(question.allow_edits && isExact(question.arguments) ? [change, edits.element] : []),
    reason,
    h("div", { class: "actions" }, [button("Approve", "primary", approve), button("Reject", "plain", reject)]),
  ];
}

/**
 * Why somebody refuses. Enter refuses.
 *
 * @param {string} placeholder
 * @param {() => void} refuse
 */
export function reasonField(placeholder, refuse) {
  const field = input({ class: "field reason", placeholder, "aria-label": "Reason", maxlength: "8192" });
  field.addEventListener("keydown", (event) => {
    // Where a word is still put together, Enter takes the word.
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault(); // it would press the first button of the form
    refuse();
  });
  return field;
}

/** The question in one line. @param {any} question @returns {string} */
export function headline(question) {
  switch (question.kind) {
    case "form":
      return question.questions.map((/** @type {any} */ one) => one.question).join(" ");
    case "confirm":
      return asking(question.prompt);
    case "approval":
      return asking(question.title ?? `May the agent run ${question.tool}`);
    default:
      return question.prompt;
  }
}

/** What would be done is not always put as a question, and every script has marks of its own. @param {string} words */
function asking(words) {
  return /[\p{Sentence_Terminal}\u2026:][\p{Pe}\p{Pf}"'\s]*$/u.test(words) ? words : `${words.trimEnd()}?`;
}

/**
 * @param {Option[]} offered
 * @param {{ multiSelect?: boolean, free_text?: boolean, sensitive?: boolean }} how
 * @returns {Options}
 */
function options(offered, { multiSelect: multi = false, free_text = false, sensitive }) {
  const name = `options-${++names}`;
  const type = multi ? "checkbox" : "radio";
  const inputs = offered.map(({ label, id }) => h("input", { type, name, value: id ?? label, required: "" }));
  const rows = offered.map(({ label, description }, index) =>
    h("label", { class: "option" }, [
      inputs[index],
      h("span", { class: "what" }, [label]),
      ...(description ? [h("span", { class: "more" }, [description])] : []),
    ]),
  );
  const own = h("input", { type, name, value: "", required: "" });
  const words = input({ "aria-label": "In your own words", maxlength: "8192", hidden: "", ...unseen({ sensitive }) });
  if (free_text) rows.push(h("label", { class: "option" }, [own, h("span", { class: "what" }, ["Something else"]), words]));

  const element = h("div", { class: "options" }, rows);
  element.addEventListener("change", ({ target }) => {
    // Options and other words are not mixed in one answer.
    if (multi && target === own && own.checked) for (const input of inputs) input.checked = false;
    if (multi && target !== own && target !== words) own.checked = false;
    words.hidden = !own.checked;
    words.required = own.checked;
    if (target === own && own.checked) words.focus();
    // A browser asks for each required checkbox: one of them is enough.
    if (multi) for (const input of [...inputs, own]) input.required = ![...inputs, own].some(({ checked }) => checked);
  });
  return {
    element,
    value() {
      if (own.checked) return words.value.trim();
      const chosen = inputs.filter(({ checked }) => checked).map(({ value }) => value);
      return multi ? chosen : chosen[0];
    },
  };
}

/** @param {string} words */
function prompt(words) {
  return h("h3", { class: "prompt" }, [words]);
}

/**
 * @param {string} words
 * @param {string | undefined} header
 * @param {HTMLElement} content
 * @param {boolean} [multi]
 */
function fieldset(words, header, content, multi) {
  return h("fieldset", {}, [
    h("legend", { class: "prompt" }, [...(header ? [h("span", { class: "header" }, [header])] : []), words]),
    ...(multi ? hint("Choose one or more") : []),
    content,
  ]);
}

/** @param {Record<string, unknown> | undefined} values @param {Record<string, { title?: string }>} [named] */
function details(values, named = {}) {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return [];
  const rows = entries.flatMap(([name, value]) => [h("dt", {}, [named[name]?.title ?? title(name)]), h("dd", {}, [plain(value)])]);
  return [h("dl", { class: "details" }, rows)];
}

/** @param {any} question */
function risk(question) {
  return question.risk === "high" ? [h("span", { class: "risk" }, ["High risk: read it twice"])] : [];
}

/** @param {string} words */
function hint(words) {
  return words ? [h("p", { class: "hint" }, [words])] : [];
}

/** @param {{ minimum?: number, maximum?: number }} question */
function bounds({ minimum, maximum }) {
  if (minimum != null && maximum != null) return `From ${minimum} to ${maximum}`;
  if (minimum != null) return `At least ${minimum}`;
  return maximum != null ? `At most ${maximum}` : "";
}

/**
 * @param {string} label
 * @param {string} kind
 * @param {() => void} onClick
 */
function button(label, kind, onClick) {
  const made = h("button", { class: kind, type: "button" }, [label]);
  made.addEventListener("click", onClick);
  return made;
}

/**
 * The button of the form around it; the browser checks the fields first.
 *
 * @param {string} label
 * @param {() => void} onSubmit
 */
function submit(label, onSubmit) {
  const made = h("button", { class: "primary", type: "submit" }, [label]);
  made.addEventListener("click", (event) => {
    event.preventDefault();
    if (made.form?.reportValidity()) onSubmit();
  });
  return h("div", { class: "actions" }, [made]);
}
