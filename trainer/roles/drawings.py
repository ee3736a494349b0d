"""Piece sets as pictures: for each set twelve drawings, "wp" to "bk", of luma and alpha, 0 to 255, 128 by 128."""

import io
from pathlib import Path

import cairosvg
import numpy as np
from PIL import Image, ImageDraw, ImageFont

SIDE = 128
ROLES = "pnbrqk"
NAMES = dict(zip(ROLES, ["pawn", "knight", "bishop", "rook", "queen", "king"]))
# Drawings in which a person cannot tell the roles either, or that are no pieces.
LEFT_OUT = {"ttf/harlequin", "eboard/Slics", "eboard/Lcd", "eboard/Rastapov", "eboard/ghouls", "pychess/metaltops",
            "pychess/ada", "ttf/millenia", "eboard/Chap", "ttf/mark"}
# A drawing covers at least so many pixels.
COVERED_MIN = 400


def luma_and_alpha(picture):
    cells = np.asarray(picture.convert("RGBA")).astype(np.float32)
    return np.stack([cells[..., :3] @ np.float32([0.299, 0.587, 0.114]), cells[..., 3]], -1)


def drawn(svg):
    png = cairosvg.svg2png(bytestring=svg, output_width=SIDE, output_height=SIDE)
    return luma_and_alpha(Image.open(io.BytesIO(png)))


def own(folder):
    """This project's pieces; Black's are White's in other colours."""
    dark = [(".body{fill:#fbf8ef;stroke:#26211d", ".body{fill:#3d3936;stroke:#110f0e"),
            (".detail{fill:none;stroke:#26211d", ".detail{fill:none;stroke:#d9d3c8"),
            (".dot{fill:#26211d}", ".dot{fill:#d9d3c8}")]
    pieces = {}
    for role, name in NAMES.items():
        svg = (folder / f"{name}.svg").read_text()
        pieces["w" + role] = drawn(svg.encode())
        for light, replacement in dark:
            assert light in svg, f"{name}.svg has other styles"
            svg = svg.replace(light, replacement)
        pieces["b" + role] = drawn(svg.encode())
    return pieces


def pychess(folder):
    """A folder of twelve SVG files."""
    return {color + role: drawn((folder / f"{color}{role}.svg").read_bytes()) for color in "wb" for role in ROLES}


def eboard(path):
    """A picture of two rows of six, on a ground of one colour."""
    picture = Image.open(path).convert("RGBA")
    cells = np.asarray(picture).copy()
    side = picture.height // 2
    if picture.width < 6 * side:
        return {}
    cells[(cells[..., :3] == cells[0, 0, :3]).all(-1)] = (128, 128, 128, 0)
    picture, pieces = Image.fromarray(cells), {}
    for row, color in enumerate("wb"):
        for column, role in enumerate("rnbqkp"):
            box = (column * side, row * side, (column + 1) * side, (row + 1) * side)
            pieces[color + role] = luma_and_alpha(picture.crop(box).resize((SIDE, SIDE), Image.LANCZOS))
    return pieces


def filled(ink):
    """A drawing in ink, 0 to 1, with white where the ink encloses it."""
    wide = Image.fromarray((np.pad(ink, 2) * 255).astype(np.uint8)).point(lambda value: 255 if value > 100 else 0)
    ImageDraw.floodfill(wide, (0, 0), 128)
    inside = np.asarray(wide)[2:-2, 2:-2] != 128
    return np.stack([255 * (1 - ink) * inside, np.maximum(inside, ink) * 255], -1).astype(np.float32)


def typeface(path):
    """A font with White's pieces on p, n, b, r, q, k and Black's on o, m, v, t, w, l."""
    font, pieces = ImageFont.truetype(str(path), 110), {}
    for color, letters in (("w", "pnbrqk"), ("b", "omvtwl")):
        for role, letter in zip(ROLES, letters):
            picture = Image.new("L", (SIDE, SIDE), 0)
            pen = ImageDraw.Draw(picture)
            left, _, right, bottom = pen.textbbox((0, 0), letter, font=font)
            if right - left < 20:
                return {}
            pen.text(((SIDE - (right - left)) / 2 - left, SIDE * 0.93 - bottom), letter, font=font, fill=255)
            pieces[color + role] = filled(np.asarray(picture) / 255.0)
    return pieces


def all_sets(repository, downloaded):
    """Every set by its name, this project's own first."""
    sets = {"own": own(repository / "host/assets/pieces")}
    folder = downloaded / "pychess/usr/share/pychess/pieces"
    for path in sorted(folder.iterdir()):
        if (path / "wk.svg").exists():
            try:
                sets[f"pychess/{path.name}"] = pychess(path)
            except FileNotFoundError:
                pass  # Sets of other games have other pieces.
    sets |= {f"eboard/{path.stem}": eboard(path) for path in sorted((downloaded / "eboard/usr/share/games/eboard").glob("*.png"))}
    sets |= {f"ttf/{path.stem}": typeface(path) for path in sorted((folder / "ttf").glob("*.ttf"))}

    def is_whole(pieces):
        return len(pieces) == 12 and all((cells[..., 1] > 60).sum() >= COVERED_MIN for cells in pieces.values())

    return {name: pieces for name, pieces in sets.items() if name not in LEFT_OUT and is_whole(pieces)}
