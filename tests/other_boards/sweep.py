#!/usr/bin/env python3
"""Games on boards drawn by other people's software, read back: a table that a person can read in a diff.

    scripts/other-boards [--only WORD] [--keep DIR] [--check]

Boards from npm in headless Chromium (chessground, cm-chessboard, chessboard.js, react-chessboard, chessboard-element,
gchessboard) and from PyPI (python-chess, chessboard-image, fentoboardimage, fen2pil), with piece sets that come with those
packages. The games are drawn at random, with castling, a capture in passing, a promotion and a ply every second or so.

The table goes to tests/golden/other_boards.txt; --check compares instead. --only runs the cases whose line holds WORD and
prints them alone. --keep leaves each case's video, truth and answer in DIR.

Columns: T1 F1; the largest distance in frames between the time read and the first frame with the piece at rest, over the
plies that come to rest before the next; silent: plies wrong that are not told to be in doubt. Exit status 1 where a clean
or recorded case is not read exactly, a ply is off by more than 0.3 s (boards differ in how the last pixel of a slide is
drawn), or any ply is silently wrong.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import chess
import chess.svg

import games
from cases import CASES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = ROOT / "target/other-boards"
GOLDEN = ROOT / "tests/golden/other_boards.txt"
PLYSCOPE = Path(os.environ.get("PLYSCOPE", ROOT / "target/release/plyscope"))
HEADER = f"{'software':18} {'look':34} {'motion':22} {'px':>4} {'fps':>3} {'crf':>3} | plies  T1 F1   frames off  silent"
# Two frames, and the rounding of times to milliseconds.
FRAMES_OFF_MAX = 2.05
# What a ply may be off at most, in seconds.
OFF_MAX_S = 0.3
TAIL_MS = 2500


def look_of(case):
    return case["look"] + (", black below" if case.get("orientation") == "black" else "")


def line_of(case):
    px = case.get("scale", case["size"])
    return f"{case['software']:18} {look_of(case):34} {case['motion']:22} {px:4} {case['fps']:3} {case['crf']:3} |"


def layout_of(case):
    size = case["size"]
    plain = {"width": size, "height": size, "left": 0, "top": 0, "size": size}
    return plain | case.get("layout", {})


def film_of(case, seed, folder):
    rng = random.Random(f"acts {seed}")
    drag = case.get("drag", False)
    gap_ms = case.get("gap_ms", (1100, 1900) if drag else (450, 1500))
    plies = games.describe(seed, gap_ms, chess.WHITE if drag else None)
    total = plies[-1]["time"] + TAIL_MS
    acts = []
    starts = ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", *(ply["fen"] for ply in plies)]
    if case.get("arrows"):
        # Two arrows and a circle over occupied squares, drawn a while after a ply and left for some plies.
        for index in range(0, len(plies) - 1, 3):
            begin = (plies[index]["time"] + plies[index + 1]["time"]) // 2 + 60
            acts.append([begin, "arrows", games.occupied_arrows(rng, starts[index + 1], 2)])
            acts.append([plies[min(index + 2, len(plies) - 1)]["time"] + 350, "arrows", []])
    if case.get("premoves"):
        for before, ply in zip(plies, plies[1:]):
            if ply["side"] == "W" and ply["time"] - before["time"] > 300:
                acts.append([before["time"] - 200, "premove", ply["from"], ply["to"]])
                acts.append([ply["time"], "premove", None, None])
    if case.get("select"):
        for ply in plies[1:]:
            acts.append([ply["time"] - 250, "select", ply["from"], ply["targets"]])
    return {
        "software": case["software"], "layout": layout_of(case), "fps": case.get("film_fps", case["fps"]), "total": total,
        "plies": plies, "acts": acts, "folder": str(folder),
        "options": {
            "orientation": case.get("orientation", "white"), "coordinates": case.get("coordinates", False),
            "slideMs": case.get("slide_ms", 0), "drag": drag, **case.get("options", {}),
        },
    }


def svg_film(case, film):
    """Adds python-chess's pictures to a film."""
    board, options = chess.Board(), case.get("svg", {})
    orientation = chess.WHITE if film["options"]["orientation"] == "white" else chess.BLACK

    def draw(arrows=(), lastmove=None):
        check = board.king(board.turn) if board.is_check() else None
        return chess.svg.board(board, orientation=orientation, size=case["size"], check=check, arrows=list(arrows),
                               lastmove=lastmove if case.get("highlight", True) else None,
                               coordinates=film["options"]["coordinates"], colors=options.get("colors", {}))

    film["svg"], fens = draw(), []
    for ply in film["plies"]:
        move = chess.Move.from_uci(ply["uci"])
        board.push(move)
        ply["svg"] = draw(lastmove=move)
        fens.append((ply["fen"], move))
    acts = []
    for time, kind, arrows in film["acts"]:
        played = [i for i, ply in enumerate(film["plies"]) if ply["time"] <= time]
        board.set_fen(fens[played[-1]][0])
        shapes = [chess.svg.Arrow(chess.parse_square(a), chess.parse_square(b)) for a, b in arrows]
        acts.append([time, "picture", draw(shapes, fens[played[-1]][1])])
    film["acts"] = acts
    return film


def browser_film(case, film):
    command = ["node", str(HERE / "film.mjs"), str(PACKAGES), shutil.which("chromium") or "chromium"]
    done = subprocess.run(command, input=json.dumps(film), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-800:])
    if done.stderr.strip():
        print(f"{line_of(case)} {done.stderr.strip()[-300:]}", file=sys.stderr)
    return json.loads(done.stdout)


def picture_of(case, fen):
    """A board as a picture by one of PyPI's packages."""
    size, options = case["size"], case.get("options", {})
    black = case.get("orientation") == "black"
    if case["software"] == "chessboard-image":
        import chessboard_image
        return chessboard_image.generate_pil(fen, size=size, theme_name=options["theme"],
                                             player_pov="black" if black else "white",
                                             show_coordinates=case.get("coordinates", False))
    if case["software"] == "fentoboardimage":
        from fentoboardimage import fen_to_image, load_pieces_folder
        folder = next(PACKAGES.glob(f"py/lib/python3*/site-packages/fentoimage/assets/cache/{options['set']}/256"))
        return fen_to_image(fen, square_length=size // 8, piece_set=load_pieces_folder(pieces(folder)), flipped=black,
                            dark_color=options["dark"], light_color=options["light"])
    import fen2pil.draw
    return fen2pil.draw.transform_fen_pil(fen=fen.split()[0], board_size=size)


def pieces(folder):
    """The folder of a piece set as fentoboardimage takes it: black/King.png and so on."""
    names = {"K": "King", "Q": "Queen", "R": "Rook", "B": "Bishop", "N": "Knight", "P": "Pawn"}
    made = PACKAGES / "sets" / folder.parent.name
    for piece in folder.glob("*.png"):
        side = made / ("white" if piece.stem[0] == "w" else "black")
        side.mkdir(parents=True, exist_ok=True)
        copy = side / f"{names[piece.stem[1]]}.png"
        if not copy.exists():
            shutil.copy(piece, copy)
    return str(made)


def still_film(case, film):
    """A film of pictures that change with the plies and not between."""
    folder, layout = Path(film["folder"]), film["layout"]
    from PIL import Image
    fens = [chess.STARTING_FEN, *(ply["fen"] for ply in film["plies"])]
    for index, fen in enumerate(fens):
        ground = Image.new("RGB", (layout["width"], layout["height"]), layout.get("surround", "#222"))
        ground.paste(picture_of(case, fen).convert("RGB"), (layout["left"], layout["top"]))
        ground.save(folder / f"{index:05}.png")
    first = [-(-ply["time"] * film["fps"] // 1000) for ply in film["plies"]]
    count = -(-film["total"] * film["fps"] // 1000)
    shown = [sum(start <= frame for start in first) for frame in range(count)]
    return {"shown": shown, "first": first, "events": first}


# What a picture still changes by, on the average, while a piece moves its last pixels, in levels of 256.
STILL_LEVELS_MAX = 0.5


def settled_frames(case, film, shot):
    """For each ply the first frame from which on its square stays as it is until something else happens; None where it
    never does."""
    from PIL import Image, ImageChops, ImageStat
    layout, inset = film["layout"], case.get("inset", 0) * film["layout"]["size"]
    side = (layout["size"] - 2 * inset) / 8

    @functools.cache
    def picture(index):
        return Image.open(Path(film["folder"]) / f"{index:05}.png").convert("RGB")

    def square_of(name, index):
        x, y = ord(name[0]) - ord("a"), 8 - int(name[1])
        if film["options"]["orientation"] == "black":
            x, y = 7 - x, 7 - y
        left, top = layout["left"] + inset + x * side, layout["top"] + inset + y * side
        return picture(index).crop((int(left + side * 0.1), int(top + side * 0.1), int(left + side * 0.9), int(top + side * 0.9)))

    shown, ends = shot["shown"], sorted({*shot["events"], len(shot["shown"])})
    settled = []
    for ply, first in zip(film["plies"], shot["first"]):
        end = next(frame for frame in ends if frame > first)
        last = square_of(ply["to"], shown[end - 1])

        def is_last(frame):
            difference = ImageChops.difference(square_of(ply["to"], shown[frame]), last)
            return sum(ImageStat.Stat(difference).mean) / 3 <= STILL_LEVELS_MAX

        since = end - 1
        while since > first and is_last(since - 1):
            since -= 1
        # Only a frame that is followed by its like shows a piece at rest. Boards that slide show a new queen at once and
        # fade the pawn and what it captured: from when on she rests is a matter of taste.
        is_known = since < end - 1 or end - 1 == first
        is_faded = len(ply["uci"]) == 5 and film["options"]["slideMs"] > 0
        settled.append(since if is_known and not is_faded else None)
    return settled


def encode(case, film, shot, video):
    """The pictures of a film as a video of the case's size, rate and quality."""
    pictures = {index: (Path(film["folder"]) / f"{index:05}.png").read_bytes() for index in set(shot["shown"])}
    filters = [f"scale={case['scale']}:-2:flags=area"] if "scale" in case else []
    if film["fps"] != case["fps"]:
        filters.append(f"fps={case['fps']}")
    filters.append("crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0")
    command = ["ffmpeg", "-v", "error", "-y", "-f", "image2pipe", "-c:v", "png", "-framerate", str(film["fps"]), "-i", "-",
               "-vf", ",".join(filters), "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast",
               "-threads", "1", "-crf", str(case["crf"]), *case.get("ffmpeg", []), str(video)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        for index in shot["shown"]:
            process.stdin.write(pictures[index])
        process.stdin.close()
        if process.wait() != 0:
            raise RuntimeError("ffmpeg failed")


def truth_of(film, shot):
    events, captures = [], 0
    for number, (ply, settled, first) in enumerate(zip(film["plies"], shot["settled"], shot["first"]), 1):
        second = round((settled if settled is not None else first) / film["fps"], 3)
        events.append({"type": "move", "idx": number, "color": ply["side"], "coord": ply["to"].upper(),
                       "game_clock_s": second, "leader_after": "equal", "wr_swing": "equal"})
        if ply["taken"]:
            captures += 1
            events.append({"type": "capture", "idx": captures, "color": "B" if ply["side"] == "W" else "W",
                           "coord": ply["taken"].upper(), "game_clock_s": second})
    return {"events": events}


def read_back(case, film, shot, folder):
    video, truth, answer = folder / "video.mp4", folder / "truth.json", folder / "answer.json"
    truth.write_text(json.dumps(truth_of(film, shot)))
    done = subprocess.run([PLYSCOPE, "reconstruct", video, "-o", answer, "--no-labels", "--format", "json"],
                          capture_output=True, text=True, check=False)
    plies = len(film["plies"])
    if done.returncode != 0:
        known = "no board found" if "no board" in done.stderr else f"exit {done.returncode}"
        return {"plies": plies, "f1": 0.0, "off": None, "silent": 0, "note": known}
    scored = subprocess.run([PLYSCOPE, "score", answer, truth, "--format", "json"], capture_output=True, text=True, check=True)
    remarks = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    doubtful = {remark["ply"] for remark in remarks if "in_doubt" in remark}
    holes = [remark["after_ply"] for remark in remarks if "reason" in remark]
    moves = [row for row in json.loads(answer.read_text())["events"] if row["type"] == "move"]
    right = [row for row in truth_of(film, shot)["events"] if row["type"] == "move"]
    silent, off = 0, 0.0
    for number, row in enumerate(moves, 1):
        told = number in doubtful or any(abs(hole - (number - 1)) <= 2 for hole in holes)
        known = right[number - 1] if number <= len(right) else None
        if known is None or (row["coord"], row["color"]) != (known["coord"], known["color"]):
            silent += not told
        elif shot["settled"][number - 1] is not None:
            off = max(off, abs(row["game_clock_s"] - known["game_clock_s"]) * case["fps"])
    # Plies at the end that are missing, and that no stretch tells of, are wrong in silence too.
    silent += len(moves) < len(right) and not any(hole >= len(moves) - 2 for hole in holes)
    return {"plies": plies, "f1": json.loads(scored.stdout)["t1"]["f1"], "off": off, "silent": silent, "note": ""}


def run(case, seed, keep):
    with tempfile.TemporaryDirectory(prefix="other-boards-") as temporary:
        folder = Path(temporary)
        pictures_folder = folder / "pictures"
        pictures_folder.mkdir()
        film = film_of(case, seed, pictures_folder)
        if case["software"] == "python-chess":
            film = svg_film(case, film)
        in_browser = case["software"] not in ("chessboard-image", "fentoboardimage", "fen2pil")
        shot = (browser_film if in_browser else still_film)(case, film)
        shot["settled"] = settled_frames(case, film, shot)
        encode(case, film, shot, folder / "video.mp4")
        result = read_back(case, film, shot, folder)
        if keep:
            kept = keep / f"{seed:02}-{case['software']}"
            shutil.rmtree(kept, ignore_errors=True)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(folder, kept, ignore=None if os.environ.get("KEEP_PICTURES") else lambda *_: ["pictures"])
            (kept / "film.json").write_text(json.dumps({"film": film, "shot": shot}))
    return result


def shown(case, result):
    off = result["off"]
    # Within the two frames that are allowed it may depend on the encoder's version.
    off = "-" if off is None else "<= 2" if off <= FRAMES_OFF_MAX else f"{off:.1f}"
    note = f"  {result['note']}" if result["note"] else ""
    return f"{line_of(case)} {result['plies']:5}  {result['f1']:.4f}  {off:>10}  {result['silent']:6}{note}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="run the cases whose line holds this word")
    parser.add_argument("--keep", type=Path, help="leave videos, truths and answers here")
    parser.add_argument("--check", action="store_true", help="compare with the golden table instead of writing it")
    options = parser.parse_args()
    chosen = [(seed, case) for seed, case in enumerate(CASES, 1) if options.only in line_of(case)]
    lines, failed = [HEADER], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = [pool.submit(run, case, seed, options.keep) for seed, case in chosen]
        for (_, case), future in zip(chosen, results):
            result = future.result()
            off_max = max(FRAMES_OFF_MAX, OFF_MAX_S * case["fps"])
            is_exact = result["f1"] == 1.0 and result["off"] is not None and result["off"] <= off_max
            failed += result["silent"] > 0 or (not is_exact and not case.get("degraded", False))
            lines.append(shown(case, result))
            print(lines[-1], flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} as they must be", flush=True)
    table = "\n".join(lines) + "\n"
    if options.only:
        pass
    elif options.check:
        if GOLDEN.read_text() != table:
            sys.exit("another table than tests/golden/other_boards.txt")
    else:
        GOLDEN.write_text(table)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
