// @ts-check
/** What a model wrote, as a person reads it. */

/** The name of an argument. @param {string} name */
export function title(name) {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {unknown} value @returns {string} */
export function plain(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // What turns the order of the letters around would have a person read something else than what is done.
  const legible = text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, (turn) => `\\u${turn.charCodeAt(0).toString(16)}`);
  return isExact(value) ? legible : `about ${legible}`;
}

/** Whether a value is what was sent: of an integer beyond 2^53 a browser has only the first digits. @param {unknown} value @returns {boolean} */
export function isExact(value) {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isExact);
  return typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value);
}

/** Whether two values are the same JSON. @param {unknown} one @param {unknown} other */
export function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
