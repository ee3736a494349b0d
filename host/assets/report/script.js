(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const game = JSON.parse(document.getElementById("game-data").textContent);
  const plies = game.plies;
  const at = (id) => document.getElementById(id);
  const board = at("board"), pieceLayer = at("pieces"), markLayer = at("marks");
  const buttons = [...document.querySelectorAll("#plies .ply[data-ply]")];
  let shown = 0, isFlipped = false, timer = 0, ticker = 0, playedFrom = null;

  const boardOf = (ply) => (ply === 0 ? game.start : plies[ply - 1].board);
  const momentOf = (ply) => (ply === 0 ? 0 : plies[ply - 1].t);
  const place = (square) => {
    const file = square % 8, rank = square >> 3;
    return isFlipped ? [(7 - file) * 100, rank * 100] : [file * 100, (7 - rank) * 100];
  };
  const face = (seconds) => {
    const whole = Math.floor(seconds), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
    const two = (n) => String(n).padStart(2, "0");
    return (h ? h + ":" + two(m) : m) + ":" + two(whole % 60);
  };

  // Pieces that stand on the board, by square. The drawing made without scripts gives way to one that moves.
  let standing = new Map();
  pieceLayer.replaceChildren();
  const move = (use, square) => {
    const [x, y] = place(square);
    use.style.transform = `translate(${x}px, ${y}px)`;
  };
  const draw = (target) => {
    const kept = new Map(), free = [];
    for (const [square, use] of standing) {
      if (target[square] === use.dataset.piece) kept.set(square, use);
      else free.push([square, use]);
    }
    for (let square = 0; square < 64; square++) {
      const piece = target[square];
      if (piece === "." || kept.has(square)) continue;
      const index = free.findIndex(([, use]) => use.dataset.piece === piece);
      let use;
      if (index >= 0) {
        [[, use]] = free.splice(index, 1);
      } else {
        use = document.createElementNS(SVG, "use");
        use.setAttribute("href", "#piece-" + piece.toUpperCase());
        use.setAttribute("class", piece === piece.toUpperCase() ? "white" : "black");
        use.setAttribute("width", "100");
        use.setAttribute("height", "100");
        use.dataset.piece = piece;
      }
      kept.set(square, use);
    }
    for (const [, use] of free) use.remove();
    for (const [square, use] of kept) {
      move(use, square);
      if (!use.isConnected) pieceLayer.append(use);
    }
    standing = kept;
  };
  const mark = (...squares) => {
    markLayer.replaceChildren(...squares.map((square) => {
      const rect = document.createElementNS(SVG, "rect");
      const [x, y] = place(square);
      for (const [name, value] of [["x", x], ["y", y], ["width", 100], ["height", 100]]) rect.setAttribute(name, value);
      return rect;
    }));
  };
  const text = (id, words) => { const node = at(id); if (node && node.textContent !== words) node.textContent = words; };
  const percent = (p) => Math.round(p * 100) + " %";

  const worth = (ply) => (ply === 0 ? game.p : plies[ply - 1].p);
  const showWorth = (p) => {
    if (p === null || p === undefined) return;
    at("evalfill").style.height = p * 100 + "%";
    at("evalbar").setAttribute("aria-valuenow", Math.round(p * 100));
  };
  const describe = (ply) => {
    if (ply === 0) return ["Start position", game.p === null ? "" : "White " + percent(game.p)];
    const it = plies[ply - 1];
    const facts = [face(it.t) + (it.tenth ? "." + it.tenth : ""), "thought " + it.think];
    if (it.p !== null) facts.push("White " + percent(it.p));
    if (it.clock) facts.push("clock " + it.clock);
    return [it.name + (it.sign || ""), facts.join(" · ")];
  };

  const show = (ply, isQuiet) => {
    const before = shown;
    shown = Math.max(0, Math.min(plies.length, ply));
    // Pieces slide for a single ply; over more they would only whirl.
    board.classList.toggle("sliding", Math.abs(shown - before) === 1 && !board.classList.contains("variation"));
    board.classList.remove("variation");
    draw(boardOf(shown));
    if (shown === 0) mark(); else mark(plies[shown - 1].from, plies[shown - 1].to);
    showWorth(worth(shown));
    const [name, facts] = describe(shown);
    text("now-move", name);
    text("now-facts", facts || "\u00a0");
    board.setAttribute("aria-label", shown === 0 ? "The start position" : "The position after " + name);
    if (!isQuiet) text("announce", name + ", " + facts);
    at("scrubber").value = shown;
    at("scrubber").setAttribute("aria-valuetext", name);
    for (const id of ["eval-cursor", "time-cursor"]) at(id)?.setAttribute("d", `M${shown} -5v110`);
    if (!timer) text("clock", face(momentOf(shown)));
    const list = at("plies"), current = list.querySelector("[aria-current]");
    current?.removeAttribute("aria-current");
    const button = buttons[shown - 1];
    button?.setAttribute("aria-current", "step");
    // Only the list is scrolled, never the page.
    if (button) {
      const row = button.parentElement, top = row.offsetTop - list.offsetTop;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + row.offsetHeight - list.clientHeight;
    } else list.scrollTop = 0;
  };
  const showLine = (step) => {
    stop();
    board.classList.remove("sliding");
    board.classList.add("variation");
    draw(step.dataset.board);
    mark(Number(step.dataset.from), Number(step.dataset.to));
    text("now-move", step.dataset.name);
    text("now-facts", "a line that was not played");
    board.setAttribute("aria-label", "The position after " + step.dataset.name + ", which was not played");
    text("announce", step.dataset.name + ", not played");
  };

  // Playing: the next ply waits as long as it did in the video, divided by the speed.
  const speed = () => Number(at("speed").value);
  const setPlaying = (isPlaying) => {
    at("play").setAttribute("aria-pressed", String(isPlaying));
    at("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  };
  const stop = () => {
    clearTimeout(timer); clearInterval(ticker);
    timer = ticker = 0; playedFrom = null;
    setPlaying(false);
  };
  const videoTime = () => playedFrom.t + ((performance.now() - playedFrom.at) / 1000) * speed();
  const wait = () => {
    if (shown >= plies.length) { stop(); text("clock", face(momentOf(shown))); return; }
    timer = setTimeout(() => { show(shown + 1, true); wait(); }, Math.max(0, ((momentOf(shown + 1) - videoTime()) / speed()) * 1000));
  };
  const start = (from) => {
    clearTimeout(timer); clearInterval(ticker);
    playedFrom = { t: from, at: performance.now() };
    setPlaying(true);
    ticker = setInterval(() => { if (playedFrom) text("clock", face(Math.min(videoTime(), momentOf(plies.length)))); }, 200);
    wait();
  };
  const toggle = () => {
    if (timer) { stop(); show(shown); return; }
    if (shown >= plies.length) show(0);
    if (plies.length) start(momentOf(shown));
  };
  const go = (ply) => {
    const wasPlaying = timer !== 0;
    stop();
    show(ply);
    if (wasPlaying) start(momentOf(shown));
  };
  const flip = () => {
    isFlipped = !isFlipped;
    at("evalbar").classList.toggle("flipped", isFlipped);
    for (const label of document.querySelectorAll(".coordinates text")) {
      const index = Number(label.dataset.square), isFile = label.classList.contains("file");
      label.textContent = isFile ? "abcdefgh"[isFlipped ? 7 - index : index] : String(isFlipped ? 8 - index : index + 1);
    }
    show(shown);
  };
  const swing = (step) => {
    for (let ply = shown + step; ply > 0 && ply <= plies.length; ply += step) if (plies[ply - 1].swing) return go(ply);
  };

  at("first").addEventListener("click", () => go(0));
  at("back").addEventListener("click", () => go(shown - 1));
  at("forward").addEventListener("click", () => go(shown + 1));
  at("last").addEventListener("click", () => go(plies.length));
  at("play").addEventListener("click", toggle);
  at("flip").addEventListener("click", flip);
  at("speed").addEventListener("change", () => { if (timer) start(momentOf(shown)); });
  at("scrubber").addEventListener("input", (event) => go(Number(event.target.value)));
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-ply], .step");
    if (!target) return;
    if (target.classList.contains("step")) showLine(target);
    else go(Number(target.dataset.ply));
    if (!target.closest("#plies")) at("board").scrollIntoView({ block: "nearest" });
  });
  const keys = {
    ArrowRight: () => go(shown + 1), ArrowLeft: () => go(shown - 1), Home: () => go(0), End: () => go(plies.length),
    ArrowDown: () => swing(1), ArrowUp: () => swing(-1), f: flip, " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || (tag === "INPUT" && event.key !== " " && event.key !== "f")) return;
    if (event.key === " " && tag === "BUTTON") return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const [chart, note] of [["eval-chart", "eval-note"], ["time-chart", "time-note"]]) {
    const drawing = at(chart)?.querySelector("svg");
    if (!drawing) continue;
    const plyAt = (event) => {
      const box = drawing.getBoundingClientRect();
      const ply = Math.round(((event.clientX - box.left) / box.width) * (plies.length + 1) - 0.5);
      return Math.max(0, Math.min(plies.length, ply));
    };
    drawing.addEventListener("click", (event) => go(plyAt(event)));
    drawing.addEventListener("pointermove", (event) => text(note, describe(plyAt(event)).join(" · ")));
    drawing.addEventListener("pointerleave", () => text(note, ""));
  }
  const fromAddress = () => { const ply = /^#ply=(\d+)$/.exec(location.hash); if (ply) go(Number(ply[1])); };
  addEventListener("hashchange", fromAddress);
  show(0, true);
  fromAddress();
})();
