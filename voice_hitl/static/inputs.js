// @ts-check
/** What a person writes in, and how it is read. */

import { element as h } from "./element.js";

/** A line to write in. @param {Record<string, string>} attributes */
export function input(attributes) {
  return h("input", { class: "field", dir: "auto", autocomplete: "off", ...attributes });
}

/**
 * What is confidential is neither seen, nor kept or filled in by the browser.
 *
 * @param {{ sensitive?: boolean }} question
 * @returns {Record<string, string>}
 */
export function unseen({ sensitive }) {
  return sensitive ? { type: "password", autocomplete: "one-time-code" } : {};
}

/**
 * How a number is written: with a point or a comma, but not where the comma might divide thousands.
 *
 * @param {{ minimum?: number, whole?: boolean }} bounds
 * @returns {Record<string, string>}
 */
export function numeric({ minimum, whole = false }) {
  const fraction = whole ? "" : "([.][0-9]+|,([0-9]{1,2}|[0-9]{4,}))?";
  return {
    // The keyboards of telephones that have only digits have no minus.
    inputmode: minimum == null || minimum < 0 ? "text" : whole ? "numeric" : "decimal",
    pattern: ` *-?[0-9]+${fraction} *`,
    title: whole ? "A whole number" : "A number, such as 12.5",
  };
}

/** What is written so, as it is sent. @param {string} written */
export function decimal(written) {
  return written.trim().replace(",", ".");
}
