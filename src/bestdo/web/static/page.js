// What a page can do beyond reading and sending forms: line numbers, dropped files, and the lines over the rounds.
"use strict";
document.documentElement.classList.add("js");

function numberLines() {
  const editor = document.getElementById("editor");
  if (!editor) return;
  const area = editor.querySelector("textarea"), lines = editor.querySelector(".lines");
  const error = document.querySelector("#answer [data-line]");
  const wrong = error ? Number(error.dataset.line) : 0;
  const count = area.value.split("\n").length;
  lines.replaceChildren();
  for (let i = 1; i <= Math.min(count, 5000); i++) {
    const mark = document.createElement(i === wrong ? "b" : "span");
    mark.textContent = String(i);
    lines.append(mark, "\n");
  }
  lines.scrollTop = area.scrollTop;
  if (!area.dataset.heard) {
    area.dataset.heard = "yes";
    area.addEventListener("input", numberLines);
    area.addEventListener("scroll", () => { lines.scrollTop = area.scrollTop; });
  }
}

function takeDrops() {
  for (const zone of document.querySelectorAll(".drop")) {
    if (zone.dataset.heard) continue;
    zone.dataset.heard = "yes";
    const over = (event, on) => { event.preventDefault(); zone.classList.toggle("over", on); };
    zone.addEventListener("dragover", (event) => over(event, true));
    zone.addEventListener("dragleave", (event) => over(event, false));
    zone.addEventListener("drop", (event) => {
      over(event, false);
      const input = zone.querySelector("input[type=file]");
      if (!event.dataTransfer.files.length || !input) return;
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
}

// What may cause a variable is the same list for each: it is made here, once.
function listCauses() {
  const names = [...document.querySelectorAll("#answer input[name^='was-']")].map((was) => was.value).filter(Boolean);
  const empty = [...document.querySelectorAll("#answer select.add-cause")].filter((select) => select.options.length === 1);
  if (!empty.length) return;
  const group = (label, before, words) => {
    const made = Object.assign(document.createElement("optgroup"), { label });
    for (const name of names) made.append(new Option(words + name, before + name));
    return made;
  };
  const all = [group("caused by", "", ""), group("shares a hidden cause with", "<->", "↔ ")];
  for (const select of empty) {
    const own = select.closest("li").querySelector("input[name^='was-']").value;
    select.append(...all.map((made) => made.cloneNode(true)));
    for (const option of [...select.options]) if (own && [own, `<->${own}`].includes(option.value)) option.remove();
  }
}

const drawn = new WeakMap();

async function drawMoves() {
  const at = document.getElementById("moves-at"), box = document.getElementById("moves");
  if (!at || !box || typeof uPlot === "undefined") return;
  if (box.dataset.version === at.dataset.version) return;
  box.dataset.version = at.dataset.version;
  const again = (after = 4000) => setTimeout(() => { delete box.dataset.version; drawMoves(); }, after);
  let data;
  try {
    const answer = await fetch(at.dataset.moves, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    data = await answer.json();
  } catch { again(); return; }
  if (data.version !== at.dataset.version) again(data.version ? 4000 : 1000);  // the whole log is read seldom
  if (!data.lines.length || data.rounds.length < 2) return;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const last = data.rounds.length - 1;  // away from the chart, the legend tells how things stand
  const series = [{ label: "rounds", value: (_, v) => v ?? data.rounds[last] }, ...data.lines.map((line) => ({
    label: line.action, stroke: line.colour, width: 2, points: { show: false },
    value: (_, v, k, at) => { const now = at === null ? values[k][last] : v; return now === null || now === undefined ? "–" : data.chance ? now.toFixed(2) : String(Number(now.toPrecision(3))); },
  }))];
  const values = [data.rounds, ...data.lines.map((line) => line.means)];
  const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
  const size = () => ({ width: Math.max(box.clientWidth, 200), height: innerWidth < 640 ? 200 : 300 });
  const old = drawn.get(box);
  if (old) old.destroy();
  box.replaceChildren();
  const chart = new uPlot({
    ...size(), series, scales: { x: { time: false }, y: { range: data.span } },
    axes: [{ ...axis, label: "rounds told", labelSize: 20 }, { ...axis, label: data.label, labelSize: 20, size: 60 }], legend: { live: true },
  }, values, box);
  chart.setLegend({ idx: last });
  drawn.set(box, chart);
  if (!box.dataset.heard) {
    box.dataset.heard = "yes";
    new ResizeObserver(() => { const c = drawn.get(box); if (c && c.width !== size().width) c.setSize(size()); }).observe(box);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-learner]");
  if (!button) return;
  const learner = document.getElementById("learner"), rounds = document.getElementById("rounds_");
  if (learner && [...learner.options].some((o) => o.value === button.dataset.learner)) learner.value = button.dataset.learner;
  if (rounds) rounds.value = button.dataset.rounds;
  (rounds || document.body).focus();
});

document.addEventListener("change", (event) => {
  const about = document.getElementById("learner-about");
  if (event.target.id !== "learner" || !about) return;
  const term = [...document.querySelectorAll(".learners dt")].find((dt) => dt.textContent === event.target.value);
  about.textContent = term ? term.nextElementSibling.textContent : about.dataset.why;
});

// What somebody opened or closed below the text stays so when the answer comes again.
const unfolded = new Map();
document.addEventListener("click", (event) => {
  const fold = event.target.closest("#answer summary") && event.target.closest("details[id]");
  if (fold) unfolded.set(fold.id, !fold.open);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const [id, open] of unfolded) { const found = document.getElementById(id); if (found && !found.querySelector("[role=alert]")) found.open = open; }
});

// A large graph can be looked at from near and from afar.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-zoom]"), svg = button && button.closest("details").querySelector("svg");
  if (!svg) return;
  const box = svg.viewBox.baseVal, fit = (svg.parentElement.clientWidth - 2) / box.width, now = svg.clientWidth / box.width;
  const by = { in: now * 1.3, out: Math.max(now / 1.3, fit), fit }[button.dataset.zoom];
  svg.setAttribute("width", String(box.width * by));
  svg.setAttribute("height", String(box.height * by));
});

// While an answer is on its way people go on typing: what they changed meanwhile is kept, and sent again.
let sent = new Map(), later = [];
const fields = () => [...document.querySelectorAll("#answer [id][name]")];
const held = (field) => (field.type === "checkbox" || field.type === "radio" ? field.checked : field.value);
document.addEventListener("htmx:beforeSend", (event) => {
  if (event.detail.target && event.detail.target.id === "answer") sent = new Map(fields().map((f) => [f.id, held(f)]));
});
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "answer") return;
  later = fields().filter((f) => sent.has(f.id) && sent.get(f.id) !== held(f)).map((f) => [f.id, held(f)]);
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "answer" || !later.length) return;
  let last = null;
  for (const [id, value] of later) {
    const field = document.getElementById(id);
    if (!field || held(field) === value) continue;
    if (typeof value === "boolean") field.checked = value; else field.value = value;
    last = field;
  }
  later = [];
  const typing = last === document.activeElement && last && last.matches("input:not([type=checkbox], [type=radio])");
  const send = () => last.dispatchEvent(new Event("change", { bubbles: true }));
  if (typing) last.addEventListener("blur", send, { once: true });  // the browser does not know that it was typed
  else if (last) send();
});

// What others record arrives every two seconds. Whatever somebody is about to click, types in or looks at stays where it is.
let pressed = false, still = null;
for (const [kind, down] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]]) {
  addEventListener(kind, () => { pressed = down; }, true);
}

function holdStill() {
  const main = document.getElementById("main"), active = document.activeElement;
  const seen = (e) => { const box = e.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight; };
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  const found = [active, [...document.querySelectorAll("main :hover")].pop(), middle]
    .filter((e) => e && e !== main && main.contains(e)).map((e) => e.closest("[id]")).find(seen);
  const across = [...document.querySelectorAll(".scroll[id]")].map((box) => [box.id, box.scrollLeft]);
  still = { id: found && found.id, top: found && found.getBoundingClientRect().top, focus: active && active.id, across };
}

function letGo() {
  if (!still) return;
  const { id, top, focus, across } = still, there = id && document.getElementById(id);
  still = null;
  for (const [box, left] of across) { const now = document.getElementById(box); if (now) now.scrollLeft = left; }
  if (there) scrollBy({ top: there.getBoundingClientRect().top - top, behavior: "instant" });
  const again = focus && document.activeElement === document.body && document.getElementById(focus);
  if (again) again.focus({ preventScroll: true });
}

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "poll") return;
  if (pressed) event.detail.shouldSwap = false;  // or the click would find something else; the next look brings the same
  else if (event.detail.shouldSwap) holdStill();
});
document.addEventListener("htmx:afterSwap", letGo);

function dress() { numberLines(); takeDrops(); listCauses(); drawMoves(); }
document.addEventListener("DOMContentLoaded", dress);
document.addEventListener("DOMContentLoaded", () => {  // what was typed before the scripts came is checked, too
  const area = document.getElementById("text");
  if (area && area.value !== area.defaultValue) htmx.trigger(area, "early");
});
document.addEventListener("htmx:afterSettle", dress);
const away = (gone) => { const note = document.getElementById("away"); if (note) note.hidden = !gone; };
document.addEventListener("htmx:sendError", () => away(true));
document.addEventListener("htmx:beforeOnLoad", () => away(false));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  const box = document.getElementById("moves");
  if (box) { delete box.dataset.version; drawMoves(); }
});
