// Films a game on one of the boards of boards.mjs: reads a case as JSON from standard input, writes each picture that
// differs to its folder and, to standard output, which picture each frame shows and with which frames something happens.
//
//     node film.mjs PACKAGES CHROMIUM < CASE.json
//
// The page has no time of its own (page_clock.js): a frame is what it shows after so many milliseconds, however long
// this machine takes to draw it.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import path from 'node:path';

const [packages, chromium] = process.argv.slice(2);
const require = createRequire(path.join(packages, 'package.json'));
const puppeteer = require('puppeteer-core');
const here = path.dirname(new URL(import.meta.url).pathname);

const TYPES = { '.js': 'text/javascript', '.svg': 'image/svg+xml', '.png': 'image/png', '.css': 'text/css', '.html': 'text/html' };

function page(film) {
    const { width, height, left, top, size, surround, panels } = film.layout;
    const sides = (panels ?? []).map((css) => `<div style="position: absolute; ${css}"></div>`).join('');
    return `<!doctype html><meta charset="utf-8"><style>
        * { margin: 0; padding: 0 }
        body { width: ${width}px; height: ${height}px; background: ${surround ?? '#222'}; overflow: hidden; position: relative }
        #host { position: absolute; left: ${left}px; top: ${top}px; width: ${size}px; height: ${size}px }
        #pointer { position: absolute; width: 0; height: 0; z-index: 9999; pointer-events: none; display: none }
        </style><body>${sides}<div id="host"></div>
        <svg id="pointer" viewBox="0 0 12 19" style="width: 14px; height: 22px"><path d="M0 0v16l4-4 3 7 2-1-3-7h6z"
        fill="#fff" stroke="#000"/></svg><script src="/boards.js"></script>`;
}

function serve(film) {
    const server = createServer(async (request, response) => {
        const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
        try {
            const body = name === '/' ? page(film) : await readFile(path.join(packages, path.normalize(name)));
            response.writeHead(200, { 'content-type': name === '/' ? 'text/html' : TYPES[path.extname(name)] ?? 'text/plain' });
            response.end(body);
        } catch {
            response.writeHead(404).end();
        }
    });
    return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

// Where the middle of a square lies.
function middle(film, square) {
    const { left, top, size } = film.layout;
    let [x, y] = [square.charCodeAt(0) - 97, 8 - Number(square[1])];
    if (film.options.orientation === 'black') {
        [x, y] = [7 - x, 7 - y];
    }
    return [left + ((x + 0.5) * size) / 8, top + ((y + 0.5) * size) / 8];
}

const TRAVEL_MS = 300;
const HOLD_MS = 450;

// Everything that happens, in its order: { time, act } for the page, or { time, mouse } for the pointer.
function happenings(film) {
    const all = [];
    let pointer = middle(film, 'e4');
    const travel = (from, to, begin, end) => {
        const steps = Math.max(1, Math.round(((end - begin) * film.fps) / 1000));
        for (let step = 1; step <= steps; step += 1) {
            const share = step / steps;
            const eased = share * share * (3 - 2 * share);
            const spot = from.map((a, i) => a + (to[i] - a) * eased);
            all.push({ time: begin + ((end - begin) * step) / steps, mouse: ['move', spot] });
        }
    };
    film.plies.forEach((ply, index) => {
        if (ply.dragged) {
            const [from, to] = [middle(film, ply.from), middle(film, ply.to)];
            // A hand does not hit the middle.
            const spot = [from[0] + film.layout.size / 50, from[1] - film.layout.size / 60];
            all.push({ time: ply.time - TRAVEL_MS - HOLD_MS, act: ['allow', ply.from, ply.targets] });
            travel(pointer, spot, ply.time - TRAVEL_MS - HOLD_MS, ply.time - HOLD_MS);
            all.push({ time: ply.time - HOLD_MS, mouse: ['down', spot] });
            travel(spot, to, ply.time - HOLD_MS, ply.time - 40);
            all.push({ time: ply.time, mouse: ['up', to] });
            pointer = to;
        }
        all.push({ time: ply.time, act: ['play', ply, Boolean(ply.dragged)], ply: index });
    });
    for (const [time, ...act] of film.acts ?? []) {
        all.push({ time, act });
    }
    return all.map((happening, order) => ({ ...happening, order })).sort((a, b) => a.time - b.time || a.order - b.order);
}

async function shoot(film, browser, server) {
    const tab = await browser.newPage();
    tab.on('pageerror', (error) => process.stderr.write(`page: ${error.message}\n`));
    await tab.setViewport({ width: film.layout.width, height: film.layout.height, deviceScaleFactor: 1 });
    await tab.evaluateOnNewDocument(await readFile(path.join(here, 'page_clock.js'), 'utf8'));
    await tab.goto(`http://127.0.0.1:${server.address().port}/`);
    const step = (time, acts, pointer) => tab.evaluate((time, acts, pointer) => window.filmStep(time, async () => {
        for (const [name, ...args] of acts) {
            await (name === 'openBoard' ? window.openBoard(...args) : window.board[name]?.(...args));
        }
        if (pointer) {
            document.getElementById('pointer').style.cssText +=
                `; display: block; left: ${pointer[0]}px; top: ${pointer[1]}px`;
        }
    }), time, acts, pointer);
    await step(0, [['openBoard', film.software, { ...film.options, size: film.layout.size }]]);
    if (film.software === 'python-chess') {
        await step(0, [['picture', film.svg]]);
    }
    // Pieces that appear, and pictures that load, come before the film.
    for (let time = 0; time < 1000; time += 50) {
        await step(time, []);
    }
    await tab.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => {}))));
    await new Promise((done) => setTimeout(done, 200));

    const beginning = 1000;
    const pending = happenings(film);
    const shown = [];
    const kinds = new Map();
    const plyFrames = [];
    const eventFrames = new Set();
    let wasDirty = true;
    for (let frame = 0; frame * 1000 < film.total * film.fps; frame += 1) {
        const time = (frame * 1000) / film.fps;
        const acts = [];
        let pointer = null;
        while (pending.length > 0 && pending[0].time <= time + 1e-6) {
            const { act, mouse, ply } = pending.shift();
            if (mouse) {
                const [kind, [x, y]] = mouse;
                await tab.mouse.move(x, y);
                if (kind !== 'move') {
                    await tab.mouse[kind]();
                }
                pointer = [x, y];
            } else {
                acts.push(act);
            }
            eventFrames.add(frame);
            if (ply !== undefined) {
                plyFrames[ply] = frame;
            }
        }
        const isDirty = (await step(beginning + time, acts, pointer)) || wasDirty || acts.length > 0;
        if (isDirty || frame === 0) {
            const png = await tab.screenshot({ type: 'png', optimizeForSpeed: true });
            const kind = createHash('sha256').update(png).digest('hex');
            if (!kinds.has(kind)) {
                kinds.set(kind, kinds.size);
                await writeFile(path.join(film.folder, `${String(kinds.get(kind)).padStart(5, '0')}.png`), png);
            }
            shown.push(kinds.get(kind));
        } else {
            shown.push(shown[shown.length - 1]);
        }
        wasDirty = isDirty && acts.length > 0;
    }
    return { shown, first: plyFrames, events: [...eventFrames] };
}

const film = JSON.parse(await text(process.stdin));
const server = await serve(film);
const browser = await puppeteer.launch({
    executablePath: chromium,
    headless: true,
    args: ['--no-sandbox', '--hide-scrollbars', '--force-color-profile=srgb', '--disable-gpu', '--font-render-hinting=none'],
});
try {
    process.stdout.write(JSON.stringify(await shoot(film, browser, server)));
} finally {
    await browser.close();
    server.close();
}
