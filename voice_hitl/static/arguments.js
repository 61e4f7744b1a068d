// @ts-check
/** The arguments of an approval, to be changed before they are approved. */

import { element as h } from "./element.js";
import { plain, title } from "./values.js";

/**
 * The arguments, to be changed: one by one where the tool says what they are, else as JSON.
 *
 * @param {{ arguments: Record<string, unknown>, parameters?: any }} question
 * @returns {{ element: HTMLElement, focus: () => void, value: () => Record<string, unknown> | null }}
 */
export function editor({ arguments: given, parameters }) {
  const known = parameters?.properties ?? {};
  if (Object.keys(known).length === 0) {
    const whole = jsonField("Arguments", given);
    const value = () => {
      const edited = whole.value() ?? {};
      return whole.element.reportValidity() ? edited : null;
    };
    return { element: whole.element, focus: () => whole.element.focus(), value };
  }
  const names = [...new Set([...Object.keys(known), ...Object.keys(given)])];
  const fields = names.map((name) => /** @type {const} */ ([name, argument(name, known[name] ?? {}, given[name])]));
  const rows = fields.map(([name, { element, value }]) => {
    const was = h("span", { class: "was", hidden: "" }, [`was ${plain(given[name] ?? "left out")}`]);
    element.addEventListener("input", () => (was.hidden = same(value(), given[name])));
    return h("label", { class: "argument" }, [h("span", {}, [known[name]?.title ?? title(name), was]), element]);
  });
  return {
    element: h("div", { class: "arguments" }, rows),
    focus: () => fields[0][1].element.focus(),
    value() {
      const edited = fields.map(([name, field]) => [name, field.value()]);
      if (!fields.every(([, field]) => field.element.reportValidity())) return null;
      return Object.fromEntries(edited.filter(([, value]) => value !== undefined));
    },
  };
}

/**
 * @typedef {{ element: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, value: () => any }} Argument
 *   `value()`: undefined where it is left out; where it cannot be read the element is invalid.
 */

/** @param {string} name @param {any} schema @param {unknown} given @returns {Argument} */
function argument(name, schema, given) {
  if (Array.isArray(schema.enum) && schema.enum.every((/** @type {unknown} */ one) => typeof one === "string")) {
    const list = h("select", { class: "field" }, schema.enum.map((/** @type {string} */ one) => h("option", { value: one }, [one])));
    list.value = String(given ?? schema.enum[0]);
    return { element: list, value: () => list.value };
  }
  if (schema.type === "boolean") {
    const box = h("input", { type: "checkbox" });
    box.checked = given === true;
    return { element: box, value: () => box.checked };
  }
  if (["string", "number", "integer"].includes(schema.type)) {
    const isText = schema.type === "string";
    const numeric = schema.type === "integer" ? "-?[0-9]+" : "-?[0-9]+([.][0-9]+)?";
    const field = h("input", {
      class: "field",
      autocomplete: "off",
      ...(isText ? {} : { inputmode: "decimal", pattern: numeric, title: "A number" }),
    });
    field.value = given === undefined || given === null ? "" : String(given);
    const read = () => (isText ? field.value : Number(field.value));
    return { element: field, value: () => (field.value === "" && !(isText && given !== undefined) ? undefined : read()) };
  }
  return jsonField(name, given);
}

/** @param {string} name @param {unknown} given @returns {Argument & { element: HTMLTextAreaElement }} */
function jsonField(name, given) {
  const field = h("textarea", { class: "field json", "aria-label": name, spellcheck: "false" });
  field.value = given === undefined ? "" : JSON.stringify(given, null, 2);
  field.addEventListener("input", () => field.setCustomValidity(""));
  return {
    element: field,
    value() {
      if (field.value.trim() === "") return undefined;
      try {
        return JSON.parse(field.value);
      } catch {
        field.setCustomValidity("That is not JSON.");
        return null;
      }
    },
  };
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
