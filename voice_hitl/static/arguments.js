// @ts-check
/** The arguments of an approval, to be changed before they are approved. */

import { element as h } from "./element.js";
import { decimal, input, numeric } from "./inputs.js";
import { plain, same, title } from "./values.js";

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
  /** Those that somebody changed: every other one stays as it was given. @type {Set<string>} */
  const changed = new Set();
  const rows = fields.map(([name, { element, value }]) => {
    const was = h("span", { class: "was", hidden: "" }, [`was ${given[name] === undefined ? "left out" : plain(given[name])}`]);
    element.addEventListener("input", () => {
      changed.add(name);
      was.hidden = same(value(), given[name]);
    });
    return h("label", { class: "argument" }, [h("span", {}, [known[name]?.title ?? title(name), was]), element]);
  });
  return {
    element: h("div", { class: "arguments" }, rows),
    focus: () => fields[0][1].element.focus(),
    value() {
      const edited = fields.map(([name, field]) => [name, changed.has(name) ? field.value() : given[name]]);
      if (!fields.every(([name, field]) => !changed.has(name) || field.element.reportValidity())) return null;
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
    const leftOut = given === undefined ? [h("option", { value: "" })] : [];
    const list = h("select", { class: "field" }, [...leftOut, ...schema.enum.map((/** @type {string} */ one) => h("option", { value: one }, [one]))]);
    list.value = String(given ?? "");
    return { element: list, value: () => (leftOut.length > 0 && list.selectedIndex === 0 ? undefined : list.value) };
  }
  if (schema.type === "boolean") {
    const box = h("input", { type: "checkbox" });
    box.checked = given === true;
    return { element: box, value: () => box.checked };
  }
  if (schema.type === "string") {
    const long = String(given ?? "").includes("\n");
    const field = long ? h("textarea", { class: "field", dir: "auto" }) : input({});
    field.value = String(given ?? "");
    return { element: field, value: () => (field.value === "" && given === undefined ? undefined : field.value) };
  }
  if (schema.type === "number" || schema.type === "integer") {
    const field = input(numeric({ minimum: schema.minimum, whole: schema.type === "integer" }));
    field.value = String(given ?? "");
    return { element: field, value: () => (field.value.trim() === "" ? undefined : Number(decimal(field.value))) };
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
