"""Short games drawn at random, each with castling, a capture in passing, a promotion and other captures."""

import random

import chess

PLIES_MIN, PLIES_MAX = 14, 30


def weight(board, move, wanted):
    if board.is_en_passant(move):
        return 500
    if move.promotion:
        return 1000 if move.promotion == wanted else 1
    if board.is_castling(move):
        return 60
    if board.piece_type_at(move.from_square) == chess.PAWN:
        rank = chess.square_rank(move.to_square)
        progress = rank if board.turn else 7 - rank
        return 3 ** max(0, progress - 2) * (3 if board.is_capture(move) else 1)
    return 4 if board.is_capture(move) else 1


def draw_once(rng, wanted):
    """The moves of one game, and whether all of it came about."""
    board, seen = chess.Board(), set()
    while len(board.move_stack) < PLIES_MAX:
        moves = list(board.legal_moves)
        if not moves:
            return None
        move = rng.choices(moves, [weight(board, move, wanted) for move in moves])[0]
        seen.add("passing" if board.is_en_passant(move) else "castling" if board.is_castling(move) else
                 "promotion" if move.promotion else "capture" if board.is_capture(move) else "quiet")
        board.push(move)
        if len(seen) == 5 and len(board.move_stack) >= PLIES_MIN:
            return board.move_stack
    return None


def moves_of(seed):
    rng = random.Random(seed)
    wanted = rng.choice([chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT])
    while True:
        moves = draw_once(rng, wanted)
        if moves:
            return moves


def times_of(seed, count, gap_ms):
    """When each ply is played, in milliseconds: the first at 2 s, then after pauses drawn from `gap_ms`, some plies at once."""
    rng = random.Random(f"times {seed}")
    times, now = [], 2000
    for _ in range(count):
        times.append(now)
        low, high = gap_ms
        now += rng.randint(low, high) if rng.random() < 0.85 else rng.randint(low, (low * 3 + high) // 4)
    return times


def describe(seed, gap_ms, dragged_side=None):
    """The plies of a game as the boards take them."""
    moves = moves_of(seed)
    board, plies = chess.Board(), []
    for move, time in zip(moves, times_of(seed, len(moves), gap_ms)):
        from_square, to_square = chess.square_name(move.from_square), chess.square_name(move.to_square)
        taken = None
        if board.is_en_passant(move):
            taken = chess.square_name(chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square)))
        elif board.is_capture(move):
            taken = to_square
        side = board.turn
        targets = [chess.square_name(m.to_square) for m in board.legal_moves if m.from_square == move.from_square]
        board.push(move)
        plies.append({
            "uci": move.uci(), "from": from_square, "to": to_square, "time": time, "fen": board.fen(),
            "turn": "white" if board.turn else "black", "check": board.is_check(), "taken": taken,
            "side": "W" if side else "B", "dragged": dragged_side is not None and side == dragged_side, "targets": targets,
        })
    return plies


def occupied_arrows(rng, fen, count):
    """Arrows between occupied squares, and a circle."""
    squares = [chess.square_name(square) for square in chess.Board(fen).piece_map()]
    arrows = [rng.sample(squares, 2) for _ in range(count)]
    return [*arrows, [rng.choice(squares)] * 2]
