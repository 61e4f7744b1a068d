// @ts-check
/**
 * The console's API, as the page uses it: requests, and the events that keep them up to date.
 *
 * @typedef {{ role: string, text: string, at: string }} Line
 * @typedef {{ end: string, at: string, by?: string, via?: string, said?: string, reason?: string }} Outcome
 * @typedef {{ id: string, kind: string, tool: string, question: any, channel: string, room: string, session: string,
 *   caller: string, actor?: string, asked_of: string[], created_at: string, expires_at?: string, transcript: Line[],
 *   answered_so_far: Record<string, unknown>,
 *   taken?: { by: string, since: string }, outcome?: Outcome }} Shown
 * @typedef {{ user: string, roles: string[], watching: Record<string, number>, server_time: string }} Me
 */

/** The API has refused: its status, and what it says. */
export class Refused extends Error {
  /** @param {number} status @param {{ error?: string, why?: string, outcome?: Outcome }} problem */
  constructor(status, problem) {
    super(problem.why ?? `the server answered ${status}`);
    this.status = status;
    this.error = problem.error ?? "";
    this.outcome = problem.outcome;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, key?: string }} [options]
 * @returns {Promise<any>}
 */
export async function call(method, path, { body, key } = {}) {
  const response = await fetch(path, {
    method,
    credentials: "same-origin",
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const said = response.status === 204 ? null : await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, said);
  return said;
}

/**
 * The same once more where nothing came back: under its key it is the same answer, whether or not the first arrived.
 *
 * @param {string} path
 * @param {unknown} body
 */
export async function answer(path, body) {
  const key = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  for (let tries = 1; ; tries++) {
    try {
      return await call("POST", path, { body, key });
    } catch (error) {
      if (error instanceof Refused || tries === 3) throw error;
      await new Promise((resolve) => setTimeout(resolve, 400 * tries));
    }
  }
}

/**
 * What happens, from now on.
 *
 * @param {{ sync: () => void, changed: (name: string, request: Shown) => void, presence: (watching: Record<string, number>) => void,
 *   state: (state: "live" | "reconnecting" | "ended") => void }} on
 */
export function listen(on) {
  const source = new EventSource("events");
  source.addEventListener("open", () => on.state("live"));
  source.addEventListener("error", () => on.state(source.readyState === EventSource.CLOSED ? "ended" : "reconnecting"));
  source.addEventListener("sync", () => on.sync());
  source.addEventListener("presence", ({ data }) => on.presence(JSON.parse(data)));
  for (const name of ["request.opened", "request.changed", "request.settled"]) {
    source.addEventListener(name, ({ data }) => on.changed(name, JSON.parse(data).request));
  }
  return source;
}
