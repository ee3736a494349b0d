// The page's own time: timers, frames and animations go on only when `filmStep` tells them to.
(() => {
    const realTimeout = window.setTimeout.bind(window);
    let now = 0;
    let lastId = 0;
    const timers = new Map();
    let frames = new Map();
    const at = (callback, delay, repeat, args) => {
        lastId += 1;
        timers.set(lastId, { callback, due: now + Math.max(0, Number(delay) || 0), repeat, args });
        return lastId;
    };
    window.setTimeout = (callback, delay, ...args) => at(callback, delay, null, args);
    window.setInterval = (callback, delay, ...args) => at(callback, delay, Math.max(1, Number(delay) || 0), args);
    window.clearTimeout = window.clearInterval = (id) => timers.delete(id);
    window.requestAnimationFrame = (callback) => {
        lastId += 1;
        frames.set(lastId, callback);
        return lastId;
    };
    window.cancelAnimationFrame = (id) => frames.delete(id);
    const epoch = 1_700_000_000_000;
    Date.now = () => epoch + now;
    performance.now = () => now;

    let isDirty = true;
    const watched = { attributes: true, characterData: true, childList: true, subtree: true };
    const observer = new MutationObserver(() => {
        isDirty = true;
    });
    const roots = [document];
    observer.observe(document, watched);
    const attachShadow = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function attach(options) {
        const root = attachShadow.call(this, options);
        observer.observe(root, watched);
        roots.push(root);
        return root;
    };

    const runTimers = () => {
        for (let round = 0; round < 1000; round += 1) {
            let next = null;
            for (const [id, timer] of timers) {
                if (timer.due <= now && (next === null || timer.due < timers.get(next).due)) {
                    next = id;
                }
            }
            if (next === null) {
                return;
            }
            const timer = timers.get(next);
            if (timer.repeat === null) {
                timers.delete(next);
            } else {
                timer.due += timer.repeat;
            }
            timer.callback(...timer.args);
        }
    };
    const settle = () => new Promise((done) => realTimeout(done, 0));

    const begun = new Map();
    // CSS transitions and Web Animations are held, and shown as they are at this time.
    const holdAnimations = () => {
        const running = new Set(roots.flatMap((root) => root.getAnimations()));
        for (const animation of begun.keys()) {
            if (!running.has(animation)) {
                begun.delete(animation);
            }
        }
        for (const animation of running) {
            if (animation.playState === 'finished' || animation.effect === null) {
                continue;
            }
            if (!begun.has(animation)) {
                begun.set(animation, now);
                animation.pause();
            }
            isDirty = true;
            const { endTime } = animation.effect.getComputedTiming();
            const passed = now - begun.get(animation);
            if (passed >= endTime) {
                animation.finish();
            } else {
                animation.currentTime = passed;
            }
        }
    };

    // Goes on to `time` in milliseconds, does `act` there, and tells whether the picture may have changed.
    window.filmStep = async (time, act) => {
        now = time;
        runTimers();
        await act();
        await settle();
        runTimers();
        const due = frames;
        frames = new Map();
        // What a frame's callback draws need not change the document: SVG's own lists of transforms, a canvas.
        isDirty ||= due.size > 0;
        for (const callback of due.values()) {
            callback(now);
        }
        await settle();
        holdAnimations();
        await settle();
        const wasDirty = isDirty;
        isDirty = false;
        return wasDirty;
    };
})();
