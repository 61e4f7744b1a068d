// @ts-check
/**
 * The page's side of a call: WebRTC audio both ways, and the messages by which a person answers.
 *
 *     import { call } from "/voice-hitl.js";
 *     const live = await call("/offer");
 *     live.on("request.opened", (request) => show(request));
 *     await live.answer(pendingId, { action: "answer", value: true });
 *     await live.tools.register({ name: "pick_time", parameters }, (args, use) => show(args, use));
 *     live.hangUp();
 *
 * No dependency, no build step. Every message of the session is an event of the same name (`transcript`,
 * `request.opened`, `request.changed`, `request.settled`, ... and the application's own); `state` is the client's.
 */

/**
 * @typedef {"connecting" | "live" | "reconnecting" | "ended"} State
 * @typedef {{ type: string, [field: string]: any }} Message  A message of the session, as it came.
 * @typedef {(message: any) => void} Listener
 */

/**
 * @typedef {object} Options
 * @property {RTCIceServer[]} [iceServers]
 * @property {MediaTrackConstraints} [audio]  What to ask of the microphone; echo cancellation is on unless said here.
 * @property {Record<string, string>} [headers]  Sent with the offer, such as an `Authorization`.
 * @property {Record<string, unknown>} [fields]  Sent in the offer's body, for whoever decides on the call.
 * @property {number} [rejoinSeconds]  How long a lost call is tried again before it has ended (15).
 */

/**
 * A card: a request to the person in front of this page, kept up to date from the messages about it.
 *
 * @typedef {object} Request
 * @property {string} call  The tool call it belongs to.
 * @property {string} [pending_id]  What an answer names; not there while `status` is `inProgress`.
 * @property {string} tool
 * @property {"inProgress" | "executing" | "complete"} status
 * @property {"question" | "approval" | "choice" | "input" | "frontend_tool"} [kind]
 * @property {any} [question]  Its own `kind` says how to show it: confirm, choice, number, text, form, approval.
 * @property {string} [expires_at]
 * @property {string[]} [asked_by]
 * @property {string} [end]  How it ended: answered, refused, blocked, timed_out, unanswered, withdrawn.
 * @property {string} [by]
 * @property {string} [via]
 * @property {any} [answer]
 * @property {string} [reason]
 */

/**
 * A tool of this page. `parameters` is the JSON Schema of its arguments, an object; without it there are none.
 *
 * @typedef {{ name: string, description?: string, parameters?: object }} Tool
 *
 * Serves the calls of a tool: what it returns, or resolves to, is the result, any JSON; what it throws gives the call up.
 * @typedef {(args: any, use: ToolUse) => unknown} Serve
 */

const VERSION = 1;
const MAX_BYTES = 65536;
const CHANNEL = "voice-hitl";
const GATHERING_MS = 2000;
const ANSWER_MS = 20000;
const CONNECTING_MS = 15000;
const DISCONNECTED_MS = 2500;
const REASON_CHARACTERS = 8192;
/** How many cards that are over are kept: a call may last for hours. */
const CARDS_OVER = 128;

const MICROPHONE = /** @type {Record<string, string>} */ ({
  NotAllowedError: "The microphone is blocked. Allow it for this page, then call again.",
  NotFoundError: "No microphone found.",
});

/** A message was not taken: `code` is `late`, `duplicate`, `not_allowed`, `invalid`, `unknown`, ... */
export class Refused extends Error {
  /** @param {Message} message */
  constructor(message) {
    super(message.why);
    this.name = "Refused";
    /** @type {string} */
    this.code = message.code;
    /** How the request had ended, where the answer came too late. @type {Message | undefined} */
    this.outcome = message.outcome;
  }
}

/** The call could not be set up; the text is for the person. */
export class CallFailed extends Error {
  /** @param {string} why @param {unknown} [cause] */
  constructor(why, cause) {
    super(why, { cause });
    this.name = "CallFailed";
  }
}

/**
 * Place a call: ask for the microphone, send the offer to `url`, and return once both sides are connected.
 *
 * @param {string} url
 * @param {Options} [options]
 * @returns {Promise<Call>}
 */
export async function call(url, options = {}) {
  const placed = new Call(url, options);
  await placed.connect();
  return placed;
}

/** A call in progress. Make one with `call(url)`; or construct it, add listeners, then `connect()`. */
export class Call {
  /** @type {State} */
  state = "connecting";

  /** The cards: all that are open, and the last of those that are over. @type {Map<string, Request>} */
  requests = new Map();

  /** This page's own tools, offered to the model of the call. */
  tools = new Tools((message) => this.#send(message));

  /** @type {Map<string, Set<Listener>>} */
  #listeners = new Map();
  /** Messages that wait for their `ok` or `refused`. @type {Map<string, Waiting>} */
  #waiting = new Map();
  /** @type {RTCPeerConnection | null} */
  #peer = null;
  /** @type {RTCDataChannel | null} */
  #channel = null;
  /** @type {MediaStream | null} */
  #microphone = null;
  /** @type {Meter | null} */
  #heard = null;
  /** @type {Meter | null} */
  #spoken = null;
  #audio = new Audio();
  #muted = false;
  /** Aborts when the call is over: what the page is listened to for ends with it. */
  #over = new AbortController();
  #ids = 0;
  /** Milliseconds that the session's clock is ahead of ours, at least. */
  #ahead = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #patience;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #giveUp;

  /**
   * @param {string} url
   * @param {Options} [options]
   */
  constructor(url, options = {}) {
    this.url = url;
    this.options = options;
    /** The same again when a lost call is rejoined: it goes on where it was. */
    this.callId = token();
    this.#audio.autoplay = true;
  }

  /**
   * Call `listener` for every message of `type` (`*`: every type). Returns a function that stops it.
   *
   * @param {string} type
   * @param {Listener} listener
   */
  on(type, listener) {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Ask for the microphone and connect. Rejects with `CallFailed`, in words for the person. */
  async connect() {
    // A page that is left hangs up: its session would wait for it to come back.
    addEventListener("pagehide", () => this.hangUp(), { signal: this.#over.signal });
    try {
      await this.#speak();
      await this.#offer();
    } catch (error) {
      this.#end("failed");
      throw error;
    }
  }

  /**
   * Answer a request, in the wire form of its question's kind. Resolves when the answer was taken, rejects with
   * `Refused` when it was not. Sent again, under the same key, should the connection break before we know.
   *
   * @param {string} pendingId
   * @param {{ action: string, [member: string]: any }} wire
   * @returns {Promise<Message>}
   */
  answer(pendingId, wire) {
    return this.#send({ type: "request.answer", pending_id: pendingId, answer: wire, key: token() });
  }

  /**
   * Say that the person will not answer.
   *
   * @param {string} pendingId
   * @param {string} [reason]
   * @returns {Promise<Message>}
   */
  decline(pendingId, reason) {
    return this.#send({ type: "request.decline", pending_id: pendingId, reason, key: token() });
  }

  /**
   * Press a key of an on-screen keypad, now or not at all: pressed later, it might answer another question.
   *
   * @param {string} key  One of 0 to 9, *, #, A to D.
   * @returns {Promise<Message>}
   */
  digit(key) {
    if (this.state !== "live") return Promise.reject(new CallFailed("There is no connection: the key was not pressed."));
    return this.#send({ type: "digit", digit: key }, { once: true });
  }

  /** End the call. */
  hangUp() {
    sayGoodbye(this.#channel);
    this.#end("caller");
  }

  /** Switch the microphone off or on; the call goes on. @param {boolean} muted */
  mute(muted) {
    this.#muted = muted;
    for (const track of this.#microphone?.getTracks() ?? []) track.enabled = !muted;
  }

  /** Whether there is a microphone, muted or not: it may be unplugged. */
  get hasMicrophone() {
    return this.#microphone?.getTracks().some(({ readyState }) => readyState === "live") ?? false;
  }

  /** Whether the call is over. */
  get ended() {
    return this.state === "ended";
  }

  /** How loud the microphone is now, 0 to 1. */
  get microphoneLevel() {
    return this.#spoken?.level() ?? 0;
  }

  /** How loud the agent is now, 0 to 1. */
  get agentLevel() {
    return this.#heard?.level() ?? 0;
  }

  /** The agent's voice, once it can be heard. */
  get agentAudio() {
    return /** @type {MediaStream | null} */ (this.#audio.srcObject);
  }

  /** Milliseconds since the epoch, by the session's clock. */
  now() {
    return Date.now() + (Number.isFinite(this.#ahead) ? this.#ahead : 0);
  }

  /**
   * Milliseconds until a request, or a call of one of the page's tools, expires, by the session's clock; null where it
   * has no end yet.
   *
   * @param {{ expires_at?: string }} request
   */
  remaining(request) {
    const left = Date.parse(request.expires_at ?? "") - this.now();
    return Number.isNaN(left) ? null : Math.max(0, left);
  }

  // --- the connection ------------------------------------------------------------------------------------------------

  /** Speak into the microphone; when it is unplugged, into the next one that there is. */
  async #speak() {
    const microphone = await openMicrophone(this.options.audio);
    if (this.ended) for (const track of microphone.getTracks()) track.stop();
    this.#goesOn();
    this.#microphone = microphone;
    this.mute(this.#muted);
    this.#spoken?.close();
    this.#spoken = new Meter(microphone);
    const [track] = microphone.getAudioTracks();
    track.addEventListener("ended", () => this.#unplugged(), { signal: this.#over.signal });
    for (const sender of this.#peer?.getSenders() ?? []) await sender.replaceTrack(track);
  }

  #unplugged() {
    const again = { once: true, signal: this.#over.signal };
    this.#speak().catch(() => navigator.mediaDevices.addEventListener("devicechange", () => this.#unplugged(), again));
  }

  #goesOn() {
    if (this.ended) throw new CallFailed("The call was given up.");
  }

  async #offer() {
    const peer = new RTCPeerConnection({ iceServers: this.options.iceServers ?? [] });
    for (const track of this.#microphone?.getTracks() ?? []) {
      peer.addTrack(track, /** @type {MediaStream} */ (this.#microphone));
    }
    peer.addEventListener("track", ({ track }) => this.ended || this.#listenTo(new MediaStream([track])));
    const channel = peer.createDataChannel(CHANNEL);
    channel.addEventListener("message", ({ data }) => this.#receive(data));
    try {
      const open = opened(peer, channel);
      await peer.setLocalDescription();
      await gathered(peer);
      this.#goesOn();
      const offer = /** @type {RTCSessionDescription} */ (peer.localDescription);
      await peer.setRemoteDescription(await this.#exchange(offer));
      await open();
      if (this.ended) sayGoodbye(channel);
      this.#goesOn();
    } catch (error) {
      peer.close();
      if (error instanceof CallFailed) throw error;
      throw new CallFailed("The agent's server does not take calls: it answers something else.", error);
    }
    // A connection that was lost is let go only now: it might have come back by itself, and closing it hangs up.
    this.#peer?.close();
    this.#peer = peer;
    this.#channel = channel;
    peer.addEventListener("connectionstatechange", () => this.#peerChanged(peer));
    channel.addEventListener("close", () => this.#lost(peer));
    for (const [id, { text, once, reject }] of this.#waiting) {
      if (!once) channel.send(text);
      else if (this.#waiting.delete(id)) reject(new CallFailed("The connection broke: the key may not have been pressed."));
    }
    this.#giveUpWhatWasWritten();
    this.#become("live");
    this.tools.offerAgain();
  }

  /**
   * @param {RTCSessionDescription} offer
   * @returns {Promise<RTCSessionDescriptionInit>}
   */
  async #exchange({ sdp, type }) {
    let response;
    try {
      response = await fetch(this.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...this.options.headers },
        body: JSON.stringify({ ...this.options.fields, sdp, type, call_id: this.callId }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
    } catch (error) {
      throw new CallFailed("The agent cannot be reached. Is it still running?", error);
    }
    if (!response.ok) {
      const said = await response.json().catch(() => null);
      const why = typeof said?.error === "string" ? said.error : `the agent's server says ${response.status}`;
      throw new CallFailed(`The call was not taken: ${why}.`);
    }
    return response.json();
  }

  /** @param {RTCPeerConnection} peer */
  #peerChanged(peer) {
    clearTimeout(this.#patience);
    if (peer !== this.#peer) return;
    const state = peer.connectionState;
    if (state === "failed" || state === "closed") this.#lost(peer);
    // A network that changes is often back within a second or two.
    if (state === "disconnected") this.#patience = setTimeout(() => this.#lost(peer), DISCONNECTED_MS);
    if (state === "connected" && this.#channel?.readyState === "open") this.#become("live");
  }

  /** @param {RTCPeerConnection} peer */
  async #lost(peer) {
    if (peer !== this.#peer || this.state !== "live") return;
    this.#become("reconnecting");
    const lost = () => this.#isReconnecting() && this.#end("lost");
    this.#giveUp = setTimeout(lost, (this.options.rejoinSeconds ?? 15) * 1000);
    for (let pause = 250; this.#isReconnecting(); pause = Math.min(pause * 2, 1000)) {
      try {
        // The session refuses it for as long as it does not know that the call was lost.
        await this.#offer();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** A page that comes back is told again of every question that is still being written, and not of those given up. */
  #giveUpWhatWasWritten() {
    for (const { call, status } of [...this.requests.values()]) {
      if (status === "inProgress") this.#take({ type: "request.settled", call, status: "complete", end: "withdrawn" });
    }
  }

  #isReconnecting() {
    return this.state === "reconnecting";
  }

  /** @param {MediaStream} stream */
  #listenTo(stream) {
    this.#audio.srcObject = stream;
    this.#audio.play().catch(() => {}); // a page that may not play yet plays at the next gesture
    this.#heard?.close();
    this.#heard = new Meter(stream);
  }

  /**
   * @param {State} state
   * @param {string} [reason]
   */
  #become(state, reason) {
    if (this.state === "ended" || this.state === state) return;
    clearTimeout(this.#giveUp);
    this.state = state;
    this.#emit({ type: "state", state, ...(reason && { reason }) });
  }

  /** @param {string} reason */
  #end(reason) {
    if (this.state === "ended") return;
    this.#over.abort();
    clearTimeout(this.#patience);
    this.#peer?.close();
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#heard?.close();
    this.#spoken?.close();
    this.#audio.srcObject = null;
    for (const waiting of this.#waiting.values()) waiting.reject(new CallFailed("The call has ended."));
    this.#waiting.clear();
    this.tools.end();
    this.#become("ended", reason);
  }

  // --- messages ------------------------------------------------------------------------------------------------------

  /**
   * @param {Message} message
   * @param {{ once?: boolean }} [how]  Once: not again, should the connection break before it was taken.
   * @returns {Promise<Message>}
   */
  #send(message, { once = false } = {}) {
    if (this.state === "ended") return Promise.reject(new CallFailed("The call has ended."));
    const id = String(++this.#ids);
    const text = JSON.stringify({ v: VERSION, id, ...message });
    if (new TextEncoder().encode(text).length > MAX_BYTES) {
      return Promise.reject(new Error(`a message has at most ${MAX_BYTES} bytes`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { text, once, resolve, reject });
      if (this.#channel?.readyState === "open") this.#channel.send(text);
    });
  }

  /** @param {unknown} data */
  #receive(data) {
    const message = read(data);
    if (message !== null) this.#take(message);
  }

  /** @param {Message} message */
  #take(message) {
    const ahead = Date.parse(message.server_time) - Date.now();
    if (ahead > this.#ahead) this.#ahead = ahead;
    if (message.type === "ok" || message.type === "refused") {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.type === "ok") waiting?.resolve(message);
      else waiting?.reject(new Refused(message));
    }
    if (message.type.startsWith("request.")) this.#keep(message);
    if (message.type === "tool.status") this.tools.follow(message);
    this.#emit(message);
    if (message.type === "call.state" && message.state === "ended") this.#end(message.reason ?? "us");
  }

  /** @param {Message} message */
  #keep({ v, type, server_time, ...news }) {
    // A call id may come again for another call; a pending id never does.
    const early = `call ${news.call}`;
    const key = news.pending_id ?? early;
    const known = this.requests.get(key) ?? this.requests.get(early);
    const isOver = known?.status === "complete";
    if (isOver && known.pending_id) return;
    this.requests.delete(early);
    // A page that connects again is told of requests that were settled: one it never saw is of no use to it.
    if (!known && type !== "request.opened") return;
    this.requests.set(key, /** @type {Request} */ ({ ...(isOver ? {} : known), ...news }));
    if (news.status === "complete") this.#forget();
  }

  /** Let the oldest cards go that are over. */
  #forget() {
    const over = [...this.requests].filter(([, { status }]) => status === "complete");
    for (const [key] of over.slice(0, -CARDS_OVER)) this.requests.delete(key);
  }

  /** @param {Message} message */
  #emit(message) {
    for (const type of [message.type, "*"]) {
      for (const listener of this.#listeners.get(type) ?? []) {
        try {
          listener(message);
        } catch (error) {
          reportError(error); // a listener's mistake is the page's, and must not cost the call
        }
      }
    }
  }
}

/** A call of one of this page's tools, kept up to date while it is being served. */
export class ToolUse {
  /** @type {"executing" | "complete"} */
  status = "executing";
  #ended = new AbortController();

  /** @param {Message} message */
  constructor({ call, tool, arguments: args, pending_id, expires_at }) {
    /** The tool call. @type {string} */
    this.call = call;
    /** @type {string} */
    this.tool = tool;
    this.arguments = args;
    /** @type {string} */
    this.pending_id = pending_id;
    /** @type {string | undefined} */
    this.expires_at = expires_at;
    /** How it ended: answered, refused, blocked, timed_out, withdrawn. @type {string | undefined} */
    this.end = undefined;
  }

  /** Aborts when the call is over, whatever ended it: what the page shows of it can go. */
  get signal() {
    return this.#ended.signal;
  }

  /** @param {string} [end] */
  complete(end) {
    this.status = "complete";
    this.end = end;
    this.#ended.abort();
  }
}

/** The tools of a page. `live.tools`; they may be registered before the call connects. */
class Tools {
  #send;
  /** @type {Map<string, { tool: Tool, serve?: Serve }>} */
  #offered = new Map();
  /** @type {Serve | undefined} */
  #serveTheRest;
  /** @type {Map<string, ToolUse>} */
  #uses = new Map();
  #connected = false;

  /** @param {(message: Message) => Promise<Message>} send */
  constructor(send) {
    this.#send = send;
  }

  /**
   * Offer a tool to the model for as long as the call lasts; the same name again replaces it. `*` offers nothing: it
   * serves the calls of those tools that were registered without a `serve` of their own.
   *
   * Resolves when the session has taken it, once the call is up; rejects with `Refused` where the name is not free.
   *
   * @param {Tool | "*"} tool
   * @param {Serve} [serve]
   * @returns {Promise<void>}
   */
  async register(tool, serve) {
    if (tool === "*") {
      this.#serveTheRest = serve;
      return;
    }
    const offered = { tool, serve };
    this.#offered.set(tool.name, offered);
    try {
      await this.#send(registration(tool));
    } catch (refused) {
      if (refused instanceof Refused && this.#offered.get(tool.name) === offered) this.#offered.delete(tool.name);
      throw refused;
    }
  }

  /** Offer a tool no longer; its open calls are given up. @param {string} name */
  async unregister(name) {
    if (this.#offered.delete(name)) await this.#send({ type: "tool.unregister", name });
  }

  /** The call is up, or up again: a page that comes back offers its tools again. */
  offerAgain() {
    // The first time they are on their way already.
    if (this.#connected) for (const { tool } of this.#offered.values()) this.#send(registration(tool)).catch(reportUnlessOver);
    this.#connected = true;
  }

  /** @param {Message} message */
  follow(message) {
    const use = this.#uses.get(message.pending_id);
    if (message.status === "executing" && !use) this.#serve(new ToolUse(message));
    if (message.status === "complete" && use) {
      this.#uses.delete(message.pending_id);
      use.complete(message.end);
    }
  }

  /** The call has ended. */
  end() {
    for (const use of this.#uses.values()) use.complete("withdrawn");
    this.#uses.clear();
  }

  /** @param {ToolUse} use */
  async #serve(use) {
    this.#uses.set(use.pending_id, use);
    const serve = this.#offered.get(use.tool)?.serve ?? this.#serveTheRest;
    const { pending_id } = use;
    try {
      if (!serve) throw new Error("the page does not serve it");
      const result = (await serve(use.arguments, use)) ?? null;
      if (use.status === "executing") await this.#send({ type: "tool.respond", pending_id, result, key: token() });
    } catch (error) {
      // What comes too late is no news: how the call ended was told by its last status.
      if (use.status !== "executing") return;
      const reason = error instanceof Error ? error.message : String(error);
      const short = reason.slice(0, REASON_CHARACTERS);
      await this.#send({ type: "tool.abort", pending_id, reason: short, key: token() }).catch(() => {});
    }
  }
}

/** @param {unknown} why */
function reportUnlessOver(why) {
  if (!(why instanceof CallFailed)) reportError(why);
}

/** @param {Tool} tool @returns {Message} */
function registration({ name, description, parameters }) {
  return { type: "tool.register", name, description, parameters };
}

/**
 * @typedef {object} Waiting
 * @property {string} text
 * @property {boolean} once
 * @property {(message: Message) => void} resolve
 * @property {(error: Error) => void} reject
 */

/** How loud a stream is, on a scale that suits the ear. */
class Meter {
  static #context = /** @type {AudioContext | null} */ (null);

  /** @param {MediaStream} stream */
  constructor(stream) {
    const context = (Meter.#context ??= new AudioContext());
    if (context.state === "suspended") context.resume().catch(() => {});
    this.source = context.createMediaStreamSource(stream);
    this.analyser = new AnalyserNode(context, { fftSize: 1024 });
    this.samples = new Float32Array(this.analyser.fftSize);
    this.source.connect(this.analyser);
  }

  /** 0 (below -60 dB) to 1 (-10 dB and above). */
  level() {
    this.analyser.getFloatTimeDomainData(this.samples);
    let power = 0;
    for (const sample of this.samples) power += sample * sample;
    const decibels = 10 * Math.log10(power / this.samples.length + 1e-9);
    return Math.min(1, Math.max(0, (decibels + 60) / 50));
  }

  close() {
    this.source.disconnect();
  }
}

/**
 * @param {MediaTrackConstraints} [constraints]
 * @returns {Promise<MediaStream>}
 */
async function openMicrophone(constraints) {
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...constraints };
  if (!navigator.mediaDevices) throw new CallFailed("A browser gives its microphone to https and localhost only.");
  try {
    return await navigator.mediaDevices.getUserMedia({ audio });
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    throw new CallFailed(MICROPHONE[name] ?? "The microphone cannot be used now. Does another program use it?", error);
  }
}

/**
 * Wait until the connection knows its own addresses: the offer carries them all.
 *
 * @param {RTCPeerConnection} peer
 * @returns {Promise<void>}
 */
function gathered(peer) {
  return new Promise((resolve) => {
    if (peer.iceGatheringState === "complete") return resolve();
    setTimeout(resolve, GATHERING_MS);
    peer.addEventListener("icegatheringstatechange", () => peer.iceGatheringState === "complete" && resolve());
  });
}

/**
 * What waits until the channel is open: for as long as it takes both sides to find each other, once they know of each other.
 *
 * @param {RTCPeerConnection} peer
 * @param {RTCDataChannel} channel
 * @returns {() => Promise<void>}
 */
function opened(peer, channel) {
  let fail = () => {};
  const open = new Promise((resolve, reject) => {
    fail = () => reject(new CallFailed("No connection to the agent: the network between us lets no call through."));
    channel.addEventListener("open", () => resolve(undefined));
    peer.addEventListener("connectionstatechange", () => {
      if (peer.connectionState === "failed" || peer.connectionState === "closed") fail();
    });
  });
  open.catch(() => {}); // nobody may be waiting for it yet
  return async () => {
    const patience = setTimeout(fail, CONNECTING_MS);
    await open.finally(() => clearTimeout(patience));
  };
}

/** Tell the session that the page hangs up: a connection that only closes might have been lost. @param {RTCDataChannel | null} channel */
function sayGoodbye(channel) {
  if (channel?.readyState === "open") channel.send(JSON.stringify({ v: VERSION, type: "bye" }));
}

/** Something nobody else has; unlike randomUUID it is there on a page without https, which then hears why it has no microphone. */
function token() {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join("");
}

/**
 * @param {unknown} data
 * @returns {Message | null}
 */
function read(data) {
  try {
    const message = JSON.parse(String(data));
    // Two names are the client's own.
    const isMessage = message?.v === VERSION && typeof message.type === "string" && !["state", "*"].includes(message.type);
    return isMessage ? message : null;
  } catch {
    return null;
  }
}
