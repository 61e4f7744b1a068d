// @ts-check
/** What a model wrote, as a person reads it. */

/** The name of an argument. @param {string} name */
export function title(name) {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {unknown} value */
export function plain(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether two values are the same JSON. @param {unknown} one @param {unknown} other */
export function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
