"""Drawings as they look on a video's squares, and what host/src/recognise/figure.rs makes of them: the same integers."""

import io

import numpy as np
from PIL import Image, ImageFilter

EDGE = 16
FULL = 127


def square(drawing, rng):
    """A drawing on a square of random luma, size, place and quality: 16 by 16 cells of luma, and of the bare square."""
    light = rng.uniform(140, 250)
    bare = rng.choice([light, light - rng.uniform(20, 120)])
    px = int(rng.choice([20, 24, 30, 36, 45, 60, 75, 90, 128]))
    side = drawing.shape[0]
    inner = max(8, int(side * rng.uniform(0.72, 1.02)))
    room = (side - inner) // 2
    place = (room + int(rng.integers(-5, 6)), room + int(rng.integers(-5, 7)))

    def placed(cells):
        whole = Image.new("F", (side, side), 0.0)
        whole.paste(Image.fromarray(cells.astype(np.float32)).resize((inner, inner), Image.BILINEAR), place)
        return np.asarray(whole)

    ink, alpha = placed(drawing[..., 0] * drawing[..., 1] / 255), np.clip(placed(drawing[..., 1]) / 255, 0, 1)
    ground = np.full((side, side), bare)
    if rng.random() < 0.25:
        ground += np.kron(rng.normal(0, rng.uniform(1, 4), (8, 8)), np.ones((side // 8, side // 8)))
    # How far apart Black's and White's pieces are varies.
    cells = np.clip(ground * (1 - alpha) + ink * rng.uniform(0.8, 1.0) + alpha * rng.uniform(0, 40), 0, 255)
    picture = Image.fromarray(cells.astype(np.float32)).resize((px, px), Image.BOX)
    if rng.random() < 0.4:
        blur = ImageFilter.GaussianBlur(rng.uniform(0.2, px / 40))
        picture = Image.fromarray(np.asarray(picture).astype(np.uint8)).filter(blur)
    if rng.random() < 0.4:
        # What compression does to edges.
        kept = io.BytesIO()
        Image.fromarray(np.asarray(picture).astype(np.uint8)).save(kept, "jpeg", quality=int(rng.integers(25, 90)))
        picture = Image.open(kept).convert("L")
    cells = np.asarray(picture).astype(np.float32) + rng.normal(0, rng.uniform(0, 3), (px, px))
    # Boards are measured to two hundredths of a square.
    fine, (right, down) = EDGE * 4, rng.uniform(-0.02, 0.02, 2) * px
    shift = (px / fine, 0, right, 0, px / fine, down)
    sampled = Image.fromarray(cells.astype(np.float32)).transform((fine, fine), Image.AFFINE, shift, Image.BILINEAR)
    sampled = np.asarray(sampled).reshape(EDGE, 4, EDGE, 4).mean((1, 3))
    return np.clip(sampled, 0, 255), np.full((EDGE, EDGE), bare)


def beside(cells):
    """Whether a cell or one beside it is set."""
    grown = cells.copy()
    grown[:, 1:] |= cells[:, :-1]
    grown[:, :-1] |= cells[:, 1:]
    grown[:, :, 1:] |= cells[:, :, :-1]
    grown[:, :, :-1] |= cells[:, :, 1:]
    return grown


def inputs(squares, bare):
    """Silhouettes and inner lines of many squares, 0 to 127: `Figure::of`."""
    squares, bare = np.floor(squares).astype(np.int32), np.floor(bare).astype(np.int32)
    ring = np.ones((EDGE, EDGE), bool)
    ring[1:-1, 1:-1] = False
    tint = np.sort((squares - bare)[:, ring], 1)[:, ring.sum() // 2]
    differs = np.abs(squares - bare - tint[:, None, None])
    largest = np.maximum(differs[:, 1:-1, 1:-1].reshape(len(squares), -1).max(1), 1)
    edge = np.maximum(largest // 4, 8)[:, None, None]
    like = differs < edge
    outside, before = like & ring, None
    while before is None or (outside != before).any():
        before, outside = outside, beside(outside) & like
    inside = ~outside
    silhouette = np.where(inside, FULL, np.minimum(differs * FULL // edge, FULL))
    inner = inside & ~ring & ~beside(outside)
    core = np.where(inner.any((1, 2))[:, None, None], inner, inside)
    fill = np.zeros(len(squares), np.int32)
    for index, cells in enumerate(core):
        lumas = np.sort(squares[index][cells])
        fill[index] = lumas[len(lumas) // 2] if len(lumas) else 0
    lines = np.abs(squares - fill[:, None, None]) * FULL // largest[:, None, None]
    lines = np.where(inside, np.minimum(lines, FULL), 0)
    return np.stack([silhouette, lines], 1).reshape(len(squares), -1).astype(np.uint8)
