// Other people's boards behind one face: `open(host, options)` gives { play(ply), arrows(list), select(square, targets) }.
import { Chessground } from 'chessground';
import groundBase from 'chessground/assets/chessground.base.css';
import groundPieces from 'chessground/assets/chessground.cburnett.css';
import jquery from 'jquery';
import chessboardJsStyle from '@chrisoakman/chessboardjs/dist/chessboard-1.0.0.css';
import { BORDER_TYPE, Chessboard as CmChessboard } from 'cm-chessboard/src/Chessboard.js';
import { ARROW_TYPE, Arrows as CmArrows } from 'cm-chessboard/src/extensions/arrows/Arrows.js';
import { MARKER_TYPE, Markers as CmMarkers } from 'cm-chessboard/src/extensions/markers/Markers.js';
import cmStyle from 'cm-chessboard/assets/chessboard.css';
import cmArrowStyle from 'cm-chessboard/assets/extensions/arrows/arrows.css';
import cmMarkerStyle from 'cm-chessboard/assets/extensions/markers/markers.css';
import { createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Chessboard as ReactChessboard } from 'react-chessboard';
import 'chessboard-element';
import 'gchessboard';

window.jQuery = window.$ = jquery;

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const ROLES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

const style = (text) => document.head.append(Object.assign(document.createElement('style'), { textContent: text }));

// Light and dark squares as a picture, with a grain where `grain` names one; drawn to pixels once.
async function boardPicture({ light, dark, grain }) {
    const squares = [];
    for (let i = 0; i < 64; i += 1) {
        const [x, y] = [i % 8, Math.floor(i / 8)];
        squares.push(`<rect x="${x}" y="${y}" width="1" height="1" fill="${(x + y) % 2 ? dark : light}"/>`);
    }
    const grains = { wood: '0.15 6', marble: '1.6 1.6' };
    const filter = grains[grain]
        ? `<filter id="g"><feTurbulence type="fractalNoise" baseFrequency="${grains[grain]}" numOctaves="4" seed="5"/>` +
          '<feColorMatrix values="0 0 0 0 0  0 0 0 0 0  0 0 0 0 0  0 0 0 0.45 -0.1"/></filter>' +
          '<rect width="8" height="8" filter="url(#g)"/>'
        : '';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" width="1024" height="1024" ` +
        `shape-rendering="crispEdges">${squares.join('')}${filter}</svg>`;
    const drawn = Object.assign(new Image(), { src: `data:image/svg+xml;base64,${btoa(svg)}` });
    await drawn.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 1024, height: 1024 });
    canvas.getContext('2d').drawImage(drawn, 0, 0);
    return `url("${canvas.toDataURL()}")`;
}

async function chessground(host, o) {
    style(groundBase + groundPieces);
    style(`cg-board { background-image: ${await boardPicture(o.colours)}; background-size: 100% 100% }
        square.last-move { background-color: ${o.highlight ?? 'rgba(155, 199, 0, 0.41)'} }
        square.selected { background-color: rgba(20, 85, 30, 0.5) }
        square.current-premove { background-color: rgba(20, 30, 85, 0.5) !important }
        square.check { background: radial-gradient(ellipse at center, rgb(255, 0, 0) 0%, rgb(231, 0, 0) 25%,
            rgba(169, 0, 0, 0) 89%, rgba(158, 0, 0, 0) 100%) }
        square.move-dest { background: radial-gradient(rgba(20, 85, 30, 0.5) 19%, rgba(0, 0, 0, 0) 20%) }
        square.oc.move-dest { background: radial-gradient(transparent 0%, transparent 79%, rgba(20, 85, 0, 0.3) 80%) }
        .cg-wrap { width: 100%; height: 100% }
        coords { font: ${o.size / 40}px sans-serif }`);
    if (o.pieces) {
        const rule = (color, [letter, role]) =>
            `.cg-wrap piece.${role}.${color} { background-image: ${o.pieces(color[0] + letter.toUpperCase())} }`;
        style(['white', 'black'].flatMap((color) => Object.entries(ROLES).map((role) => rule(color, role))).join('\n'));
    }
    const ground = Chessground(host, {
        fen: START,
        orientation: o.orientation,
        coordinates: o.coordinates,
        animation: { enabled: o.slideMs > 0, duration: o.slideMs },
        movable: { free: false, color: o.drag ? 'white' : undefined, showDests: true },
        draggable: { enabled: true, showGhost: true },
        highlight: { lastMove: o.highlight !== 'none', check: true },
        drawable: { enabled: true, visible: true },
        premovable: { enabled: true },
    });
    return {
        play(ply, isDropped) {
            ground.set({
                fen: ply.fen,
                lastMove: [ply.from, ply.to],
                turnColor: ply.turn,
                check: ply.check ? ply.turn : false,
                ...(isDropped ? { animation: { enabled: false } } : { animation: { enabled: o.slideMs > 0 } }),
            });
        },
        allow(from, targets) {
            ground.set({ turnColor: 'white', movable: { color: 'white', dests: new Map([[from, targets]]) } });
        },
        select(square, targets) {
            ground.set({ movable: { color: 'both', dests: new Map([[square, targets]]) } });
            ground.selectSquare(square);
        },
        arrows(list) {
            const brushes = ['green', 'red', 'blue', 'yellow'];
            ground.setAutoShapes(list.map(([orig, dest], i) =>
                orig === dest ? { orig, brush: brushes[i % 4] } : { orig, dest, brush: brushes[i % 4] }));
        },
        premove: (from, to) => (from ? (ground.state.premovable.current = [from, to], ground.redrawAll()) : ground.cancelPremove()),
    };
}

async function chessboardjs(host, o) {
    style(chessboardJsStyle);
    style(`.white-1e1d7 { background-color: ${o.colours.light}; color: ${o.colours.dark} }
        .black-3c85d { background-color: ${o.colours.dark}; color: ${o.colours.light} }`);
    await new Promise((done) => {
        const script = Object.assign(document.createElement('script'), {
            src: '/node_modules/@chrisoakman/chessboardjs/dist/chessboard-1.0.0.js',
            onload: done,
        });
        document.head.append(script);
    });
    host.id = 'board';
    const board = window.Chessboard('board', {
        position: 'start',
        orientation: o.orientation,
        showNotation: o.coordinates,
        pieceTheme: (piece) => o.pieceUrl(piece),
        moveSpeed: o.slideMs,
        appearSpeed: o.slideMs,
        trashSpeed: o.slideMs / 2,
    });
    return {
        play(ply) {
            board.position(ply.fen.split(' ')[0], o.slideMs > 0);
            host.querySelectorAll('[data-square]').forEach((square) => {
                const isMarked = o.highlight && [ply.from, ply.to].includes(square.dataset.square);
                square.style.boxShadow = isMarked ? 'inset 0 0 3px 3px yellow' : '';
            });
        },
    };
}

function cmChessboard(host, o) {
    style(cmStyle + cmArrowStyle + cmMarkerStyle);
    const board = new CmChessboard(host, {
        position: START,
        orientation: o.orientation[0],
        assetsUrl: '/node_modules/cm-chessboard/assets/',
        style: {
            cssClass: o.colours.cssClass,
            showCoordinates: o.coordinates,
            borderType: BORDER_TYPE[o.border ?? 'none'],
            pieces: { file: `pieces/${o.set ?? 'standard'}.svg` },
            animationDuration: o.slideMs,
        },
        extensions: [{ class: CmArrows }, { class: CmMarkers, props: { autoMarkers: null } }],
    });
    return {
        play(ply) {
            board.setPosition(ply.fen, o.slideMs > 0);
            if (o.highlight) {
                board.removeMarkers();
                [ply.from, ply.to].forEach((square) => board.addMarker(MARKER_TYPE[o.highlight], square));
            }
        },
        arrows(list) {
            board.removeArrows();
            list.forEach(([from, to], i) => {
                if (from !== to) {
                    board.addArrow([ARROW_TYPE.default, ARROW_TYPE.danger][i % 2], from, to);
                }
            });
        },
    };
}

function reactChessboard(host, o) {
    const root = createRoot(host);
    const state = { position: START, arrows: [], squareStyles: {} };
    const draw = () => {
        const options = {
            ...state,
            id: 'film',
            boardOrientation: o.orientation,
            showNotation: o.coordinates,
            animationDurationInMs: o.slideMs,
            showAnimations: o.slideMs > 0,
            clearArrowsOnPositionChange: false,
            ...(o.colours && {
                lightSquareStyle: { backgroundColor: o.colours.light },
                darkSquareStyle: { backgroundColor: o.colours.dark },
            }),
        };
        flushSync(() => root.render(createElement(ReactChessboard, { options: { ...options } })));
    };
    draw();
    return {
        play(ply) {
            state.position = ply.fen;
            if (o.highlight) {
                const mark = { background: o.highlight };
                state.squareStyles = { [ply.from]: mark, [ply.to]: mark };
            }
            draw();
        },
        arrows(list) {
            const colours = ['rgba(255, 170, 0, 1)', 'rgba(0, 128, 0, 1)'];
            state.arrows = list.filter(([from, to]) => from !== to)
                .map(([startSquare, endSquare], i) => ({ startSquare, endSquare, color: colours[i % 2] }));
            draw();
        },
    };
}

function chessboardElement(host, o) {
    const board = document.createElement('chess-board');
    board.style.cssText = `display: block; width: 100%; border: 0; --light-color: ${o.colours.light};
        --dark-color: ${o.colours.dark}; --highlight-color: ${o.highlight ?? 'yellow'}`;
    board.orientation = o.orientation;
    board.hideNotation = !o.coordinates;
    board.moveSpeed = board.appearSpeed = o.slideMs;
    board.trashSpeed = o.slideMs / 2;
    host.append(board);
    board.setPosition('start', false);
    return {
        play(ply) {
            board.setPosition(ply.fen.split(' ')[0], o.slideMs > 0);
        },
    };
}

function gchessboard(host, o) {
    const board = document.createElement('g-chess-board');
    board.setAttribute('fen', 'start');
    board.setAttribute('orientation', o.orientation);
    board.setAttribute('coordinates', o.coordinates ? 'inside' : 'hidden');
    board.setAttribute('animation-duration', String(o.slideMs));
    board.style.cssText = o.colours
        ? `--square-color-light: ${o.colours.light}; --square-color-dark: ${o.colours.dark}`
        : '';
    host.append(board);
    return {
        play(ply) {
            board.fen = ply.fen;
        },
        arrows(list) {
            board.arrows = list.filter(([from, to]) => from !== to).map(([from, to]) => ({ from, to }));
        },
    };
}

function pictures(host) {
    return {
        picture(svg) {
            host.innerHTML = svg;
        },
        play(ply) {
            host.innerHTML = ply.svg;
        },
    };
}

const KINDS = {
    chessground,
    chessboardjs,
    'cm-chessboard': cmChessboard,
    'react-chessboard': reactChessboard,
    'chessboard-element': chessboardElement,
    gchessboard,
    'python-chess': pictures,
};

window.openBoard = async (kind, options) => {
    const o = { ...options };
    if (o.set && o.setFolder) {
        o.pieceUrl = (piece) => `${o.setFolder}/${o.set}/256/${piece}.png`;
        o.pieces = (piece) => `url("${o.pieceUrl(piece)}")`;
    }
    window.board = await KINDS[kind](document.getElementById('host'), o);
};
