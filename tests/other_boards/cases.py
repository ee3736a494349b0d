"""The cases of the sweep over other people's boards: software, look, motion, size, rate and compression."""

SETS = {"setFolder": "/sets-by-name"}
BROWN = {"light": "#f0d9b5", "dark": "#b58863"}
BLUE = {"light": "#dee3e6", "dark": "#8ca2ad"}
GREEN = {"light": "#ffffdd", "dark": "#86a666"}
ICE = {"light": "#eef4f8", "dark": "#c9d8e2"}
DARK = {"light": "#5c6370", "dark": "#353b45"}
WOOD = {"light": "#d8a974", "dark": "#8f5a33", "grain": "wood"}
MARBLE = {"light": "#e8e6e0", "dark": "#9aa39a", "grain": "marble"}
PURPLE = {"light": "#e8e0f0", "dark": "#8a6fb0"}
MUTED = {"light": "#b8b0a0", "dark": "#9a9284"}
HD = {"width": 1280, "height": 720, "left": 322, "top": 37, "surround": "#161512"}


def case(software, look, motion, size, fps, crf, **more):
    return {"software": software, "look": look, "motion": motion, "size": size, "fps": fps, "crf": crf, **more}


def ground(look, colours, motion, size, fps, crf, piece_set=None, options=None, **more):
    chosen = {"colours": colours, **({"set": piece_set, **SETS} if piece_set else {}), **(options or {})}
    return case("chessground", look, motion, size, fps, crf, options=chosen, **more)


CASES = [
    ground("blue, cburnett", BLUE, "slide 200 ms", 480, 30, 23, slide_ms=200, coordinates=True),
    ground("green, merida", GREEN, "slide 300 ms", 360, 30, 28, "merida", slide_ms=300),
    ground("wood, staunty", WOOD, "slide 250 ms", 560, 25, 23, "staunty", slide_ms=250, coordinates=True),
    ground("marble, leipzig", MARBLE, "slide 150 ms", 400, 30, 26, "leipzig", slide_ms=150, orientation="black"),
    ground("ice, california", ICE, "slide 200 ms", 480, 30, 23, "california", slide_ms=200),
    ground("dark mode, tatiana", DARK, "slide 200 ms", 480, 30, 23, "tatiana", slide_ms=200),
    ground("muted, companion", MUTED, "slide 200 ms", 480, 30, 23, "companion", slide_ms=200),
    ground("purple, chess7, blue marks", PURPLE, "slide 500 ms", 320, 60, 26, "chess7", slide_ms=500,
           options={"highlight": "rgba(0, 120, 255, 0.5)"}),
    ground("brown, pixel", BROWN, "at once", 256, 10, 26, "pixel"),
    ground("brown, cburnett, arrows", BROWN, "slide 200 ms", 480, 30, 23, slide_ms=200, arrows=True, coordinates=True),
    ground("green, fresca, arrows", GREEN, "slide 200 ms", 360, 30, 28, "fresca", slide_ms=200, arrows=True),
    ground("brown, cburnett, dots", BROWN, "clicks, slide 200 ms", 480, 30, 23, slide_ms=200, select=True),
    ground("blue, kosal, premoves", BLUE, "premoves, 200 ms", 480, 30, 23, "kosal", slide_ms=200, premoves=True),
    ground("brown, cburnett", BROWN, "drag", 600, 30, 23, slide_ms=200, drag=True, coordinates=True),
    ground("wood, maestro", WOOD, "drag", 440, 60, 26, "maestro", slide_ms=200, drag=True),
    ground("green, gioco, in 1280x720", GREEN, "drag", 648, 30, 23, "gioco", slide_ms=200, drag=True, layout=HD,
           coordinates=True),
    ground("ice, cardinal, in 1280x720", ICE, "slide 300 ms", 600, 30, 28, "cardinal", slide_ms=300, layout=HD),
    case("python-chess", "brown, coordinates, arrows", "at once", 480, 10, 23, coordinates=True, arrows=True, inset=15 / 390),
    case("python-chess", "wikipedia colours", "at once", 360, 5, 28,
         svg={"colors": {"square light": "#ffce9e", "square dark": "#d18b47", "square light lastmove": "#cdd16a",
                         "square dark lastmove": "#aaa23b"}}),
    case("python-chess", "night blue, coordinates", "at once", 640, 15, 28, coordinates=True, orientation="black", inset=15 / 390,
         svg={"colors": {"square light": "#6b7f99", "square dark": "#3c4b63", "square light lastmove": "#7d9a70",
                         "square dark lastmove": "#4f6e4a", "margin": "#101820", "coord": "#c0c8d0"}}),
    case("python-chess", "pale, no marks, arrows", "at once", 400, 10, 28, arrows=True, highlight=False,
         svg={"colors": {"square light": "#f4f4f0", "square dark": "#d8d8cc"}}),
    case("cm-chessboard", "green, staunty, frames", "slide 300 ms", 520, 30, 23, slide_ms=300, coordinates=True,
         options={"colours": {"cssClass": "green"}, "set": "staunty", "highlight": "frame", "border": "frame"}, inset=1 / 25),
    case("cm-chessboard", "blue, standard, squares", "slide 150 ms", 360, 30, 28, slide_ms=150, orientation="black",
         options={"colours": {"cssClass": "blue"}, "highlight": "square"}),
    case("cm-chessboard", "chess-club, circles, arrows", "slide 300 ms", 480, 25, 23, slide_ms=300, arrows=True,
         options={"colours": {"cssClass": "chess-club"}, "highlight": "circle", "border": "thin"}, inset=1 / 320),
    case("chessboardjs", "brown, alpha, framed marks", "slide 200 ms", 400, 30, 23, slide_ms=200, coordinates=True,
         options={"colours": BROWN, "highlight": True, "set": "alpha", **SETS}),
    case("chessboardjs", "purple, spatial", "fade 600 ms", 480, 30, 26, slide_ms=600, gap_ms=(900, 1800),
         options={"colours": PURPLE, "set": "spatial", **SETS}),
    case("react-chessboard", "its own", "slide 300 ms", 512, 30, 23, slide_ms=300, coordinates=True),
    case("react-chessboard", "ice, marks, arrows", "slide 200 ms", 400, 30, 26, slide_ms=200, arrows=True,
         options={"colours": ICE, "highlight": "rgba(255, 255, 0, 0.4)"}),
    case("react-chessboard", "dark mode, in 1280x720", "slide 300 ms", 560, 30, 28, slide_ms=300, layout=HD,
         options={"colours": DARK, "highlight": "rgba(80, 160, 120, 0.5)"}),
    case("chessboard-element", "green", "slide 200 ms", 480, 30, 23, slide_ms=200, coordinates=True,
         options={"colours": GREEN}),
    case("chessboard-element", "muted", "fade 400 ms", 360, 30, 26, slide_ms=400, orientation="black",
         options={"colours": MUTED}),
    case("gchessboard", "its own", "slide 200 ms", 480, 30, 23, slide_ms=200, coordinates=True),
    case("gchessboard", "blue, arrows", "slide 200 ms", 400, 30, 26, slide_ms=200, arrows=True,
         options={"colours": BLUE}),
    case("chessboard-image", "wikipedia", "at once", 480, 10, 23, options={"theme": "wikipedia"}),
    case("chessboard-image", "sakura", "at once", 400, 10, 26, options={"theme": "sakura"}, orientation="black"),
    case("chessboard-image", "wisteria", "at once", 480, 5, 28, options={"theme": "wisteria"}),
    case("chessboard-image", "symbol", "at once", 360, 10, 23, options={"theme": "symbol"}),
    case("fentoboardimage", "grey, riohacha", "at once", 400, 10, 26,
         options={"set": "riohacha", "light": "#d0d0d0", "dark": "#909090"}),
    case("fentoboardimage", "red, horsey", "at once", 480, 10, 23,
         options={"set": "horsey", "light": "#f2c0b0", "dark": "#b05040"}),
    case("fen2pil", "its own", "at once", 480, 10, 23),
    # Small boards, and compression beyond what recorders do.
    ground("brown, cburnett", BROWN, "slide 200 ms", 480, 30, 28, slide_ms=200, scale=240),
    ground("blue, merida", BLUE, "slide 200 ms", 480, 30, 26, "merida", slide_ms=200, scale=160),
    case("react-chessboard", "its own", "slide 300 ms", 512, 30, 30, slide_ms=300, scale=200),
    ground("green, cburnett", GREEN, "slide 200 ms", 360, 30, 35, slide_ms=200),
    case("cm-chessboard", "blue, standard, squares", "slide 300 ms", 360, 30, 35, slide_ms=300,
         options={"colours": {"cssClass": "blue"}, "highlight": "square"}),
    ground("brown, staunty", BROWN, "slide 200 ms", 1080, 30, 26, "staunty", slide_ms=200),
]
