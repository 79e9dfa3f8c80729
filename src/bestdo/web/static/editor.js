// The drawing of a graph that can be changed: with the mouse, a finger, or the keyboard alone. What is drawn is sent to the
// server as a form field; the text that comes back, and whatever is typed there, is drawn in turn.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg", BOTH = "<->", STEP = 20, MOST_UNDO = 200;
  const clone = (thing) => JSON.parse(JSON.stringify(thing));
  const made = (name, attributes = {}, ...inside) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const html = (name, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  };
  // an arrow's mark: -> or <->; in doubt ?-> or ?<->, either way ?-?, each with a probability as in ?0.3->
  const DOUBT = /^\?([^<>?]*?)(<->|->|-\?)$/, USUAL = { "?-?": 0.67 };
  const kindOf = (mark) => mark.replace(DOUBT, "?$2");
  const chanceOf = (mark) => (DOUBT.exec(mark) || ["", ""])[1];
  const marked = (kind, chance) => (chance && kind.startsWith("?") ? `?${chance}${kind.slice(1)}` : kind);
  const isBoth = (arrow) => kindOf(arrow.mark).endsWith(BOTH);
  const isDoubt = (arrow) => kindOf(arrow.mark) !== "->" && kindOf(arrow.mark) !== BOTH;
  const isEither = (arrow) => ["?-?", "--", "@-@"].includes(kindOf(arrow.mark));
  const shownChance = (arrow) => String(chanceOf(arrow.mark) || (arrow.mark.startsWith("?") ? USUAL[kindOf(arrow.mark)] || 0.5 : "?"));
  const inWords = (arrow) => {
    const a = node(arrow.a).name, b = node(arrow.b).name, chance = isDoubt(arrow) ? `, in doubt: probability ${shownChance(arrow)}` : "";
    if (isBoth(arrow)) return isDoubt(arrow) ? `${a} and ${b} may share a hidden cause${chance}` : `${a} and ${b} share a hidden cause`;
    if (isEither(arrow)) return `${a} may cause ${b}, or ${b} ${a}${chance}`;
    return isDoubt(arrow) ? `${a} may cause ${b}${chance}` : `${a} causes ${b}`;
  };
  const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  let box, canvas, stage, panel, field, saidAt;  // the elements of the editor
  let model = { nodes: [], arrows: [], reward: "", success: "", aim: "", byHand: false };
  let past = [], future = [], chosen = null, linking = null, locked = false, anew = false, sequence = 0, numbered = 0, remarks = {};
  let view = { x: 0, y: 0, k: 1 };

  const node = (id) => model.nodes.find((n) => n.id === id);
  const named = (name) => model.nodes.find((n) => n.name === name);
  const say = (words) => { saidAt.textContent = words; };
  const size = (n) => {
    const long = Math.max(short(n.name, 26).length * 8.4, short(n.values.join(", "), 30).length * 6.4, (remarks[n.name] || "").length * 5.9);
    return { w: Math.min(Math.max(long + 30, 104), 250), h: remarks[n.name] ? 66 : 52 };
  };

  // what is drawn

  function render(focus) {
    drawAnew(focus);
    showChosen();
  }

  function drawAnew(focus) {  // all but the panel of what is chosen
    const active = focus || (document.activeElement && document.activeElement.dataset && document.activeElement.dataset.key);
    stage.replaceChildren();
    const links = made("g"), nodes = made("g");
    model.arrows.forEach((arrow, i) => links.append(drawnArrow(arrow, i)));
    model.nodes.forEach((n) => nodes.append(drawnNode(n)));
    stage.append(links, nodes);
    look();
    box.classList.toggle("empty-graph", !model.nodes.length);
    for (const [button, list] of [["undo", past], ["redo", future]]) box.querySelector(`[data-do=${button}]`).disabled = !list.length;
    if (active) (canvas.querySelector(`[data-key="${CSS.escape(active)}"]`) || canvas).focus({ preventScroll: true });
  }

  function look() { stage.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`); }

  function edge(from, to) {  // where the line between two boxes leaves the first
    const { w, h } = size(from), dx = to.x - from.x, dy = to.y - from.y;
    const part = Math.min(dx ? (w / 2 + 3) / Math.abs(dx) : Infinity, dy ? (h / 2 + 3) / Math.abs(dy) : Infinity, 1);
    return { x: from.x + dx * part, y: from.y + dy * part };
  }

  function path(a, b, both) {
    const from = edge(a, b), to = edge(b, a);
    if (!both) return `M${from.x} ${from.y}L${to.x} ${to.y}`;
    const bend = 0.22, cx = (from.x + to.x) / 2 - (to.y - from.y) * bend, cy = (from.y + to.y) / 2 + (to.x - from.x) * bend;
    return `M${from.x} ${from.y}Q${cx} ${cy} ${to.x} ${to.y}`;
  }

  function drawnArrow(arrow, i) {
    const a = node(arrow.a), b = node(arrow.b), both = isBoth(arrow), d = path(a, b, both);
    const line = made("path", { d, class: "line" });
    if (!isEither(arrow)) line.setAttribute("marker-end", "url(#head)");
    if (both) line.setAttribute("marker-start", "url(#head)");
    const kind = ["arrow", both && "both", isDoubt(arrow) && "doubt", chosen === `arrow ${i}` && "chosen"].filter(Boolean).join(" ");
    const group = made("g", { class: kind, tabindex: "0", role: "button", "aria-label": inWords(arrow), "data-key": `arrow ${i}` }, made("path", { d, class: "reach" }), line);
    if (isDoubt(arrow)) {
      const from = edge(a, b), to = edge(b, a), bend = both ? 0.11 : 0;
      const at = { x: (from.x + to.x) / 2 - (to.y - from.y) * bend, y: (from.y + to.y) / 2 + (to.x - from.x) * bend };
      const said = made("text", { x: at.x, y: at.y + 4, class: "chance" });
      said.textContent = shownChance(arrow);
      group.append(said);
    }
    return group;
  }

  function drawnNode(n) {
    const { w, h } = size(n), key = `node ${n.id}`, reward = model.reward === n.name;
    const about = [n.values.length ? `values ${n.values.join(", ")}` : "a number", reward && "the reward", n.settable && !reward && "may be set", n.hidden && "hidden", n.before && "seen first"].filter(Boolean);
    const kind = ["variable", reward && "is-reward", n.settable && !reward && !n.hidden && "is-settable", n.hidden && "is-hidden", n.before && "is-first", chosen === key && "chosen", linking && linking.from === n.id && "linking"];
    const group = made("g", { class: kind.filter(Boolean).join(" "), transform: `translate(${n.x} ${n.y})`, tabindex: "0", role: "button", "aria-label": `${n.name}: ${about.join("; ")}`, "data-key": key });
    const text = (words, y, style) => { const t = made("text", { y, class: style }); t.textContent = words; return t; };
    const top = -h / 2;
    group.append(made("rect", { x: -w / 2, y: top, width: w, height: h, rx: 10 }), text(short(n.name, 26), top + 22, "name"), text(short(n.values.length ? n.values.join(", ") : "a number", 30), top + 40, "values"));
    if (remarks[n.name]) group.append(text(remarks[n.name], top + 56, "remark"));
    const badge = reward ? "★" : n.hidden ? "?" : n.before ? "1st" : n.settable ? "set" : "";
    if (badge) group.append(made("rect", { x: w / 2 - 26, y: top - 9, width: 32, height: 17, rx: 8, class: "badge" }), Object.assign(text(badge, top + 4, "badge-text"), {}));
    if (badge) group.lastChild.setAttribute("x", w / 2 - 10);
    group.append(made("circle", { cy: h / 2 + 2, r: 8, class: "handle" }));
    const title = made("title");
    title.textContent = `${n.name}: ${about.join("; ")}. Drag to move, drag the dot to another variable to draw an arrow, double-click to rename.`;
    group.prepend(title);
    return group;
  }

  // changes: each can be undone, and is sent

  function change(words, doing, focus) {
    if (locked) { say("the text says more than the drawing can hold: change it there"); render(); return; }
    past.push(JSON.stringify(model));
    if (past.length > MOST_UNDO) past.shift();
    future = [];
    doing();
    say(words);
    render(focus);
    send();
  }

  function travel(from, to, words) {
    if (!from.length) return;
    to.push(JSON.stringify(model));
    model = JSON.parse(from.pop());
    if (chosen && chosen.startsWith("arrow")) chosen = null;
    say(words);
    render();
    send();
  }

  function send() {
    const at = (n) => (model.byHand ? { x: Math.round(n.x), y: Math.round(n.y) } : { x: null, y: null });
    const nodes = model.nodes.map((n) => ({ name: n.name, was: n.was, values: n.values, settable: n.settable, hidden: n.hidden, before: n.before, ...at(n) }));
    const arrows = model.arrows.map((a) => [node(a.a).name, a.mark, node(a.b).name]);
    field.value = JSON.stringify({ nodes, arrows, reward: model.reward, success: model.success, aim: model.aim });
    document.getElementById("sequence").value = String(++sequence);
    htmx.trigger(field, "drawn");
  }

  function free(x, y) {  // a place near this one where no variable is
    const taken = (px, py) => model.nodes.some((n) => Math.abs(n.x - px) < 130 && Math.abs(n.y - py) < 70);
    for (let turn = 0; turn < 60; turn++) {
      const px = x + (turn % 8) * 150 * (turn % 2 ? 1 : -1) * (turn ? 0.5 : 0), py = y + Math.floor(turn / 8) * 90;
      if (!taken(px, py)) return { x: px, y: py };
    }
    return { x, y };
  }

  function add(x, y, after) {
    let k = model.nodes.length + 1;
    while (named(`variable ${k}`)) k++;
    const id = ++numbered, name = `variable ${k}`;
    change(`added ${name}; type its name`, () => {
      model.byHand = true;
      model.nodes.push({ id, name, was: "", values: ["no", "yes"], settable: false, hidden: false, before: false, x, y });
      if (after) model.arrows.push({ a: after, mark: "->", b: id });
      chosen = `node ${id}`;
    }, `node ${id}`);
    if (!locked) rename(id);
  }

  function link(a, b, mark = "->") {
    linking = null;
    if (a === b) { render(); return; }
    const same = model.arrows.findIndex((x) => (x.a === a && x.b === b) || (x.a === b && x.b === a && (mark === BOTH || isBoth(x) || isEither(x))));
    if (same >= 0 && isBoth(model.arrows[same]) === (mark === BOTH)) { say("this arrow is there already"); render(); return; }
    const words = mark === BOTH ? `${node(a).name} and ${node(b).name} share a hidden cause` : `${node(a).name} causes ${node(b).name}`;
    change(words, () => { model.arrows.push({ a, mark, b }); }, `node ${b}`);
  }

  function remove(key) {
    const [kind, id] = key.split(" ");
    if (kind === "arrow") change("removed the arrow", () => { model.arrows.splice(Number(id), 1); chosen = null; });
    else change(`removed ${node(Number(id)).name}`, () => {
      const gone = node(Number(id));
      model.nodes = model.nodes.filter((n) => n !== gone);
      model.arrows = model.arrows.filter((a) => a.a !== gone.id && a.b !== gone.id);
      if (model.reward === gone.name) model.reward = model.success = "";
      chosen = null;
    });
  }

  function toggle(n, what) {
    if (what === "reward") {
      change(model.reward === n.name ? `${n.name} is not the reward` : `${n.name} is the reward; choose which way is good`, () => {
        model.reward = model.reward === n.name ? "" : n.name;
        model.success = ""; model.aim = "";
      });
      return;
    }
    const words = { settable: "may be set", hidden: "is hidden", before: "is seen first" }[what];
    change(`${n.name}: ${words}: ${n[what] ? "no" : "yes"}`, () => {
      n[what] = !n[what];
      if (n[what] && what !== "settable") n.settable = false;
      if (n[what] && what === "hidden") n.before = false;
      if (n[what] && what === "before") n.hidden = false;
      if (n[what] && what === "settable") n.hidden = n.before = false;
    });
  }

  function rename(id) {
    const n = node(id), { w, h } = size(n), old = box.querySelector(".rename");
    if (old) old.blur();
    const input = html("input", { className: "rename", value: n.name, maxLength: 200 });
    input.setAttribute("aria-label", `Name of ${n.name}`);
    const at = { x: view.x + n.x * view.k, y: view.y + n.y * view.k }, wide = Math.max(w * view.k, 150);
    input.style.left = `${at.x - wide / 2}px`;
    input.style.top = `${at.y - (h / 2) * view.k}px`;
    input.style.width = `${wide}px`;
    let ended = false;
    const end = (keep) => {
      if (ended) return;
      ended = true;
      const name = input.value.trim(), other = named(name);
      input.remove();
      if (!keep || !name || name === n.name) render(`node ${id}`);
      else if (other) { say(`there is a variable ${name} already`); render(`node ${id}`); }
      else change(`renamed to ${name}`, () => { if (model.reward === n.name) model.reward = name; n.name = name; }, `node ${id}`);
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); end(true); }
      if (event.key === "Escape") end(false);
      event.stopPropagation();
    });
    input.addEventListener("blur", () => end(true));
    box.querySelector(".canvas-box").append(input);
    input.focus();
    input.select();
  }

  // what is chosen, with all that can be said of it

  function showChosen() {
    panel.replaceChildren();
    const [kind, id] = (chosen || "").split(" ");
    if (kind === "arrow" && model.arrows[Number(id)]) return showArrow(Number(id));
    const n = kind === "node" && node(Number(id));
    if (locked) { panel.append(html("p", { className: "quiet", textContent: "The text says more than the drawing can hold: change it there." })); return; }
    if (!n) { panel.append(html("p", { className: "quiet", textContent: model.nodes.length ? "Choose a variable or an arrow to change it." : "Click into the field to add the first variable." })); return; }
    const tick = (words, on, doing) => { const b = html("button", { type: "button", className: "chip", textContent: words, onclick: doing }); b.setAttribute("aria-pressed", String(on)); return b; };
    const row = (words, ...inside) => { const p = html("div", { className: "chosen-row" }, html("span", { className: "label", textContent: words })); p.append(...inside); panel.append(p); };
    const reward = model.reward === n.name;
    row(n.name, html("button", { type: "button", className: "second small-button", textContent: "Rename", onclick: () => rename(n.id) }), html("button", { type: "button", className: "second small-button", textContent: "Remove", onclick: () => remove(chosen) }));
    if (n.kind && n.kind !== "values") row("Values", html("span", { className: "quiet", textContent: !n.values.length ? "a number; its bounds are in the table" : `${n.values.join(", ")}; cuts are in the table` }));
    else row("Values", ...n.values.map((value, i) => {
      const b = html("button", { type: "button", className: "plain", textContent: "×", onclick: () => change(`removed ${value}`, () => { n.values.splice(i, 1); }) });
      b.setAttribute("aria-label", `Remove the value ${value}`);
      return html("span", { className: "chip" }, value, b);
    }), newValue(n));
    row("It", tick("may be set", n.settable && !reward, () => toggle(n, "settable")), tick("is hidden", n.hidden, () => toggle(n, "hidden")), tick("is seen first", n.before, () => toggle(n, "before")), tick("is the reward", reward, () => toggle(n, "reward")));
    if (reward) {
      const good = n.values.length ? n.values.map((v) => [v, "success", v]) : [["as large as possible", "aim", "maximise"], ["as small as possible", "aim", "minimise"]];
      row("Good is", ...good.map(([words, key, value]) => tick(words, model[key] === value, () => change(`good is ${words}`, () => { model[key] = value; }))));
    }
    const causes = model.arrows.map((a, i) => [a, i]).filter(([a]) => a.b === n.id || ((isBoth(a) || isEither(a)) && a.a === n.id));
    if (causes.length) row("Caused by", ...causes.map(([a, i]) => {
      const b = html("button", { type: "button", className: "plain", textContent: "×", onclick: () => remove(`arrow ${i}`) });
      const other = node(a.a === n.id ? a.b : a.a).name, words = `${isBoth(a) ? `hidden, with ${other}` : other}${isDoubt(a) ? "?" : ""}`;
      b.setAttribute("aria-label", `Remove the arrow from ${words}`);
      return html("span", { className: "chip" }, words, b);
    }));
  }

  function newValue(n) {
    const input = html("input", { className: "short", placeholder: "add", maxLength: 400 });
    input.setAttribute("aria-label", `A further value of ${n.name}`);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== ",") return;
      event.preventDefault();
      const value = input.value.trim();
      if (value && !n.values.includes(value)) {
        change(`added the value ${value}`, () => { n.values.push(value); });
        const next = panel.querySelector("input");
        if (next) next.focus();
      }
    });
    return input;
  }

  function showArrow(i) {
    const arrow = model.arrows[i], a = node(arrow.a).name, b = node(arrow.b).name, both = isBoth(arrow), kind = kindOf(arrow.mark);
    const button = (words, doing) => html("button", { type: "button", className: "second small-button", textContent: words, onclick: doing });
    panel.append(html("p", { textContent: inWords(arrow) }));
    const how = html("div", { className: "chosen-row" }, html("span", { className: "label", textContent: "It is" }));
    const ways = both ? [["sure", BOTH], ["in doubt", "?<->"]] : [["sure", "->"], ["in doubt", "?->"], ["in doubt, either way", "?-?"]];
    for (const [words, to] of ways) {
      const b_ = html("button", { type: "button", className: "chip", textContent: words, onclick: () => doubt(i, to) });
      b_.setAttribute("aria-pressed", String(kind === to));
      how.append(b_);
    }
    if (arrow.mark.startsWith("?")) {
      const input = html("input", { className: "short", value: chanceOf(arrow.mark), placeholder: shownChance(arrow), inputMode: "decimal", maxLength: 8 });
      input.setAttribute("aria-label", "Probability of the arrow");
      input.addEventListener("change", () => chance(i, input));
      how.append(html("span", { className: "label", textContent: "with probability" }), input);
    }
    panel.append(how);
    const row = html("div", { className: "chosen-row" });
    if (!both && !isEither(arrow)) row.append(button("Turn around", () => turn(i)));
    row.append(button(both ? "An arrow instead" : "A hidden common cause instead", () => both_(i)), button("Remove", () => remove(`arrow ${i}`)));
    panel.append(row);
  }

  const turn = (i) => change("turned the arrow", () => { const a = model.arrows[i]; [a.a, a.b] = [a.b, a.a]; });
  const both_ = (i) => change("changed the arrow", () => { const a = model.arrows[i], to = isBoth(a) ? "->" : BOTH; a.mark = marked(isDoubt(a) ? `?${to}` : to, chanceOf(a.mark)); });
  const doubt = (i, to) => change(to.startsWith("?") ? "the arrow is in doubt" : "the arrow is sure", () => { const a = model.arrows[i]; a.mark = marked(to, chanceOf(a.mark)); }, `arrow ${i}`);
  function chance(i, input) {
    const typed = input.value.trim().replace(",", ".").replace(/^(\d+(?:\.\d+)?)\s*%$/, (_, n) => String(Number(n) / 100)), number = Number(typed);
    if (typed && !(number > 0 && number < 1)) { say("a probability is a number above 0 and below 1, as 0.3"); input.value = chanceOf(model.arrows[i].mark); return; }
    change(`probability ${typed || "as usual"}`, () => { const a = model.arrows[i]; a.mark = marked(kindOf(a.mark), typed && String(number)); });
  }
  const nextDoubt = (i) => { const a = model.arrows[i], ways = isBoth(a) ? [BOTH, "?<->"] : ["->", "?->", "?-?"]; doubt(i, ways[(ways.indexOf(kindOf(a.mark)) + 1) % ways.length]); };

  // the view

  function bounds() {
    if (!model.nodes.length) return { x: -200, y: -150, w: 400, h: 300 };
    const boxes = model.nodes.map((n) => ({ ...size(n), x: n.x, y: n.y }));
    const left = Math.min(...boxes.map((b) => b.x - b.w / 2)), right = Math.max(...boxes.map((b) => b.x + b.w / 2));
    const top = Math.min(...boxes.map((b) => b.y - b.h / 2)), bottom = Math.max(...boxes.map((b) => b.y + b.h / 2));
    return { x: left, y: top, w: right - left, h: bottom - top };
  }

  function fit() {
    const all = bounds(), w = canvas.clientWidth || 600, h = canvas.clientHeight || 420, around = 26;
    view.k = Math.min((w - 2 * around) / all.w, (h - 2 * around) / all.h, 1.15);
    view.x = (w - all.w * view.k) / 2 - all.x * view.k;
    view.y = (h - all.h * view.k) / 2 - all.y * view.k;
    look();
  }

  function zoom(factor, at) {
    const x = at ? at.x : canvas.clientWidth / 2, y = at ? at.y : canvas.clientHeight / 2;
    const k = Math.min(Math.max(view.k * factor, 0.08), 4);
    view.x = x - (x - view.x) * (k / view.k);
    view.y = y - (y - view.y) * (k / view.k);
    view.k = k;
    look();
  }

  const inside = (event) => { const r = canvas.getBoundingClientRect(); return { x: event.clientX - r.left, y: event.clientY - r.top }; };
  const world = (p) => ({ x: (p.x - view.x) / view.k, y: (p.y - view.y) / view.k });
  const keyOf = (element) => { const g = element && element.closest && element.closest("[data-key]"); return g && canvas.contains(g) ? g.dataset.key : null; };

  // the mouse and fingers

  function listen() {
    let drag = null, last = { key: null, at: 0 };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const old = box.querySelector(".rename");
      const key = keyOf(event.target), [kind, id] = (key || "").split(" ");
      const at = inside(event);
      drag = { key, kind, id: Number(id), at, from: { ...view }, moved: false, handle: event.target.classList.contains("handle"), renaming: Boolean(old) };
      if (kind === "node") { const n = node(drag.id); drag.was = { x: n.x, y: n.y }; drag.before = JSON.stringify(model); }
      if (old) old.blur();
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const at = inside(event), dx = at.x - drag.at.x, dy = at.y - drag.at.y;
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag.moved = true;
      if (drag.handle) {
        const n = node(drag.id), to = world(at);
        let line = stage.querySelector(".draft");
        if (!line) { line = made("path", { class: "draft", "marker-end": "url(#head)" }); stage.append(line); }
        line.setAttribute("d", `M${n.x} ${n.y + size(n).h / 2}L${to.x} ${to.y}`);
      } else if (drag.kind === "node") {
        const n = node(drag.id);
        n.x = drag.was.x + dx / view.k;
        n.y = drag.was.y + dy / view.k;
        render();
      } else if (!drag.kind) {
        view.x = drag.from.x + dx;
        view.y = drag.from.y + dy;
        look();
      }
    });
    const ended = (event) => {
      const done = drag;
      drag = null;
      if (!done) return;
      const at = inside(event);
      const line = stage.querySelector(".draft");
      if (line) line.remove();
      const under = keyOf(document.elementFromPoint(event.clientX, event.clientY));
      if (done.handle && done.moved) {
        if (under && under.startsWith("node")) link(done.id, Number(under.split(" ")[1]), event.shiftKey ? BOTH : "->");
        else if (!under) { const p = world(at); add(p.x, p.y, done.id); }
      } else if (done.kind === "node" && done.moved) {
        const n = node(done.id), now = { x: n.x, y: n.y };
        model = JSON.parse(done.before);
        change(`moved ${n.name}`, () => { model.byHand = true; Object.assign(node(done.id), now); chosen = done.key; }, done.key);
      } else if (done.key && !done.moved) {
        if (linking && done.kind === "node") { link(linking.from, done.id); return; }
        const twice = last.key === done.key && event.timeStamp - last.at < 450;  // a drawing anew has no dblclick of its own
        last = { key: done.key, at: event.timeStamp };
        chosen = done.key;
        render(done.key);
        if (twice && done.kind === "node" && !locked) rename(done.id);
      } else if (!done.key && !done.moved) {
        const p = world(at);
        add(p.x, p.y);
      }
    };
    canvas.addEventListener("pointerup", ended);
    canvas.addEventListener("pointercancel", () => { drag = null; render(); });
    canvas.addEventListener("wheel", (event) => { if (!event.ctrlKey && !event.metaKey) return; event.preventDefault(); zoom(Math.exp(-event.deltaY / 300), inside(event)); }, { passive: false });
    canvas.addEventListener("focusin", (event) => { const key = keyOf(event.target); if (key && key !== chosen && !drag) { chosen = key; for (const g of canvas.querySelectorAll(".chosen")) g.classList.remove("chosen"); event.target.classList.add("chosen"); showChosen(); } });
    box.addEventListener("keydown", keys);
    box.addEventListener("click", (event) => { const b = event.target.closest("[data-do]"); if (b) commands[b.dataset.do](); });
    new ResizeObserver(() => { if (!canvas.dataset.sized && canvas.clientWidth) { canvas.dataset.sized = "yes"; fit(); } }).observe(canvas);
  }

  const commands = {
    add: () => { const middle = world({ x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 }); const at = free(middle.x, middle.y); add(at.x, at.y); },
    undo: () => travel(past, future, "undone"),
    redo: () => travel(future, past, "done again"),
    in: () => zoom(1.25), out: () => zoom(0.8), fit,
    arrange: () => { anew = true; change("arranged", () => { model.byHand = false; }); },  // the answer brings new places
  };

  function keys(event) {
    if (event.target.matches("input, textarea, select")) return;
    const [kind, id] = (keyOf(event.target) || "").split(" "), n = kind === "node" ? node(Number(id)) : null;
    const held = event.ctrlKey || event.metaKey;
    const take = (doing) => { event.preventDefault(); doing(); };
    if (held && event.key.toLowerCase() === "z") return take(event.shiftKey ? commands.redo : commands.undo);
    if (held && event.key.toLowerCase() === "y") return take(commands.redo);
    if (held || event.altKey) return undefined;
    if (event.key === "Escape") return take(() => { linking = null; chosen = null; say(""); render(); canvas.focus(); });
    if (event.target.closest("button")) return undefined;
    if (event.key === "n") return take(() => { const at = n ? free(n.x, n.y + 110) : null; if (at) add(at.x, at.y); else commands.add(); });
    if (event.key === "+" || event.key === "=") return take(commands.in);
    if (event.key === "-") return take(commands.out);
    if (event.key === "0") return take(fit);
    if (kind === "arrow" && (event.key === "Delete" || event.key === "Backspace")) return take(() => remove(`arrow ${id}`));
    if (kind === "arrow" && event.key === "b") return take(() => both_(Number(id)));
    if (kind === "arrow" && event.key === "d") return take(() => nextDoubt(Number(id)));
    if (kind === "arrow" && event.key === "t") return take(() => turn(Number(id)));
    if (!n) return undefined;
    if (linking && (event.key === "Enter" || event.key === "c" || event.key === "b")) return take(() => link(linking.from, n.id, event.key === "b" ? BOTH : "->"));
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (steps) return take(() => change(`moved ${n.name}`, () => { model.byHand = true; n.x += steps[0] * STEP; n.y += steps[1] * STEP; }));
    if (event.key === "Enter" || event.key === "F2") return take(() => rename(n.id));
    if (event.key === "Delete" || event.key === "Backspace") return take(() => remove(`node ${n.id}`));
    if (event.key === "c") return take(() => { linking = { from: n.id }; say(`from ${n.name}: go to the effect with Tab and press Enter, or b for a hidden common cause; Escape leaves it`); render(`node ${n.id}`); });
    const flags = { s: "settable", h: "hidden", f: "before", r: "reward" }[event.key];
    if (flags) return take(() => toggle(n, flags));
    return undefined;
  }

  // what the server says

  function load() {
    const at = document.getElementById("drawing-data");
    if (!at || at.dataset.read) return;
    at.dataset.read = "yes";
    const data = JSON.parse(at.dataset.drawing);
    box.classList.toggle("stale", !data.draft && !data.empty);
    if (!data.draft && !data.empty) return;
    remarks = data.remarks || {};
    const was = locked;
    locked = data.faithful === false;
    box.classList.toggle("locked", locked);
    if (data.sequence && Number(data.sequence) < sequence) return;  // a later answer is on its way
    if (data.sequence && !(anew && data.places)) {  // what was sent: only names and remarks are new
      for (const n of model.nodes) n.was = n.name;
      if (locked === was) drawAnew();  // the panel stays, with what is being pressed or typed there
      else render();
      return;
    }
    const draft = data.draft || { rows: [], arrows: [], reward: "", success: "", aim: "" };
    const before = new Map(model.nodes.map((n) => [n.name, n]));
    const nodes = draft.rows.map((r, i) => {
      const old = before.get(r.name), at_ = (data.places || {})[r.name] || (old ? [old.x, old.y] : [(i % 5) * 170, Math.floor(i / 5) * 110]);
      const values = (draft.labels || {})[r.name] || [];
      return { id: old ? old.id : ++numbered, name: r.name, was: r.name, values, kind: r.kind, settable: r.settable, hidden: r.hidden, before: r.before, x: at_[0], y: at_[1] };
    });
    const id = new Map(nodes.map((n) => [n.name, n.id]));
    const arrows = draft.arrows.filter(([a, , b]) => id.has(a) && id.has(b)).map(([a, mark, b]) => ({ a: id.get(a), mark, b: id.get(b) }));
    const fresh = anew || nodes.length !== model.nodes.length || !model.byHand;
    anew = false;
    if (model.nodes.length && JSON.stringify(model.nodes.map((n) => n.name)) !== JSON.stringify(nodes.map((n) => n.name))) { past.push(JSON.stringify(model)); future = []; }
    model = { nodes, arrows, reward: draft.reward, success: draft.success, aim: draft.aim, byHand: draft.rows.some((r) => r.x !== "") };
    if (chosen && chosen.startsWith("node") && !node(Number(chosen.split(" ")[1]))) chosen = null;
    render();
    if (fresh) fit();
  }

  function start() {
    box = document.getElementById("graph-editor");
    if (!box || box.dataset.started) { if (box) load(); return; }
    box.dataset.started = "yes";
    box.hidden = false;
    canvas = box.querySelector("svg.canvas");
    panel = box.querySelector("#chosen");
    field = document.getElementById("drawing");
    saidAt = box.querySelector("#editor-said");
    const head = made("marker", { id: "head", viewBox: "0 0 10 10", refX: "9", refY: "5", markerWidth: "7", markerHeight: "7", orient: "auto-start-reverse" }, made("path", { d: "M0 0L10 5L0 10z", class: "head" }));
    stage = made("g");
    canvas.append(made("defs", {}, head), stage);
    listen();
    render();
    load();
    fit();
  }

  document.addEventListener("DOMContentLoaded", start);
  document.addEventListener("htmx:afterSettle", start);
})();
