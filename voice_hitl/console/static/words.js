// @ts-check
/**
 * A request in words.
 *
 * @typedef {import("./api.js").Shown} Shown
 * @typedef {import("./api.js").Outcome} Outcome
 */

const ENDS = /** @type {Record<string, string>} */ ({
  answered: "Answered",
  refused: "Refused",
  blocked: "Blocked by the agent’s rules",
  timed_out: "Nobody answered in time",
  unanswered: "Nobody could be asked",
  withdrawn: "No longer needed",
});

const VIA = /** @type {Record<string, string>} */ ({
  card: "on a card in the call",
  voice: "aloud, in the call",
  key: "on the keypad",
  console: "at the console",
  api: "by the application",
});

const KINDS = /** @type {Record<string, string>} */ ({
  approval: "Approval",
  confirm: "Yes or no",
  choice: "Choice",
  number: "Number",
  text: "Text",
  form: "Form",
});

/** @param {Shown} request */
export function kind({ question }) {
  return KINDS[question.kind] ?? question.kind;
}

/** Where it comes from. @param {Shown} request */
export function where({ caller, channel, room }) {
  return [caller && `for ${caller}`, room, channel].filter(Boolean).join(" · ");
}

/** How it ended, and who ended it. @param {Shown} request @param {string} me */
export function ending({ outcome, question }, me) {
  if (!outcome) return "";
  const who = outcome.by ? (outcome.by === me ? "you" : outcome.by) : "";
  return [decided(outcome, question), who && `by ${who}`].filter(Boolean).join(" ");
}

/** By which way. @param {Outcome} outcome */
export function via({ via: way }) {
  return way ? (VIA[way] ?? way) : "";
}

/** @param {Outcome} outcome @param {any} question */
function decided(outcome, question) {
  if (question.kind !== "approval") return ENDS[outcome.end] ?? outcome.end;
  if (outcome.end === "answered") return edited(outcome) ? "Approved with changes" : "Approved";
  return outcome.end === "refused" ? "Rejected" : (ENDS[outcome.end] ?? outcome.end);
}

/** What was answered, as far as it is told. @param {Shown} request */
export function said({ outcome, question }) {
  if (!outcome?.said) return "";
  const told = json(outcome.said);
  if (question.kind === "approval") return edited(outcome) ? JSON.stringify(told.edited_arguments) : "";
  if (question.kind === "confirm" && typeof told.confirmed === "boolean") return told.confirmed ? "Yes" : "No";
  if (question.kind === "form") return [...Object.values(told.answers ?? {}).flat(), told.response].filter(Boolean).join(", ");
  return typeof told === "string" ? told : outcome.said;
}

/** Good, bad, or neither. @param {Shown} request */
export function tone({ outcome, question }) {
  if (outcome?.end === "refused" || outcome?.end === "blocked") return "bad";
  if (outcome?.end !== "answered") return "none";
  return question.kind === "confirm" && json(outcome.said ?? "").confirmed === false ? "bad" : "good";
}

/** @param {string} iso @param {number} now */
export function ago(iso, now) {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {number} ms */
export function clock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {string} iso */
export function time(iso) {
  return new Date(iso).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** @param {Outcome} outcome */
function edited(outcome) {
  return Boolean(json(outcome.said ?? "").edited_arguments);
}

/** @param {string} text @returns {any} */
function json(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return text;
  }
}
