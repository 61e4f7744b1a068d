"""The page's client of a call in a real browser, on a network of the test's own: what breaks, and when."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page

from tests.e2e.test_cards_chromium import demo_page

pytestmark = pytest.mark.anyio

# Peers that connect as soon as they have an answer, and break when they are told to; and a server that may take its
# time (`answer`). What a page sends is in `sent`, of each peer in turn. Nothing of it is real but the page's own side.
NETWORK = """
window.peers = [];
window.posted = 0;
window.answer = async () => new Response('{"sdp": "", "type": "answer"}');
window.fetch = (...given) => (window.posted++, window.answer(...given));
window.microphones = [];
const sound = () => new MediaStream(new AudioContext().createMediaStreamDestination().stream.getTracks());
navigator.mediaDevices.getUserMedia = async () => {
  if (window.unplugged) throw new DOMException("none", "NotFoundError");
  window.microphones.push(sound());
  return window.microphones.at(-1);
};
window.errors = [];
addEventListener("error", ({ message }) => window.errors.push(message));
window.RTCPeerConnection = class extends EventTarget {
  iceGatheringState = "complete";
  connectionState = "new";
  localDescription = { sdp: "", type: "offer" };
  sent = [];
  senders = [];
  constructor() {
    super();
    window.peers.push(this);
  }
  addTrack(track) {
    const sender = { track, replaceTrack: async (other) => void (sender.track = other) };
    this.senders.push(sender);
  }
  getSenders() {
    return this.senders;
  }
  createDataChannel() {
    this.channel = Object.assign(new EventTarget(), {
      readyState: "connecting",
      send: (text) => this.sent.push(JSON.parse(text)),
    });
    return this.channel;
  }
  async setLocalDescription() {}
  async setRemoteDescription() {
    this.dispatchEvent(Object.assign(new Event("track"), { track: sound().getTracks()[0] }));
    this.channel.readyState = "open";
    this.channel.dispatchEvent(new Event("open"));
    this.become("connected");
  }
  become(state) {
    this.connectionState = state;
    this.dispatchEvent(new Event("connectionstatechange"));
  }
  tell(message) {
    this.channel.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ v: 1, ...message }) }));
  }
  close() {
    this.connectionState = this.channel.readyState = "closed";
  }
};
window.until = (call, state) => new Promise((done) => call.on("state", (now) => now.state === state && done()));
window.why = (promise) => promise.then(() => "it went well", (error) => `${error.name}: ${error.message}`);
window.types = (peer) => peer.sent.map(({ type }) => type);
"""


@asynccontextmanager
async def network() -> AsyncGenerator[Page]:
    async with demo_page() as page:
        await page.add_init_script(NETWORK)
        await page.reload()
        await page.evaluate("import('/voice-hitl.js').then((client) => void Object.assign(window, client))")
        yield page


async def test_a_key_is_pressed_once_and_never_again_when_the_call_comes_back() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                const pressed = why(live.digit("1"));
                live.answer("p1", { action: "answer", value: true }).catch(() => {});
                peers[0].become("failed");
                const meanwhile = why(live.digit("2"));
                await until(live, "live");
                const [first, second] = peers.map(({ sent }) => sent.find(({ type }) => type === "request.answer").key);
                return [await pressed, await meanwhile, types(peers[0]), types(peers[1]), first === second];
            }"""
        )
        assert told == [
            "CallFailed: The connection broke: the key may not have been pressed.",
            "CallFailed: There is no connection: the key was not pressed.",
            ["digit", "request.answer"],
            ["request.answer"],
            True,
        ]


async def test_an_agent_that_takes_its_time_to_answer_is_waited_for() -> None:
    async with network() as page:
        await page.clock.install()
        await page.evaluate(
            """() => new Promise((asked) => {
                window.answer = () => new Promise((given) => asked((window.give = given)));
                window.connected = why(new Call("offer").connect());
            })"""
        )
        await page.clock.fast_forward(16_000)
        await page.evaluate("give(new Response('{}'))")
        assert await page.evaluate("connected") == "it went well"


async def test_whatever_keeps_a_call_from_being_set_up_is_told_in_words() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const place = (answer) => ((window.answer = answer), why(call("offer")));
                const refused = (name) => {
                    navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("no", name); };
                    return why(call("offer"));
                };
                return [
                    await place(async () => new Response("<html>a proxy's page</html>")),
                    await place(async () => new Response('{"error": {"code": 7}}', { status: 503 })),
                    await place(async () => new Response('{"error": "no line is free"}', { status: 503 })),
                    await place(async () => { throw new TypeError("failed to fetch"); }),
                    await refused("NotAllowedError"),
                    await refused("NotFoundError"),
                    await refused("NotReadableError"),
                ];
            }"""
        )
        assert told == [
            "CallFailed: The agent's server does not take calls: it answers something else.",
            "CallFailed: The call was not taken: the agent's server says 503.",
            "CallFailed: The call was not taken: no line is free.",
            "CallFailed: The agent cannot be reached. Is it still running?",
            "CallFailed: The microphone is blocked. Allow it for this page, then call again.",
            "CallFailed: No microphone found.",
            "CallFailed: The microphone cannot be used now. Does another program use it?",
        ]


async def test_who_hangs_up_while_it_connects_hears_nothing_and_the_agent_is_told() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const early = new Call("offer");
                const given = why(early.connect());
                early.hangUp();
                const before = [await given, posted, microphones[0].getTracks()[0].readyState];
                const late = new Call("offer");
                let give, placed;
                await new Promise((asked) => {
                    window.answer = () => new Promise((given) => asked((give = given)));
                    placed = why(late.connect());
                });
                late.hangUp();
                give(new Response("{}"));
                const after = [await placed, types(peers[0]), peers[0].connectionState, late.agentAudio, late.state];
                return [...before, ...after];
            }"""
        )
        given_up = "CallFailed: The call was given up."
        assert told == [given_up, 0, "ended", given_up, ["bye"], "closed", None, "ended"]


async def test_a_page_that_is_left_hangs_up() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                dispatchEvent(new Event("pagehide"));
                return [types(peers[0]), live.state];
            }"""
        )
        assert told == [["bye"], "ended"]


async def test_a_microphone_that_goes_is_followed_by_the_next_one_as_silent_as_it_was() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = new Call("offer");
                live.mute(true);
                await live.connect();
                const [{ senders: [sender] }] = peers;
                const before = sender.track.enabled;
                const unplug = () => {
                    sender.track.stop();
                    sender.track.dispatchEvent(new Event("ended"));
                };
                const next = () => new Promise((done) => {
                    const { replaceTrack } = sender;
                    sender.replaceTrack = async (track) => done(await replaceTrack(track));
                });
                let plugged = next();
                unplug();
                await plugged;
                const silent = sender.track.enabled;
                live.mute(false);
                window.unplugged = true;
                unplug();
                const none = live.hasMicrophone;
                window.unplugged = false;
                plugged = next();
                // The page looks again whenever devices change; it may not have seen yet that there is none.
                const looking = setInterval(() => navigator.mediaDevices.dispatchEvent(new Event("devicechange")));
                await plugged;
                clearInterval(looking);
                const isNext = sender.track === microphones[2].getTracks()[0];
                return [before, silent, none, isNext, sender.track.enabled, live.hasMicrophone];
            }"""
        )
        assert told == [False, False, False, True, True, True]


async def test_a_call_of_many_hours_keeps_its_last_cards_and_all_that_are_open() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                const tell = (type, id, status) => peers[0].tell({ type, call: id, pending_id: id, status });
                tell("request.opened", "first", "executing");
                for (let at = 0; at < 1000; at++) {
                    tell("request.opened", `p${at}`, "executing");
                    tell("request.settled", `p${at}`, "complete");
                }
                return [live.requests.size, ...["first", "p999", "p0"].map((id) => live.requests.has(id))];
            }"""
        )
        assert told == [129, True, True, False]


async def test_a_question_that_was_given_up_while_the_page_was_away_is_not_waited_for() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                for (const call of ["c1", "c2"]) peers[0].tell({ type: "request.opened", call, status: "inProgress" });
                const settled = [];
                live.on("request.settled", ({ call }) => settled.push(call));
                peers[0].become("failed");
                await until(live, "live");
                // What is still being written is told again to a page that comes back.
                peers[1].tell({ type: "request.opened", call: "c2", status: "inProgress" });
                return [settled, [...live.requests.values()].map(({ call, status }) => [call, status])];
            }"""
        )
        assert told == [["c1", "c2"], [["c1", "complete"], ["c2", "inProgress"]]]


async def test_what_comes_in_an_order_that_was_not_expected_opens_no_card_again() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                const tell = (type, news) => peers[0].tell({ type, call: "c1", ...news });
                tell("request.opened", { pending_id: "p1", status: "executing" });
                tell("request.settled", { pending_id: "p1", status: "complete", end: "answered" });
                tell("request.changed", { pending_id: "p1", status: "executing" });
                tell("request.opened", { pending_id: "p1", status: "executing" });
                const once = live.requests.get("p1").status;
                // The same call id, for another call: given up before it asked anything, and then asked.
                tell("request.opened", { status: "inProgress" });
                tell("request.settled", { status: "complete", end: "withdrawn" });
                tell("request.opened", { status: "inProgress" });
                tell("request.opened", { pending_id: "p2", status: "executing" });
                return [once, live.requests.get("p2").end ?? null, [...live.requests.keys()]];
            }"""
        )
        assert told == ["complete", None, ["p1", "p2"]]


async def test_a_message_that_is_not_what_it_should_be_does_no_harm() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                const states = [], all = [];
                live.on("state", ({ state }) => states.push(state));
                live.on("*", ({ type }) => all.push(type));
                const [peer] = peers;
                const other = ['{"v":2,"type":"transcript"}', '{"v":1,"type":7}'];
                for (const data of ["", "{", "null", "[]", '"text"', ...other]) {
                    peer.channel.dispatchEvent(new MessageEvent("message", { data }));
                }
                peer.tell({ type: "state", state: "ended" });
                peer.tell({ type: "*" });
                peer.tell({ type: "transcript", server_time: "soon" });
                const soon = live.now();
                peer.tell({ type: "transcript", server_time: new Date(Date.now() + 3_600_000).toISOString() });
                const ahead = live.now() - soon > 3_000_000;
                return [states, all, ahead, live.remaining({ expires_at: "soon" }), errors];
            }"""
        )
        assert told == [[], ["transcript", "transcript"], True, None, []]


async def test_a_tool_that_fails_at_length_is_given_up_in_short() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                live.tools.register("*", () => { throw new Error("no ".repeat(5000)); });
                const text = await new Promise((sent) => {
                    peers[0].channel.send = sent;
                    peers[0].tell({ type: "tool.status", tool: "pick", pending_id: "p1", status: "executing" });
                });
                const { type, reason } = JSON.parse(text);
                return [type, reason.length];
            }"""
        )
        assert told == ["tool.abort", 8192]


async def test_who_hangs_up_just_after_the_call_came_back_causes_no_error() -> None:
    async with network() as page:
        told = await page.evaluate(
            """async () => {
                const live = await call("offer");
                live.tools.register({ name: "pick" }).catch(() => {});
                peers[0].become("failed");
                await until(live, "live");
                await new Promise((done) => setTimeout(done));
                live.hangUp();
                await new Promise((done) => setTimeout(done));
                return [types(peers[1]), errors];
            }"""
        )
        assert told == [["tool.register", "tool.register", "bye"], []]


async def test_a_lost_call_is_over_when_its_time_to_come_back_is_whatever_is_still_being_tried() -> None:
    async with network() as page:
        await page.clock.install()
        await page.evaluate(
            """async () => {
                window.live = await call("offer", { rejoinSeconds: 10 });
                live.on("state", ({ state, reason }) => (window.last = [state, reason]));
                await new Promise((tried) => {
                    window.answer = () => (tried(), new Promise((given) => (window.give = given)));
                    peers[0].become("failed");
                });
            }"""
        )
        await page.clock.run_for(9_900)
        assert await page.evaluate("last[0]") == "reconnecting"
        await page.clock.run_for(200)
        assert await page.evaluate("last") == ["ended", "lost"]
        told = await page.evaluate(
            """async () => {
                const closed = new Promise((done) => (peers[1].close = done));
                give(new Response("{}"));
                await closed;
                return [live.state, types(peers[1])];
            }"""
        )
        assert told == ["ended", ["bye"]]
